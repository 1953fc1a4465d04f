import assert from "node:assert/strict";
import { test } from "node:test";
import { type PlacedNode, placeRepository } from "#indexing/placement";

const ids = Array.from({ length: 10_000 }, (_, at) => at + 1);
const node = (name: string, weight = 1): PlacedNode => ({ name, weight });
const nodes = ["a", "b", "c", "d"].map((name) => node(name));

function countsOf(placed: readonly PlacedNode[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const id of ids) {
    const name = placeRepository(id, placed)[0]?.name ?? "";
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

function first(id: number, placed: readonly PlacedNode[]): string | undefined {
  return placeRepository(id, placed)[0]?.name;
}

function isNear(count: number | undefined, expected: number): boolean {
  return Math.abs((count ?? 0) - expected) < expected * 0.08;
}

test("repositories are spread evenly, or by weight", () => {
  for (const count of Object.values(countsOf(nodes))) assert.ok(isNear(count, 2500), String(count));
  const weighted = countsOf([node("a", 3), node("b")]);
  assert.ok(isNear(weighted["a"], 7500), String(weighted["a"]));
});

test("a new node takes its share from the others, and nothing else moves", () => {
  const more = [node("e"), ...nodes];
  const moved = ids.filter((id) => first(id, nodes) !== first(id, more));
  assert.ok(isNear(moved.length, 2000), String(moved.length));
  for (const id of moved) assert.equal(first(id, more), "e");
});

test("the order of the nodes does not matter, and no nodes have no repositories", () => {
  for (const id of ids.slice(0, 100)) assert.equal(first(id, nodes), first(id, nodes.toReversed()));
  assert.deepEqual(placeRepository(1, []), []);
});

test("replicas are on different nodes, and a node that leaves is replaced by the next one", () => {
  for (const id of ids.slice(0, 1000)) {
    const placed = placeRepository(id, nodes, 2);
    assert.equal(new Set(placed).size, 2);
    const left = nodes.filter((each) => each !== placed[0]);
    assert.equal(placeRepository(id, left, 2)[0], placed[1]);
  }
  assert.equal(placeRepository(1, nodes.slice(0, 2), 3).length, 2);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { type PlacedNode, placeRepository } from "#indexing/placement";

const ids = Array.from({ length: 10_000 }, (_, at) => at + 1);
const node = (name: string, weight = 1): PlacedNode => ({ name, weight });
const nodes = ["a", "b", "c", "d"].map((name) => node(name));

function countsOf(placed: readonly PlacedNode[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const id of ids) {
    const name = placeRepository(id, placed)?.name ?? "";
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
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
  const moved = ids.filter((id) => placeRepository(id, nodes)?.name !== placeRepository(id, more)?.name);
  assert.ok(isNear(moved.length, 2000), String(moved.length));
  for (const id of moved) assert.equal(placeRepository(id, more)?.name, "e");
});

test("the order of the nodes does not matter, and no nodes have no repositories", () => {
  for (const id of ids.slice(0, 100))
    assert.equal(placeRepository(id, nodes)?.name, placeRepository(id, nodes.toReversed())?.name);
  assert.equal(placeRepository(1, []), undefined);
});

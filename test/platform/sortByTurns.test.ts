import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { sortByTurns } from "#platform/sortByTurns";

interface Item {
  readonly key: number;
  readonly place: number;
}

const byKey = (left: Item, right: Item) => left.key - right.key;

async function check(keys: readonly number[]): Promise<void> {
  const items = keys.map((key, place) => ({ key, place }));
  assert.deepEqual(await sortByTurns(items, byKey), items.toSorted(byKey));
}

test("few items, and none", async () => {
  await fc.assert(fc.asyncProperty(fc.array(fc.nat(9)), check));
});

test("many items, equal ones as they were", async () => {
  for (const length of [4095, 4096, 4097, 8192, 12_289, 100_003]) {
    await check(Array.from({ length }, (_, at) => (at * 7919) % 5003));
    await check(Array.from({ length }, (_, at) => length - at));
  }
});

test("many items let others have their turn", async () => {
  const items = Array.from({ length: 400_000 }, (_, at) => `${(at * 7919) % 400_009}`);
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  await sortByTurns(items, new Intl.Collator("en").compare);
  clearInterval(timer);
  assert.ok(turns >= 3, `${turns}`);
});

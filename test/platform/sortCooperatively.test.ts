import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { sortCooperatively } from "#platform/sortCooperatively";

interface Item {
  readonly key: number;
  readonly index: number;
}

const byKey = (left: Item, right: Item) => left.key - right.key;

async function check(keys: readonly number[]): Promise<void> {
  const items = keys.map((key, index) => ({ key, index }));
  assert.deepEqual(await sortCooperatively(items, byKey), items.toSorted(byKey));
}

test("few items, or none, are sorted", async () => {
  await fc.assert(fc.asyncProperty(fc.array(fc.nat(9)), check));
});

test("many items are sorted stably", async () => {
  for (const length of [4095, 4096, 4097, 8192, 12_289, 100_003]) {
    await check(Array.from({ length }, (_, at) => (at * 7919) % 5003));
    await check(Array.from({ length }, (_, at) => length - at));
  }
});

test("sorting many items yields to the event loop", async () => {
  const items = Array.from({ length: 400_000 }, (_, at) => `${(at * 7919) % 400_009}`);
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  await sortCooperatively(items, new Intl.Collator("en").compare);
  clearInterval(timer);
  assert.ok(turns >= 3, `${turns}`);
});

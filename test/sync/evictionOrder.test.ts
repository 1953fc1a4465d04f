import assert from "node:assert/strict";
import { test } from "node:test";
import {
  chooseVictims,
  type EvictionCandidate,
  evictionOrder,
  mayReplace,
  recentRevisionMs,
  type Victim,
} from "#sync/evictionOrder";

const now = 10 * recentRevisionMs;

function candidate(id: number, change: Partial<EvictionCandidate> = {}): EvictionCandidate {
  return { id, isPackage: false, isOpen: false, usedAt: 0, changedAt: 0, bytes: 1, revisions: [], ...change };
}

const order = (candidates: readonly EvictionCandidate[]) =>
  evictionOrder(candidates, now).map(
    ({ candidate: { id }, revisions }) => `${id}${revisions.map((name) => ` ${name}`).join("")}`,
  );

test("revisions go first, then packages, repositories, and last what is open", () => {
  const revisions = [
    { name: "old", usedAt: now - recentRevisionMs },
    { name: "new", usedAt: now },
  ];
  const all = [
    candidate(1, { isOpen: true }),
    candidate(2, { usedAt: 5, revisions }),
    candidate(3, { usedAt: 4 }),
    candidate(4, { isPackage: true, usedAt: now }),
    candidate(5, { changedAt: 2 }),
    candidate(6, { changedAt: 1 }),
  ];
  assert.deepEqual(order(all), ["2 old", "4", "6", "5", "3", "2", "1"]);
});

test("two repositories never evict one another in turn", () => {
  const all = [
    candidate(1, { usedAt: 2 }),
    candidate(2, { usedAt: 1 }),
    candidate(3, { isOpen: true }),
    candidate(4, { isPackage: true, usedAt: 3 }),
    candidate(5),
  ];
  const replaces = (victim: Victim, by: Victim) =>
    mayReplace(victim, { candidate: by.candidate, isRequested: false });
  const victims = evictionOrder(all, now);
  for (const one of victims) {
    for (const other of victims.filter((each) => each !== one))
      assert.notEqual(replaces(one, other), replaces(other, one));
  }
});

test("a requested repository may take the place of one that was not used since", () => {
  const open = evictionOrder([candidate(1, { isOpen: true, usedAt: 1 })], now)[0];
  assert.ok(open !== undefined);
  const mayTake = (usedAt: number, isRequested: boolean) =>
    mayReplace(open, { candidate: candidate(2, { usedAt }), isRequested });
  assert.deepEqual([mayTake(2, true), mayTake(1, true), mayTake(2, false)], [true, false, false]);
});

test("what is evicted together frees enough, and nothing that larger ones make unnecessary", () => {
  const revisions = [{ name: "old", usedAt: 0 }];
  const all = [
    candidate(1, { changedAt: 1, bytes: 40, revisions }),
    candidate(2, { changedAt: 2, bytes: 30, revisions }),
    candidate(3, { changedAt: 3, bytes: 10 }),
    candidate(4, { changedAt: 4, bytes: 100 }),
  ];
  const chosen = (excess: number) =>
    chooseVictims(evictionOrder(all, now), excess, ({ candidate: { id } }) => id * 10).map(
      ({ candidate: { id }, revisions: names }) => `${id}${names.map((name) => ` ${name}`).join("")}`,
    );
  assert.deepEqual(chosen(10), ["1 old"]);
  assert.deepEqual(chosen(11), ["2 old"], "10 bytes more are not needed");
  assert.deepEqual(chosen(30), ["1 old", "2 old"]);
  assert.deepEqual(chosen(60), ["2 old", "1"], "the shard is not rewritten first");
  assert.deepEqual(chosen(80), ["1", "2", "3"]);
  assert.deepEqual(chosen(81), ["4"]);
  assert.deepEqual(chosen(1000), ["1", "2", "3", "4"]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { FetchQueue } from "#sync/fetchQueue";
import { eventuallyEqual } from "#test/support/eventually";

/** Queues `3c10` (a clone of mirror 3 with 10 bytes) or `4f` (a fetch), of the host before the colon. */
function queueOf(limit: number) {
  const started: number[] = [];
  const ends = new Map<number, () => void>();
  const queuedAtEnd: boolean[] = [];
  const run = async (number: number) => {
    started.push(number);
    await new Promise<void>((resolve) => ends.set(number, resolve));
  };
  const queue = new FetchQueue(limit, run, () => queuedAtEnd.push(queue.has(1)));
  const add = (text: string, hostLimit = 4) => {
    for (const each of text.split(" ")) {
      const [, host = "a", number = "", kind = "", size = "0"] =
        /^(?:(\w):)?(\d+)([cf])(\d*)$/.exec(each) ?? [];
      queue.add({ number: Number(number), host, hostLimit, isClone: kind === "c", sizeBytes: Number(size) });
    }
  };
  const end = async (number: number, expected: readonly number[]) => {
    ends.get(number)?.();
    await eventuallyEqual(() => started, [...expected]);
  };
  return { queue, started, queuedAtEnd, add, end };
}

test("the smallest repositories are cloned first, and two slots are kept for fetches", async () => {
  const { queue, started, add, end } = queueOf(8);
  queue.setPaused(true);
  add("1c30 2c10 3c20 4c5");
  queue.setPaused(false);
  assert.deepEqual(started, [4, 2]);
  add("5f 6f 7f");
  assert.deepEqual(started, [4, 2, 5, 6]);
  await end(4, [4, 2, 5, 6, 7]);
  await end(5, [4, 2, 5, 6, 7, 3]);
});

test("a mirror can be queued again when its fetch has ended", async () => {
  const { queuedAtEnd, add, end } = queueOf(1);
  add("1f 2f");
  await end(1, [1, 2]);
  assert.deepEqual(queuedAtEnd, [false]);
});

test("many fetches do not keep a repository from being cloned", async () => {
  const { started, add, end } = queueOf(8);
  add("1f 2f 3f 4f 5f 6f 7c1");
  assert.deepEqual(started, [1, 2, 3, 4]);
  await end(1, [1, 2, 3, 4, 7]);
});

test("hosts do not wait for each other, and a mirror is fetched once at a time", async () => {
  const { queue, started, add, end } = queueOf(8);
  add("1f 2f 3f", 2);
  add("b:4f", 2);
  assert.deepEqual(started, [1, 2, 4]);
  add("1f 1f", 2);
  await end(2, [1, 2, 4, 3]);
  await end(1, [1, 2, 4, 3, 1]);
  assert.deepEqual(queue.counts, { waitingClones: 0, waitingFetches: 0, running: 3 });
});

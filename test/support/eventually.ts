/** Waits in tests for a condition, never for a fixed time. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";

const pollIntervalMs = 10;

/** Polls `poll` until it returns something other than `false` or `undefined`, and returns that. */
export async function eventually<Value>(
  poll: () => Value | undefined | false | Promise<Value | undefined | false>,
  limitMs = 30_000,
): Promise<Value> {
  for (const deadline = performance.now() + limitMs; ; await sleep(pollIntervalMs)) {
    const found = await poll();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`Not within ${limitMs} ms: ${poll}`);
  }
}

/** Polls `poll` until it returns `expected`; fails with the difference. */
export async function eventuallyEqual<Value>(
  poll: () => Value | Promise<Value>,
  expected: Value,
  limitMs = 30_000,
): Promise<void> {
  let found = await poll();
  for (const deadline = performance.now() + limitMs; performance.now() < deadline; found = await poll()) {
    if (isDeepStrictEqual(found, expected)) return;
    await sleep(pollIntervalMs);
  }
  assert.deepEqual(found, expected);
}

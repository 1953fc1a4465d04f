import assert from "node:assert/strict";
import { test } from "node:test";
import { runWithProcessorLimit } from "#platform/runWithTimeout";

const limitMs = 40;

/** Blocks this thread without using a processor. */
function wait(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function computeForever(): void {
  for (;;);
}

test("a run that has waited instead of computing is repeated with more time", () => {
  let runs = 0;
  const run = () => {
    runs++;
    wait(3 * limitMs);
  };
  assert.equal(runWithProcessorLimit(run, limitMs, 60_000), true);
  assert.ok(runs > 1);
});

test("a run that computes for too long is interrupted for good", () => {
  assert.equal(runWithProcessorLimit(computeForever, limitMs, 60_000), false);
});

test("no run is repeated when there is no time left", () => {
  let runs = 0;
  const run = () => {
    runs++;
    wait(3 * limitMs);
  };
  // The timer may fire a moment before the limit.
  assert.equal(runWithProcessorLimit(run, limitMs, limitMs / 2), false);
  assert.equal(runs, 1);
});

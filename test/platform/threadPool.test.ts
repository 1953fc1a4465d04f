import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { threadPool } from "#platform/threadPool";
import { temporaryFolder } from "#test/support/repo";

/** Responds to each call with the id of the thread. */
const script = join(temporaryFolder(), "worker.js");
writeFileSync(
  script,
  `const { parentPort, threadId } = require("node:worker_threads");
parentPort.on("message", ({ kind, call }) => {
  if (kind === "call") parentPort.postMessage({ call, kind: "done", value: threadId });
  if (kind === "end") parentPort.close();
});`,
);

test("a pool that shrinks while its threads are idle runs no more of them", async () => {
  const pool = threadPool<undefined, number>(script, 3);
  try {
    const runAll = async () => {
      const ids = await Promise.all([1, 2, 3].map(() => pool.run(undefined)));
      // The threads become idle after their results have arrived.
      await setImmediate();
      return new Set(ids).size;
    };
    assert.equal(await runAll(), 3);
    pool.resize(1);
    assert.equal(await runAll(), 1);
    pool.resize(2);
    assert.equal(await runAll(), 2);
  } finally {
    await pool.close();
  }
});

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

/** Decompresses in a loop until its flag is set. Reads messages and flags like `serveTask`. */
const inflatingScript = join(temporaryFolder(), "inflating.js");
writeFileSync(
  inflatingScript,
  `const { parentPort } = require("node:worker_threads");
const { deflateSync, inflateSync } = require("node:zlib");
const compressed = deflateSync(Buffer.alloc(240, "text"));
let flags;
parentPort.on("message", ({ kind, call, flag, flags: received }) => {
  if (kind === "flags") flags = received;
  if (kind === "end") parentPort.close();
  if (kind !== "call") return;
  parentPort.postMessage({ call, kind: "partial", value: "started" });
  while (Atomics.load(flags, flag) === 0) inflateSync(compressed);
});`,
);

/** Never returns, and ignores its flag. */
const stubbornScript = join(temporaryFolder(), "stubborn.js");
writeFileSync(
  stubbornScript,
  `const { parentPort } = require("node:worker_threads");
parentPort.on("message", ({ kind, call }) => {
  if (kind !== "call") return;
  parentPort.postMessage({ call, kind: "partial", value: "started" });
  for (;;);
});`,
);

/** Closes a pool as soon as its thread has started to work. */
async function closeBusyPool(workerScript: string): Promise<void> {
  const pool = threadPool<undefined, number>(workerScript, 1);
  let rejection = Promise.resolve();
  await new Promise<void>((resolve) => {
    rejection = assert.rejects(
      pool.run(undefined, undefined, () => resolve()),
      { code: "ENGINE_UNAVAILABLE" },
    );
  });
  await pool.close();
  await rejection;
}

test("threads that decompress can be closed at any time", async () => {
  for (let round = 0; round < 100; round++) await closeBusyPool(inflatingScript);
});

test("calls that are queued when a pool is closed are rejected", async () => {
  const pool = threadPool<undefined, number>(script, 1);
  const rejections = [1, 2, 3].map(() => assert.rejects(pool.run(undefined), { code: "ENGINE_UNAVAILABLE" }));
  await pool.close();
  await Promise.all(rejections);
});

test("a thread that ignores its flag is terminated", () => closeBusyPool(stubbornScript));

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

test("a thread whose result says that it must end is not used again", async () => {
  const pool = threadPool<undefined, number>(script, 1, { mustReplace: () => true });
  try {
    const ids = [await pool.run(undefined), await pool.run(undefined)];
    assert.equal(new Set(ids).size, 2);
  } finally {
    await pool.close();
  }
});

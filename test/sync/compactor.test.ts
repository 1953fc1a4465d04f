import assert from "node:assert/strict";
import { test } from "node:test";
import { openGate } from "#indexing/draftGate";
import type { Clock } from "#platform/clock";
import { inlineThread } from "#platform/inlineThread";
import { silentLog } from "#platform/log";
import type { Pool } from "#platform/threadPool";
import type { ShardDirectory } from "#shard/directory/directory";
import { Compactor } from "#sync/compactor";
import { type WorkerResult, type WorkerTask, workerTask } from "#sync/workerTasks";
import { openEngine, openIndex, search } from "#test/support/engines";
import { eventually } from "#test/support/eventually";
import { testParsers } from "#test/support/testLanguage";

/** A compactor whose timers fire almost at once. */
function start(
  directory: ShardDirectory,
  { isBusy = () => false, damagedId }: { readonly isBusy?: () => boolean; readonly damagedId?: number } = {},
) {
  const damaged: string[] = [];
  let timerCount = 0;
  const clock: Clock = {
    now: () => 1,
    elapsed: () => 1,
    after(delayMs, call) {
      timerCount++;
      const timer = setTimeout(
        () => {
          call();
          timerCount--;
        },
        Math.min(delayMs, 5),
      );
      return () => {
        clearTimeout(timer);
        timerCount--;
      };
    },
  };
  const thread: Pool<WorkerTask, WorkerResult> = inlineThread(
    workerTask(
      undefined,
      testParsers(() => {}),
    ),
  );
  const pool: Pool<WorkerTask, WorkerResult> = {
    ...thread,
    run(task, ...rest) {
      if (task.kind !== "rewrite" || task.repositories[0]?.id !== damagedId) return thread.run(task, ...rest);
      return Promise.resolve({ kind: "damaged", path: task.repositories[0]?.segments[0] ?? "" });
    },
  };
  const compactor = new Compactor({
    directory,
    gate: openGate(directory),
    pool,
    log: silentLog,
    isBusy,
    onDamage: (file) => damaged.push(file),
    clock,
  });
  return { compactor, damaged, isWaiting: () => timerCount > 0 };
}

function formatVersions(directory: ShardDirectory): (number | undefined)[] {
  return [...directory.manifests().values()].flatMap(({ segments }) =>
    segments.map(({ formatVersion }) => formatVersion),
  );
}

const repository = (id: number) => ({
  id,
  segments: [[{ path: `${id}.txt`, content: `text ${id}\n`.repeat(1000) }]],
});

test("shards in an older format are rewritten once their repository is no longer busy", async () => {
  const directory = await openIndex([repository(1), repository(2)], { isInOldFormat: true });
  let isBusy = true;
  let isBusyCalls = 0;
  const { compactor, damaged, isWaiting } = start(directory, {
    isBusy: () => {
      isBusyCalls++;
      return isBusy;
    },
  });
  await eventually(() => isBusyCalls > 0);
  assert.deepEqual(formatVersions(directory), [1, 1]);
  isBusy = false;
  await eventually(() => !formatVersions(directory).includes(1) && !isWaiting());
  assert.deepEqual([formatVersions(directory), damaged], [[4, 4], []]);
  await compactor.close();
  const { engine } = openEngine(directory);
  const { files } = await search(engine, { kind: "const", value: true });
  assert.deepEqual(files.map(({ path }) => path).sort(), ["1.txt", "2.txt"]);
  await engine.close();
});

test("a shard in an older format that is damaged does not prevent others from being rewritten", async () => {
  const directory = await openIndex([repository(1), repository(2)], { isInOldFormat: true });
  const { compactor, damaged, isWaiting } = start(directory, { damagedId: 1 });
  await eventually(() => formatVersions(directory).includes(4) && !isWaiting());
  assert.deepEqual(formatVersions(directory), [1, 4]);
  const file = directory.manifest(1)?.segments[0]?.file;
  assert.deepEqual(damaged, [file]);
  await compactor.close();
});

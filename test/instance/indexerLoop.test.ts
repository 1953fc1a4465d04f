/** How an indexer works on the jobs of its node, with runs that the test ends. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { ServiceError } from "#base/error";
import { IndexerLoop } from "#instance/indexerLoop";
import { systemClock } from "#platform/clock";
import { silentLog } from "#platform/log";
import type { IndexJob, IndexQueue } from "#store/indexQueue";
import { openIndexQueue } from "#store/openIndexQueue";
import { embeddedFile } from "#test/support/embeddedFile";
import { eventually, eventuallyEqual } from "#test/support/eventually";
import { temporaryFolder } from "#test/support/repo";

interface Run {
  readonly job: IndexJob;
  readonly signal: AbortSignal;
  end(error?: Error): void;
}

let queue: IndexQueue;
let runs: Run[];
/** The names of the repositories for which a run has not ended. */
let running: Set<string>;
let loop: IndexerLoop;

function start(leaseMs = 60_000): IndexerLoop {
  return new IndexerLoop({
    queue,
    node: "a",
    slots: 2,
    clock: systemClock,
    log: silentLog,
    leaseMs,
    run: (job, signal) =>
      new Promise((resolve, reject) => {
        const name = job.name;
        assert.ok(!running.has(name), "two runs for one repository");
        running.add(name);
        const end = (error?: Error) => {
          running.delete(name);
          if (error) reject(error);
          else resolve();
        };
        const cancel = () => setImmediate(() => end(new ServiceError("CANCELLED", "Canceled.")));
        if (signal.aborted) cancel();
        signal.addEventListener("abort", cancel);
        runs.push({ job, signal, end });
      }),
  });
}

const want = (...ids: number[]) =>
  queue.want(
    ids.map((repositoryId) => ({
      repositoryId,
      node: "a",
      name: `repo${repositoryId}`,
      source: "/git",
      maxFileBytes: 1,
      revisions: [{ name: "refs/heads/main", commit: "c".repeat(40) }],
    })),
  );
const states = async (...ids: number[]) => (await queue.reports(ids)).map(({ state }) => state);

beforeEach(async () => {
  runs = [];
  running = new Set();
  queue = await openIndexQueue(embeddedFile(join(temporaryFolder(), "trawl.db")), systemClock);
});
afterEach(async () => {
  await loop.close();
  await queue.close();
});

test("jobs are taken as soon as they are wanted, as many at once as there are slots", async () => {
  loop = start();
  await eventually(async () => (await queue.nodes())[0]?.seenAt !== undefined);
  await want(1, 2, 3);
  await eventuallyEqual(() => runs.length, 2);
  assert.deepEqual(await states(1, 2, 3), ["running", "running", "waiting"]);
  runs[0]?.end();
  await eventuallyEqual(() => runs.length, 3);
  for (const { end } of runs) end();
  await eventuallyEqual(() => states(1, 2, 3), ["indexed", "indexed", "indexed"]);
  assert.deepEqual(loop.counts, { indexed: 3, removed: 0, failed: 0, lost: 0 });
});

test("a job that fails is reported, and does not stop the others", async () => {
  loop = start();
  await want(1);
  await eventuallyEqual(() => runs.length, 1);
  runs[0]?.end(new ServiceError("GIT_FAILED", "no such commit"));
  await eventuallyEqual(() => states(1), ["failed"]);
  assert.equal((await queue.reports([1]))[0]?.lastError, "no such commit");
  await want(2);
  await eventuallyEqual(() => runs.length, 2);
});

test("a long job keeps its lease, and is canceled when another indexer has taken it", async () => {
  loop = start(1500);
  await want(1);
  await eventuallyEqual(() => runs.length, 1);
  const first = await queue.nextDueAt("a");
  await eventually(async () => ((await queue.nextDueAt("a")) ?? 0) > (first ?? 0));
  // As if this process had been suspended for longer than its lease.
  await queue.release((runs[0] as Run).job);
  await eventually(() => runs[0]?.signal.aborted === true);
  await eventually(() => loop.counts.lost > 0 && runs.length > 1);
});

test("a job whose lease has expired ends before it is taken again", async () => {
  loop = start();
  await want(1);
  await eventuallyEqual(() => runs.length, 1);
  // As if the database had not responded for longer than the lease: nothing renewed it.
  await queue.renew((runs[0] as Run).job, 0);
  await want(2);
  await eventuallyEqual(() => runs.length, 3);
  assert.equal(runs[0]?.signal.aborted, true);
  for (const { end } of runs) end();
  await eventuallyEqual(() => states(1, 2), ["indexed", "indexed"]);
  assert.deepEqual(loop.counts, { indexed: 2, removed: 0, failed: 0, lost: 1 });
});

test("an indexer that is stopped returns its jobs", async () => {
  loop = start();
  await want(1);
  await eventuallyEqual(() => runs.length, 1);
  await loop.close();
  assert.equal(runs[0]?.signal.aborted, true);
  assert.deepEqual(await states(1), ["waiting"]);
});

/** The queue of index jobs, on each database: two processes where they can share one. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isServiceError } from "#base/error";
import { silentLog } from "#platform/log";
import type { IndexQueue, WantedIndex } from "#store/indexQueue";
import { OrganizationLost } from "#store/lostOrganization";
import { openIndexQueue } from "#store/openIndexQueue";
import { openStore } from "#store/openStore";
import { postgresDatabase } from "#store/postgres";
import { manualClock } from "#test/support/clock";
import { eventually } from "#test/support/eventually";
import { startPostgres, withPostgres } from "#test/support/postgres";
import { onEachDatabase, run } from "#test/support/stores";

const start = Date.UTC(2026, 0, 1);
const leaseMs = 60_000;

function wantedIndex(repositoryId: number, node = "a", commit = "c1"): WantedIndex {
  return {
    repositoryId,
    node,
    name: `repo${repositoryId}`,
    source: `/git/repo${repositoryId}`,
    maxFileBytes: 1000,
    revisions: [{ name: "refs/heads/main", commit: commit.padEnd(40, "0") }],
  };
}

onEachDatabase((empty) => {
  /** Opens two queues on one database if it can be shared, otherwise the same queue twice. */
  const withQueues = async (
    work: (one: IndexQueue, other: IndexQueue, clock: { time: number }) => Promise<void>,
  ) => {
    const clock = manualClock(start);
    const database = await empty();
    const one = await openIndexQueue(database.source(), clock);
    const other = database.isShared ? await openIndexQueue(database.source(), clock) : one;
    try {
      await work(one, other, clock);
    } finally {
      await one.close();
      if (other !== one) await other.close();
    }
  };

  test("a job is taken by the indexer of its node, once, and reported", () =>
    withQueues(async (leader, indexer) => {
      await leader.want([wantedIndex(1), wantedIndex(2, "b")]);
      const job = (await indexer.take("a", leaseMs)) ?? assert.fail();
      const { repositoryId, node, name, source, maxFileBytes, revisions, attempts } = job;
      assert.deepEqual({ repositoryId, node, name, source, maxFileBytes, revisions }, wantedIndex(1));
      assert.equal(attempts, 1);
      assert.equal(await leader.take("a", leaseMs), undefined);
      assert.equal((await leader.reports([1]))[0]?.state, "running");
      assert.equal(await indexer.complete(job), true);
      const [report] = await leader.reports([1, 99]);
      assert.deepEqual([report?.state, report?.indexed], ["indexed", job.revisions]);
      assert.equal(await indexer.take("a", leaseMs), undefined);
      assert.equal(await indexer.nextDueAt("a"), undefined);
    }));

  test("two indexers of a node never take the same job", () =>
    withQueues(async (one, other) => {
      const ids = Array.from({ length: 40 }, (_, at) => at + 1);
      await one.want(ids.map((id) => wantedIndex(id)));
      const takeAll = async (queue: IndexQueue) => {
        const taken: number[] = [];
        for (let job = await queue.take("a", leaseMs); job; job = await queue.take("a", leaseMs))
          taken.push(job.repositoryId);
        return taken;
      };
      const taken = (await Promise.all([one, other, one, other].map(takeAll))).flat();
      assert.deepEqual(
        taken.toSorted((left, right) => left - right),
        ids,
      );
    }));

  test("an expired lease is taken over, and its holder cannot report any more", () =>
    withQueues(async (one, other, clock) => {
      await one.want([wantedIndex(1)]);
      const lost = (await one.take("a", leaseMs)) ?? assert.fail();
      clock.time += leaseMs - 1;
      assert.equal(await one.renew(lost, leaseMs), true);
      clock.time += leaseMs - 1;
      assert.equal(await other.take("a", leaseMs), undefined);
      assert.equal(await other.nextDueAt("a"), clock.time + 1);
      clock.time += 1;
      const job = (await other.take("a", leaseMs)) ?? assert.fail();
      assert.equal(job.attempts, 2);
      assert.equal(await one.renew(lost, leaseMs), false);
      assert.equal(await one.complete(lost), false);
      assert.equal(await one.fail(lost, "late", clock.time), false);
      assert.equal((await one.reports([1]))[0]?.state, "running");
      assert.equal(await other.complete(job), true);
    }));

  test("commits that are wanted while a job runs are not lost", () =>
    withQueues(async (leader, indexer, clock) => {
      await leader.want([wantedIndex(1)]);
      const first = (await indexer.take("a", leaseMs)) ?? assert.fail();
      await leader.want([wantedIndex(1, "a", "c2")]);
      assert.equal(await leader.take("a", leaseMs), undefined);
      assert.equal(await indexer.renew(first, leaseMs), true);
      assert.equal(await indexer.complete(first), true);
      const [report] = await leader.reports([1]);
      assert.deepEqual([report?.state, report?.indexed], ["waiting", first.revisions]);
      const second = (await indexer.take("a", leaseMs)) ?? assert.fail();
      assert.deepEqual(second.revisions, wantedIndex(1, "a", "c2").revisions);
      await leader.want([wantedIndex(1, "a", "c3")]);
      assert.equal(await indexer.fail(second, "disk full", clock.time + 5000), true);
      // What is wanted now has not failed.
      assert.equal((await leader.reports([1]))[0]?.state, "waiting");
    }));

  test("a failed job is tried again later, and wanting the same changes nothing", () =>
    withQueues(async (leader, indexer, clock) => {
      await leader.want([wantedIndex(1)]);
      const job = (await indexer.take("a", leaseMs)) ?? assert.fail();
      await indexer.fail(job, "no space left", clock.time + 5000);
      await leader.want([wantedIndex(1)]);
      const [report] = await leader.reports([1]);
      assert.deepEqual([report?.state, report?.lastError], ["failed", "no space left"]);
      assert.equal(await indexer.take("a", leaseMs), undefined);
      clock.time += 5000;
      const again = (await indexer.take("a", leaseMs)) ?? assert.fail();
      await indexer.complete(again);
      await leader.want([wantedIndex(1)]);
      assert.equal(await indexer.take("a", leaseMs), undefined);
      await leader.want([wantedIndex(1)], { isForced: true });
      assert.equal((await indexer.take("a", leaseMs))?.repositoryId, 1);
    }));

  test("a released job is taken again at once, and does not count as tried", () =>
    withQueues(async (one, other) => {
      await one.want([wantedIndex(1)]);
      await one.release((await one.take("a", leaseMs)) ?? assert.fail());
      assert.equal((await other.take("a", leaseMs))?.attempts, 1);
    }));

  test("a moved repository is removed from its old node, not before its time", () =>
    withQueues(async (leader, indexer, clock) => {
      await leader.want([wantedIndex(1), wantedIndex(1, "b")]);
      for (const node of ["a", "b"])
        await indexer.complete((await indexer.take(node, leaseMs)) ?? assert.fail());
      assert.deepEqual(await leader.leaving(["a", "b"]), []);
      await leader.unwant(1, { exceptNodes: ["b"], dueAt: clock.time + 1000 });
      assert.deepEqual(await leader.leaving(["a", "b"]), [{ repositoryId: 1, node: "a" }]);
      assert.equal(await indexer.take("a", leaseMs), undefined);
      clock.time += 1000;
      const removal = (await indexer.take("a", leaseMs)) ?? assert.fail();
      assert.deepEqual(removal.revisions, []);
      await indexer.complete(removal);
      assert.deepEqual(
        (await leader.reports([1])).map(({ node }) => node),
        ["b"],
      );
      // Nothing is left to do on either node.
      assert.equal(await indexer.nextDueAt("a"), undefined);
      assert.equal(await indexer.take("b", leaseMs), undefined);
    }));

  test("jobs are counted by node, and repositories with too few replicas", () =>
    withQueues(async (leader, indexer, clock) => {
      await leader.want([1, 2, 3].flatMap((id) => [wantedIndex(id), wantedIndex(id, "b")]));
      await indexer.complete((await indexer.take("a", leaseMs)) ?? assert.fail());
      await indexer.fail((await indexer.take("a", leaseMs)) ?? assert.fail(), "x", clock.time + 9);
      await indexer.complete((await indexer.take("b", leaseMs)) ?? assert.fail());
      await indexer.take("b", leaseMs);
      const counts = (await leader.counts()).toSorted((left, right) => (left.node < right.node ? -1 : 1));
      assert.deepEqual(counts, [
        { node: "a", counts: { waiting: 1, running: 0, failed: 1, indexed: 1 }, oldestAt: start },
        { node: "b", counts: { waiting: 1, running: 1, failed: 0, indexed: 1 }, oldestAt: start },
      ]);
      assert.equal(await leader.countUnderReplicated(2), 2);
    }));

  test("a repository has failed if no node has what is wanted, and the last attempt of each has failed", () =>
    withQueues(async (leader, indexer, clock) => {
      await leader.want([wantedIndex(1), wantedIndex(1, "b"), wantedIndex(2)]);
      const take = async (node: string) => (await indexer.take(node, leaseMs)) ?? assert.fail();
      const failed = () => leader.failures(["a", "b"]);
      const one = { name: "repo1", lastError: "no space left" };
      await indexer.fail(await take("a"), "no space left", clock.time);
      assert.deepEqual(await failed(), []);
      await indexer.fail(await take("b"), "no space left", clock.time);
      assert.deepEqual(await failed(), [
        { ...one, node: "a" },
        { ...one, node: "b" },
      ]);
      assert.deepEqual(await leader.failures([]), []);
      assert.equal((await leader.failures(["a"])).length, 1);
      const again = await take("b");
      assert.equal((await failed()).length, 2);
      await indexer.complete(again);
      assert.deepEqual(await failed(), []);
      // Nobody has tried other commits yet.
      await leader.want([wantedIndex(2)]);
      await indexer.fail(await take("a"), "no space left", clock.time);
      await leader.want([wantedIndex(1, "a", "c2"), wantedIndex(2, "a", "c2")]);
      assert.deepEqual(await failed(), []);
    }));

  test("a node indexes again what it has lost, but not what it should remove", () =>
    withQueues(async (leader, indexer, clock) => {
      await leader.want([1, 2, 3, 4].map((id) => wantedIndex(id)));
      for (let count = 0; count < 3; count++)
        await indexer.complete((await indexer.take("a", leaseMs)) ?? assert.fail());
      await leader.unwant(3);
      clock.time += 1000;
      assert.deepEqual(await indexer.backlog("a"), { waitingCount: 2, oldestAt: start });
      assert.equal(await indexer.recover("a", new Set([1])), 1);
      assert.equal(await indexer.recover("a", new Set([1])), 0);
      assert.deepEqual(await indexer.backlog("a"), { waitingCount: 3, oldestAt: start });
      const [lost] = (await leader.reports([2])).filter(({ node }) => node === "a");
      assert.deepEqual([lost?.state, lost?.indexed], ["waiting", undefined]);
      const wanted = new Map<number, number>();
      for (let job = await indexer.take("a", leaseMs); job; job = await indexer.take("a", leaseMs)) {
        wanted.set(job.repositoryId, job.revisions.length);
        assert.equal(await indexer.complete(job), true);
      }
      assert.deepEqual([...wanted].sort(), [
        [2, 1],
        [3, 0],
        [4, 1],
      ]);
      assert.deepEqual(await indexer.backlog("a"), { waitingCount: 0 });
    }));

  test("a queue does not create an organization in a database that has lost its own", async () => {
    const database = await empty();
    const clock = manualClock(start);
    await (await openIndexQueue(database.source(), clock)).close();
    const expected = { uuid: "u", database: "x", hasKeys: true };
    const opened = openStore({ source: database.source(), version: "1", clock, expected });
    // Only PostgreSQL is shared with a queue.
    await assert.rejects(opened, database.isShared ? OrganizationLost : { code: "ENGINE_UNAVAILABLE" });
  });

  test("repositories have the same ids in all processes", () =>
    withQueues(async (one, other) => {
      const names = (prefix: string) => Array.from({ length: 600 }, (_, at) => `${prefix}/${at}`);
      const [first, second] = await Promise.all([
        one.idsOf([...names("a"), ...names("b"), "a/0"]),
        other.idsOf([...names("b"), ...names("c")]),
      ]);
      const all = await one.idsOf([...names("a"), ...names("b"), ...names("c")]);
      assert.equal(new Set(all.values()).size, 1800);
      for (const ids of [first, second]) for (const [name, id] of ids) assert.equal(all.get(name), id, name);
      const unusual = await one.idsOf(["a\0", "b\ud800"]);
      assert.deepEqual(await other.idsOf(["a\0", "b\ud800", "b\ud800"]), unusual);
    }));

  test("one process at a time feeds the indexers", () =>
    withQueues(async (one, other) => {
      const changes: string[] = [];
      one.becomeFeeder((isFeeder) => changes.push(`one ${isFeeder}`));
      await eventually(() => changes.length === 1);
      assert.deepEqual(changes, ["one true"]);
      if (one === other) return;
      other.becomeFeeder((isFeeder) => changes.push(`other ${isFeeder}`));
      await eventually(() => changes.length === 2);
      assert.deepEqual(changes, ["one true", "other false"]);
      await one.close();
      await eventually(() => changes.at(-1) === "other true");
    }));

  test("nodes are drained, and seen", () =>
    withQueues(async (one, other, clock) => {
      assert.deepEqual(await one.nodes(), []);
      await one.setDrained("a", true);
      await other.recordSeen("a");
      await other.recordSeen("b");
      assert.deepEqual(await one.nodes(), [
        { name: "a", isDrained: true, seenAt: clock.time },
        { name: "b", isDrained: false, seenAt: clock.time },
      ]);
      await one.setDrained("a", false);
      assert.equal((await other.nodes())[0]?.isDrained, false);
    }));

  test("other processes are woken: indexers by jobs of their node, the leader by reports", () =>
    withQueues(async (leader, indexer) => {
      const woken: string[] = [];
      for (const topic of ["wanted a", "wanted b", "nodes"] as const)
        indexer.subscribe(topic, () => woken.push(topic));
      leader.subscribe("reported", () => woken.push("reported"));
      await leader.want([wantedIndex(1)]);
      await eventually(() => woken.includes("wanted a"));
      await indexer.complete((await indexer.take("a", leaseMs)) ?? assert.fail());
      await eventually(() => woken.includes("reported"));
      await leader.setDrained("b", true);
      await eventually(() => woken.includes("nodes"));
    }));
});

withPostgres("a large queue", (binaries) => {
  describe("on PostgreSQL", () => {
    test("an idle round reads no row of 100,000, and survives a restart of the server", async () => {
      const server = await startPostgres(binaries);
      try {
        const source = () => postgresDatabase(url, silentLog);
        const url = await server.database();
        const clock = manualClock(start);
        const queue = await openIndexQueue(source(), clock);
        await run(
          source(),
          `insert into "indexJob" select id, 'a', 'repo', '/r', 1, '[{"name":"x","commit":"y"}]', '[]', 1, 'indexed', 0, 1, null, null, null
             from generate_series(1, 100000) as id`,
        );
        await run(source(), `analyze "indexJob"`);
        assert.equal(await queue.take("a", leaseMs), undefined);
        const plan = await run(
          source(),
          `explain (analyze, format json) select * from "indexJob" where "node" = 'a' and "dueAt" <= ${start}
             order by "dueAt", "repositoryId" limit 1 for update skip locked`,
        );
        const text = JSON.stringify(plan);
        assert.match(text, /"Index Name":"indexJobDue"/);
        assert.doesNotMatch(text, /Seq Scan|Rows Removed by Filter/);
        await queue.want([wantedIndex(7, "a", "c2")]);
        const job = (await queue.take("a", leaseMs)) ?? assert.fail();
        let wakeCount = 0;
        queue.subscribe("wanted a", () => wakeCount++);
        await server.kill();
        // Processes of its connections may answer for a moment longer.
        await eventually(() =>
          queue.renew(job, leaseMs).then(
            () => false,
            (error: unknown) => isServiceError(error, "ENGINE_UNAVAILABLE"),
          ),
        );
        await server.start();
        await eventually(() => queue.complete(job).catch(() => false));
        // The listener connects again, and reports what it may have missed.
        await eventually(() => wakeCount > 0);
        const before = wakeCount;
        await queue.want([wantedIndex(8, "a", "c2")]);
        await eventually(() => wakeCount > before);
        await queue.close();
      } finally {
        await server.close();
      }
    });
  });
});

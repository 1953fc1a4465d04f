/** Zoekt nodes with indexers beside them: real processes, real Zoekt, and a real PostgreSQL that restarts. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { SearchResult } from "#contract/search";
import type { ClusterStatus, NodeStatus } from "#instance/clusterStatus";
import { systemClock } from "#platform/clock";
import { silentLog } from "#platform/log";
import type { IndexJobState, IndexQueue } from "#store/indexQueue";
import { openIndexQueue } from "#store/openIndexQueue";
import { postgresDatabase } from "#store/postgres";
import { eventually, eventuallyEqual } from "#test/support/eventually";
import { type PostgresServer, runSql, startPostgres, withPostgres } from "#test/support/postgres";
import { repo, type TestRepository, temporaryFolder } from "#test/support/repo";
import { type Served, serve } from "#test/support/served";
import { run } from "#test/support/stores";
import { type RunningTrawl, startTrawl, trawl } from "#test/support/trawl";
import {
  findProgram,
  hasZoekt,
  type RunningZoekt,
  serveZoekt,
  withoutZoekt,
  zoektIndexer,
} from "#test/support/zoektPrograms";

const names = ["a", "b", "c", "d", "e", "f"];
const nodeNames = ["one", "two"] as const;
type NodeName = (typeof nodeNames)[number];

interface IndexerProcess extends RunningTrawl {
  readonly url: string;
}

function found({ files }: SearchResult): string[] {
  return files.map(({ repository }) => repository).sort();
}

withPostgres("nodes with indexers", (binaries) => {
  describe(`nodes with indexers${withoutZoekt}`, { skip: !hasZoekt }, () => {
    const folder = temporaryFolder();
    const config = join(folder, "trawl.jsonc");
    /** While it exists, indexing waits. */
    const hold = join(folder, "hold");
    const sources = new Map<string, TestRepository>();
    const zoekt: RunningZoekt[] = [];
    const indexers = new Map<NodeName, IndexerProcess>();
    let postgres: PostgresServer;
    let database: string;
    let queue: IndexQueue;
    let served: Served;

    const indexFolder = (node: NodeName) => join(folder, `index-${node}`);
    const startIndexer = async (node: NodeName) => {
      const flags = ["--role", "indexer", "--node", node, "--config", config, "--port", "0"];
      const running = startTrawl(["serve", ...flags], folder);
      const line = await running.line(/^Indexing for node/);
      indexers.set(node, { ...running, url: line.slice(line.indexOf("http")) });
    };
    const killIndexer = async (node: NodeName) => {
      indexers.get(node)?.process.kill("SIGKILL");
      await indexers.get(node)?.ended;
    };
    const status = async () => {
      const { stdout, stderr } = await trawl(["cluster", "status", "--json", "--config", config], folder);
      assert.equal(stderr, "");
      return JSON.parse(stdout) as ClusterStatus;
    };
    const nodeOf = (all: ClusterStatus, name: string) =>
      all.nodes.find((node) => node.name === name) as NodeStatus;
    const countOf = async (node: NodeName, state: IndexJobState) =>
      (await queue.counts()).find((jobs) => jobs.node === node)?.counts[state] ?? 0;
    const isOn = (node: NodeName, id: number) =>
      readdirSync(indexFolder(node)).some((name) => name.startsWith(`trawl-${id}_v`));

    before(async () => {
      postgres = await startPostgres(binaries);
      const program = join(folder, "indexer.sh");
      const script = `#!/bin/sh\nwhile [ -e '${hold}' ]; do sleep 0.05; done\nexec '${findProgram(zoektIndexer)}' "$@"\n`;
      writeFileSync(program, script, { mode: 0o700 });
      const nodes = [];
      for (const name of nodeNames) {
        mkdirSync(indexFolder(name));
        const node = await serveZoekt(indexFolder(name));
        zoekt.push(node);
        nodes.push({ name, url: node.url, indexFolder: indexFolder(name), hasIndexer: true });
      }
      database = await postgres.database();
      queue = await openIndexQueue(postgresDatabase(database, silentLog), systemClock);
      const settings = {
        database,
        timeLimitMs: 1000,
        engine: { zoekt: { nodes, indexer: program, leaseSeconds: 2 } },
      };
      writeFileSync(config, JSON.stringify(settings), { mode: 0o600 });
      for (const name of names)
        sources.set(
          name,
          repo(`= main: First\n${name}.txt\n| the key\n`, { path: join(folder, "src", name) }),
        );
      const [serving] = await Promise.all([
        serve(join(folder, "data"), [join(folder, "src")], { flags: ["--config", config] }),
        ...nodeNames.map(startIndexer),
      ]);
      served = serving;
    });
    after(async () => {
      rmSync(hold, { force: true });
      for (const { process, ended } of indexers.values()) {
        process.kill("SIGTERM");
        await ended;
      }
      await served?.stop();
      await Promise.all(zoekt.map((node) => node.stop()));
      await queue.close();
      await postgres.close();
    });

    test("each node is fed by its indexer, and a search covers all", async () => {
      assert.match(await served.ready(), /6 repositories/);
      await eventuallyEqual(async () => found(await served.search("key")), names);
      assert.equal((await served.search("key")).isSearchExhaustive, true);
      const all = await eventually(async () => {
        const read = await status();
        return read.nodes.every(({ isReachable }) => isReachable) && read;
      });
      assert.deepEqual([all.repositories, all.underReplicated], [6, 0]);
      assert.equal(
        all.nodes.reduce((sum, { indexed }) => sum + indexed, 0),
        6,
      );
      for (const { indexerSeenAt, repositories, indexed } of all.nodes) {
        assert.equal(indexed, repositories);
        assert.ok(Date.now() - (indexerSeenAt ?? 0) < 60_000);
      }
      const url = indexers.get("one")?.url;
      for (const path of ["/livez", "/readyz"]) assert.equal((await fetch(`${url}${path}`)).status, 200);
      const metrics = await (await fetch(`${url}/metrics`)).text();
      assert.match(
        metrics,
        new RegExp(`trawl_index_jobs_total\\{result="indexed"\\} ${nodeOf(all, "one").indexed}\n`),
      );
    });

    test("a node has one indexer at a time, and a database one server that feeds them", async () => {
      const flagsOfServer = ["--data-dir", join(folder, "other"), "--config", config, "--port", "0"];
      const server = await trawl(["serve", ...flagsOfServer, join(folder, "src")], folder);
      assert.equal(server.code, 2);
      assert.match(server.stderr, /Another Trawl process has repositories indexed through this database/);
      const flags = ["--role", "indexer", "--node", "one", "--config", config, "--port", "0"];
      const second = await trawl(["serve", ...flags], folder);
      assert.equal(second.code, 2);
      assert.match(second.stderr, /Another process writes to .*index-one/);
    });

    test("a job survives the death of its indexer", async () => {
      const first = (await served.repositories()).find(({ repoId }) => isOn("one", repoId));
      const name = first?.repoName ?? assert.fail("Node one has no repository");
      writeFileSync(hold, "");
      sources.get(name)?.more("= main: Second\nfresh.txt\n| a fresh word\n");
      await eventuallyEqual(() => countOf("one", "running"), 1);
      await killIndexer("one");
      // The old index is still served.
      assert.deepEqual(found(await served.search("key")), names);
      // Also ends the program that the killed process has left.
      await startIndexer("one");
      rmSync(hold);
      await eventuallyEqual(async () => found(await served.search("fresh")), [name]);
      await eventuallyEqual(() => countOf("one", "running"), 0);
    });

    test("PostgreSQL restarts: searches go on, and commits are indexed afterwards", async () => {
      await postgres.kill();
      assert.deepEqual(found(await served.search("key")), names);
      await eventually(async () => (await fetch(`${indexers.get("two")?.url}/readyz`)).status === 503);
      for (const source of sources.values()) source.more("= main: Third\nlater.txt\n| another word\n");
      await postgres.start();
      await eventuallyEqual(async () => found(await served.search("another")), names);
      await eventually(async () => (await fetch(`${indexers.get("two")?.url}/readyz`)).status === 200);
      // Nodes load an index before its job is recorded as done, which the next test makes impossible.
      await eventually(async () => (await served.search("key")).isSearchExhaustive);
    });

    test("PostgreSQL is read-only: searches go on, and commits are indexed afterwards", async () => {
      const setReadOnly = (value: "on" | "off") =>
        runSql(
          database,
          `alter system set default_transaction_read_only = ${value}`,
          "select pg_reload_conf()",
        );
      const isReady = async () => (await fetch(`${indexers.get("one")?.url}/readyz`)).status === 200;
      await setReadOnly("on");
      await eventually(async () => !(await isReady()));
      await eventually(async () => (await served.search("key")).isSearchExhaustive);
      for (const source of sources.values()) source.more("= main: Fourth\nlast.txt\n| a written word\n");
      assert.deepEqual(found(await served.search("key")), names);
      const drained = await trawl(["cluster", "drain", "two", "--config", config], folder);
      assert.equal(drained.code, 1);
      assert.match(drained.stderr, /The database cannot be used: it is read-only\. Make it writable\./);
      assert.deepEqual((await status()).repositories, names.length);
      await setReadOnly("off");
      await eventuallyEqual(async () => found(await served.search("written")), names);
      await eventually(isReady);
    });

    test("a drained node serves its repositories until others do, and no search lacks one", async () => {
      let isRunning = true;
      let exhaustiveCount = 0;
      const searching = (async () => {
        for (const words = ["key", "another", "the"]; isRunning; ) {
          const word = words[Math.floor(Math.random() * words.length)] ?? "";
          const result = await served.search(word);
          if (!result.isSearchExhaustive) continue;
          exhaustiveCount++;
          assert.deepEqual([...new Set(found(result))], names);
        }
      })();
      await eventually(() => exhaustiveCount > 0);
      const countBefore = exhaustiveCount;
      const ended = await trawl(["cluster", "drain", "two", "--config", config], folder);
      assert.deepEqual([ended.code, ended.stderr], [0, ""]);
      const refused = await trawl(["cluster", "drain", "one", "--config", config], folder);
      assert.match(refused.stderr, /"one" is the last one/);
      await eventuallyEqual(
        async () => (await queue.placements()).map(({ node }) => node),
        Array(6).fill("one"),
      );
      // Removed only after searches that began before have ended.
      await eventually(() => readdirSync(indexFolder("two")).every((name) => !name.endsWith(".zoekt")));
      assert.ok(exhaustiveCount > countBefore, String(exhaustiveCount));
      await eventually(() => exhaustiveCount > 10);
      isRunning = false;
      await searching;
      const last = await served.search("key");
      assert.deepEqual([found(last), last.isSearchExhaustive], [names, true]);
    });

    test("jobs that the database has lost are added again when the leader starts", async () => {
      await served.kill();
      await run(
        postgresDatabase(database, silentLog),
        `delete from "indexJob" where "repositoryId" in (select min("repositoryId") from "indexJob")`,
      );
      assert.equal((await queue.placements()).length, 5);
      served = await serve(join(folder, "data"), [], { flags: ["--config", config] });
      await eventuallyEqual(() => countOf("one", "indexed"), 6);
    });

    test("a node that is no longer drained gets its share again", async () => {
      await trawl(["cluster", "undrain", "two", "--config", config], folder);
      await eventually(async () => (await countOf("two", "indexed")) > 0);
      const printed = await trawl(["cluster", "status", "--config", config], folder);
      assert.match(printed.stdout, /^NODE +STATE.*\none +ready +\d.*\ntwo +ready +\d.*\n6 repositories/);
      await eventually(async () => (await served.search("key")).isSearchExhaustive);
    });

    test("an indexer indexes again what its node has lost", async () => {
      const ids = (await queue.placements()).flatMap((job) => (job.node === "two" ? job.repositoryId : []));
      assert.ok(ids.length > 0);
      await eventually(() => ids.every((id) => isOn("two", id)));
      await killIndexer("two");
      for (const name of readdirSync(indexFolder("two")))
        if (name.endsWith(".zoekt")) rmSync(join(indexFolder("two"), name));
      await startIndexer("two");
      await eventually(() => ids.every((id) => isOn("two", id)));
      await eventuallyEqual(() => countOf("two", "indexed"), ids.length);
      await eventually(async () => {
        const metrics = await (await fetch(`${indexers.get("two")?.url}/metrics`)).text();
        assert.match(metrics, /^trawl_index_lag_seconds \d/m);
        return (
          metrics.includes(`trawl_index_jobs_total{result="indexed"} ${ids.length}\n`) &&
          metrics.includes("trawl_index_jobs_waiting 0\n")
        );
      });
      const result = await eventually(async () => {
        const { files, isSearchExhaustive } = await served.search("key");
        return isSearchExhaustive && files.length;
      });
      assert.equal(result, names.length);
    });

    test("a repository that is removed while PostgreSQL is down is removed from its node afterwards", async () => {
      const removed = (await served.repositories()).find(({ repoName }) => repoName === "f");
      const id = removed?.repoId ?? assert.fail("No repository f");
      assert.ok(nodeNames.some((node) => isOn(node, id)));
      await postgres.kill();
      rmSync(join(folder, "src", "f"), { recursive: true });
      await eventually(async () => (await served.repositories()).every(({ repoName }) => repoName !== "f"));
      await postgres.start();
      await eventually(() => nodeNames.every((node) => !isOn(node, id)));
      assert.deepEqual(found(await served.search("key")), names.slice(0, -1));
    });
  });
});

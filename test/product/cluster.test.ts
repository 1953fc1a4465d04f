/** Frontends, git servers, and indexers beside Zoekt nodes, together: real processes, Zoekt and PostgreSQL. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { CommitItem } from "#contract/commits";
import { fill, smallDisk } from "#test/support/disk";
import { eventually, eventuallyEqual } from "#test/support/eventually";
import { freePort } from "#test/support/freePort";
import { bearer, clusterSecret, serveFrontend, serveGit } from "#test/support/gitCluster";
import { type PostgresServer, startPostgres, withPostgres } from "#test/support/postgres";
import { repo, type TestRepository, temporaryFolder } from "#test/support/repo";
import type { Served } from "#test/support/served";
import { type RunningTrawl, startTrawl, trawl } from "#test/support/trawl";
import {
  findProgram,
  hasZoekt,
  type RunningZoekt,
  serveZoekt,
  withoutZoekt,
  zoektIndexer,
} from "#test/support/zoektPrograms";

withPostgres("a whole cluster", (binaries) => {
  describe(`a whole cluster${withoutZoekt}`, { skip: !hasZoekt }, () => {
    const folder = temporaryFolder();
    const sources = join(folder, "src");
    const disk = smallDisk(16);
    const indexFolder = "path" in disk ? join(disk.path, "index") : join(folder, "index");
    /** While it exists, indexing waits. */
    const hold = join(folder, "hold");
    let postgres: PostgresServer;
    let zoekt: RunningZoekt;
    let shop: TestRepository;
    let cluster: object;
    /** The indexer fetches from the second one. */
    const gitPorts = { a: 0, b: 0 };
    const gitServers: Served[] = [];
    let indexer: RunningTrawl;
    let frontend: Served;

    const startGit = (name: "a" | "b") =>
      serveGit({ folder, name: `git-${name}` }, [sources], gitPorts[name], cluster);
    const startFrontend = () => {
      const [a, b] = gitServers.map(({ url }) => url);
      return serveFrontend({ folder, name: "frontend" }, { a: a ?? "", b: b ?? "" }, cluster);
    };
    const startIndexer = () => {
      const config = join(folder, "indexer.jsonc");
      const flags = ["--role", "indexer", "--node", "one", "--config", config, "--port", "0"];
      return startTrawl(["serve", ...flags], folder);
    };
    /** The ids of the repositories on the node. */
    const indexedIds = () => {
      const shards = readdirSync(indexFolder).filter((name) => name.endsWith(".zoekt"));
      return [...new Set(shards.map((name) => name.replace(/_v.*/, "")))].sort();
    };
    const filesWith = async (word: string) => {
      const { files, isSearchExhaustive } = await frontend.search(word);
      return (
        isSearchExhaustive && files.map(({ repository, fileName }) => `${repository} ${fileName.text}`).sort()
      );
    };
    const newestCommit = async () => {
      const response = await fetch(`${frontend.url}/api/commits?repo=shop&perPage=1`);
      const [newest] = (await response.json()) as readonly CommitItem[];
      return newest?.message.trim();
    };

    before(async () => {
      postgres = await startPostgres(binaries);
      mkdirSync(indexFolder);
      const program = join(folder, "indexer.sh");
      const script = `#!/bin/sh\nwhile [ -e '${hold}' ]; do sleep 0.05; done\nexec '${findProgram(zoektIndexer)}' "$@"\n`;
      writeFileSync(program, script, { mode: 0o700 });
      shop = repo("= main: First\ncart.ts\n| export const total = 1;\n", { path: join(sources, "shop") });
      repo("= main: Only\nREADME.md\n| the total of all\n", { path: join(sources, "bare.git"), bare: true });
      zoekt = await serveZoekt(indexFolder);
      for (const name of ["a", "b"] as const) gitPorts[name] = await freePort();
      cluster = {
        database: await postgres.database(),
        engine: {
          zoekt: {
            nodes: [{ name: "one", url: zoekt.url, indexFolder, hasIndexer: true }],
            indexer: program,
            gitUrl: `http://127.0.0.1:${gitPorts.b}/git/{name}`,
            gitToken: { file: join(folder, "secret") },
            leaseSeconds: 2,
          },
        },
      };
      // The first one feeds the indexer.
      for (const name of ["a", "b"] as const) gitServers.push(await startGit(name));
      frontend = await startFrontend();
      writeFileSync(join(folder, "indexer.jsonc"), JSON.stringify(cluster), { mode: 0o600 });
      indexer = startIndexer();
    });
    after(async () => {
      rmSync(hold, { force: true });
      indexer?.process.kill("SIGTERM");
      await indexer?.ended;
      await frontend?.stop();
      for (const each of gitServers) await each.stop();
      await zoekt?.stop();
      await postgres?.close();
    });

    test("what a git server has is indexed by fetching from it, and found through the frontend", async () => {
      await eventuallyEqual(() => filesWith("total"), ["bare README.md", "shop cart.ts"]);
    });

    test("frontends and the node have the same ids of repositories", async () => {
      const other = await serveFrontend(
        { folder, name: "other" },
        { b: gitServers[1]?.url ?? "" },
        { ...cluster, engine: undefined },
      );
      try {
        const ids = async (served: Served) =>
          (await served.repositories()).map(({ repoName, repoId }) => `${repoName} ${repoId}`);
        await eventuallyEqual(() => ids(other), await ids(frontend));
        const shards = (await frontend.repositories()).map(({ repoId }) => `trawl-${repoId}`);
        assert.deepEqual(shards.sort(), indexedIds());
      } finally {
        await other.stop();
      }
    });

    test("history does not wait for the index", async () => {
      writeFileSync(hold, "");
      shop.more("= main: Add a basket\nbasket.ts\n| export const basket = [];\n");
      await eventuallyEqual(newestCommit, "Add a basket");
      assert.deepEqual((await frontend.search("basket")).files, []);
      rmSync(hold);
      await eventuallyEqual(() => filesWith("basket"), ["shop basket.ts"]);
    });

    const restarts: Readonly<
      Record<string, readonly [kill: () => Promise<void>, start: () => Promise<void>]>
    > = {
      Zoekt: [
        () => zoekt.stop(),
        async () => {
          zoekt = await serveZoekt(indexFolder, Number(new URL(zoekt.url).port));
        },
      ],
      "the indexer": [
        async () => {
          indexer.process.kill("SIGKILL");
          await indexer.ended;
        },
        async () => {
          indexer = startIndexer();
        },
      ],
      "the git server that feeds the indexer": [
        async () => gitServers[0]?.kill(),
        async () => {
          gitServers[0] = await startGit("a");
        },
      ],
      "the git server from which the indexer fetches": [
        async () => gitServers[1]?.kill(),
        async () => {
          gitServers[1] = await startGit("b");
        },
      ],
      PostgreSQL: [() => postgres.kill(), () => postgres.start()],
      "the frontend": [
        () => frontend.kill(),
        async () => {
          frontend = await startFrontend();
        },
      ],
    };
    for (const [at, [name, [kill, start]]] of Object.entries(restarts).entries())
      test(`kill -9 of ${name}: no answer is wrong, and all are complete again afterwards`, async () => {
        const known = (await eventually(() => filesWith("export"))) as readonly string[];
        const added = `file${at}`;
        const causes = new Set<string>();
        let isStopped = false;
        const searching = (async () => {
          while (!isStopped) {
            const result = await frontend.search("export").catch((error: unknown) => {
              if (name !== "the frontend") throw error;
            });
            if (result?.isSearchExhaustive === true) {
              const found = result.files.map(({ repository, fileName }) => `${repository} ${fileName.text}`);
              for (const file of known) assert.ok(found.includes(file), `${file} is missing`);
            }
            for (const { node } of result?.unavailable ?? []) causes.add(node);
          }
        })();
        searching.catch(() => undefined);
        shop.more(`= main: Add ${added}\n${added}.ts\n| export const ${added} = 1;\n`);
        await kill();
        await eventually(() => name !== "Zoekt" || causes.has("one"));
        await start();
        await eventuallyEqual(() => filesWith(added), [`shop ${added}.ts`]);
        isStopped = true;
        await searching;
      });

    test("commits while PostgreSQL is down are indexed afterwards, also by the other git server", async () => {
      const ids = indexedIds();
      await postgres.kill();
      shop.more("= main: Add a price\nprice.ts\n| export const price = 2;\n");
      await eventuallyEqual(newestCommit, "Add a price");
      await gitServers[0]?.kill();
      await postgres.start();
      await eventuallyEqual(() => filesWith("price"), ["shop price.ts"]);
      assert.deepEqual(indexedIds(), ids);
    });

    test("a full disk of a node is reported, and its old index is searched", async (t) => {
      if ("reason" in disk) return t.diagnostic(`Nothing was mounted: ${disk.reason}`);
      const ballast = join(indexFolder, "ballast");
      fill(ballast, 0);
      shop.more("= main: Add a discount\ndiscount.ts\n| export const discount = 3;\n");
      const stateOf = async (name: string) => {
        const { state, lastError } =
          (await frontend.repositories()).find(({ repoName }) => repoName === name) ?? {};
        return { state, lastError };
      };
      const failed = await eventually(async () => {
        const found = await stateOf("shop");
        return found.state === "failed" && found;
      });
      assert.match(failed.lastError ?? "", /^No indexer could index it \(node one: .*no space left/i);
      assert.deepEqual(await stateOf("bare"), { state: "ready", lastError: undefined });
      // Meanwhile, the job is tried again from time to time.
      await eventually(async () => {
        const status = await trawl(["cluster", "status", "--config", join(folder, "indexer.jsonc")]);
        return status.code === 1 && /^one +ready +2 +1 +0 +0 +1 /m.test(status.stdout);
      });
      assert.deepEqual(
        (await frontend.search("price")).files.map(({ repository }) => repository),
        ["shop"],
      );
      rmSync(ballast);
      // New commits are indexed at once, failed ones only after a while.
      shop.more("= main: Add a tax\ntax.ts\n| export const tax = 4;\n");
      await eventuallyEqual(() => filesWith("tax"), ["shop tax.ts"]);
      await eventuallyEqual(() => filesWith("discount"), ["shop discount.ts"]);
      await eventuallyEqual(() => stateOf("shop"), { state: "ready", lastError: undefined });
    });

    test("a repository that was removed while PostgreSQL was down leaves the node", async () => {
      await postgres.kill();
      rmSync(join(sources, "bare.git"), { recursive: true });
      const names = async () => {
        const list = await fetch(`${gitServers[1]?.url}/repositories`, { headers: bearer });
        const { repositories } = (await list.json()) as { repositories: { name: string }[] };
        return repositories.map(({ name }) => name);
      };
      await eventuallyEqual(names, ["shop"]);
      await postgres.start();
      await eventually(() => indexedIds().length === 1);
      // Zoekt has it in memory until it has noticed that the files are gone.
      await eventuallyEqual(() => filesWith("total"), ["shop cart.ts"]);
    });

    test("the status shows the node, and no process has printed the secret", async () => {
      const config = join(folder, "indexer.jsonc");
      const ended = [await trawl(["cluster", "status", "--config", config])];
      assert.match(ended[0]?.stdout ?? "", /^one +ready/m);
      indexer.process.kill("SIGTERM");
      ended.push(await indexer.ended, await frontend.stop());
      for (const each of gitServers) ended.push(await each.stop());
      for (const { stdout, stderr } of ended) assert.ok(!(stdout + stderr).includes(clusterSecret));
    });
  });
});

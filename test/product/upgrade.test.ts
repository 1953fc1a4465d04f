/**
 * An upgrade of a cluster: frontends of the previous version and of this one beside each other, on one PostgreSQL database,
 * with git servers of either version.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { RepositoryItem } from "#contract/repositories";
import type { SearchResult } from "#contract/search";
import { latestMigration } from "#store/migrate";
import { eventually, eventuallyEqual } from "#test/support/eventually";
import { freePort } from "#test/support/freePort";
import { serveFrontend, serveGit } from "#test/support/gitCluster";
import { buildOlderVersion, olderVersion, withoutOlderVersion } from "#test/support/olderVersion";
import { type PostgresServer, runSql, startPostgres, withPostgres } from "#test/support/postgres";
import { repo, type TestRepository, temporaryFolder } from "#test/support/repo";
import type { Served } from "#test/support/served";
import { trawl, trawlBundle } from "#test/support/trawl";
import { type DoubleRepository, type ZoektDouble, zoektDouble } from "#test/support/zoektDouble";

type Version = "old" | "new";
const versions = ["old", "new"] as const;
const otherOf = (version: Version): Version => (version === "old" ? "new" : "old");

withPostgres("an upgrade of frontends", (binaries) => {
  describe(`an upgrade of frontends${withoutOlderVersion}`, { skip: olderVersion === undefined }, () => {
    const folder = temporaryFolder();
    const sources = join(folder, "src");
    const indexed: DoubleRepository[] = [];
    let postgres: PostgresServer;
    let database: string;
    let git: Served;
    let gitPort: number;
    let zoekt: ZoektDouble;
    let shop: TestRepository;
    let key: string;
    const bundles = { old: "", new: trawlBundle };
    const frontends = {} as Record<Version, Served>;

    const start = async (version: Version) => {
      const own = { folder, name: version, bundle: bundles[version] };
      const engine = { zoekt: { nodes: [{ name: "node", url: zoekt.url }] } };
      frontends[version] = await serveFrontend(own, { git: git.url }, { database, engine, anonymous: false });
    };
    const startGit = async (version: Version) => {
      git = await serveGit({ folder, name: "git", bundle: bundles[version] }, [sources], gitPort);
    };
    /** Runs a command of that version, which forwards it to its frontend. Returns its output. */
    const run = async (version: Version, ...args: string[]) => {
      const dataDir = join(folder, `${version}-data`);
      const ended = await trawl([...args, "--data-dir", dataDir], folder, { bundle: bundles[version] });
      assert.equal(ended.code, 0, ended.stderr);
      return ended.stdout.trim();
    };
    const index = (name: string, repository: TestRepository, path: string, text: string) =>
      indexed.push({
        id: indexed.length + 1,
        name,
        branches: [{ name: "HEAD", commit: repository.git("rev-parse", "main") }],
        documents: [{ path, content: Buffer.from(text), language: "TypeScript", branches: [0] }],
      });
    const sql = (...statements: readonly string[]) => runSql(database, ...statements);

    before(async () => {
      bundles.old = buildOlderVersion(olderVersion ?? "");
      postgres = await startPostgres(binaries);
      database = await postgres.database();
      shop = repo(
        `
        = main: First
        cart.ts
        | export const total = 1;
        = main: Add a price
        cart.ts
        | export const total = 2;
        tag v1
        `,
        { path: join(sources, "shop") },
      );
      index("shop", shop, "cart.ts", "export const total = 2;\n");
      zoekt = await zoektDouble(indexed);
      gitPort = await freePort();
      await startGit("old");
      // The old one creates the tables.
      await start("old");
      key = await run("old", "keys", "create", "first");
      await start("new");
    });
    after(async () => {
      await Promise.all([...Object.values(frontends), git].map((each) => each?.stop()));
      await zoekt?.stop();
      await postgres?.close();
    });

    interface Call {
      readonly body?: object | undefined;
      readonly bearer?: string;
      readonly cookie?: string;
    }
    const ask = async (version: Version, path: string, { body, bearer = key, cookie }: Call = {}) => {
      const { url } = frontends[version];
      const port = new URL(url).port;
      const headers = {
        "content-type": "application/json",
        // Behind a load balancer, both have the same address.
        ...(cookie === undefined
          ? { authorization: `Bearer ${bearer}` }
          : { cookie: cookie.replace(/_\d+=/, `_${port}=`) }),
      };
      const response = await fetch(url + path, {
        headers,
        ...(body && { method: "POST", body: JSON.stringify(body) }),
      });
      const text = (await response.text())
        .replaceAll(url, "URL")
        .replace(/"stats":\{[^}]*\}/, '"stats":{}')
        .replace(/,"requestId":"[^"]*"/, "");
      return { status: response.status, cookie: response.headers.get("set-cookie") ?? "", text };
    };
    const status = async (...call: Parameters<typeof ask>) => (await ask(...call)).status;
    const search = async (version: Version, query: string) => {
      const { text } = await ask(version, "/api/search", { body: { query } });
      const { files, isSearchExhaustive } = JSON.parse(text) as Partial<SearchResult>;
      return isSearchExhaustive === true && files?.map((file) => `${file.repository} ${file.fileName.text}`);
    };
    const searchesBoth = async (query: string, files: string[]) => {
      for (const version of versions) await eventuallyEqual(() => search(version, query), files);
    };
    /** Sends requests to a frontend until `during` has ended. All must succeed. */
    const underLoad = async (version: Version, during: () => Promise<unknown>) => {
      let isOver = false;
      let count = 0;
      const loadInTurn = async () => {
        for (; !isOver; count++) {
          assert.deepEqual(await search(version, "total"), ["shop cart.ts"]);
          const { status, text } = await ask(version, "/api/commits?repo=shop");
          assert.equal(status, 200, text);
        }
      };
      const load = Promise.all([loadInTurn(), loadInTurn()]);
      try {
        await Promise.race([load, eventually(() => count >= 3)]);
        await during();
        const before = count;
        await Promise.race([load, eventually(() => count >= before + 5)]);
      } finally {
        isOver = true;
      }
      await load;
    };

    const answerAlike = async () => {
      await searchesBoth("total", ["shop cart.ts"]);
      const requests: readonly (readonly [path: string, body?: object])[] = [
        ["/api/repos"],
        ["/api/repos/branches?repo=shop"],
        ["/api/source?repo=shop&path=cart.ts"],
        ["/api/source?repo=shop&path=missing"],
        ["/api/tree", { repoName: "shop", revisionName: "HEAD", paths: [""] }],
        ["/api/commits?repo=shop"],
        ["/api/blame?repo=shop&path=cart.ts"],
        ["/api/diff?repo=shop&base=v1~1&head=main"],
        ["/api/search", { query: "total" }],
        ["/api/search", { query: "repo:none total" }],
        ["/api/count", { query: "total" }],
        ["/api/find_definitions", { symbolName: "total" }],
        ["/api/outline", { place: { repo: "shop", path: "cart.ts" } }],
        ["/api/sessions"],
      ];
      for (const [path, body] of requests) {
        const [old, fresh] = [await ask("old", path, { body }), await ask("new", path, { body })];
        assert.equal(fresh.status, old.status, path);
        const expected: unknown = JSON.parse(old.text);
        assert.deepEqual(fieldsOf(JSON.parse(fresh.text), expected), expected, path);
      }
      for (const version of versions)
        assert.match((await ask(version, "/browse/shop/-/blob/cart.ts")).text, /total/);
    };

    test("both answer alike, also when the git server is upgraded before them", async () => {
      await answerAlike();
      assert.equal((await git.stop()).code, 0);
      await startGit("new");
      for (const version of versions)
        await eventually(async () => (await status(version, "/api/commits?repo=shop")) === 200);
      await answerAlike();
    });

    for (const version of versions) {
      const other = otherOf(version);
      test(`members, keys and sessions of the ${version} one exist on the ${other} one`, async () => {
        const email = `${version}@example.com`;
        await run(version, "members", "add", email);
        const bearer = await run(version, "keys", "create", "scripts", "--member", email);
        assert.equal(await status(other, "/api/repos", { bearer }), 200);
        const { cookie } = await ask(version, "/session", { bearer, body: {} });
        const page = () => status(version, "/browse/shop/-/blob/cart.ts", { cookie });
        assert.equal(await status(other, "/browse/shop/-/blob/cart.ts", { cookie }), 200);
        assert.equal(await page(), 200);
        const list = (name: Version) => run(name, "members", "list");
        assert.match(await list(other), new RegExp(email));
        // Ended by the other one.
        await run(other, "sessions", "revoke", email);
        assert.equal(await page(), 401);
        await run(other, "members", "remove", email);
        assert.equal(await status(version, "/api/repos", { bearer }), 401);
      });
    }

    test("a new repository and a new commit reach both", async () => {
      const cafe = repo("= main: Only\nmenu.ts\n| export const tea = 3;\n", { path: join(sources, "cafe") });
      index("cafe", cafe, "menu.ts", "export const tea = 3;\n");
      shop.more("= main: Describe\nREADME.md\n| A shop\n");
      await searchesBoth("tea", ["cafe menu.ts"]);
      for (const version of versions)
        await eventually(async () => /Describe/.test((await ask(version, "/api/commits?repo=shop")).text));
      const ids = async (version: Version) =>
        (JSON.parse((await ask(version, "/api/repos")).text) as readonly RepositoryItem[]).map(
          ({ repoId, repoName }) => `${repoId} ${repoName}`,
        );
      assert.deepEqual(await ids("old"), await ids("new"));
    });

    test("each stops and starts again while the other one answers", async () => {
      for (const version of versions)
        await underLoad(otherOf(version), async () => {
          assert.equal((await frontends[version].stop()).code, 0);
          await start(version);
          await searchesBoth("total", ["shop cart.ts"]);
        });
    });

    test("a migration that supports running versions disturbs no request, and lets this one start", async () => {
      await underLoad("new", () =>
        sql(
          'alter table "member" add column "since" bigint not null default 7',
          'alter table "apiKey" add column "since" bigint',
          `insert into "migration" ("name", "appliedAt") values ('0417-from-${latestMigration.slice(0, 4)}', 1)`,
        ),
      );
      await frontends.new.stop();
      await start("new");
      await searchesBoth("total", ["shop cart.ts"]);
      assert.equal(
        await status("new", "/api/repos", { bearer: await run("new", "keys", "create", "later") }),
        200,
      );
    });

    test("after any other migration, running ones go on, and none starts", async () => {
      await sql(`insert into "migration" ("name", "appliedAt") values ('0418', 1)`);
      for (const version of versions) assert.deepEqual(await search(version, "total"), ["shop cart.ts"]);
      await underLoad("new", async () => {
        await frontends.old.stop();
        await start("old");
        const refused = await ask("old", "/api/repos");
        assert.equal(refused.status, 503);
        assert.match(refused.text, /The database was written by a newer Trawl: it contains [^.]*\\"0418\\"/);
      });
      await frontends.new.stop();
      await start("new");
      const ready = async () => (await fetch(`${frontends.new.url}/readyz`)).text();
      await eventually(async () => /^Not ready: The database was written by a newer/.test(await ready()));
      await sql(`delete from "migration" where "name" = '0418'`);
      await eventuallyEqual(ready, "ok\n");
    });
  });
});

/** Returns `value` without the fields that `like` does not have: a newer version may add some. */
function fieldsOf(value: unknown, like: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(like))
    return value.map((item, at) => fieldsOf(item, like[at] as unknown));
  if (typeof value !== "object" || typeof like !== "object" || value === null || like === null) return value;
  const fields = like as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name in fields)
      .map(([name, field]) => [name, fieldsOf(field, fields[name])]),
  );
}

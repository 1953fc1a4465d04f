/** What must be true with a real code host: its repositories are listed, mirrored, searched, kept and removed. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { CodeHostPlan, CodeHostStatus } from "#contract/codeHosts";
import { openHost } from "#hosts/openHost";
import { parseConnections } from "#hosts/parseConnections";
import { eventuallyEqual } from "#test/support/eventually";
import { repo, runGit, temporaryFolder } from "#test/support/repo";
import { type Served, serve } from "#test/support/served";
import { trawl } from "#test/support/trawl";

/** A server without repositories. Paths are those that it lists. */
export interface RealHost {
  readonly origin: string;
  /** Settings of a connection to all repositories, with a token. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The credentials of an account that sees all repositories. */
  readonly user: string;
  readonly token: string;
  /** Creates a repository with the branch `main`. */
  create(path: string, isPrivate: boolean): Promise<void>;
  /** The URL from which the account clones, without credentials. */
  cloneUrl(path: string): string;
  archive(path: string): Promise<void>;
  /** Deletes, moves. May take effect only with the next start. */
  remove(path: string): Promise<void>;
  rename(path: string, newPath: string): Promise<void>;
  /** Whether a repository that was moved has the same id. */
  readonly keepsIds: boolean;
  /** Paths of a kind that only this type of host allows. */
  readonly unusualPaths: readonly string[];
  revokeToken(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

const commonPaths = [
  "team/with-dash.and_dot",
  ...Array.from({ length: 46 }, (_, at) => `team/app-${String(at + 1).padStart(2, "0")}`),
];
/** Those with code. The others have an empty commit. */
const pushedPaths = ["team/app-07", "team/app-10", "team/secret-2"];
const privatePaths = ["team/secret-1", "team/secret-2", "team/secret-3"];
const signal = new AbortController().signal;

export function checkRealHost(name: string, startHost: () => Promise<RealHost>): void {
  describe(name, { concurrency: false }, () => {
    let host: RealHost;
    let served: Served;
    const folder = temporaryFolder();
    const dataDir = join(folder, "data");
    const file = join(folder, "trawl.json");
    const flags = ["--config", file];
    const env = () => ({ REAL_HOST_TOKEN: host.token });
    let publicPaths: readonly string[];
    let all: readonly string[];

    /** Restarts Trawl with a change of the connection. */
    async function restart(change: object = {}): Promise<void> {
      await served?.stop();
      const main = {
        ...host.settings,
        token: { env: "REAL_HOST_TOKEN" },
        // The least that can keep a repository.
        onRemoved: { keepDays: 0, confirmations: 1 },
        sync: { listEvery: "1h", fetchMin: "10s" },
        ...change,
      };
      mkdirSync(folder, { recursive: true });
      writeFileSync(file, JSON.stringify({ connections: { main } }), { mode: 0o600 });
      served = await serve(dataDir, [], { flags, env: env() });
    }

    async function hosts<Result>(command: string): Promise<Result> {
      const args = ["hosts", command, "--json", "--data-dir", dataDir, ...flags];
      const { stdout, stderr } = await trawl(args, undefined, { env: env() });
      assert.notEqual(stdout, "", stderr);
      return JSON.parse(stdout) as Result;
    }

    const sync = async () => (await hosts<{ readonly main: CodeHostPlan }>("sync")).main;

    /** The paths of the repositories that can be searched. */
    async function searchable(): Promise<readonly string[]> {
      const prefix = `${new URL(host.origin).host}/`;
      const repositories = await served.repositories();
      return repositories
        .filter(({ indexedAt }) => indexedAt !== undefined)
        .map(({ repoName }) => repoName.replace(prefix, ""))
        .sort();
    }

    async function found(query: string): Promise<readonly string[]> {
      const { files } = await served.search(query);
      return files.map(
        ({ repository, fileName }) => `${repository.split("/").slice(1).join("/")}: ${fileName.text}`,
      );
    }

    function urlOf(path: string): string {
      const credentials = [host.user, host.token].map(encodeURIComponent).join(":");
      return host.cloneUrl(path).replace("//", `//${credentials}@`);
    }

    function push(path: string, text: string): void {
      const source = repo(text);
      source.git("push", "-q", "--force", urlOf(path), "HEAD:refs/heads/main");
    }

    before(async () => {
      host = await startHost();
      publicPaths = [...commonPaths, ...host.unusualPaths].sort();
      all = [...publicPaths, ...privatePaths].sort();
      for (const path of publicPaths) await host.create(path, false);
      for (const path of privatePaths) await host.create(path, true);
      for (const path of pushedPaths)
        push(path, `= main: One\nsrc/code.ts\n| export const name = "${nameOf(path)}";`);
    });

    after(async () => {
      await served?.stop();
      await host?.stop();
    });

    test("the list is exactly what was created, and what is private needs the token", async () => {
      process.env["REAL_HOST_TOKEN"] = host.token;
      for (const [token, expected] of [
        [{ token: { env: "REAL_HOST_TOKEN" } }, all],
        [{}, publicPaths],
      ] as const) {
        const { user, ...settings } = host.settings;
        const withUser = "token" in token ? host.settings : settings;
        const connection = parseConnections({ main: { ...withUser, ...token } })["main"];
        assert.ok(connection);
        const opened = openHost("main", connection);
        try {
          assert.ok(!("message" in (await opened.identify(signal))));
          const listed: string[] = [];
          for await (const { outcome, problems, repositories } of opened.list(signal)) {
            assert.deepEqual([outcome, problems], ["complete", []]);
            listed.push(...repositories.map(({ path }) => path));
            for (const repository of repositories.slice(0, 3)) {
              const lookUp = await opened.lookUp(repository, signal);
              assert.equal(lookUp.kind, "present");
            }
          }
          assert.deepEqual(listed.sort(), expected);
        } finally {
          await opened.close();
        }
      }
    });

    test("every repository is mirrored and searched, at the commit that the host has", async () => {
      await restart();
      await eventuallyEqual(searchable, all, 120_000);
      assert.deepEqual(await found(nameOf("team/secret-2")), ["team/secret-2: src/code.ts"]);
      const repositories = await served.repositories();
      for (const path of ["team/app-20", "team/secret-2", ...host.unusualPaths]) {
        const listed = runGit(folder, ["ls-remote", urlOf(path), "HEAD"])
          .toString()
          .split("\t")[0];
        const repository = repositories.find(({ repoName }) => repoName.endsWith(`/${path}`));
        assert.deepEqual(
          repository?.revisions.map(({ name, commit }) => [name, commit]),
          [["refs/heads/main", listed]],
        );
      }
    });

    test("a push is found after the next fetch, and an archived repository is marked", async () => {
      push("team/app-07", "= main: Two\nsrc/code.ts\n| export const pushedLater = 7;");
      await host.archive("team/app-08");
      const { removed, problems } = await sync();
      assert.deepEqual([removed, problems], [[], []]);
      await eventuallyEqual(() => found("pushedLater"), ["team/app-07: src/code.ts"], 60_000);
      const archived = (await served.repositories()).filter(({ isArchived }) => isArchived);
      assert.deepEqual(
        archived.map(({ repoName }) => repoName.split("/").at(-1)),
        ["app-08"],
      );
    });

    test("while the host is down, nothing is removed; then a deleted one goes, and a moved one stays", async () => {
      await host.remove("team/app-09");
      await host.rename("team/app-10", "team/moved-10");
      await host.stop();
      const failed = await sync();
      assert.deepEqual([failed.removed, failed.unconfirmed, failed.problems.length], [[], 0, 1]);
      assert.deepEqual(await searchable(), all);
      await host.start();
      const plan = await sync();
      const gone = host.keepsIds ? ["team/app-09"] : ["team/app-09", "team/app-10"];
      assert.deepEqual(plan.removed.map(({ path }) => path).sort(), gone);
      assert.deepEqual(plan.renamed, host.keepsIds ? [{ from: "team/app-10", to: "team/moved-10" }] : []);
      const expected = [...all.filter((path) => !/-09$|-10$/.test(path)), "team/moved-10"].sort();
      await eventuallyEqual(searchable, expected, 60_000);
      assert.deepEqual(await found(nameOf("team/app-10")), ["team/moved-10: src/code.ts"]);
    });

    test("what strangers cannot see remains, as does everything if the token is revoked", async () => {
      const before = await searchable();
      const { user, ...anonymous } = host.settings;
      await restart({ ...anonymous, user: undefined, token: undefined });
      const plan = await sync();
      assert.deepEqual([plan.removed, plan.kept], [[], before.length]);
      assert.deepEqual(await searchable(), before);
      assert.deepEqual(await found(nameOf("team/secret-2")), ["team/secret-2: src/code.ts"]);

      await restart();
      assert.deepEqual((await sync()).problems, []);
      await host.revokeToken();
      const revoked = await sync();
      assert.match(revoked.problems[0]?.message ?? "", /refused the credentials/);
      assert.deepEqual([revoked.removed, await searchable()], [[], before]);
      const [status] = await hosts<readonly CodeHostStatus[]>("status");
      // Some of them can no longer be fetched.
      const states = new Set(status?.repositories.map(({ state }) => state));
      assert.deepEqual([states.has("gone"), states.has("hidden")], [false, false]);
    });
  });
}

/** A word that only the repository at `path` contains. */
function nameOf(path: string): string {
  return `codeOf${path.replaceAll(/\W/g, "")}`;
}

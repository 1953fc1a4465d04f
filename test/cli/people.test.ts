import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import type { ApiKey, Member } from "#contract/organisation";
import { startPostgres, withPostgres } from "#test/support/postgres";
import { repo, temporaryFolder } from "#test/support/repo";
import { type Ended, startTrawl, trawl } from "#test/support/trawl";

// Members, keys and backups as the person at the command line has them.

const folder = temporaryFolder();
repo("= main: First\none.txt\n| needle\n", { path: join(folder, "one") });
const ada = { GIT_CONFIG_COUNT: "0", GIT_CONFIG_GLOBAL: "/dev/null" };

/** The instance with its data in `dataDir`; `more` goes to every command. */
function instance(dataDir: string, ...more: string[]) {
  const run = (...args: string[]): Promise<Ended> =>
    trawl([...args, "--data-dir", dataDir, ...more], folder, { env: ada });
  const json = async <Value>(...args: string[]): Promise<Value> =>
    JSON.parse((await run(...args, "--json")).stdout);
  return { run, json };
}

async function served(dataDir: string, ...more: string[]) {
  const args = ["serve", "--port", "0", "--anonymous", "off", "--data-dir", dataDir, ...more, folder];
  const server = startTrawl(args, folder, { env: ada });
  after(() => server.process.kill("SIGKILL"));
  const url = (await server.line(/^Listening on /)).slice("Listening on ".length);
  return {
    server,
    async status(key: string): Promise<number> {
      const response = await fetch(`${url}/api/repos`, { headers: { authorization: `Bearer ${key}` } });
      await response.text();
      return response.status;
    },
  };
}

describe("people and keys", () => {
  const dataDir = join(temporaryFolder(), "data");
  const { run, json } = instance(dataDir);

  test("who starts an instance is its owner, and stays", async () => {
    const [first, ...others] = await json<Member[]>("members", "list");
    assert.deepEqual([first?.role, others], ["OWNER", []]);
    const { code, stderr } = await run("members", "demote", first?.email.toUpperCase() ?? "");
    assert.equal(code, 1);
    assert.match(stderr, /^trawl: .* is the last owner of the organisation/);
  });

  test("members come, become owners, and go", async () => {
    const added = await run("members", "add", "bob@example.com", "--name", "Bob \u001b[31mred");
    assert.deepEqual(added, {
      code: 0,
      stdout: "bob@example.com is a member of the organisation.\n",
      stderr: "",
    });
    assert.match(
      (await run("members", "add", "BOB@example.com")).stderr,
      /BOB@example\.com is a member already/,
    );
    assert.match((await run("members", "promote", "bob@example.com")).stdout, /is an owner/);
    const list = await run("members", "list");
    assert.match(list.stdout, /^EMAIL +NAME +ROLE +LAST ACTIVE +ID$/m);
    assert.match(list.stdout, /^bob@example\.com +Bob .\[31mred +owner +never +[\da-f-]{36}$/m);
    assert(!list.stdout.includes("\u001b"));
    assert.match((await run("members", "remove", "bob@example.com")).stdout, /has been removed/);
    const gone = await run("members", "remove", "bob@example.com");
    assert.deepEqual([gone.code, gone.stdout], [1, ""]);
    assert.match(gone.stderr, /There is no member bob@example\.com/);
  });

  test("a key opens the interface until it is revoked, and shows that it was used", async () => {
    const created = await run("keys", "create", "nightly build", "--expires", "1y");
    assert.equal(created.code, 0, created.stderr);
    assert.match(created.stdout, /^trwl_[\w-]{43}\n$/);
    assert.match(created.stderr, /"nightly build" expires on \d{4}-\d\d-\d\d\. It is shown only this once/);
    const key = created.stdout.trim();
    assert.match(
      (await run("keys", "create", "nightly build")).stderr,
      /there is a key "nightly build" already/,
    );

    const { status, server } = await served(dataDir);
    assert.deepEqual([await status(key), await status(`${key.slice(0, -1)}_`)], [200, 401]);
    const [listed] = await json<ApiKey[]>("keys", "list");
    assert.notEqual(listed?.lastUsedAt, null);
    assert.match((await run("keys", "list")).stdout, /^nightly build +\S+@\S+ +\d{4}-\d\d-\d\d +\d{4}-/m);
    assert.equal((await run("keys", "revoke", "nightly build")).stdout, 'The key "nightly build" is void.\n');
    assert.equal(await status(key), 401);
    assert.match((await run("keys", "revoke", "nightly build")).stderr, /There is no API key nightly build/);
    server.process.kill("SIGINT");
    assert.equal((await server.ended).code, 0);
    // Nothing but what the person was shown names the key.
    assert.doesNotMatch(readFileSync(join(dataDir, "trawl.db"), "latin1"), new RegExp(key));
  });

  test("two keys of one name are told apart", async () => {
    await run("members", "add", "carol@example.com");
    await run("keys", "create", "ci");
    await run("keys", "create", "ci", "--member", "carol@example.com");
    const refused = await run("keys", "revoke", "ci");
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /2 keys are called "ci"; give an id: /);
    const keys = await json<ApiKey[]>("keys", "list");
    assert.equal((await run("keys", "revoke", keys[0]?.id ?? "")).code, 0);
    assert.equal((await run("keys", "revoke", "ci")).code, 0);
  });

  test("a backup moves them to another folder", async () => {
    const key = (await run("keys", "create", "moved")).stdout.trim();
    const file = join(temporaryFolder(), "trawl.gz");
    const made = await run("backup", file);
    assert.match(made.stdout, /^Backed up 2 members, 1 API key, [\d,]+ audit records\.\n$/);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const elsewhere = join(temporaryFolder(), "data");
    const other = instance(elsewhere);
    assert.match((await other.run("restore", file)).stdout, /^Restored 2 members, 1 API key, /);
    assert.equal(await (await served(elsewhere)).status(key), 200);
    const again = await other.run("restore", file);
    assert.equal(again.code, 1);
    assert.match(again.stderr, /There are members, API keys or audit records here already/);
    assert.match((await other.run("restore", file, "--replace")).stdout, /^Restored 2 members/);
  });
});

withPostgres("--database postgres://", (binaries) => {
  test("--database postgres://", async () => {
    const server = await startPostgres(binaries);
    try {
      const url = (await server.database()).replace("trawl@", "trawl:hushhush@");
      const dataDir = join(temporaryFolder(), "data");
      const key = (await instance(dataDir, "--database", url).run("keys", "create", "shared")).stdout.trim();
      assert.equal(existsSync(join(dataDir, "trawl.db")), false);
      // Another instance with the same people, which nothing but the database tells of the key.
      const { status, server: other } = await served(join(temporaryFolder(), "data"), "--database", url);
      assert.equal(await status(key), 200);
      if (process.platform === "linux") {
        assert.doesNotMatch(readFileSync(`/proc/${other.process.pid}/cmdline`, "utf8"), /hushhush/);
      }
      await instance(dataDir, "--database", url).run("keys", "revoke", "shared");
      assert.equal(await status(key), 401);
      await server.kill();
      const gone = await instance(dataDir, "--database", url).run("keys", "list");
      assert.deepEqual([gone.code, gone.stdout], [1, ""]);
      assert.match(gone.stderr, /^trawl: The database does not answer \(\w+\)\.\n$/);
    } finally {
      await server.close();
    }
  });
});

import assert from "node:assert/strict";
import { chownSync, existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import type { ApiKey, Member, Session } from "#contract/organization";
import { startPostgres, withPostgres } from "#test/support/postgres";
import { repo, temporaryFolder } from "#test/support/repo";
import { type Ended, type RunningTrawl, startTrawl, trawl } from "#test/support/trawl";

// Commands for members, keys and backups.

const folder = temporaryFolder();
repo("= main: First\none.txt\n| needle\n", { path: join(folder, "one") });
const ada = { GIT_CONFIG_COUNT: "0", GIT_CONFIG_GLOBAL: "/dev/null" };

/** The instance with its data in `dataDir`; `more` is passed to every command. */
function instance(dataDir: string, ...more: string[]) {
  const run = (...args: string[]): Promise<Ended> =>
    trawl([...args, "--data-dir", dataDir, ...more], folder, { env: ada });
  const json = async <Value>(...args: string[]): Promise<Value> =>
    JSON.parse((await run(...args, "--json")).stdout);
  return { run, json };
}

/** Ended after all tests: some tests share one. */
const servers: RunningTrawl[] = [];
after(() => {
  for (const server of servers) server.process.kill("SIGKILL");
});

async function startServer(dataDir: string, ...more: string[]) {
  const args = ["serve", "--port", "0", "--anonymous", "off", "--data-dir", dataDir, ...more, folder];
  const server = startTrawl(args, folder, { env: ada });
  servers.push(server);
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

describe("members and keys", () => {
  const dataDir = join(temporaryFolder(), "data");
  const { run, json } = instance(dataDir);
  let started: ReturnType<typeof startServer> | undefined;
  /** The server of all tests after the first: a command that uses it takes half of the time. */
  const running = () => {
    started ??= startServer(dataDir);
    return started;
  };

  test("the user who starts an instance is its owner and cannot be demoted", async () => {
    const [first, ...others] = await json<Member[]>("members", "list");
    assert.deepEqual([first?.role, others], ["OWNER", []]);
    const { code, stderr } = await run("members", "demote", first?.email.toUpperCase() ?? "");
    assert.equal(code, 1);
    assert.match(stderr, /^trawl: .* is the last owner of the organization/);
  });

  test("members are added, promoted and removed", async () => {
    await running();
    const added = await run("members", "add", "bob@example.com", "--name", "Bob \u001b[31mred");
    assert.deepEqual(added, {
      code: 0,
      stdout: "bob@example.com is a member of the organization.\n",
      stderr: "",
    });
    assert.match(
      (await run("members", "add", "BOB@example.com")).stderr,
      /BOB@example\.com is already a member/,
    );
    assert.match((await run("members", "promote", "bob@example.com")).stdout, /is an owner/);
    const list = await run("members", "list");
    assert.match(list.stdout, /^EMAIL +NAME +ROLE +LAST ACTIVE +ID$/m);
    assert.match(list.stdout, /^bob@example\.com +Bob .\[31mred +owner +never +[\da-f-]{36}$/m);
    assert(!list.stdout.includes("\u001b"));
    assert.match((await run("members", "remove", "bob@example.com")).stdout, /has been removed/);
    const repeated = await run("members", "remove", "bob@example.com");
    assert.deepEqual([repeated.code, repeated.stdout], [1, ""]);
    assert.match(repeated.stderr, /There is no member bob@example\.com/);
  });

  test("a service account has keys, and is disabled and enabled", async () => {
    const account = "service:nightly";
    const added = await run(
      "members",
      "add",
      "--service",
      "nightly",
      "--group",
      "builds",
      "--name",
      "Builds",
    );
    assert.match(added.stdout, /^service:nightly is a service account\. Run "trawl keys create --member/);
    assert.match(
      (await run("members", "add", "--service", "nightly")).stderr,
      /nightly is already a service account/,
    );
    assert.equal((await run("members", "add", "x@example.com", "--group", "builds")).code, 2);
    const created = await run("keys", "create", "ci", "--member", account, "--expires", "30d");
    const key = created.stdout.trim();
    const listed = await run("keys", "list");
    assert.match(listed.stdout, /^ci +service:nightly +\d{4}-\d\d-\d\d +never +\d{4}-\d\d-\d\d /m);
    const { status } = await running();
    assert.equal(await status(key), 200);
    assert.match((await run("members", "disable", account)).stdout, /refused from now on/);
    assert.equal(await status(key), 401);
    assert.match((await run("members", "list")).stdout, /^service:nightly +Builds +disabled +/m);
    await run("members", "enable", account);
    assert.equal(await status(key), 200);
    await run("members", "remove", account);
    assert.equal(await status(key), 401);
  });

  test("a key is accepted until it is revoked, and its last use is recorded", async () => {
    const created = await run("keys", "create", "nightly build", "--expires", "1y");
    assert.equal(created.code, 0, created.stderr);
    assert.match(created.stdout, /^trwl_[\w-]{43}\n$/);
    assert.match(created.stderr, /"nightly build" expires on \d{4}-\d\d-\d\d\. Copy it now/);
    const key = created.stdout.trim();
    assert.match(
      (await run("keys", "create", "nightly build")).stderr,
      /a key named "nightly build" already exists/,
    );

    const { status } = await running();
    assert.deepEqual([await status(key), await status(`${key.slice(0, -1)}_`)], [200, 401]);
    const [listed] = await json<ApiKey[]>("keys", "list");
    assert.notEqual(listed?.lastUsedAt, null);
    assert.match((await run("keys", "list")).stdout, /^nightly build +\S+@\S+ +\d{4}-\d\d-\d\d +\d{4}-/m);
    assert.equal((await run("keys", "revoke", "nightly build")).stdout, 'Revoked the key "nightly build".\n');
    assert.equal(await status(key), 401);
    assert.match((await run("keys", "revoke", "nightly build")).stderr, /There is no API key nightly build/);
  });

  test("a key can be limited, and the list shows how", async () => {
    const created = await run("keys", "create", "bot", "--read-only", "--repo", "a/*", "--repo", "b");
    assert.equal(created.code, 0, created.stderr);
    assert.match(created.stderr, /"bot" never expires and is limited: reading, a\/\*, b\. Copy it now/);
    const listed = (await json<ApiKey[]>("keys", "list")).find(({ name }) => name === "bot");
    assert.deepEqual([listed?.isReadOnly, listed?.repositories], [true, ["a/*", "b"]]);
    assert.match(
      (await run("keys", "list")).stdout,
      /^bot .+ never +never +reading, a\/\*, b +[\da-f-]{36}$/m,
    );
    await run("keys", "revoke", "bot");
  });

  test("a key whose name is ambiguous is revoked by its id", async () => {
    await run("members", "add", "carol@example.com");
    await run("keys", "create", "ci");
    await run("keys", "create", "ci", "--member", "carol@example.com");
    const refused = await run("keys", "revoke", "ci");
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /2 keys are named "ci"\. Use an id: /);
    const keys = await json<ApiKey[]>("keys", "list");
    assert.equal((await run("keys", "revoke", keys[0]?.id ?? "")).code, 0);
    assert.equal((await run("keys", "revoke", "ci")).code, 0);
  });

  test("sessions of browsers are listed and ended", async () => {
    const key = (await run("keys", "create", "browser", "--member", "carol@example.com")).stdout.trim();
    const { server, status } = await running();
    const url = (await server.line(/^Listening on /)).slice("Listening on ".length);
    const signIn = async () => {
      const headers = {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "user-agent": "Firefox",
      };
      await fetch(`${url}/session`, { method: "POST", headers, body: "{}" });
    };
    for (let count = 0; count < 3; count++) await signIn();
    assert.match(
      (await run("sessions", "list")).stdout,
      /^MEMBER +BROWSER +.* +ID\n(carol@example\.com +API key, Firefox +(\d{4}-\d\d-\d\d +){3}[\da-f-]{36}\n){3}$/,
    );
    const [first] = await json<Session[]>("sessions", "list");
    assert.equal((await run("sessions", "revoke", first?.id ?? "")).stdout, "Ended 1 session.\n");
    assert.equal((await run("sessions", "revoke", "Carol@example.com")).stdout, "Ended 2 sessions.\n");
    const none = await run("sessions", "revoke", "carol@example.com");
    assert.deepEqual([none.code, none.stdout], [1, ""]);
    assert.match(none.stderr, /There is no session carol@example\.com/);
    assert.equal(await status(key), 200);
    await run("keys", "revoke", "browser");
    server.process.kill("SIGINT");
    assert.equal((await server.ended).code, 0);
    // The key itself is not stored.
    assert.doesNotMatch(readFileSync(join(dataDir, "trawl.db"), "latin1"), new RegExp(key));
  });

  test("a backup can be restored to another data directory", async () => {
    const key = (await run("keys", "create", "moved")).stdout.trim();
    const file = join(temporaryFolder(), "trawl.gz");
    const made = await run("backup", file);
    assert.match(made.stdout, /^Backed up 2 members, 1 API key, [\d,]+ audit records(?:, 1 path)?\.\n$/);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const elsewhere = join(temporaryFolder(), "data");
    const other = instance(elsewhere);
    assert.match((await other.run("restore", file)).stdout, /^Restored 2 members, 1 API key, /);
    assert.equal(await (await startServer(elsewhere)).status(key), 200);
    const again = await other.run("restore", file);
    assert.equal(again.code, 1);
    assert.match(again.stderr, /There are members, API keys or audit records already/);
    assert.match((await other.run("restore", file, "--replace")).stdout, /^Restored 2 members/);
  });
});

test("a user whom the system does not know, as in many containers, becomes the owner", async (t) => {
  if (process.getuid?.() !== 0) return t.diagnostic("Only root can become another user.");
  const home = temporaryFolder();
  const user = 54_321;
  chownSync(home, user, user);
  const words = ["members", "list", "--data-dir", join(home, "data")];
  const { code, stdout, stderr } = await trawl(words, home, { user, env: ada });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^user-54321@\S+ +owner /m);
});

withPostgres("--database postgres://", (binaries) => {
  test("instances with the same PostgreSQL database share members and keys", async () => {
    const server = await startPostgres(binaries);
    try {
      const url = (await server.database()).replace("trawl@", "trawl:hushhush@");
      const dataDir = join(temporaryFolder(), "data");
      const key = (await instance(dataDir, "--database", url).run("keys", "create", "shared")).stdout.trim();
      assert.equal(existsSync(join(dataDir, "trawl.db")), false);
      // Another instance, which shares nothing but the database.
      const { status, server: other } = await startServer(join(temporaryFolder(), "data"), "--database", url);
      assert.equal(await status(key), 200);
      if (process.platform === "linux") {
        assert.doesNotMatch(readFileSync(`/proc/${other.process.pid}/cmdline`, "utf8"), /hushhush/);
      }
      await instance(dataDir, "--database", url).run("keys", "revoke", "shared");
      assert.equal(await status(key), 401);
      await server.kill();
      const refused = await instance(dataDir, "--database", url).run("keys", "list");
      assert.deepEqual([refused.code, refused.stdout], [1, ""]);
      assert.match(refused.stderr, /^trawl: The database does not respond \(\w+\)\.\n$/);
    } finally {
      await server.close();
    }
  });
});

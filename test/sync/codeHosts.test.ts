/** Repositories of a code host: mirrored, indexed, and kept or removed through everything that happens to them. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Catalog } from "#catalog/catalog";
import type { KnownConnections } from "#mirrors/applyListing";
import type { MirrorConnection } from "#mirrors/connection";
import { dayMs } from "#mirrors/holding";
import type { Repository } from "#model/repository";
import { type Clock, systemClock } from "#platform/clock";
import { inlineThread } from "#platform/inlineThread";
import { createLog } from "#platform/log";
import { ShardDirectory } from "#shard/directory/directory";
import { Sync } from "#sync/sync";
import { workerTask } from "#sync/workerTasks";
import { eventually, eventuallyEqual } from "#test/support/eventually";
import { type GitServer, gitServer } from "#test/support/gitServer";
import { projectRoot } from "#test/support/house";
import { indexedLines } from "#test/support/indexed";
import { type ListedHost, listedHost } from "#test/support/listedHost";
import { repo, runGit, temporaryFolder } from "#test/support/repo";

const signal = new AbortController().signal;
const account = { user: "svc", password: "c4nary-t0ken" };

interface WorldOptions {
  readonly server: GitServer;
  readonly host: ListedHost;
  readonly data?: string;
  readonly hasConnection?: boolean;
  readonly removals?: KnownConnections["removals"];
}

async function open(
  t: TestContext,
  { server, host, data = temporaryFolder(), hasConnection = true, removals = "all" }: WorldOptions,
) {
  const logged: string[] = [];
  const log = createLog("debug", (line) => logged.push(line));
  const clock: Clock & { offsetMs: number } = {
    offsetMs: 0,
    now() {
      return Date.now() + this.offsetMs;
    },
    elapsed: systemClock.elapsed,
    after: systemClock.after,
  };
  const directory = await ShardDirectory.open(join(data, "shards"));
  const catalog = Catalog.open(data, { log, known: directory.manifests().values() });
  const sync = new Sync({
    catalog,
    directory,
    pool: inlineThread(workerTask(), 2),
    settings: {},
    hosts: {},
    packageCaches: {
      cargoHome: join(data, "cargo"),
      goModules: join(data, "go"),
      mavenRepository: join(data, "m2"),
      gradleModules: join(data, "gradle"),
    },
    codeHosts: {
      dataDir: data,
      removals,
      connections: hasConnection ? { main: host.connection } : {},
      helperFolder: join(projectRoot(), "dist/server/credentialHelper"),
      ...host,
    },
    log,
    clock,
    watches: true,
    onOverlay() {},
  });
  let isClosed = false;
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    await sync.close();
    catalog.close();
  };
  t.after(close);
  const prefix = `${new URL(server.origin).host}/`;
  const named = (path: string) => catalog.byName(prefix + path);
  const { codeHosts } = sync;
  assert.ok(codeHosts);
  return {
    data,
    catalog,
    directory,
    sync,
    codeHosts,
    clock,
    logged,
    close,
    named,
    /** `path state` of each repository. */
    states: () => catalog.all().map(({ name, state }) => `${name.replace(prefix, "")} ${state}`),
    list: () => codeHosts.sync("main"),
    async later(days: number) {
      clock.offsetMs += days * dayMs;
      return await codeHosts.sync("main");
    },
    async text(path: string) {
      return (await indexedLines(directory, named(path)?.id ?? 0)).join("\n");
    },
    folders: () => readdirSync(join(data, "mirrors")).filter((name) => name.endsWith(".git")),
  };
}

async function world(t: TestContext, count: number, fetchMin = 50) {
  const server = await gitServer(t);
  const host = listedHost(server, fetchMin);
  for (let at = 1; at <= count; at++) {
    server.create(`acme/r${at}`, `= main: One\na.txt\n| text ${at}`);
    host.put(String(at), `acme/r${at}`);
  }
  return { server, host };
}

/** The names of `count` repositories with this state. */
function all(count: number, state: Repository["state"]): string[] {
  return Array.from({ length: count }, (_, at) => `acme/r${at + 1} ${state}`).sort();
}

test("repositories are cloned, indexed, pushed to, renamed, archived and deleted", async (t) => {
  const { server, host } = await world(t, 10, 600_000);
  server.credentials = account;
  host.credentials = account;
  const { sync, named, states, list, later, text, catalog, folders, logged, data, close } = await open(t, {
    server,
    host,
  });
  sync.start();
  await eventuallyEqual(states, all(10, "ready"));
  assert.equal(await text("acme/r3"), "a.txt [main]: text 3|");
  const before = named("acme/r3");
  assert.equal(before?.codeHostType, "gitea");
  assert.equal(before?.isPublic, false);

  const origin = repo("", { bare: true, path: server.folderOf("acme/r3") });
  origin.more("= main: Two\na.txt\n| pushed\ntag v1\n= unwanted: Three\nb\n| b");
  host.put("3", "acme/r3", { fingerprint: "pushed" });
  await list();
  await eventuallyEqual(() => text("acme/r3"), "a.txt [main v1]: pushed|");

  server.create("other/renamed", "= main: One\na.txt\n| text 3");
  const said = { isArchived: true, visibility: "public", topics: ["search"], stars: 5 } as const;
  host.put("3", "other/renamed", { ...said, fingerprint: "renamed" });
  await list();
  const after = named("other/renamed");
  assert.deepEqual([after?.id, after?.isArchived, after?.isPublic], [before?.id, true, true]);
  assert.deepEqual([after?.topics, after?.stars], [["search"], 5]);
  assert.equal(named("acme/r3"), undefined);
  await eventuallyEqual(() => text("other/renamed"), "a.txt [main]: text 3|");
  // The old name leads to it until a new repository takes it, and not again when that is gone.
  const formerly = () => catalog.byFormerName(`${new URL(server.origin).host}/acme/r3`)?.id;
  assert.equal(formerly(), before?.id);
  host.put("11", "acme/r3");
  await list();
  await eventually(() => named("acme/r3")?.state === "ready");
  assert.equal(formerly(), undefined);
  host.put("11", "acme/r11");
  server.create("acme/r11");
  await list();
  assert.deepEqual([named("acme/r3"), formerly()], [undefined, named("acme/r11")?.id]);
  host.put("11", "acme/r11", { isDisabled: true });
  await list();

  host.repositories.delete("4");
  await list();
  await eventually(() => named("acme/r4")?.lastError?.includes("does not exist"));
  assert.equal(named("acme/r4")?.state, "ready");
  await later(1.1);
  await later(5);
  assert.ok(named("acme/r4"));
  await later(1);
  assert.equal(named("acme/r4"), undefined);
  assert.equal(catalog.all().length, 9);
  assert.equal(folders().length, 9);

  await close();
  const stored = readdirSync(data, { recursive: true, encoding: "utf8" })
    .filter((name) => /(config|json|HEAD)$/.test(name))
    .map((name) => readFileSync(join(data, name), "utf8"));
  assert.ok(stored.length > 10);
  assert.doesNotMatch([...stored, ...logged].join("\n"), /c4nary/);
});

test("an empty repository is ready, and indexed after its first push; a removed one stays removed", async (t) => {
  const { server, host } = await world(t, 2);
  const origin = server.create("acme/r1", "");
  origin.git("update-ref", "-d", "refs/heads/main");
  const { sync, states, text, named } = await open(t, { server, host });
  sync.start();
  await eventuallyEqual(states, all(2, "ready"));
  assert.equal(await text("acme/r1"), "");
  origin.more("= main: First\nb.txt\n| first");
  await eventuallyEqual(() => text("acme/r1"), "b.txt [main]: first|");
  await sync.removeRepositories([named("acme/r1")!.id]);
  await sync.codeHosts?.sync("main");
  assert.deepEqual(states(), ["acme/r2 ready"]);
});

test("a push is found by polling, also without history", async (t) => {
  const { server, host } = await world(t, 1);
  const connection = { ...host.connection, history: { depth: 1 } };
  const { sync, states, text, data } = await open(t, { server, host: { ...host, connection } });
  sync.start();
  await eventuallyEqual(states, all(1, "ready"));
  const origin = repo("", { bare: true, path: server.folderOf("acme/r1") });
  origin.more("= main: Two\na.txt\n| pushed");
  await eventuallyEqual(() => text("acme/r1"), "a.txt [main]: pushed|");
  assert.ok(existsSync(join(data, "mirrors/1.git/shallow")));
});

/** Returns a signed webhook of Gitea. */
function webhook(event: string, id: string, secret = hookSecret, delivery?: string) {
  const body = Buffer.from(JSON.stringify({ repository: { id: Number(id) } }));
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  const headers = { "x-gitea-event": event, "x-gitea-signature": signature };
  return { body, headers: delivery === undefined ? headers : { ...headers, "x-gitea-delivery": delivery } };
}

const hookSecret = "c4nary-h00k";
process.env["TRAWL_TEST_HOOK"] = hookSecret;

async function hookedWorld(t: TestContext, count: number) {
  const { server, host } = await world(t, count, 3_600_000);
  const connection = { ...host.connection, webhook: { secret: { env: "TRAWL_TEST_HOOK" } } };
  const opened = await open(t, { server, host: { ...host, connection } });
  opened.sync.start();
  await eventuallyEqual(opened.states, all(count, "ready"));
  const push = (path: string, text: string) =>
    repo("", { bare: true, path: server.folderOf(path) }).more(`= main: Push\na.txt\n| ${text}`);
  return { server, host, push, ...opened, receive: opened.codeHosts.webhooks };
}

test("a webhook has its repository fetched at once, and many of them have it fetched twice at most", async (t) => {
  const { server, push, text, receive } = await hookedWorld(t, 2);
  const requests = () => server.paths.filter((path) => path.includes("info/refs")).length;
  server.paths.length = 0;
  push("acme/r1", "pushed");
  assert.equal(await receive.receive("main", webhook("push", "1")), "fetch");
  await eventuallyEqual(() => text("acme/r1"), "a.txt [main]: pushed|");

  const requestsOfOne = requests();
  server.paths.length = 0;
  server.mode = { kind: "stalled" };
  push("acme/r1", "pushed again");
  await receive.receive("main", webhook("push", "1"));
  await eventually(() => server.isStalling);
  push("acme/r1", "pushed during the fetch");
  for (let at = 0; at < 1000; at++)
    assert.equal(await receive.receive("main", webhook("push", "1", hookSecret, `d${at}`)), "fetch");
  server.mode = { kind: "open" };
  await eventuallyEqual(() => text("acme/r1"), "a.txt [main]: pushed during the fetch|");
  assert.equal(requests(), 2 * requestsOfOne);
  assert.deepEqual(
    [...receive.counts].filter(([, count]) => count > 0),
    [["fetch", 1002]],
  );
});

test("a push whose webhook arrived while no process ran is fetched soon after the next start", async (t) => {
  const first = await hookedWorld(t, 1);
  const { server, host, push, receive } = first;
  push("acme/r1", "pushed");
  await receive.receive("main", webhook("push", "1"));
  await eventuallyEqual(() => first.text("acme/r1"), "a.txt [main]: pushed|");
  await first.close();
  push("acme/r1", "missed");
  const connection = { ...host.connection, webhook: { secret: { env: "TRAWL_TEST_HOOK" } } };
  const second = await open(t, { server, host: { ...host, connection }, data: first.data });
  second.sync.start();
  const nextAt = () => second.codeHosts.statuses[0]?.mirrors[0]?.fetches.nextAt ?? Number.POSITIVE_INFINITY;
  await eventually(() => nextAt() <= Date.now() + 3_600_000);
  await second.later(1 / 24);
  await eventuallyEqual(() => second.text("acme/r1"), "a.txt [main]: missed|");
});

test("a listing that was read before a push does not undo its webhook", async (t) => {
  const { host, push, text, receive, later, codeHosts } = await hookedWorld(t, 1);
  host.put("1", "acme/r1", { fingerprint: "before the push" });
  const fetches = () => codeHosts.statuses[0]?.mirrors[0]?.fetches;
  const clonedAt = fetches()?.fetchedAt ?? 0;
  await later(2);
  await eventually(() => (fetches()?.fetchedAt ?? 0) > clonedAt);
  push("acme/r1", "pushed");
  assert.equal(await receive.receive("main", webhook("push", "1")), "fetch");
  await later(0);
  await eventuallyEqual(() => text("acme/r1"), "a.txt [main]: pushed|");
});

test("a webhook is refused if it is wrongly signed, or for no connection with a secret, and ignored if replayed", async (t) => {
  const { server, host, receive, codeHosts, clock, logged } = await hookedWorld(t, 1);
  server.paths.length = 0;
  const deliver = (id: string) => receive.receive("main", webhook("push", "1", hookSecret, id));
  assert.deepEqual(
    [await deliver("a"), await deliver("a"), await deliver("b")],
    ["fetch", "replayed", "fetch"],
  );
  clock.offsetMs += 25 * 3_600_000;
  assert.equal(await deliver("a"), "fetch");
  assert.equal(await receive.receive("main", webhook("push", "1", "wrong")), "refused");
  assert.equal(await receive.receive("other", webhook("push", "1")), "refused");
  assert.equal(await receive.receive("__proto__", webhook("push", "1")), "refused");
  delete process.env["TRAWL_TEST_HOOK"];
  t.after(() => {
    process.env["TRAWL_TEST_HOOK"] = hookSecret;
  });
  assert.equal(await deliver("c"), "refused");
  assert.ok(logged.some((line) => line.includes("TRAWL_TEST_HOOK is not set")));
  await codeHosts.configure({ connections: { main: host.connection }, removals: "all" });
  assert.equal(await deliver("d"), "refused");
});

test("webhooks about new and renamed repositories list the connection, and remove nothing", async (t) => {
  const { host, receive, named, states, server, codeHosts, clock } = await hookedWorld(t, 2);
  const listings = () => codeHosts.statuses[0]?.record.listedAt;
  const before = listings();
  server.create("acme/r3");
  host.put("3", "acme/r3");
  host.repositories.delete("2");
  // Listings that webhooks hint at have a pause.
  clock.offsetMs += 60_000;
  assert.equal(await receive.receive("main", webhook("push", "3")), "list");
  assert.equal(await receive.receive("main", webhook("push", "3")), "ignored");
  assert.equal(await receive.receive("main", webhook("repository", "2")), "list");
  await eventually(() => named("acme/r3")?.state === "ready");
  assert.notEqual(listings(), before);
  assert.deepEqual(states(), all(3, "ready"));
});

test("while webhooks arrive, polling is rare; a change without a webhook makes it frequent again", async (t) => {
  const { server, host } = await world(t, 1, 60_000);
  const connection = { ...host.connection, webhook: { secret: { env: "TRAWL_TEST_HOOK" } } };
  const opened = await open(t, { server, host: { ...host, connection } });
  const { sync, states, text, codeHosts, clock } = opened;
  sync.start();
  await eventuallyEqual(states, all(1, "ready"));
  const origin = repo("", { bare: true, path: server.folderOf("acme/r1") });
  const fetches = () => codeHosts.statuses[0]?.mirrors[0]?.fetches;
  const pause = () => Math.round(((fetches()?.nextAt ?? 0) - (fetches()?.fetchedAt ?? 0)) / 60_000);
  assert.equal(pause(), 1);
  origin.more("= main: Two\na.txt\n| hinted");
  await codeHosts.webhooks.receive("main", webhook("push", "1"));
  await eventuallyEqual(() => text("acme/r1"), "a.txt [main]: hinted|");
  assert.ok(pause() >= 3, `${pause()} min`);
  origin.more("= main: Three\na.txt\n| silent");
  clock.offsetMs += 600_000;
  host.put("1", "acme/r1", { fingerprint: "moved" });
  await opened.list();
  await eventuallyEqual(() => text("acme/r1"), "a.txt [main]: silent|");
  assert.equal(pause(), 1);
});

test("connections that are added, changed and removed apply at once", async (t) => {
  const { server, host } = await world(t, 2, 600_000);
  const opened = await open(t, { server, host, hasConnection: false });
  const { sync, states, codeHosts, folders, text, list } = opened;
  const configure = (connections: KnownConnections["connections"]) =>
    codeHosts.configure({ connections, removals: "all" });
  sync.start();
  await eventuallyEqual(states, []);
  server.credentials = account;
  host.credentials = { user: "svc", password: "wrong" };
  await configure({ main: host.connection });
  await eventuallyEqual(states, all(2, "failed"));

  // Changed settings are tried at once, although the failed attempts wait.
  host.credentials = account;
  const tags = { branches: [], tags: ["v*"], newestTags: 20 };
  repo("", { bare: true, path: server.folderOf("acme/r1") }).more("= main: Two\na.txt\n| two\ntag v1");
  await configure({ main: { ...host.connection, allowHttp: true, cloneUrlBase: server.origin } });
  await eventuallyEqual(states, all(2, "ready"));
  assert.equal(await text("acme/r1"), "a.txt [main v1]: two|");
  await configure({ main: { ...host.connection, revisions: tags } });
  assert.deepEqual(states().length, 2);

  // A listing with the old settings that is still running has no effect.
  const listing = list();
  await configure({});
  assert.ok("message" in (await listing));
  assert.deepEqual(states(), []);
  assert.equal(folders().length, 2);
  assert.deepEqual(codeHosts.statuses, []);
  // Also while the host is down.
  host.problem = { message: "Down", status: 503 };
  await configure({ main: host.connection });
  await eventuallyEqual(states, all(2, "ready"));
  host.problem = undefined;
  await configure({ main: { ...host.connection, url: "https://git.example.com" } });
  assert.deepEqual(states(), []);
  await configure({ main: host.connection });
  await eventuallyEqual(states, all(2, "ready"));
  assert.equal(folders().length, 2);

  const { onRemoved } = host.connection;
  await configure({ main: { ...host.connection, onRemoved: { ...onRemoved, keepDays: 0 } } });
  await configure({});
  assert.deepEqual([states(), folders()], [[], []]);
});

/** Makes the first fetch wait for credentials until `answer` is called. */
function slowCredentials(hasMirrors: () => boolean) {
  let answer = () => {};
  let isAsked = false;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const gitCredentials = async () => {
    // Listings ask for them, too.
    if (hasMirrors() && !isAsked) {
      isAsked = true;
      await answered;
    }
    return undefined;
  };
  return { gitCredentials, answer: () => answer(), isAsked: () => isAsked };
}

test("a repository that one connection gives up while another one finds it is mirrored", async (t) => {
  const { server, host } = await world(t, 1, 600_000);
  const { connection } = host;
  const main = { ...connection, onRemoved: { ...connection.onRemoved, keepDays: 0 } };
  let isGivenUp = false;
  const slow = slowCredentials(() => codeHosts.mirrors.length > 0);
  const { sync, states, codeHosts, list } = await open(t, {
    server,
    host: {
      ...host,
      connection: main,
      selectRepositories: (settings, repositories) =>
        (settings === main) !== isGivenUp
          ? { kept: repositories, excluded: [] }
          : { kept: [], excluded: repositories.map((repository) => ({ repository, reason: "Other." })) },
      openHost(name, settings) {
        const own = host.openHost(name, settings);
        return name === "main" ? { ...own, gitCredentials: slow.gitCredentials } : own;
      },
    },
  });
  sync.start();
  await eventually(slow.isAsked);
  await codeHosts.configure({ connections: { main, other: connection }, removals: "all" });
  const listedAt = (at: number) => codeHosts.statuses[at]?.record.listedAt;
  await eventually(() => listedAt(1));
  const before = listedAt(0);
  isGivenUp = true;
  const listings = [list()];
  await eventually(() => listedAt(0) !== before);
  // The mirror is not removed before its fetch has ended.
  listings.push(codeHosts.sync("other"));
  await eventually(() => codeHosts.statuses[1]?.mirrors.length === 1);
  slow.answer();
  await Promise.all(listings);
  await eventuallyEqual(states, all(1, "ready"));
});

test("corrected credentials are used although a fetch with the previous ones ends later", async (t) => {
  const { server, host } = await world(t, 1, 600_000);
  server.credentials = account;
  const slow = slowCredentials(() => codeHosts.mirrors.length > 0);
  const openHost = () => {
    const own = host.openHost("", host.connection);
    return slow.isAsked() ? own : { ...own, gitCredentials: slow.gitCredentials };
  };
  const { sync, states, codeHosts } = await open(t, { server, host: { ...host, openHost } });
  sync.start();
  await eventually(slow.isAsked);
  host.credentials = account;
  const main = { ...host.connection, cloneUrlBase: server.origin };
  await codeHosts.configure({ connections: { main }, removals: "all" });
  slow.answer();
  await eventuallyEqual(states, all(1, "ready"));
});

test("a push that a list shows during a fetch is fetched at once", async (t) => {
  const { server, host } = await world(t, 1, 600_000);
  const { sync, states, text, list } = await open(t, { server, host });
  sync.start();
  await eventuallyEqual(states, all(1, "ready"));
  const origin = repo("", { bare: true, path: server.folderOf("acme/r1") });
  const push = async (name: string) => {
    origin.more(`= main: ${name}\na.txt\n| ${name}`);
    host.put("1", "acme/r1", { fingerprint: name });
    await list();
  };
  server.mode = { kind: "stalled" };
  await push("two");
  await eventually(() => server.isStalling);
  await push("three");
  server.mode = { kind: "open" };
  await eventuallyEqual(() => text("acme/r1"), "a.txt [main]: three|");
});

test("a host that cannot be closed keeps nothing else open", async (t) => {
  const { server, host } = await world(t, 1);
  const openHost = () => ({
    ...host.openHost("", host.connection),
    close: () => Promise.reject(new Error("Stuck.")),
  });
  const opened = await open(t, { server, host: { ...host, openHost } });
  opened.sync.start();
  await eventuallyEqual(opened.states, all(1, "ready"));
  await opened.codeHosts.configure({ connections: {}, removals: "all" });
  await opened.close();
  assert.ok(opened.logged.some((line) => line.includes("Stuck")));
  const stored = JSON.parse(readFileSync(join(opened.data, "mirrors.json"), "utf8"));
  assert.ok(stored.state.mirrors[0].holdings.main.released);
});

test("a clone URL on another host gets no request", async (t) => {
  const { server, host } = await world(t, 2);
  const other = await gitServer(t);
  other.create("acme/r1");
  host.credentials = account;
  host.put("1", "acme/r1", { cloneUrl: `${other.origin}/acme/r1.git` });
  const { sync, states, named } = await open(t, { server, host });
  sync.start();
  await eventuallyEqual(states, ["acme/r1 failed", "acme/r2 ready"]);
  assert.match(named("acme/r1")?.lastError ?? "", /not on the host/);
  assert.deepEqual(other.paths, []);
});

test("wrong credentials are reported, and cost nothing once they are corrected", async (t) => {
  const { server, host } = await world(t, 2);
  server.credentials = account;
  host.credentials = { user: "svc", password: "c4nary-wrong" };
  const { sync, codeHosts, states, named, logged } = await open(t, { server, host });
  // The list is allowed, but git is not.
  const problems = async () => {
    const plan = await codeHosts.plan("main", signal);
    return "plan" in plan && plan.problems.map(({ scope, message }) => `${scope}: ${message}`);
  };
  const [problem = ""] = (await problems()) || [];
  assert.match(problem, /^repo:acme\/r1: git ls-remote .*Authentication failed/);
  sync.start();
  await eventuallyEqual(states, all(2, "failed"));
  assert.match(named("acme/r1")?.lastError ?? "", /Authentication failed/);
  host.credentials = account;
  assert.deepEqual(await problems(), []);
  await eventuallyEqual(states, all(2, "ready"));
  assert.doesNotMatch(logged.join("\n"), /c4nary/);
});

test("while the host is down or lists nothing, everything stays searchable", async (t) => {
  const { server, host } = await world(t, 6);
  const { sync, states, named, later, text, codeHosts } = await open(t, { server, host });
  sync.start();
  await eventuallyEqual(states, all(6, "ready"));
  server.mode = { kind: "status", status: 503 };
  await eventually(() => named("acme/r1")?.lastError?.includes("503"));
  host.problem = { message: "Unauthorized", status: 401 };
  for (let days = 0; days < 10; days++) await later(1);
  host.problem = undefined;
  host.outcome = "partial";
  const repositories = new Map(host.repositories);
  host.repositories.clear();
  for (let days = 0; days < 10; days++) await later(1);
  // An empty list is complete, but not believed.
  host.outcome = "complete";
  for (let days = 0; days < 10; days++) await later(1);
  assert.deepEqual(states(), all(6, "ready"));
  assert.equal(codeHosts.statuses[0]?.record.unconfirmedIds?.length, 6);
  assert.equal(await text("acme/r2"), "a.txt [main]: text 2|");

  for (const [id, repository] of repositories) host.repositories.set(id, repository);
  server.mode = { kind: "open" };
  await later(0);
  await eventually(() => named("acme/r1")?.lastError === undefined);

  host.repositories.clear();
  await later(0);
  assert.equal(codeHosts.confirm("main"), 6);
  await later(0);
  await later(4);
  await later(4);
  assert.deepEqual(states(), []);
});

test("a clone on this computer takes the place of its mirror while it exists", async (t) => {
  const { server, host } = await world(t, 1);
  const opened = await open(t, { server, host });
  const { sync, states, named, catalog } = opened;
  sync.start();
  await eventuallyEqual(states, all(1, "ready"));
  const folder = temporaryFolder();
  repo("= main: Local\na.txt\n| local", { path: folder, origin: `${server.origin}/acme/r1.git` });
  await sync.addPaths([folder], signal);
  await eventuallyEqual(() => named("acme/r1")?.kind, "clone");
  await eventuallyEqual(() => opened.text("acme/r1"), "a.txt [main]: local|");
  assert.equal(catalog.all().length, 1);
  await sync.removePaths([folder]);
  await eventuallyEqual(() => named("acme/r1")?.kind, "bare");
  await eventuallyEqual(() => opened.text("acme/r1"), "a.txt [main]: text 1|");
});

test("a clone with another address takes the place of a mirror with its path and history, also of a later one", async (t) => {
  const { server, host } = await world(t, 2);
  // This mirror cannot be cloned.
  host.put("3", "acme/r3");
  const access = { visibleTo: "codeHost", logins: {}, checkEvery: 3_600_000 } as const;
  const connection: MirrorConnection = { ...host.connection, access };
  const { sync, catalog, codeHosts, list } = await open(t, { server, host: { ...host, connection } });
  const names = () =>
    catalog
      .all()
      .map(({ name, kind }) => `${kind} ${name.replace(/^127.*?\//, "")}`)
      .sort();
  const cloneOf = (number: number, alias = "work") => {
    const folder = temporaryFolder();
    runGit(folder, ["clone", "-q", server.folderOf(`acme/r${number}`), "."]);
    runGit(folder, ["remote", "set-url", "origin", `git@${alias}:acme/r${number}.git`]);
    return folder;
  };
  const unrelated = repo("= main: Unrelated\na.txt\n| text", { origin: "git@work:acme/r2.git" });
  const clone = cloneOf(1);
  const second = cloneOf(1, "second");
  const uncompared = repo("= main: One\na.txt\n| text", { origin: "git@work:acme/r3.git" });
  await sync.addPaths([clone, second, unrelated.path, uncompared.path], signal);
  sync.start();
  const clones = ["second/acme/r1", "work/acme/r2", "work/acme/r3"].map((name) => `clone ${name}`);
  const mirrors = ["acme/r2", "acme/r3"].map((name) => `bare ${name}`);
  await eventuallyEqual(names, [...mirrors, ...clones, "clone work/acme/r1"].sort());
  const visibilities = () =>
    Object.fromEntries(
      catalog
        .all()
        .filter(({ kind }) => kind === "clone")
        .map((each) => [each.name, codeHosts.rights.visibility(each, { logins: {} })]),
    );
  await eventuallyEqual(visibilities, {
    "work/acme/r1": "hidden",
    "second/acme/r1": "hidden",
    "work/acme/r2": "visible",
    "work/acme/r3": "unknown",
  });

  await sync.removePaths([clone, second]);
  const remaining = clones.slice(1);
  await eventuallyEqual(names, ["bare acme/r1", ...mirrors, ...remaining].sort());
  await sync.addPaths([cloneOf(1)], signal);
  const expected = [...mirrors, "clone work/acme/r1", ...remaining].sort();
  await eventuallyEqual(names, expected);
  await list();
  assert.deepEqual(names(), expected);
});

test("a restart continues, even with a damaged state, and a removed connection hides its mirrors", async (t) => {
  const { server, host } = await world(t, 3);
  const first = await open(t, { server, host });
  first.sync.start();
  await eventuallyEqual(first.states, all(3, "ready"));
  const ids = first.catalog.all().map(({ id }) => id);
  await first.close();
  const { data } = first;

  // A process without the configuration file, such as that of an editor, does not know the connection.
  for (const removals of ["none", "added"] as const) {
    const unaware = await open(t, { server, host, data, hasConnection: false, removals });
    unaware.sync.start();
    await eventuallyEqual(unaware.states, all(3, "ready"));
    await unaware.close();
  }

  const hidden = await open(t, { server, host, data, hasConnection: false });
  hidden.sync.start();
  await eventuallyEqual(hidden.states, []);
  assert.equal(hidden.folders().length, 3);
  await hidden.close();

  server.paths.length = 0;
  const second = await open(t, { server, host, data });
  second.sync.start();
  await second.list();
  await eventuallyEqual(second.states, all(3, "ready"));
  assert.equal(await second.text("acme/r2"), "a.txt [main]: text 2|");
  // They were never cloned again.
  assert.deepEqual(second.folders(), ["1.git", "2.git", "3.git"]);
  await second.close();

  writeFileSync(join(data, "mirrors.json"), `${readFileSync(join(data, "mirrors.json"), "utf8")} `);
  host.outcome = "failed";
  const third = await open(t, { server, host, data });
  third.sync.start();
  await third.list();
  await eventuallyEqual(third.states, all(3, "ready"));
  host.outcome = "complete";
  host.repositories.delete("3");
  for (let days = 0; days < 10; days++) await third.later(1);
  assert.deepEqual(third.states(), ["acme/r1 ready", "acme/r2 ready"]);
  assert.ok(ids.length > 0 && readdirSync(data).some((name) => name.includes("mirrors.json.damaged")));
  assert.equal(existsSync(join(data, "mirrors/3.git")), false);
});

test("repositories that exchange their names keep their ids and indexes", async (t) => {
  const { server, host } = await world(t, 2);
  const { sync, states, named, list } = await open(t, { server, host });
  sync.start();
  await eventuallyEqual(states, all(2, "ready"));
  const ids = [named("acme/r1")?.id, named("acme/r2")?.id];
  host.put("1", "acme/r2");
  host.put("2", "acme/r1");
  await list();
  assert.deepEqual([named("acme/r2")?.id, named("acme/r1")?.id], ids);
});

test("a change is indexed although its fetch failed at the end, or nothing indexed it before a restart", async (t) => {
  const { server, host } = await world(t, 1, 600_000);
  const first = await open(t, { server, host });
  first.sync.start();
  await eventuallyEqual(first.states, all(1, "ready"));
  const push = (text: string) => {
    repo("", { bare: true, path: server.folderOf("acme/r1") }).more(`= main: ${text}\na.txt\n| ${text}`);
    host.put("1", "acme/r1", { fingerprint: text });
  };
  push("pushed");
  // Afterwards, the host does not say which branch is the default.
  server.mode = { kind: "onePack" };
  await first.list();
  await eventuallyEqual(() => first.text("acme/r1"), "a.txt [main]: pushed|");
  assert.match(first.named("acme/r1")?.lastError ?? "", /503/);
  assert.equal(first.codeHosts.fetchStatistics.ended.failed, 1);
  await eventually(() => first.codeHosts.fetchStatistics.indexLagMs === 0);

  // Indexing fails, and so does the next fetch: the first reason remains.
  const shards = join(first.data, "shards");
  server.mode = { kind: "open" };
  renameSync(shards, `${shards}.away`);
  push("again");
  await first.later(1);
  await eventuallyEqual(first.states, all(1, "failed"));
  assert.match(first.named("acme/r1")?.lastError ?? "", /ENOENT/);
  server.mode = { kind: "status", status: 503 };
  push("unseen");
  await first.later(1);
  await eventually(() => first.codeHosts.fetchStatistics.ended.failed === 2);
  await eventually(() => first.sync.isIdle);
  assert.deepEqual(first.states(), all(1, "failed"));
  assert.match(first.named("acme/r1")?.lastError ?? "", /ENOENT/);
  assert.ok(first.codeHosts.fetchStatistics.indexLagMs > 0);
  // Then it is indexed, but still cannot be fetched.
  renameSync(`${shards}.away`, shards);
  first.sync.reindex([first.named("acme/r1")!.id]);
  await eventuallyEqual(() => first.text("acme/r1"), "a.txt [main]: again|");
  await eventuallyEqual(first.states, all(1, "ready"));
  assert.match(first.named("acme/r1")?.lastError ?? "", /503/);
  await first.close();

  const mirror = join(first.data, "mirrors/1.git");
  repo("", { bare: true, path: mirror }).more("= main: Crashed\na.txt\n| crashed");
  const second = await open(t, { server, host, data: first.data });
  second.sync.start();
  await eventuallyEqual(() => second.text("acme/r1"), "a.txt [main]: crashed|");
});

test("a connection clones nothing more when its mirrors have reached their limit", async (t) => {
  const { server, host } = await world(t, 2);
  host.put("2", "acme/r2", { sizeBytes: 5_000_000 });
  const limited = (diskBytes: number): ListedHost => ({
    ...host,
    connection: { ...host.connection, limits: { oneRepositoryBytes: 20e9, diskBytes } },
  });
  const first = await open(t, { server, host: limited(1_000_000) });
  first.sync.start();
  await eventuallyEqual(first.states, ["acme/r1 ready", "acme/r2 failed"]);
  assert.match(first.named("acme/r2")?.lastError ?? "", /limit is 1000000 \(limits\.diskBytes\)/);
  // Fetches go on.
  repo("", { bare: true, path: server.folderOf("acme/r1") }).more("= main: Two\na.txt\n| pushed");
  await eventuallyEqual(() => first.text("acme/r1"), "a.txt [main]: pushed|");
  assert.equal(first.named("acme/r2")?.state, "failed");
  await first.close();
  const second = await open(t, { server, host: limited(10_000_000), data: first.data });
  second.clock.offsetMs += dayMs;
  second.sync.start();
  await eventuallyEqual(second.states, all(2, "ready"));
  assert.equal(second.named("acme/r2")?.lastError, undefined);
});

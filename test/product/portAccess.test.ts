/**
 * Takeover of a leader's port: requests that were refused before stay refused, on this port and on the port of the next
 * leader.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { InstanceState } from "#contract/editor";
import type { CreatedKey } from "#contract/organization";
import type { SearchResult } from "#contract/search";
import { type Editor, type EditorOptions, openEditor } from "#test/support/editor";
import { eventually } from "#test/support/eventually";
import { startPostgres, withPostgres } from "#test/support/postgres";
import { repo, temporaryFolder } from "#test/support/repo";
import { listening, type Served } from "#test/support/served";
import { announced, startTrawl } from "#test/support/trawl";

const newDataDir = () => join(temporaryFolder(), "data");

/** Signals that end a leader. */
const ends = ["SIGTERM", "SIGKILL"] as const;
type End = (typeof ends)[number];

interface Reply {
  /** 0 if the port is closed. */
  readonly status: number;
  readonly body: string;
}

/** Requests the repositories with the given headers. */
function ask(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
  return new Promise((resolve) => {
    const outgoing = request(`${url}/api/repos`, { headers, agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        body += part;
      });
      response.on("close", () => resolve({ status: response.statusCode ?? 0, body }));
    });
    outgoing.on("error", () => resolve({ status: 0, body: "" }));
    outgoing.end();
  });
}

const status = async (url: string, headers?: Readonly<Record<string, string>>) =>
  (await ask(url, headers)).status;
const withKey = ({ key }: CreatedKey) => ({ authorization: `Bearer ${key}` });

/** Sends requests without credentials until stopped; `stop` returns the set of all statuses. */
function watchPort(t: TestContext, url: string) {
  const seen = new Set<number>();
  let isStopped = false;
  const ended = (async () => {
    while (!isStopped) {
      seen.add(await status(url));
      // Requests without any pause would slow down the takeover that they watch.
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  })();
  const stop = async () => {
    isStopped = true;
    await ended;
    return seen;
  };
  t.after(stop);
  return stop;
}

const successes = (seen: ReadonlySet<number>) => [...seen].filter((each) => each > 0 && each < 400);

async function serve(t: TestContext, dataDir: string, flags: readonly string[]): Promise<Served> {
  const served = await listening(startTrawl(["serve", "--port", "0", "--data-dir", dataDir, ...flags]));
  t.after(() => served.process.kill("SIGKILL"));
  await served.ready();
  return served;
}

const portOf = (url: string) => Number(new URL(url).port);

/** Ends the process and waits until `next` is the leader. */
async function takeOver(
  process: { kill(signal: End): boolean },
  end: End,
  next: Editor,
  dataDir: string,
): Promise<void> {
  process.kill(end);
  await eventually(() => announced(dataDir).pid === next.pid);
  assert.equal((await next.call<InstanceState>("instance")).pid, next.pid);
}

interface Case {
  readonly name: string;
  readonly leader: readonly string[];
  readonly follower?: EditorOptions;
  /** Status without credentials before and after the takeover; 0 if the port is closed. */
  readonly before: number;
  readonly after: number;
}

const openEndpoint = { isEnabled: true, port: 0, allowedOrigins: [] };

const cases: readonly Case[] = [
  { name: "closed", leader: ["--anonymous", "off"], before: 401, after: 401 },
  { name: "open", leader: [], before: 200, after: 200 },
  {
    name: "closed, with a follower started with --anonymous on",
    leader: ["--anonymous", "off"],
    follower: { args: ["--anonymous", "on"] },
    before: 401,
    after: 401,
  },
  {
    name: "closed, with a follower whose settings enable the endpoint",
    leader: ["--anonymous", "off"],
    follower: { settings: { endpoint: openEndpoint } },
    before: 401,
    after: 401,
  },
  {
    name: "open, with a follower started with --anonymous off",
    leader: [],
    follower: { args: ["--anonymous", "off"] },
    before: 200,
    after: 200,
  },
  {
    name: "closed, on all network interfaces",
    leader: ["--anonymous", "off", "--host", "0.0.0.0"],
    before: 401,
    after: 0,
  },
  {
    name: "open, on all network interfaces",
    leader: ["--anonymous", "on", "--host", "0.0.0.0"],
    before: 200,
    after: 0,
  },
  {
    name: "closed, with a follower that has its own port",
    leader: ["--anonymous", "off"],
    follower: { args: ["--port", "0"] },
    before: 401,
    after: 0,
  },
];

for (const { name, leader, follower, before, after } of cases) {
  for (const end of ends) {
    test(`a port that is ${name}: after ${end} the status is ${after}`, async (t) => {
      const dataDir = newDataDir();
      const served = await serve(t, dataDir, leader);
      const editor = await openEditor(dataDir, follower, t);
      assert.equal(await status(served.url), before);
      const stop = watchPort(t, served.url);
      await takeOver(served.process, end, editor, dataDir);
      assert.equal(await status(served.url), after);
      // 503: a closing leader cancels its requests.
      const expected = [before, after, 0, 503];
      assert.deepEqual(
        [...(await stop())].filter((each) => !expected.includes(each)),
        [],
      );
    });
  }
}

test("keys, allowed hosts, allowed origins and the public URL pass to the next leader", async (t) => {
  const dataDir = newDataDir();
  const { path } = repo("= main: First\na.txt\n| needle\n");
  const flags = ["--anonymous", "off", "--allowed-host", "search.example.com"];
  flags.push("--allowed-origin", "https://pages.example.com", "--public-url", "https://code.example.com");
  const served = await serve(t, dataDir, [...flags, path]);
  const other = ["--allowed-host", "other.example.com", "--allowed-origin", "https://other.example.com"];
  const settings = { endpoint: { ...openEndpoint, allowedOrigins: ["https://third.example.com"] } };
  const editor = await openEditor(dataDir, { args: other, settings }, t);
  const key = await editor.call<CreatedKey>("createKey", { name: "scripts" });
  const statusesAndLink = async () => {
    const statuses: Record<string, number> = {};
    for (const host of ["search.example.com", "code.example.com", "other.example.com"])
      statuses[host] = await status(served.url, { ...withKey(key), host });
    for (const name of ["pages", "other", "third"])
      statuses[name] = await status(served.url, { ...withKey(key), origin: `https://${name}.example.com` });
    const found = await fetch(`${served.url}/api/search`, {
      method: "POST",
      headers: { ...withKey(key), "content-type": "application/json" },
      body: JSON.stringify({ query: "needle" }),
    });
    const { files } = (await found.json()) as SearchResult;
    return { ...statuses, link: new URL(files[0]?.webUrl ?? "").origin, anonymous: await status(served.url) };
  };
  const expected = {
    "search.example.com": 200,
    "code.example.com": 200,
    "other.example.com": 403,
    pages: 200,
    other: 403,
    third: 403,
    link: "https://code.example.com",
    anonymous: 401,
  };
  assert.deepEqual(await statusesAndLink(), expected);
  await takeOver(served.process, "SIGKILL", editor, dataDir);
  assert.deepEqual(await statusesAndLink(), expected);
});

test("the port stays closed through a chain of takeovers", async (t) => {
  const dataDir = newDataDir();
  const served = await serve(t, dataDir, ["--anonymous", "off"]);
  let windows: readonly Editor[] = [];
  for (let count = 0; count < 4; count++) windows = [...windows, await openEditor(dataDir, {}, t)];
  const stop = watchPort(t, served.url);
  served.process.kill("SIGKILL");
  while (windows.length > 0) {
    await eventually(() => windows.some(({ pid }) => pid === announced(dataDir).pid));
    assert.equal(announced(dataDir).url, served.url);
    assert.equal(await status(served.url), 401);
    const leader = windows.find(({ pid }) => pid === announced(dataDir).pid);
    windows = windows.filter((each) => each !== leader);
    leader?.server.process.kill(windows.length % 2 === 0 ? "SIGKILL" : "SIGTERM");
    await leader?.server.ended;
  }
  assert.deepEqual(successes(await stop()), []);
});

test("an editor's port that a key has closed stays closed after a takeover, and the key is accepted", async (t) => {
  const dataDir = newDataDir();
  const first = await openEditor(dataDir, { settings: { endpoint: openEndpoint } }, t);
  await eventually(() => announced(dataDir).url !== undefined);
  const { url = "" } = announced(dataDir);
  const second = await openEditor(dataDir, {}, t);
  assert.equal(await status(url), 200);
  const key = await first.call<CreatedKey>("createKey", { name: "scripts" });
  assert.equal(await status(url), 401);
  await takeOver(first.server.process, "SIGKILL", second, dataDir);
  assert.deepEqual([await status(url), await status(url, withKey(key))], [401, 200]);
});

test("after a leader with unknown access rules, the port is closed and reopens only for credentials", async (t) => {
  const dataDir = newDataDir();
  const served = await serve(t, dataDir, ["--anonymous", "off"]);
  const editor = await openEditor(dataDir, {}, t);
  // The announcement of an older version.
  served.process.kill("SIGSTOP");
  const path = join(dataDir, "endpoint.json");
  const { url, socket, pid, version } = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, JSON.stringify({ url, socket, pid, version }));
  await takeOver(served.process, "SIGKILL", editor, dataDir);
  assert.equal(await status(url), 0);
  await editor.call("startEndpoint", { port: portOf(url) });
  assert.equal(await status(url), 401);
  await editor.call("startEndpoint", { port: 0 });
  assert.equal(await status(url), 401);
});

withPostgres("keys in another database", (binaries) => {
  for (const end of ends) {
    test(`a port whose keys are in PostgreSQL: after ${end} requests without a key are refused`, async (t) => {
      const postgres = await startPostgres(binaries);
      t.after(() => postgres.close());
      const database = await postgres.database();
      const dataDir = newDataDir();
      const served = await serve(t, dataDir, ["--anonymous", "off", "--database", database]);
      const port = portOf(served.url);
      const same = await openEditor(dataDir, { args: ["--database", database] }, t);
      const key = await same.call<CreatedKey>("createKey", { name: "scripts" });
      const stop = watchPort(t, served.url);
      await takeOver(served.process, end, same, dataDir);
      // With the same database, the port and its keys stay valid.
      assert.deepEqual([await status(served.url), await status(served.url, withKey(key))], [401, 200]);
      // With another database, the port is closed. If the settings open it, requests are refused.
      const other = await openEditor(dataDir, {}, t);
      await takeOver(same.server.process, end, other, dataDir);
      assert.equal(await status(served.url), 0);
      await other.configure({ endpoint: { isEnabled: true, port, allowedOrigins: [] } });
      await eventually(async () => (await status(served.url)) !== 0);
      assert.equal(await status(served.url), 401);
      assert.deepEqual(successes(await stop()), []);
    });
  }

  test("a follower's own port stays closed if the next leader has other keys", async (t) => {
    const postgres = await startPostgres(binaries);
    t.after(() => postgres.close());
    const database = await postgres.database();
    for (const end of ends) {
      const dataDir = newDataDir();
      const args = ["--port", "0", "--database", database];
      const first = await openEditor(dataDir, { args }, t);
      await eventually(() => announced(dataDir).url !== undefined);
      const second = await openEditor(dataDir, { args: ["--port", "0"] }, t);
      await second.call("createKey", { name: `scripts ${end}` });
      const line = await second.server.line(/^Listening on /);
      const own = line.slice("Listening on ".length);
      assert.equal(await status(own), 401);
      const stop = watchPort(t, own);
      await takeOver(first.server.process, end, second, dataDir);
      assert.equal(await status(own), 401);
      assert.deepEqual(successes(await stop()), []);
    }
  });
});

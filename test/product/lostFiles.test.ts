/**
 * The files by which processes find the leader are removed, damaged or left by a crash: a healthy leader stays leader
 * and restores them, and leftovers do not keep the next leader from starting.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { InstanceState } from "#contract/editor";
import { type Editor, openEditor } from "#test/support/editor";
import { eventually } from "#test/support/eventually";
import { repo, temporaryFolder } from "#test/support/repo";
import { type Served, serve } from "#test/support/served";
import { announced, trawl, trawlBundle } from "#test/support/trawl";

const lock = "owner.lock";
const endpoint = "endpoint.json";
const socket = "trawl.sock";

const damages: readonly (readonly [name: string, damage: (dataDir: string) => void])[] = [
  ["the lock is removed", (dataDir) => rmSync(join(dataDir, lock))],
  ["the lock is emptied", (dataDir) => truncateSync(join(dataDir, lock))],
  ["the lock is damaged", (dataDir) => writeFileSync(join(dataDir, lock), "{")],
  [
    "the lock is a folder",
    (dataDir) => {
      rmSync(join(dataDir, lock));
      mkdirSync(join(dataDir, lock));
    },
  ],
  ["the announcement is removed", (dataDir) => rmSync(join(dataDir, endpoint))],
  ["the announcement is damaged", (dataDir) => writeFileSync(join(dataDir, endpoint), '{"url": 1')],
  ["the announcement has another shape", (dataDir) => writeFileSync(join(dataDir, endpoint), "[]")],
  ["the socket is removed", (dataDir) => rmSync(join(dataDir, socket))],
  [
    "lock and announcement are removed",
    (dataDir) => {
      for (const name of [endpoint, lock]) rmSync(join(dataDir, name));
    },
  ],
];

function isIntact(dataDir: string, server: Served): boolean {
  try {
    const holder = JSON.parse(readFileSync(join(dataDir, lock), "utf8")) as { readonly pid: number };
    const { url, pid } = announced(dataDir);
    return [holder.pid, pid].every((each) => each === server.process.pid) && url === server.url;
  } catch {
    return false;
  }
}

async function checkLeaderIsFound(dataDir: string, server: Served, editor: Editor): Promise<void> {
  const status = await trawl(["status", "--data-dir", dataDir]);
  assert.match(status.stdout, new RegExp(`^Served by process ${server.process.pid} at ${server.url} `, "m"));
  assert.equal((await editor.call<InstanceState>("instance")).pid, server.process.pid);
}

test("a healthy leader stays, is found, and restores its files", async (t) => {
  const folder = temporaryFolder();
  const dataDir = join(folder, "data");
  const { path } = repo("= main: First\na.txt\n| needle\n", { path: join(folder, "one") });
  const server = await serve(dataDir, [path]);
  t.after(() => server.kill());
  await server.ready();
  const editor = await openEditor(dataDir, {}, t);
  for (const [name, damage] of damages) {
    await t.test(name, async () => {
      damage(dataDir);
      // Without the socket, the leader cannot be found until the socket is restored.
      if (existsSync(join(dataDir, socket))) await checkLeaderIsFound(dataDir, server, editor);
      await eventually(() => isIntact(dataDir, server) && existsSync(join(dataDir, socket)), 10_000);
      assert.equal((await editor.call<InstanceState>("instance")).pid, server.process.pid);
    });
  }
  await checkLeaderIsFound(dataDir, server, editor);
  // The follower can still take over, and no file is left in the end.
  await server.stop();
  await eventually(() => announced(dataDir).pid === editor.pid);
  assert.equal(await editor.close(), 0);
  for (const name of [lock, endpoint, socket]) assert(!existsSync(join(dataDir, name)), name);
});

test("a leader whose lock another process has taken exits and keeps the other's files", async (t) => {
  const dataDir = join(temporaryFolder(), "data");
  const server = await serve(dataDir);
  t.after(() => server.kill());
  const theirs = { id: "theirs", pid: process.pid, startTime: "", host: "elsewhere" };
  const address = { socket: join(dataDir, socket), pid: process.pid, version: "1.0.0" };
  // It would restore a file that is missing while others are written.
  server.process.kill("SIGSTOP");
  rmSync(join(dataDir, socket));
  for (const [name, text] of [
    [endpoint, JSON.stringify(address)],
    [socket, ""],
    [lock, JSON.stringify(theirs)],
  ] as const)
    writeFileSync(join(dataDir, name), text);
  server.process.kill("SIGCONT");
  const { code, stderr } = await server.ended;
  assert.equal(code, 1);
  assert.match(stderr, /Another process has taken over the data directory/);
  assert.deepEqual(announced(dataDir), address);
  for (const name of [lock, socket]) assert(existsSync(join(dataDir, name)), name);
});

/** Starts a server in its own PID namespace, as in a container, with process ID 1. */
function startContained(t: TestContext, dataDir: string, args: readonly string[]) {
  const command = [process.execPath, trawlBundle, "serve", "--port", "0", "--data-dir", dataDir, ...args];
  const child = spawn("unshare", ["--pid", "--fork", "--kill-child", "--mount-proc", ...command], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  t.after(() => child.kill("SIGKILL"));
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (part) => {
      text += String(part);
    });
  return { child, output: () => text };
}

test("after a crash in one container, the next container starts", async (t) => {
  const { status, stderr } = spawnSync("unshare", ["--pid", "--fork", "--mount-proc", "true"]);
  if (status !== 0) return t.diagnostic(`Nothing was tested, because there is no namespace: ${stderr}`);
  const folder = temporaryFolder();
  const dataDir = join(folder, "data");
  const { path } = repo("= main: First\na.txt\n| needle\n", { path: join(folder, "one") });
  const first = startContained(t, dataDir, [path]);
  await eventually(() => /^Ready/m.test(first.output()));
  const ended = once(first.child, "close");
  first.child.kill("SIGKILL");
  await ended;
  // Shortens the wait, but not so far that the lock is free before the next process sees it.
  const seconds = Date.now() / 1000 - 24;
  utimesSync(join(dataDir, lock), seconds, seconds);
  const second = startContained(t, dataDir, []);
  await eventually(() => /^Ready: 1 repository/m.test(second.output()) || second.child.exitCode !== null);
  assert.equal(second.child.exitCode, null, second.output());
  const search = await trawl(["search", "needle", "--data-dir", dataDir]);
  assert.equal(search.stdout, "one/a.txt:1:needle\n", search.stderr);
});

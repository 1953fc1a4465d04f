/**
 * How a server exits: with its editor, without leftovers, and on SIGTERM, whatever happened to its data directory. A
 * closed or full output does not end it.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { RepositoryItem } from "#contract/repositories";
import { socketPath } from "#platform/endpoint";
import { fill, smallDisk } from "#test/support/disk";
import { eventually } from "#test/support/eventually";
import { repo, type TestRepository, temporaryFolder } from "#test/support/repo";
import { serve } from "#test/support/served";
import { announced, trawlBundle } from "#test/support/trawl";

/** The server checks every three seconds whether the editor's process is running. */
const limitMs = 6000;

/** An extension host: starts the server as language clients do, initializes it, and disconnects on request. */
const host = `
const { fork, spawn } = require("node:child_process");
const [transport, bundle, dataDir, folder] = process.argv.slice(1);
const args = ["serve", "--data-dir", dataDir, transport, "--clientProcessId=" + process.pid];
const params = {
  processId: process.pid,
  rootUri: null,
  capabilities: {},
  workspaceFolders: [{ uri: folder, name: "folder" }],
  initializationOptions: { indexingNotifications: true },
};
const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params };
const initialized = { jsonrpc: "2.0", method: "initialized", params: {} };
const env = { ...process.env, HOME: dataDir };
let child;
if (transport === "--node-ipc") {
  child = fork(bundle, args, { silent: true, env, execArgv: [] });
  child.send(initialize);
  child.once("message", () => child.send(initialized));
  child.on("message", (message) => seen(JSON.stringify(message)));
} else {
  child = spawn(process.execPath, [bundle, ...args], { env, stdio: "pipe" });
  const send = (message) => {
    const text = JSON.stringify(message);
    child.stdin.write("Content-Length: " + Buffer.byteLength(text) + "\\r\\n\\r\\n" + text);
  };
  send(initialize);
  child.stdout.once("data", () => send(initialized));
  child.stdout.on("data", (part) => seen(String(part)));
}
let isReported = false;
function seen(text) {
  if (isReported || !/"state":"(indexing|ready)"/.test(text)) return;
  isReported = true;
  process.stdout.write("pid " + child.pid + "\\n");
}
process.stdin.on("data", () => (transport === "--node-ipc" ? child.disconnect() : child.stdin.end()));
setInterval(() => {}, 1000);
`;

/** Creates a repository large enough that the server and git are still indexing it when the editor ends. */
function largeRepository(): TestRepository {
  const repository = repo("= main: First\nREADME.md\n| # Many\n");
  for (let file = 0; file < 3000; file++) {
    const lines = Array.from({ length: 40 }, (_, line) => `const value${file}_${line} = ${file * line};`);
    repository.write(`folder${file % 50}/file${file}.ts`, lines.join("\n"));
  }
  repository.git("add", "-A");
  repository.git("commit", "-qm", "Many");
  return repository;
}

/** Returns processes with the data directory in their command line or their working directory in `folder`. */
function leftoverProcesses(dataDir: string, folder: string, except: number | undefined): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== except && Number(name) !== process.pid)
    .filter((name) => {
      try {
        const command = readFileSync(`/proc/${name}/cmdline`, "utf8");
        const workingDirectory = readlinkSync(`/proc/${name}/cwd`);
        return command.includes(dataDir) || workingDirectory.startsWith(folder);
      } catch {
        return false;
      }
    })
    .map(Number);
}

async function start(t: TestContext, transport: string, repository: TestRepository) {
  const dataDir = join(temporaryFolder(), "data");
  const folder = pathToFileURL(repository.path).href;
  const editor: ChildProcess = spawn(
    process.execPath,
    ["-e", host, "--", transport, trawlBundle, dataDir, folder],
    {
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  t.after(() => editor.kill("SIGKILL"));
  const line = await new Promise<string>((resolve, reject) => {
    editor.stdout?.once("data", (data) => resolve(String(data)));
    editor.once("exit", () => reject(new Error("The host has ended.")));
  });
  const pid = Number(/^pid (\d+)/.exec(line)?.[1]);
  t.after(() => {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has exited, as expected.
    }
  });
  assert(leftoverProcesses(dataDir, repository.path, editor.pid).includes(pid));
  assert(existsSync(join(dataDir, "owner.lock")));
  return { editor, dataDir };
}

const ends: readonly (readonly [transport: string, how: string, end: (editor: ChildProcess) => void])[] = [
  ["--node-ipc", "is killed", (editor) => editor.kill("SIGKILL")],
  ["--node-ipc", "closes the channel", (editor) => editor.stdin?.write("end\n")],
  ["--stdio", "is killed", (editor) => editor.kill("SIGKILL")],
  ["--stdio", "closes the channel", (editor) => editor.stdin?.write("end\n")],
];

const repository = largeRepository();

for (const [transport, how, end] of ends) {
  test(`with ${transport}, if the editor's process ${how}, no process or lock is left`, async (t) => {
    const { editor, dataDir } = await start(t, transport, repository);
    end(editor);
    const hasEnded = () => leftoverProcesses(dataDir, repository.path, editor.pid).length === 0;
    await eventually(hasEnded, limitMs);
    const rest = ["owner.lock", "endpoint.json"].filter((name) => existsSync(join(dataDir, name)));
    assert.deepEqual(rest, []);
    assert(!existsSync(socketPath(dataDir)));
  });
}

/** Ways to make a data directory read-only or disappear. */
const obstacles: readonly {
  readonly name: string;
  /** Returns a data directory and how to block it, or why this is not possible here. */
  prepare():
    | { readonly dataDir: string; readonly user?: number; block(): void | Promise<void> }
    | { readonly reason: string };
}[] = [
  {
    name: "removed",
    prepare() {
      const dataDir = join(temporaryFolder(), "data");
      const block = () => {
        // At once, because the server may still write files.
        renameSync(dataDir, `${dataDir}-removed`);
        rmSync(`${dataDir}-removed`, { recursive: true });
      };
      return { dataDir, block };
    },
  },
  {
    name: "on a full disk",
    prepare() {
      const disk = smallDisk(48);
      if ("reason" in disk) return disk;
      return { dataDir: join(disk.path, "data"), block: () => fill(join(disk.path, "ballast"), 0) };
    },
  },
  {
    name: "read-only",
    prepare() {
      const disk = smallDisk(48);
      if ("reason" in disk) return disk;
      // Refused while a file is open for writing.
      const remount = () => spawnSync("mount", ["-o", "remount,ro", disk.path]).status === 0;
      const block = () => eventually(remount);
      return { dataDir: join(disk.path, "data"), block };
    },
  },
  {
    name: "another user's",
    prepare() {
      if (process.getuid?.() !== 0) return { reason: "only root may become another user" };
      const dataDir = temporaryFolder();
      chownSync(dataDir, 65_534, 65_534);
      const block = () => {
        chownSync(dataDir, 0, 0);
        chmodSync(dataDir, 0o755);
      };
      return { dataDir, user: 65_534, block };
    },
  },
];

for (const { name, prepare } of obstacles) {
  test(`SIGTERM ends a server whose data directory is ${name}`, async (t) => {
    const prepared = prepare();
    if ("reason" in prepared) return t.diagnostic(`Nothing was tested: ${prepared.reason}.`);
    const { dataDir, user, block } = prepared;
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    const small = repo("= main: First\na.txt\n| needle\n", { path: join(folder, "small") });
    const changeOwner = (owner: number) => spawnSync("chown", ["-R", String(owner), folder]);
    // Git refuses repositories of other users.
    if (user !== undefined) changeOwner(user);
    const startedAt = performance.now();
    const server = await serve(dataDir, [folder], user === undefined ? {} : { user });
    t.after(() => server.kill());
    await server.ready();
    const allowedMs = Math.max(2000, performance.now() - startedAt);
    await eventually(async () => (await server.search("needle")).isSearchExhaustive);
    await block();
    if (user !== undefined) changeOwner(0);
    // A change that would have to be written.
    small.more("= main: Second\na.txt\n| thimble\n");
    await eventually(async () => (await server.repositories()).length === 1);
    const endedAt = performance.now();
    const { code, stderr } = await server.stop();
    const tookMs = performance.now() - endedAt;
    t.diagnostic(`ended after ${tookMs.toFixed(0)} ms`);
    assert.equal(code, 0, stderr);
    assert(tookMs < allowedMs, `${tookMs} ms\n${stderr}`);
    assert.doesNotMatch(stderr, /^ +at |defect|nobody noticed/m);
  });
}

for (const [name, command, pattern] of [
  ["standard output on a full disk", 'exec "$@" >/dev/full', /Cannot write to standard output: ENOSPC/],
  ["both outputs on a full disk", 'exec "$@" >/dev/full 2>/dev/full', /^$/],
  ["closed outputs", 'exec "$@" >&- 2>&-', /^$/],
  ["a closed pipe", 'exec "$@" | true', /^(?!.*Cannot write)/s],
] as const) {
  test(`a server keeps running with ${name}`, async (t) => {
    const dataDir = join(temporaryFolder(), "data");
    const { path } = repo("= main: First\na.txt\n| needle\n");
    const serveCommand = [process.execPath, trawlBundle, "serve", "--port", "0", "--data-dir", dataDir, path];
    const shell = spawn("sh", ["-c", command, "sh", ...serveCommand], { stdio: ["ignore", "pipe", "pipe"] });
    t.after(() => shell.kill("SIGKILL"));
    let stderr = "";
    shell.stderr.on("data", (part) => {
      stderr += String(part);
    });
    const found = () => fetch(`${announced(dataDir).url}/api/repos`).then((response) => response.json());
    await eventually(async () => {
      const repositories = (await found().catch(() => [])) as RepositoryItem[];
      return repositories[0]?.state === "ready";
    }, 20_000);
    assert.match(stderr, pattern);
    assert.doesNotMatch(stderr, /^ +at |defect/m);
    const ended = new Promise<number | null>((resolve) => shell.once("close", resolve));
    process.kill(announced(dataDir).pid ?? 0, "SIGTERM");
    assert.equal(await ended, 0);
    assert(!existsSync(join(dataDir, "owner.lock")));
  });
}

test("a command whose output cannot be written reports it and exits with 2", () => {
  const dataDir = join(temporaryFolder(), "data");
  for (const command of [["status"], ["search", "needle"], ["--help"]]) {
    const args = [trawlBundle, ...command, ...(command[0] === "--help" ? [] : ["--data-dir", dataDir])];
    const script = 'exec "$@" >/dev/full';
    const { status, stderr } = spawnSync("sh", ["-c", script, "sh", process.execPath, ...args]);
    assert.match(String(stderr), /trawl: Cannot write to standard output: ENOSPC/);
    assert.doesNotMatch(String(stderr), /^ +at /m);
    assert.equal(status, 2);
  }
});

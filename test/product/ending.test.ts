/** The editor's process dies, or says nothing more: nothing of the server is left. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { socketPath } from "#platform/endpoint";
import { until } from "#test/support/editor";
import { repo, type TestRepository, temporaryFolder } from "#test/support/repo";
import { trawlBundle } from "#test/support/trawl";

/** The server looks every three seconds whether the editor's process is still there. */
const limitMs = 6000;

/** An extension host: starts the server as language clients do, says `initialize`, and does what it is told. */
const host = `
const { fork, spawn } = require("node:child_process");
const [transport, bundle, dataDir, folder] = process.argv.slice(1);
const args = ["serve", "--data-dir", dataDir, transport, "--clientProcessId=" + process.pid];
const params = {
  processId: process.pid,
  rootUri: null,
  capabilities: {},
  workspaceFolders: [{ uri: folder, name: "folder" }],
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
let told = false;
function seen(text) {
  if (told || !/"state":"(indexing|ready)"/.test(text)) return;
  told = true;
  process.stdout.write("pid " + child.pid + "\\n");
}
process.stdin.on("data", () => (transport === "--node-ipc" ? child.disconnect() : child.stdin.end()));
setInterval(() => {}, 1000);
`;

/** So much that indexing it goes on for a while, with git at work. */
function large(): TestRepository {
  const repository = repo("= main: First\nREADME.md\n| # Many\n");
  for (let file = 0; file < 3000; file++) {
    const lines = Array.from({ length: 40 }, (_, line) => `const value${file}_${line} = ${file * line};`);
    repository.write(`folder${file % 50}/file${file}.ts`, lines.join("\n"));
  }
  repository.git("add", "-A");
  repository.git("commit", "-qm", "Many");
  return repository;
}

/** Processes that hold the data folder in their command line, or work in the repository. */
function leftOver(dataDir: string, folder: string, but: number | undefined): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== but && Number(name) !== process.pid)
    .filter((name) => {
      try {
        const command = readFileSync(`/proc/${name}/cmdline`, "utf8");
        const place = readlinkSync(`/proc/${name}/cwd`);
        return command.includes(dataDir) || place.startsWith(folder);
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
      // As it should be.
    }
  });
  assert(leftOver(dataDir, repository.path, editor.pid).includes(pid));
  assert(existsSync(join(dataDir, "owner.lock")));
  return { editor, dataDir };
}

const ends: readonly (readonly [transport: string, how: string, end: (editor: ChildProcess) => void])[] = [
  ["--node-ipc", "is killed", (editor) => editor.kill("SIGKILL")],
  ["--node-ipc", "closes the channel", (editor) => editor.stdin?.write("end\n")],
  ["--stdio", "is killed", (editor) => editor.kill("SIGKILL")],
  ["--stdio", "closes the channel", (editor) => editor.stdin?.write("end\n")],
];

const repository = large();

for (const [transport, how, end] of ends) {
  test(`with ${transport}, when the editor's process ${how}, nothing is left`, async (t) => {
    const { editor, dataDir } = await start(t, transport, repository);
    end(editor);
    const isOver = () => leftOver(dataDir, repository.path, editor.pid).length === 0;
    const tookMs = await until(isOver, limitMs);
    t.diagnostic(`over after ${tookMs.toFixed(0)} ms`);
    const rest = ["owner.lock", "endpoint.json"].filter((name) => existsSync(join(dataDir, name)));
    assert.deepEqual(rest, []);
    assert(!existsSync(socketPath(dataDir)));
  });
}

import assert from "node:assert/strict";
import { type ChildProcess, fork, spawn } from "node:child_process";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import {
  createProtocolConnection,
  IPCMessageReader,
  IPCMessageWriter,
  type MessageReader,
  type MessageWriter,
  SocketMessageReader,
  SocketMessageWriter,
} from "vscode-languageserver/node";
import type { SearchResult } from "#contract/search";
import { connectTo } from "#test/support/editor";
import { repo, temporaryFolder } from "#test/support/repo";
import { trawlBundle } from "#test/support/trawl";

const children: ChildProcess[] = [];
const servers: Server[] = [];
after(() => {
  for (const child of children) child.kill("SIGKILL");
  for (const server of servers) server.close();
});

/** Initializes the server, sends a request, and shuts it down. */
async function checkSession(
  child: ChildProcess,
  reader: MessageReader,
  writer: MessageWriter,
): Promise<void> {
  const client = createProtocolConnection(reader, writer);
  client.listen();
  const { serverInfo } = (await client.sendRequest("initialize", {
    processId: process.pid,
    rootUri: null,
    capabilities: {},
  })) as { serverInfo: { name: string } };
  assert.equal(serverInfo.name, "Trawl");
  await client.sendNotification("initialized", {});
  const version = (await client.sendRequest("trawl/version", {})) as { version: string };
  assert.match(version.version, /^\d+\.\d+\.\d+/);
  const ended = new Promise((resolve) => child.once("exit", resolve));
  await client.sendRequest("shutdown");
  await client.sendNotification("exit");
  assert.equal(await ended, 0);
}

function args(...rest: string[]): string[] {
  return ["serve", "--data-dir", join(temporaryFolder(), "data"), ...rest];
}

test("over Node's IPC channel", async () => {
  const child = fork(trawlBundle, args("--node-ipc", `--clientProcessId=${process.pid}`), { silent: true });
  children.push(child);
  await checkSession(child, new IPCMessageReader(child), new IPCMessageWriter(child));
});

/** Listens on a pipe or a free TCP port, as language clients do; the server connects to it. */
async function overSocket(path: string | undefined, flag: (server: Server) => string): Promise<void> {
  const server = createServer();
  servers.push(server);
  await new Promise<void>((resolve) => {
    if (path === undefined) server.listen(0, "127.0.0.1", resolve);
    else server.listen(path, resolve);
  });
  const connected = new Promise<Socket>((resolve) => server.once("connection", resolve));
  const child = spawn(process.execPath, [trawlBundle, ...args(flag(server))], { stdio: "ignore" });
  children.push(child);
  const socket = await connected;
  await checkSession(child, new SocketMessageReader(socket), new SocketMessageWriter(socket));
}

test("over a pipe", async () => {
  const path = join(temporaryFolder(), "pipe");
  await overSocket(path, () => `--pipe=${path}`);
});

test("over a TCP socket", async () => {
  await overSocket(undefined, (server) => {
    const address = server.address();
    assert(address !== null && typeof address === "object");
    return `--socket=${address.port}`;
  });
});

test("the server exits when its standard input is closed", async () => {
  const child = spawn(process.execPath, [trawlBundle, ...args("--stdio")], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  children.push(child);
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.stdin.end();
  await ended;
});

test("the server exits when its client process has exited", async () => {
  const editor = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  children.push(editor);
  const child = spawn(
    process.execPath,
    [trawlBundle, ...args("--stdio", `--clientProcessId=${editor.pid}`)],
    {
      stdio: ["pipe", "pipe", "ignore"],
    },
  );
  children.push(child);
  const ended = new Promise((resolve) => child.once("exit", resolve));
  editor.kill("SIGKILL");
  await ended;
});

test("each of two windows searches its own unsaved documents", async () => {
  const repository = repo("= main: First\na.txt\n| one thing\n");
  const shared = ["serve", "--stdio", "--data-dir", join(temporaryFolder(), "data")];
  const open = async (text: string) => {
    const child = spawn(process.execPath, [trawlBundle, ...shared], { stdio: ["pipe", "pipe", "ignore"] });
    children.push(child);
    const client = connectTo(child);
    client.listen();
    await client.sendRequest("initialize", {
      processId: process.pid,
      rootUri: pathToFileURL(repository.path).href,
      capabilities: {},
    });
    await client.sendNotification("initialized", {});
    await client.sendRequest("trawl/addPaths", { paths: [repository.path] });
    await client.sendRequest("trawl/indexing", {});
    const uri = pathToFileURL(join(repository.path, "a.txt")).href;
    await client.sendNotification("textDocument/didOpen", {
      textDocument: { uri, languageId: "plaintext", version: 1, text },
    });
    const texts = async (query: string) => {
      const { files } = (await client.sendRequest("trawl/search", { query })) as SearchResult;
      return files.flatMap(({ chunks }) => chunks.map(({ content }) => content));
    };
    return { child, client, texts };
  };
  const first = await open("first window\n");
  const second = await open("second window\n");
  assert.deepEqual(await first.texts("window"), ["first window\n"]);
  assert.deepEqual(await second.texts("window"), ["second window\n"]);
  assert.deepEqual(await first.texts("window"), ["first window\n"]);

  first.child.kill("SIGKILL");
  assert.deepEqual(await second.texts("window"), ["second window\n"]);
});

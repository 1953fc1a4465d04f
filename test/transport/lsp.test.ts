import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import {
  CancellationTokenSource,
  LSPErrorCodes,
  ProgressType,
  type ProtocolConnection,
  ResponseError,
} from "vscode-languageserver/node";
import { type ToolResponse, toolMethod } from "#contract/agentTools";
import type { IndexingProgress } from "#contract/local";
import { indexingMethod } from "#contract/notifications";
import type { SearchResult } from "#contract/search";
import { connectTo } from "#test/support/editor";
import { repo, temporaryFolder } from "#test/support/repo";
import { type RunningTrawl, startTrawl } from "#test/support/trawl";

// One editor session; each test continues where the previous one stopped.

const repository = repo(`
  = main: First
  src/one.ts
  | export const needle = 1;
  | export const other = needle + 1;
  src/two.ts
  | import { needle } from "./one";
  café.md
  | # A needle
`);
const dataDir = temporaryFolder();
const uri = (path: string) => pathToFileURL(join(repository.path, path)).href;

let server: RunningTrawl;
let client: ProtocolConnection;
const indexing: IndexingProgress[] = [];
const progress: string[] = [];

before(() => {
  server = startTrawl(["serve", "--stdio", "--data-dir", dataDir]);
  client = connectTo(server.process, console);
  client.onNotification(indexingMethod, (event: IndexingProgress) => {
    indexing.push(event);
  });
  client.onRequest("window/workDoneProgress/create", () => null);
  client.onProgress(new ProgressType<{ kind: string }>(), "work", ({ kind }) => void progress.push(kind));
  client.listen();
});

after(() => server.process.kill("SIGKILL"));

function search(request: object): Promise<SearchResult> {
  return client.sendRequest("trawl/search", request);
}

/** Returns every matched line as `path:line: text`. */
function found(result: Pick<SearchResult, "files">): string[] {
  return result.files.flatMap((file) =>
    file.chunks.flatMap((chunk) =>
      chunk.matchRanges.map(({ start }) => {
        const text = chunk.content.split("\n")[start.lineNumber - chunk.contentStart.lineNumber];
        return `${file.fileName.text}:${start.lineNumber}: ${text}`;
      }),
    ),
  );
}

const committed = [
  "café.md:1: # A needle",
  "src/one.ts:1: export const needle = 1;",
  "src/one.ts:2: export const other = needle + 1;",
  'src/two.ts:1: import { needle } from "./one";',
];

test("initialize returns the server's name and its document synchronization", async () => {
  const result = await client.sendRequest("initialize", {
    processId: process.pid,
    rootUri: null,
    capabilities: { window: { workDoneProgress: true }, workspace: { workspaceFolders: true } },
    workspaceFolders: [{ uri: pathToFileURL(repository.path).href, name: "one" }],
    initializationOptions: { indexingNotifications: true },
  });
  const { serverInfo, capabilities } = result as {
    serverInfo: { name: string };
    capabilities: { textDocumentSync: object };
  };
  assert.equal(serverInfo.name, "Trawl");
  assert.deepEqual(capabilities.textDocumentSync, {
    openClose: true,
    change: 2,
    save: { includeText: false },
  });
  await client.sendNotification("initialized", {});
});

test("the editor's folder is indexed", async () => {
  await client.sendRequest("trawl/addPaths", { paths: [repository.path] });
  const end = (await client.sendRequest("trawl/indexing", {})) as {
    total: number;
    ready: number;
    failed: [];
  };
  assert.deepEqual(end, { total: 1, ready: 1, failed: [] });
  assert(indexing.some((event) => event.total === 1));
});

test("tools for agents run, and explain wrong arguments", async () => {
  const run = (name: string, args: unknown) =>
    client.sendRequest<ToolResponse>(toolMethod, { name, arguments: args });
  const { text, isError } = await run("grep", { pattern: "other =" });
  assert.equal(isError, false);
  assert.match(text, /^(At least )?1 match in 1 file\./);
  assert.deepEqual(await run("grep", { patern: "x" }), {
    text: 'Error: grep has no argument "patern". Did you mean "pattern"?',
    isError: true,
  });
});

test("a search finds every match with its location", async () => {
  const result = await search({ query: "needle" });
  assert.deepEqual(found(result).sort(), committed);
  assert.equal(result.isSearchExhaustive, true);
  assert.equal(result.files[0]?.webUrl, "", "there is no listener");
});

test("a search with partial results does not repeat them in its response", async () => {
  const parts: Pick<SearchResult, "files">[] = [];
  const token = client.onProgress(
    new ProgressType<Pick<SearchResult, "files">>(),
    "parts",
    (part) => void parts.push(part),
  );
  const result = await search({ query: "needle", partialResultToken: "parts" });
  token.dispose();
  assert.deepEqual(result.files, []);
  assert.equal(result.stats.totalMatchCount, 4);
  assert.deepEqual(parts.flatMap(found).sort(), committed);
});

test("a streamed search sends events", async () => {
  const events: { event: string }[] = [];
  const token = client.onProgress(
    new ProgressType<{ event: string }>(),
    7,
    (event) => void events.push(event),
  );
  await client.sendRequest("trawl/streamSearch", {
    query: "needle",
    partialResultToken: 7,
    workDoneToken: "work",
  });
  token.dispose();
  assert(events.some(({ event }) => event === "files"));
  assert.deepEqual([progress[0], progress.at(-1)], ["begin", "end"]);
});

test("an unsaved document is searched instead of its file", async () => {
  const document = { uri: uri("src/one.ts"), version: 1 };
  await client.sendNotification("textDocument/didOpen", {
    textDocument: {
      ...document,
      languageId: "typescript",
      text: "export const needle = 1;\nexport const other = needle + 1;\n",
    },
  });
  const start = { line: 0, character: 13 };
  await client.sendNotification("textDocument/didChange", {
    textDocument: { ...document, version: 2 },
    contentChanges: [{ range: { start, end: { line: 0, character: 19 } }, text: "thimble" }],
  });
  const result = await search({ query: "thimble" });
  assert.deepEqual(found(result), ["src/one.ts:1: export const thimble = 1;"]);
  assert.equal(result.files[0]?.origin, "unsaved");
  assert.deepEqual(found(await search({ query: "needle file:one" })), [
    "src/one.ts:2: export const other = needle + 1;",
  ]);
  await client.sendNotification("textDocument/didClose", { textDocument: { uri: document.uri } });
  assert.deepEqual(found(await search({ query: "thimble" })), []);
});

test("an open document that equals its file is not unsaved", async () => {
  await client.sendNotification("textDocument/didOpen", {
    textDocument: { uri: uri("café.md"), version: 1, languageId: "markdown", text: "# A needle\n" },
  });
  const result = await search({ query: "needle file:café" });
  assert.deepEqual(found(result), ["café.md:1: # A needle"]);
  assert.equal(result.files[0]?.origin, "commit");
});

test("a new file that was never saved is found", async () => {
  await client.sendNotification("textDocument/didOpen", {
    textDocument: {
      uri: uri("src/new.ts"),
      version: 1,
      languageId: "typescript",
      text: "const brandNew = 1;\n",
    },
  });
  assert.deepEqual(found(await search({ query: "brandNew" })), ["src/new.ts:1: const brandNew = 1;"]);
});

test("a failed request returns the error object", async () => {
  await assert.rejects(search({ query: "(a", isRegexEnabled: true }), (error) => {
    assert(error instanceof ResponseError);
    assert.equal(error.code, LSPErrorCodes.RequestFailed);
    assert.equal(error.data.errorCode, "FAILED_TO_PARSE_QUERY");
    assert.equal(error.data.statusCode, 400);
    assert.equal(error.message, error.data.message);
    return true;
  });
});

test("a canceled search ends with RequestCancelled", async () => {
  const source = new CancellationTokenSource();
  const response = client.sendRequest<SearchResult>("trawl/search", { query: "needle" }, source.token);
  source.cancel();
  // The result may have been sent before the cancellation arrived.
  await response.then(
    (result) => assert(result.stats.totalMatchCount > 0),
    (error) => assert.equal(error.code, LSPErrorCodes.RequestCancelled),
  );
});

test("a folder that is added to the workspace is indexed", async () => {
  const folder = join(temporaryFolder(), "plain");
  mkdirSync(folder);
  writeFileSync(join(folder, "a.txt"), "a haystack\n");
  await client.sendNotification("workspace/didChangeWorkspaceFolders", {
    event: { added: [{ uri: pathToFileURL(folder).href, name: "plain" }], removed: [] },
  });
  await client.sendRequest("trawl/addPaths", { paths: [folder] });
  await client.sendRequest("trawl/indexing", {});
  assert.deepEqual(found(await search({ query: "haystack" })), ["a.txt:1: a haystack"]);
});

test("the server exits with 0 after shutdown and exit", async () => {
  await client.sendRequest("shutdown");
  await client.sendNotification("exit");
  const { code } = await server.ended;
  assert.equal(code, 0);
});

/** Locations in files that are not on disk: in bare repositories, outside a sparse checkout, at other revisions. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { eventually } from "#test/support/eventually";
import { openRawClient, type RawClient } from "#test/support/rawClient";
import { repo, temporaryFolder } from "#test/support/repo";
import { SnapshotCopies, toSafeFileName } from "#transport/lsp/snapshotCopies";

const organization = temporaryFolder();
const bare = repo(
  `
  = main: First
  go.mod
  | module example.com/acme/kit
  retry/retry.go
  | package retry
  |
  | // Retry works until it succeeds.
  | func Retry(work func() error) error {
  | 	fox := "🦊🦊"; return pause(fox, work)
  | }
  retry/pause.go
  | package retry
  |
  | func pause(name string, work func() error) error { return work() }
  CON.go
  | package retry
  |
  | func Console() {}
`,
  { path: join(organization, "kit.git"), bare: true, origin: "https://example.com/acme/kit.git" },
);
const app = repo(
  `
  = main: First
  go.mod
  | module example.com/acme/app
  main.go
  | package main
  |
  | import "example.com/acme/kit/retry"
  |
  | func main() { retry.Retry(nil); retry.Console(); outOfSight() }
  hidden/hidden.go
  | package hidden
  |
  | func outOfSight() {}
`,
  { path: join(organization, "app"), origin: "https://example.com/acme/app.git" },
);
app.git("sparse-checkout", "set", "--no-cone", "/*", "!/hidden/");
const mainUri = pathToFileURL(join(app.path, "main.go")).href;
const dataDir = join(temporaryFolder(), "data");
const copies = join(dataDir, "snapshots");

interface Location {
  readonly uri: string;
  readonly range: { readonly start: { readonly line: number; readonly character: number } };
}

async function open(t: TestContext, initialize: object = {}): Promise<RawClient> {
  const client = openRawClient(dataDir, t);
  await client.initialize({
    workspaceFolders: [{ uri: pathToFileURL(organization).href, name: "acme" }],
    ...initialize,
  });
  await client.result("trawl/addPaths", { paths: [organization] });
  await client.result("trawl/indexing", { withSymbols: true });
  return client;
}

function at(uri: string, text: string, word: string) {
  const lines = text.split("\n");
  const line = lines.findIndex((each) => each.includes(word));
  return { textDocument: { uri }, position: { line, character: lines[line]?.indexOf(word) ?? -1 } };
}

const mainText = readFileSync(join(app.path, "main.go"), "utf8");
const definition = (client: RawClient, request: object) =>
  client.result<Location[]>("textDocument/definition", request);

test("a definition in a bare repository opens as a read-only copy that supports navigation", async (t) => {
  const client = await open(t);
  const [found, ...others] = await definition(client, at(mainUri, mainText, "Retry("));
  assert(found !== undefined);
  assert.deepEqual(others, []);
  assert.deepEqual(found.range.start, { line: 3, character: 5 });
  const path = fileURLToPath(found.uri);
  assert.equal(basename(path), "retry.go");
  assert.match(basename(dirname(path)), /^kit@[0-9a-f]{7}$/);
  const text = readFileSync(path, "utf8");
  assert.equal(text, `${bare.git("show", "HEAD:retry/retry.go")}\n`);
  assert.equal(statSync(path).mode & 0o777, 0o400);
  for (let folder = dirname(path); folder.length >= copies.length; folder = dirname(folder))
    assert.equal(statSync(folder).mode & 0o777, 0o700, folder);

  const inside = await definition(client, at(found.uri, text, "pause("));
  assert.deepEqual(
    inside.map(({ uri, range }) => [basename(fileURLToPath(uri)), range.start.line]),
    [["pause.go", 2]],
  );
  const hover = await client.result<{ contents: { value: string } }>(
    "textDocument/hover",
    at(found.uri, text, "Retry("),
  );
  assert.match(hover.contents.value, /Retry works until it succeeds/);
  const outline = await client.result<{ name: string; location: Location }[]>("textDocument/documentSymbol", {
    textDocument: { uri: found.uri },
  });
  assert.deepEqual(
    outline.map(({ name }) => name),
    ["retry", "Retry"],
  );
  const references = await client.result<Location[]>("textDocument/references", {
    ...at(found.uri, text, "Retry("),
    context: { includeDeclaration: true },
  });
  assert.deepEqual(
    references.map(({ uri, range }) => [basename(fileURLToPath(uri)), range.start.line]),
    [
      ["retry.go", 3],
      ["main.go", 4],
    ],
  );
  // The same copy in another editor, whose workspace is the folder of the copy.
  const other = openRawClient(dataDir, t);
  await other.initialize({ rootUri: pathToFileURL(dirname(path)).href });
  other.notify("textDocument/didOpen", {
    textDocument: { uri: found.uri, languageId: "go", version: 1, text: `${text}// unsaved\n` },
  });
  assert.deepEqual(await definition(other, at(found.uri, text, "pause(")), inside);
  const { total } = await other.result<{ total: number }>("trawl/repos");
  assert.equal(total, 2, "the folder of the copy is not indexed");
  assert.deepEqual(await definition(client, at(mainUri, mainText, "Retry(")), [found]);
});

test("file names are made portable, and files outside a sparse checkout are copied", async (t) => {
  const client = await open(t);
  const names = await Promise.all(
    ["Console(", "outOfSight("].map(async (word) =>
      (await definition(client, at(mainUri, mainText, word))).map(({ uri }) => basename(fileURLToPath(uri))),
    ),
  );
  assert.deepEqual(names, [["_CON.go"], ["hidden.go"]]);
  const symbols = await client.result<{ name: string; location: Location }[]>("workspace/symbol", {
    query: "outOfSight",
  });
  assert.deepEqual(
    symbols.map(({ location }) => readFileSync(fileURLToPath(location.uri), "utf8").split("\n")[2]),
    ["func outOfSight() {}"],
  );
});

test("a changed or removed copy is written again", async (t) => {
  const client = await open(t);
  const position = at(mainUri, mainText, "Retry(");
  const path = fileURLToPath((await definition(client, position))[0]?.uri ?? "");
  const text = readFileSync(path, "utf8");
  rmSync(path);
  writeFileSync(path, text.replace("until", "while"));
  await definition(client, position);
  assert.equal(readFileSync(path, "utf8"), text);
  rmSync(dirname(dirname(path)), { recursive: true });
  await definition(client, position);
  assert.equal(readFileSync(path, "utf8"), text);
});

test("a client that supports textDocumentContent gets trawl: URIs and their content", async (t) => {
  const client = openRawClient(dataDir, t);
  const { capabilities } = (
    await client.initialize({
      rootUri: pathToFileURL(organization).href,
      capabilities: { workspace: { textDocumentContent: { dynamicRegistration: true } } },
    })
  ).result as { capabilities: { workspace: { textDocumentContent?: object } } };
  assert.deepEqual(capabilities.workspace.textDocumentContent, { schemes: ["trawl"] });
  const [found] = await definition(client, at(mainUri, mainText, "Retry("));
  assert.match(
    found?.uri ?? "",
    /^trawl:\/example\.com\/acme\/kit(?:@|%40)[0-9a-f]{40}\/-\/retry\/retry\.go$/,
  );
  const uri = found?.uri ?? "";
  const { text } = await client.result<{ text: string }>("workspace/textDocumentContent", { uri });
  assert.equal(text, `${bare.git("show", "HEAD:retry/retry.go")}\n`);
  // In a closed document, after characters of two UTF-16 code units.
  const inside = await definition(client, at(uri, text, "pause("));
  assert.deepEqual(
    inside.map(({ range }) => range.start),
    [{ line: 2, character: 5 }],
  );
  const codes = await Promise.all(
    [mainUri, "trawl:/example.com/acme/kit@0123456789012345678901234567890123456789/-/no.go", ":"].map(
      async (each) => (await client.request("workspace/textDocumentContent", { uri: each })).error?.code,
    ),
  );
  assert.deepEqual(codes, [-32602, -32803, -32602]);
});

test("the snapshotUris option takes precedence over the client's capabilities", async (t) => {
  const supported = { capabilities: { workspace: { textDocumentContent: {} } } };
  for (const [options, scheme, announced] of [
    [{ snapshotUris: "file" }, "file:", false],
    [{ snapshotUris: "trawl" }, "trawl:", false],
    [{ snapshotUris: "http" }, "trawl:", true],
  ] as const) {
    const client = openRawClient(dataDir, t);
    const { result } = await client.initialize({ ...supported, initializationOptions: options });
    const { capabilities } = result as { capabilities: { workspace: { textDocumentContent?: object } } };
    assert.equal(capabilities.workspace.textDocumentContent !== undefined, announced);
    const [found] = await definition(client, at(mainUri, mainText, "Retry("));
    assert.equal(new URL(found?.uri ?? "").protocol, scheme);
    await client.close();
  }
});

test("copies are evicted when they are old or too many, least recently used first", async () => {
  const folder = temporaryFolder();
  const limits = { maxBytes: 1000, maxCopies: 5, maxAgeMs: 3_600_000 };
  const store = new SnapshotCopies(folder, limits);
  const originOf = (path: string) => ({ repository: "r", commit: "0".repeat(40), path });
  const put = (path: string, bytes: number) =>
    store.pathOf(originOf(path), async () => new Uint8Array(bytes).fill(97));
  const use = (path: string, secondsAgo: number) => {
    const time = new Date(Date.now() - secondsAgo * 1000);
    utimesSync(join(dirname(dirname(path)), "origin.json"), time, time);
  };
  const left = () => readdirSync(join(folder, "snapshots")).filter((name) => name !== ".gitignore").length;
  const old = await put("old.txt", 1);
  const large = await put("large.txt", 900);
  const small = await put("small.txt", 200);
  use(old, 4000);
  use(large, 200);
  use(small, 100);
  await store.evict();
  assert.equal(store.originOf(old), undefined);
  assert.equal(store.originOf(large), undefined, "with the newer copy there are more than 1000 bytes");
  assert.deepEqual(store.originOf(small)?.path, "small.txt");
  for (let count = 0; count < 30; count++) await put(`${count}.txt`, 1);
  await eventually(() => left() <= limits.maxCopies);
  // Evicted, then written again.
  assert.equal(readFileSync(await put("large.txt", 900), "utf8").length, 900);
});

test("a file name keeps its extension and becomes valid on every file system", () => {
  const rows: readonly (readonly [name: string, expected: string])[] = [
    ["main.go", "main.go"],
    ["Makefile", "Makefile"],
    [".bashrc", ".bashrc"],
    ["naïve 文.ts", "naïve 文.ts"],
    ["..", "__"],
    [".", "_"],
    ["", "_"],
    ["a\0b\nc.txt", "a_b_c.txt"],
    ["a\\b:c?.txt", "a_b_c_.txt"],
    ["con", "_con"],
    ["Lpt1.tar.gz", "_Lpt1.tar.gz"],
    ["console.log", "console.log"],
    ["dots. .", "dots___"],
    ["\u202egnp.exe", "_gnp.exe"],
    ["\ud800.c", "\ufffd.c"],
  ];
  for (const [name, expected] of rows) assert.equal(toSafeFileName(name), expected, JSON.stringify(name));
  const long = toSafeFileName(`${"文".repeat(200)}.test.ts`);
  assert(Buffer.byteLength(long) <= 120);
  assert.match(long, /^文+\.ts$/);
  assert(Buffer.byteLength(toSafeFileName(`a.${"x".repeat(500)}`)) <= 120);
});

test("files whose paths differ only in case have different copies", async () => {
  const store = new SnapshotCopies(temporaryFolder());
  const commit = "0".repeat(40);
  const put = (path: string) =>
    store.pathOf({ repository: "r", commit, path }, async () => Buffer.from(path));
  const paths = await Promise.all(
    ["a/readme", "a/README", "A/readme", "../../readme", "a/../readme"].map(put),
  );
  const folders = new Set(paths.map((path) => dirname(dirname(path)).toLowerCase()));
  assert.equal(folders.size, paths.length);
  assert.deepEqual(
    paths.map((path) => store.originOf(path)?.path),
    ["a/readme", "a/README", "A/readme", "../../readme", "a/../readme"],
  );
});

/** Conformance with the Language Server Protocol, tested with messages that no library sends. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Random } from "#test/support/corpus";
import { eventually } from "#test/support/eventually";
import { openRawClient, type RawClient, type RawMessage, type RawOptions } from "#test/support/rawClient";
import { repo, temporaryFolder } from "#test/support/repo";

const repository = repo(`
  = main: First
  web/sum.ts
  | /** Adds up. */
  | export function total(prices: number[]): number { return prices.length; }
  |
  | export enum Color { Red }
  |
  | export class Till { count(): void {} }
  web/wide.ts
  | const wide = "🦊🦊🦊"; export function afterWide(): void {}
  | const used = "🦊🦊🦊" + afterWide() + total([]);
`);
const uri = (path: string) => pathToFileURL(join(repository.path, path)).href;
const folder = { uri: pathToFileURL(repository.path).href, name: "one" };

/** The data directory of a server that has indexed the repository. */
let indexed: string | undefined;

async function open(t: TestContext, initialize: object, options?: RawOptions): Promise<RawClient> {
  const dataDir = indexed ?? join(temporaryFolder(), "data");
  const client = openRawClient(dataDir, t, options);
  await client.initialize({ workspaceFolders: [folder], ...initialize });
  await client.result("trawl/addPaths", { paths: [repository.path] });
  await client.result("trawl/indexing", { withSymbols: true });
  indexed = dataDir;
  return client;
}

/** Returns the LSP position of a word. */
function at(path: string, word: string) {
  const lines = readFileSync(join(repository.path, path), "utf8").split("\n");
  const line = lines.findIndex((text) => text.includes(word));
  const character = lines[line]?.indexOf(word) ?? -1;
  return { textDocument: { uri: uri(path) }, position: { line, character } };
}

const code = (message: RawMessage) => message.error?.code;

test("requests are refused before initialize and after shutdown, and so is a second initialize", async (t) => {
  const client = openRawClient(join(temporaryFolder(), "data"), t);
  assert.equal(code(await client.request("trawl/version", {})), -32002);
  assert.equal(code(await client.request("shutdown")), -32002);
  assert.equal(code(await client.request("no/such/method", {})), -32002);
  client.notify("textDocument/didOpen", {
    textDocument: { uri: uri("early.ts"), languageId: "typescript", version: 1, text: "const tooEarly = 1;" },
  });
  assert.equal(code(await client.request("initialize", "text")), -32602);
  const wrong = await client.request("initialize", { processId: null, capabilities: 5 });
  assert.equal(code(wrong), -32602);
  assert.match(wrong.error?.message ?? "", /"capabilities"/);
  assert.equal((await client.initialize()).error, undefined);
  assert.equal(code(await client.initialize()), -32600);
  await client.result("trawl/addPaths", { paths: [repository.path] });
  const found = await client.result<{ files: unknown[] }>("trawl/search", { query: "tooEarly" });
  assert.deepEqual(found.files, [], "a notification before initialize has no effect");
  assert.equal(code(await client.request("no/such/method", {})), -32601);
  assert.equal(code(await client.request("$/refuse", {})), -32601);
  assert.equal((await client.request("shutdown")).error, undefined);
  assert.equal(code(await client.request("trawl/version", {})), -32600);
  assert.equal(code(await client.request("shutdown")), -32600);
  client.notify("exit");
  assert.equal((await client.server.ended).code, 0);
});

test("exit without shutdown exits with 1, before and after initialize", async (t) => {
  const early = openRawClient(join(temporaryFolder(), "data"), t);
  early.notify("exit");
  assert.equal((await early.server.ended).code, 1);
  const client = openRawClient(join(temporaryFolder(), "data"), t);
  await client.initialize();
  client.notify("exit");
  assert.equal((await client.server.ended).code, 1);
});

test("absent or empty parameters count as an empty object", async (t) => {
  const client = await open(t, { capabilities: [], initializationOptions: [] });
  for (const params of [undefined, null, [], {}]) {
    const { version } = await client.result<{ version: string }>("trawl/version", params);
    assert.match(version, /^\d/, JSON.stringify(params));
    const { total } = await client.result<{ total: number }>("trawl/repos", params);
    assert.equal(total, 1);
  }
  const { total } = await client.result<{ total: number }>("trawl/repos", [{ query: "nothing" }]);
  assert.equal(total, 0);
});

test("parameters of the wrong type are refused with the name of the field", async (t) => {
  const client = await open(t, {});
  const { textDocument, position } = at("web/sum.ts", "total");
  const rows: readonly (readonly [method: string, params: unknown, field: RegExp])[] = [
    ["trawl/search", { query: 5 }, /"query"/],
    ["trawl/search", { query: "a", matches: "many" }, /"matches"/],
    ["trawl/search", {}, /"query"/],
    ["trawl/repos", { page: 0 }, /"page"/],
    ["trawl/symbolAt", { place: 3 }, /"place"/],
    ["trawl/version", "text", /must be an object/],
    ["trawl/version", [1, 2], /must be an object/],
    ["textDocument/definition", { textDocument }, /"position"/],
    ["textDocument/definition", { textDocument, position: { line: "3", character: 0 } }, /"position\.line"/],
    [
      "textDocument/definition",
      { textDocument, position: { line: 0, character: -1 } },
      /position\.character/,
    ],
    ["textDocument/definition", undefined, /"textDocument"/],
    ["textDocument/hover", { textDocument: { uri: 5 }, position }, /"textDocument\.uri"/],
    ["textDocument/references", { textDocument, position, context: 1 }, /"context"/],
    ["textDocument/documentSymbol", [], /"textDocument"/],
    ["workspace/symbol", { query: null }, /"query"/],
  ];
  for (const [method, params, field] of rows) {
    const response = await client.request(method, params);
    assert.equal(code(response), -32602, `${method} ${JSON.stringify(params)}`);
    assert.match(response.error?.message ?? "", field);
  }
  const parsing = await client.request("trawl/search", { query: "(", isRegexEnabled: true });
  assert.equal(code(parsing), -32803, "the parameters are valid, the query is not");
  client.notify("textDocument/didOpen", { textDocument: { uri: uri("web/sum.ts"), text: 5 } });
  client.notify("textDocument/didChange", { textDocument: { uri: uri("web/sum.ts") }, contentChanges: {} });
  assert.notEqual(await client.result("textDocument/definition", { textDocument, position }), null);
});

test("the open folder is read from rootPath, rootUri or workspaceFolders", async (t) => {
  const rows: readonly (readonly [params: object, count: number])[] = [
    [{ rootPath: repository.path }, 1],
    [{ rootPath: repository.path, rootUri: null, workspaceFolders: null }, 1],
    [{ rootUri: folder.uri, workspaceFolders: null }, 1],
    [{ rootUri: folder.uri, workspaceFolders: [] }, 1],
    [{ rootUri: null, workspaceFolders: [folder] }, 1],
    [{ rootUri: null, rootPath: null, workspaceFolders: null }, 0],
    [{}, 0],
  ];
  for (const [params, count] of rows) {
    const client = openRawClient(join(temporaryFolder(), "data"), t);
    const capabilities = { window: { workDoneProgress: true } };
    await client.initialize({ rootUri: undefined, capabilities, ...params });
    const total = async () => (await client.result<{ total: number }>("trawl/repos")).total;
    if (count > 0) await eventually(async () => (await total()) === count);
    assert.equal(await total(), count, JSON.stringify(params));
    await client.close();
  }
});

test("a folder inside the data directory is indexed", async (t) => {
  const dataDir = temporaryFolder();
  const { path } = repo("= main: One\na.txt\n| text\n", { path: join(dataDir, "code") });
  const client = openRawClient(dataDir, t);
  await client.initialize({ rootUri: pathToFileURL(path).href });
  await eventually(async () => (await client.result<{ total: number }>("trawl/repos")).total === 1);
  await client.close();
});

test("indexing notifications and progress are sent only to clients that support them", async (t) => {
  // Large enough for progress to be reported.
  const large = repo("= main: First\na.txt\n| text\n");
  const random = new Random(1);
  const line = () => Array.from({ length: 8 }, () => random.between(0, 1e9).toString(36)).join(" ");
  const text = Array.from({ length: 10_000 }, line).join("\n");
  for (let n = 0; n < 20; n++) large.write(`${n}.txt`, `${n}\n${text}`);
  large.git("add", ".");
  large.git("commit", "-q", "-m", "Second");
  const uri = pathToFileURL(large.path).href;
  const methods = async (initialize: object, awaited?: string) => {
    const client = openRawClient(join(temporaryFolder(), "data"), t);
    const seen = () => new Set(client.received.map(({ method = "" }) => method));
    await client.initialize({ workspaceFolders: [{ uri, name: "large" }], ...initialize });
    if (awaited !== undefined) await eventually(() => seen().has(awaited));
    await client.result("trawl/addPaths", { paths: [large.path] });
    await client.result("trawl/indexing", {});
    await client.close();
    return seen();
  };
  const indexingNotifications = true;
  const workDone = { capabilities: { window: { workDoneProgress: true } } };
  const withNotifications = await methods(
    { initializationOptions: { indexingNotifications } },
    "trawl/indexing",
  );
  assert(!withNotifications.has("window/workDoneProgress/create"));
  const withProgress = await methods(workDone, "$/progress");
  assert(withProgress.has("window/workDoneProgress/create"));
  assert(!withProgress.has("trawl/indexing"));
  const plain = await methods({});
  assert.deepEqual(
    [...plain].filter((method) => method !== "window/logMessage"),
    [],
  );
});

test("nothing is written to standard error if the client shows log messages and progress", async (t) => {
  const client = await open(t, { capabilities: { window: { workDoneProgress: true } } });
  const logged = () =>
    client.received.some(({ method, params }) => {
      const { message = "" } = (params ?? {}) as { message?: string };
      return method === "window/logMessage" && message.startsWith("Ready: 1 repository");
    });
  await eventually(logged);
  await client.close();
  assert.equal((await client.server.ended).stderr, "");
  const other = await open(t, {});
  assert.match(await other.server.line(/^Ready: /), /1 repository/);
  await other.close();
});

test("hovers and outlines have a format that the client supports", async (t) => {
  const { textDocument } = at("web/sum.ts", "total");
  const ask = async (textDocumentCapabilities: object) => {
    const client = await open(t, { capabilities: { textDocument: textDocumentCapabilities } });
    const hover = await client.result<{ contents: { kind: string; value: string } }>(
      "textDocument/hover",
      at("web/sum.ts", "total"),
    );
    const outline = await client.result<
      { name: string; kind: number; range?: object; location?: object; containerName?: string }[]
    >("textDocument/documentSymbol", { textDocument });
    await client.close();
    return { hover: hover.contents, outline };
  };
  const old = await ask({});
  assert.equal(old.hover.kind, "plaintext");
  assert.match(
    old.hover.value,
    /^export function total\(prices: number\[\]\): number[^\n]*\n\nAdds up\.\n\n.*web\/sum\.ts:2$/,
  );
  assert.deepEqual(
    old.outline.map(({ name, containerName, location }) => [name, containerName, location !== undefined]),
    [
      ["total", undefined, true],
      ["Color", undefined, true],
      ["Red", "Color", true],
      ["Till", undefined, true],
      ["count", "Till", true],
    ],
  );
  assert(old.outline.every(({ kind }) => kind <= 18));
  const modern = await ask({
    hover: { contentFormat: ["markdown", "plaintext"] },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true, symbolKind: { valueSet: [5, 6, 10, 12, 22] } },
  });
  assert.equal(modern.hover.kind, "markdown");
  assert.match(modern.hover.value, /^```typescript\n/);
  assert.deepEqual(
    modern.outline.map(({ name, range }) => [name, range !== undefined]),
    [
      ["total", true],
      ["Color", true],
      ["Till", true],
    ],
  );
  const plainFirst = await ask({ hover: { contentFormat: ["plaintext", "markdown"] } });
  assert.equal(plainFirst.hover.kind, "plaintext");
});

test("columns after wide characters are correct in open and closed documents", async (t) => {
  const line = readFileSync(join(repository.path, "web/wide.ts"), "utf8").split("\n")[1] ?? "";
  const definitionLine = readFileSync(join(repository.path, "web/wide.ts"), "utf8").split("\n")[0] ?? "";
  const rows: readonly (readonly [encodings: string[] | undefined, size: (text: string) => number])[] = [
    [undefined, (text) => text.length],
    [["utf-8", "utf-16"], (text) => text.length],
    [["utf-8"], (text) => Buffer.byteLength(text)],
    [["utf-32"], (text) => [...text].length],
  ];
  for (const [positionEncodings, size] of rows) {
    const client = openRawClient(indexed ?? "", t);
    const { capabilities } = (await client.initialize({ capabilities: { general: { positionEncodings } } }))
      .result as { capabilities: { positionEncoding: string; textDocumentSync: { change: number } } };
    const expected = positionEncodings?.length === 1 ? positionEncodings[0] : "utf-16";
    assert.equal(capabilities.positionEncoding, expected);
    assert.equal(capabilities.textDocumentSync.change, expected === "utf-16" ? 2 : 1);
    const before = (text: string, word: string) => size(text.slice(0, text.indexOf(word)));
    const textDocument = { uri: uri("web/wide.ts") };
    const checkPositions = async () => {
      for (const offset of [0, 8]) {
        const position = { line: 1, character: before(line, "afterWide") + offset };
        const found = await client.result<{ range: object }[]>("textDocument/definition", {
          textDocument,
          position,
        });
        const start = before(definitionLine, "afterWide");
        const range = { start: { line: 0, character: start }, end: { line: 0, character: start + 9 } };
        assert.deepEqual(
          found.map((each) => each.range),
          [range],
          `${expected}, ${offset}`,
        );
      }
      const position = { line: 1, character: before(line, "total") };
      const hover = await client.result<{ range: { start: object } }>("textDocument/hover", {
        textDocument,
        position,
      });
      assert.deepEqual(hover.range.start, position);
      const outline = await client.result<{ name: string; location: { range: { start: object } } }[]>(
        "textDocument/documentSymbol",
        { textDocument },
      );
      const starts = outline.map(({ name, location }) => [name, location.range.start]);
      const character = before(definitionLine, "function");
      assert.deepEqual(
        starts.find(([name]) => name === "afterWide"),
        ["afterWide", { line: 0, character }],
      );
    };
    await checkPositions();
    client.notify("textDocument/didOpen", {
      textDocument: {
        ...textDocument,
        languageId: "typescript",
        version: 1,
        text: `${definitionLine}\n${line}\n`,
      },
    });
    await checkPositions();
    await client.close();
  }
});

test("settings of other extensions have no effect", async (t) => {
  const client = await open(t, {
    initializationOptions: { discovery: "off", includeUnsaved: false },
    workspaceFolders: [folder],
  });
  const isFound = async (query: string) => {
    const { files } = await client.result<{ files: unknown[] }>("trawl/search", { query });
    return files.length > 0;
  };
  client.notify("textDocument/didOpen", {
    textDocument: {
      uri: uri("new.ts"),
      languageId: "typescript",
      version: 1,
      text: "const unsavedOnly = 1;",
    },
  });
  assert.equal(await isFound("unsavedOnly"), false);
  for (const settings of [{}, [], null, { "rust-analyzer": { checkOnSave: true } }, { trawl: {} }]) {
    client.notify("workspace/didChangeConfiguration", { settings });
    assert.equal(await isFound("unsavedOnly"), false, JSON.stringify(settings));
  }
  client.notify("workspace/didChangeConfiguration", { settings: { trawl: { includeUnsaved: true } } });
  await eventually(() => isFound("unsavedOnly"));
});

test("settings are requested from clients that support workspace/configuration", async (t) => {
  let includeUnsaved = true;
  const client = await open(
    t,
    {
      initializationOptions: { includeUnsaved: false },
      capabilities: {
        workspace: { configuration: true, didChangeConfiguration: { dynamicRegistration: true } },
      },
    },
    {
      answers: {
        "workspace/configuration": ({ items }: { items: { section: string }[] }) =>
          items.map(({ section }) => (section === "trawl" ? { includeUnsaved } : null)),
      },
    },
  );
  const registration = client.received.find(({ method }) => method === "client/registerCapability");
  assert.match(JSON.stringify(registration?.params), /"method":"workspace\/didChangeConfiguration"/);
  client.notify("textDocument/didOpen", {
    textDocument: {
      uri: uri("new.ts"),
      languageId: "typescript",
      version: 1,
      text: "const unsavedOnly = 1;",
    },
  });
  const isFound = async () =>
    (await client.result<{ files: unknown[] }>("trawl/search", { query: "unsavedOnly" })).files.length > 0;
  await eventually(isFound);
  includeUnsaved = false;
  client.notify("workspace/didChangeConfiguration", { settings: null });
  await eventually(async () => !(await isFound()));
});

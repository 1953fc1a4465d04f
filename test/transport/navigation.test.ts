/** Definitions, references and outlines over REST and LSP, in repositories that depend on each other. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import type {
  CallHierarchyIncomingCall,
  CallHierarchyItem,
  CallHierarchyOutgoingCall,
} from "vscode-languageserver/node";
import type { RepositoryItem } from "#contract/repositories";
import type { ReferenceEvent, SymbolResult } from "#contract/symbols";
import { type Editor, openEditor } from "#test/support/editor";
import { eventually } from "#test/support/eventually";
import { repo, runGit, type TestRepository, temporaryFolder } from "#test/support/repo";

const organization = temporaryFolder();

function makeRepository(name: string, text: string): TestRepository {
  return repo(text, { path: join(organization, name), origin: `https://example.com/acme/${name}.git` });
}

const kit = makeRepository(
  "kit",
  `
  = main: First
  go.mod
  | module example.com/acme/kit
  retry/retry.go
  | package retry
  |
  | // Retry works until it succeeds. Retry waits.
  | func Retry(work func() error) error {
  | 	return work()
  | }
  retry/twice.go
  | package retry
  |
  | func Twice(work func() error) error {
  | 	if err := Retry(work); err != nil {
  | 		return err
  | 	}
  | 	return Retry(work)
  | }
  retry/quiet.go
  | package retry
  |
  | func quiet() string {
  | 	Retry := "Retry"
  | 	return Retry
  | }
`,
);
const app = makeRepository(
  "app",
  `
  = main: First
  go.mod
  | module example.com/acme/app
  main.go
  | package main
  |
  | import "example.com/acme/kit/retry"
  |
  | func main() {
  | 	count := 1
  | 	_ = retry.Retry(func() error { count++; return nil }) // Retry
  | }
  web/cart.ts
  | import { charge } from "payments";
  | import { total } from "./sum";
  |
  | export const bill = () => charge(total([1, 2]));
  web/sum.ts
  | /** Adds up. */
  | export function total(prices: number[]): number {
  |   return prices.reduce((sum, price) => sum + price, 0);
  | }
  notes.md
  | Retry is explained here.
  signs.md
  | é 😀 名 Beacon 😀Beacon (Beacon) ÜBeacon Beaconß
  | Beacon .${"😀".repeat(3000)}
`,
);
makeRepository(
  "payments",
  `
  = main: First
  package.json
  | { "name": "payments" }
  src/charge.ts
  | export function charge(amount: number): void {}
`,
);
const twins = makeRepository(
  "twins",
  `
  = main: First
  go.mod
  | module example.com/acme/twins
  tree/walk.go
  | package tree
  |
  | func grow() {}
  tree/doc/walk.go
  | package doc
  |
  | import "example.com/acme/twins/tree"
  |
  | // grow is that of the documentation.
  | func grow() { tree.Walk() }
  |
  | func twice() { grow(); grow() }
  guide.md
  | With draw, everything is drawn: draw, draw and draw.
  nested.py
  | def outer():
  |     def hidden_input():
  |         return 1
  |     def grow():
  |         return hidden_input()
  src/main/java/com/acme/twins/Near.java
  | package com.acme.twins;
  |
  | class Near {
  |   static void checkAll() {}
  | }
  src/main/java/com/acme/use/Use.java
  | package com.acme.use;
  |
  | import static com.acme.far.Checks.checkAll;
  |
  | class Use {
  |   void run() { checkAll(); }
  | }
  src/Box.java
  | class Box {
  |   /** Makes an empty one. */
  |   Box() {}
  | }
  many.rb
${Array.from({ length: 60 }, (_, at) => `  | class Many${at}\n  |   def draw() end\n  | end`).join("\n")}
  | Many1.new.draw
`,
);
makeRepository(
  "other",
  `
  = main: First
  src/main/java/com/acme/far/Checks.java
  | package com.acme.far;
  |
  | public class Checks {
  |   public static void checkAll() {}
  | }
  other.go
  | package other
  |
  | func Retry() {}
  |
  | func useIt() { Retry() }
  charge.ts
  | export class Bank {
  |   charge(): void {}
  | }
`,
);

const dataDir = temporaryFolder();
const uri = (repository: TestRepository, path: string) => pathToFileURL(join(repository.path, path)).href;
let editor: Editor;

before(async () => {
  editor = await openEditor(dataDir, {
    folders: [app.path],
    settings: { roots: [organization], discovery: "workspace" },
  });
  // The order of references also depends on definitions.
  await eventually(async () => {
    const { items } = await editor.call<{ items: RepositoryItem[] }>("repos", {});
    const areReady = items.length > 1 && items.every(({ symbolsReady }) => symbolsReady);
    return areReady && (await symbols("total")).length > 0 && (await symbols("Bank")).length > 0;
  }, 60_000);
});

after(() => editor.kill());

async function symbols(query: string): Promise<string[]> {
  const response = await editor.call<{ symbols: { symbol: string; repository: string }[] }>("findSymbols", {
    query,
  });
  return response.symbols.map(({ symbol, repository }) => `${symbol} ${short(repository)}`);
}

function short(repository: string): string {
  return repository.slice(repository.lastIndexOf("/") + 1);
}

/** Returns each match as `certainty repository path:line`, in the order of the response. */
function lines({ files }: Pick<SymbolResult, "files">): string[] {
  return files.flatMap(({ repository, fileName, matches }) =>
    matches.map(
      ({ certainty = "-", range }) =>
        `${certainty} ${short(repository)} ${fileName}:${range.start.lineNumber}`,
    ),
  );
}

const find = (operation: "findDefinitions" | "findReferences", request: object) =>
  editor.call<SymbolResult>(operation, request);

/** Returns the position of an occurrence of `word` in a file, as in REST and as in LSP. */
function positionOf(repository: TestRepository, path: string, word: string, occurrence = 1) {
  const text = readFileSync(join(repository.path, path), "utf8");
  let offset = -1;
  for (let count = 0; count < occurrence; count++) offset = text.indexOf(word, offset + 1);
  const before = text.slice(0, offset).split("\n");
  const column = (before.at(-1) ?? "").length;
  return {
    rest: { file: join(repository.path, path), lineNumber: before.length, column: column + 1 },
    lsp: {
      textDocument: { uri: uri(repository, path) },
      position: { line: before.length - 1, character: column },
    },
  };
}

/** Returns a location as `path:line`, for files on disk and for snapshots. */
function location({ uri: address, range }: { uri: string; range: { start: { line: number } } }): string {
  const path = address.startsWith("file:")
    ? fileURLToPath(address).slice(organization.length + 1)
    : decodeURIComponent(address)
        .replace(/@[0-9a-f]{40}/, "@…")
        .replace(/\?.*$/, "");
  return `${path}:${range.start.line + 1}`;
}

test("definitions are found in all repositories", async () => {
  const { files, stats, repositoryInfo } = await find("findDefinitions", { symbolName: "Retry" });
  assert.deepEqual(lines({ files }).sort(), ["- kit retry/retry.go:4", "- other other.go:3"]);
  assert.deepEqual(stats, { matchCount: 2, isExhaustive: true, unparsedFiles: 0, filesMissing: 0 });
  assert.deepEqual(repositoryInfo.map(({ name }) => short(name)).sort(), ["kit", "other"]);
  const [match] = files.find(({ repository }) => repository.endsWith("kit"))?.matches ?? [];
  assert.equal(match?.lineContent, "func Retry(work func() error) error {");
  assert.equal(match?.kind, "function");
  assert.equal(match?.range.end.column, 11);
});

test("definitions that the file imports come before others of the same name", async () => {
  const askedFrom = positionOf(app, "main.go", "Retry(").rest;
  const found = await find("findDefinitions", { symbolName: "Retry", askedFrom });
  assert.deepEqual(lines(found), ["import kit retry/retry.go:4", "name other other.go:3"]);
});

test("a definition imported by its full name comes before one in a nearby folder", async () => {
  const askedFrom = positionOf(twins, "src/main/java/com/acme/use/Use.java", "checkAll()").rest;
  const found = await find("findDefinitions", { symbolName: "checkAll", askedFrom });
  assert.deepEqual(lines(found), [
    "import other src/main/java/com/acme/far/Checks.java:4",
    "name twins src/main/java/com/acme/twins/Near.java:4",
  ]);
});

test("a package is resolved by the name in its manifest", async () => {
  const askedFrom = positionOf(app, "web/cart.ts", "charge(").rest;
  const found = await find("findDefinitions", { symbolName: "charge", askedFrom });
  assert.deepEqual(lines(found), ["import payments src/charge.ts:1", "name other charge.ts:2"]);
});

test("an import inside a repository is resolved", async () => {
  const askedFrom = positionOf(app, "web/cart.ts", "total(").rest;
  const found = await find("findDefinitions", { symbolName: "total", askedFrom });
  assert.deepEqual(lines(found), ["exact app web/sum.ts:2"]);
});

test("definition and references of a local variable are in its scope only", async () => {
  const askedFrom = positionOf(app, "main.go", "count++").rest;
  const found = await find("findDefinitions", { symbolName: "count", askedFrom });
  assert.deepEqual(lines(found), ["exact app main.go:6"]);
  const used = await find("findReferences", { symbolName: "count", askedFrom });
  assert.deepEqual(lines(used), ["exact app main.go:7"]);
});

test("references exclude comments, strings and local variables of the same name", async () => {
  const askedFrom = positionOf(kit, "retry/retry.go", "Retry(").rest;
  const found = await find("findReferences", { symbolName: "Retry", askedFrom });
  assert.deepEqual(lines(found), [
    "exact kit retry/twice.go:4",
    "exact kit retry/twice.go:7",
    "import app main.go:7",
    "name other other.go:5",
  ]);
  assert.deepEqual(found.stats, { matchCount: 4, isExhaustive: true, unparsedFiles: 0, filesMissing: 0 });
});

test("a repeated request has the same response", async () => {
  const request = { symbolName: "Retry", language: "go" };
  const first = await find("findReferences", request);
  assert.deepEqual(await find("findReferences", request), first);
});

test("files in a language without a parser are matched as text and reported as unparsed", async () => {
  const { files, stats } = await find("findReferences", { symbolName: "Retry", language: "markdown" });
  assert.deepEqual(
    files.map(({ fileName, isParsed }) => `${fileName} ${isParsed}`),
    ["notes.md false"],
  );
  assert.equal(stats.unparsedFiles, 1);
});

test("columns and lines of text are correct next to any characters", async () => {
  const { files } = await find("findReferences", { symbolName: "Beacon", language: "markdown" });
  const [first, second, third, long, ...others] = files.flatMap(({ matches }) => matches);
  assert.deepEqual(others, []);
  assert.deepEqual(
    [first, second, third].map((match) => [match?.range.start, match?.range.end.column]),
    [
      [{ byteOffset: 12, lineNumber: 1, column: 7 }, 13],
      [{ byteOffset: 23, lineNumber: 1, column: 15 }, 21],
      [{ byteOffset: 31, lineNumber: 1, column: 23 }, 29],
    ],
  );
  assert.equal(first?.lineContent, "é 😀 名 Beacon 😀Beacon (Beacon) ÜBeacon Beaconß");
  const { lineContent = "" } = long ?? {};
  assert.ok(Buffer.byteLength(lineContent) <= 4096);
  assert.match(lineContent, /^Beacon \.(?:😀)+$/u, "a long line is not cut within a character");
});

test("references are streamed, and their number is limited by matches", async () => {
  const found: string[] = [];
  const { ended } = editor.follow("streamReferences", { symbolName: "Retry" }, ({ data }: ReferenceEvent) => {
    found.push(...lines(data));
  });
  await ended;
  assert.equal(found.length, 5);
  const few = await find("findReferences", { symbolName: "Retry", matches: 2 });
  assert.equal(few.stats.matchCount, 2);
  assert.equal(few.stats.isExhaustive, false);
});

test("code comes before prose", async () => {
  // The first request for this name: its code has to be parsed first.
  const streamed: string[] = [];
  const { ended } = editor.follow("streamReferences", { symbolName: "draw" }, ({ data }: ReferenceEvent) => {
    streamed.push(...data.files.map(({ fileName }) => fileName));
  });
  await ended;
  assert.deepEqual(streamed, ["many.rb", "guide.md"]);
  const { files } = await find("findReferences", { symbolName: "draw" });
  assert.deepEqual(
    files.map(({ fileName }) => fileName),
    ["many.rb", "guide.md"],
  );
});

test("definitions can be limited to a repository, a revision and a language", async () => {
  const rows: readonly (readonly [request: object, expected: readonly string[]])[] = [
    [{ repoName: "example.com/acme/other" }, ["- other other.go:3"]],
    [{ repoName: "example.com/acme/kit", revisionName: "HEAD" }, ["- kit retry/retry.go:4"]],
    [{ revisionName: "main", repoName: "example.com/acme/kit" }, ["- kit retry/retry.go:4"]],
    [{ language: "JSX" }, []],
    [{ language: "golang", repoName: "example.com/acme/app" }, []],
  ];
  for (const [request, expected] of rows) {
    const found = await find("findDefinitions", { symbolName: "Retry", ...request });
    assert.deepEqual(lines(found), expected, JSON.stringify(request));
  }
  const { files } = await find("findDefinitions", { symbolName: "Re.ry" });
  assert.deepEqual(files, []);
});

test("go to definition returns only confident results, in files on disk", async () => {
  const rows: readonly (readonly [position: ReturnType<typeof positionOf>, expected: readonly string[]])[] = [
    [positionOf(app, "main.go", "Retry("), ["kit/retry/retry.go:4"]],
    [positionOf(app, "web/cart.ts", "total("), ["app/web/sum.ts:2"]],
    [positionOf(app, "main.go", "count++"), ["app/main.go:6"]],
    [positionOf(app, "main.go", "// Retry"), []],
  ];
  for (const [{ lsp }, expected] of rows) {
    const found =
      (await editor.client.sendRequest<Parameters<typeof location>[0][] | null>(
        "textDocument/definition",
        lsp,
      )) ?? [];
    assert.deepEqual(found.map(location), expected, JSON.stringify(lsp));
  }
});

test("an editor lists references, with the definition if requested", async () => {
  const { lsp } = positionOf(kit, "retry/retry.go", "Retry(");
  const ask = async (includeDeclaration: boolean) => {
    const request = { ...lsp, context: { includeDeclaration } };
    const found = await editor.client.sendRequest<Parameters<typeof location>[0][]>(
      "textDocument/references",
      request,
    );
    return found.map(location);
  };
  // Without the reference that only shares the name.
  const expected = ["kit/retry/twice.go:4", "kit/retry/twice.go:7", "app/main.go:7"];
  assert.deepEqual(await ask(false), expected);
  assert.deepEqual(await ask(true), ["kit/retry/retry.go:4", ...expected]);
});

test("a hover shows signature and documentation", async () => {
  const { lsp } = positionOf(app, "web/cart.ts", "total(");
  const hover = await editor.client.sendRequest<{ contents: { value: string } }>("textDocument/hover", lsp);
  const { value } = hover.contents;
  assert.match(value, /^```typescript\nexport function total\(prices: number\[\]\): number/);
  assert.match(value, /\nAdds up\.\n/);
});

test("a definition in the same file takes precedence over an imported one of the same name", async () => {
  const rows: readonly (readonly [
    position: ReturnType<typeof positionOf>,
    documentation: RegExp,
    definitions: readonly string[],
  ])[] = [
    [
      positionOf(twins, "tree/doc/walk.go", "grow() {"),
      /that of the documentation/,
      ["twins/tree/doc/walk.go:6"],
    ],
    [
      positionOf(twins, "tree/doc/walk.go", "grow();"),
      /that of the documentation/,
      ["twins/tree/doc/walk.go:6"],
    ],
    [
      positionOf(twins, "src/Box.java", "Box() {"),
      /Makes an empty one/,
      ["twins/src/Box.java:1", "twins/src/Box.java:3"],
    ],
  ];
  for (const [{ lsp }, documentation, definitions] of rows) {
    const { client } = editor;
    const hover = await client.sendRequest<{ contents: { value: string } }>("textDocument/hover", lsp);
    assert.match(hover.contents.value, documentation);
    const found = await client.sendRequest<Parameters<typeof location>[0][]>("textDocument/definition", lsp);
    assert.deepEqual(found.map(location), definitions);
  }
});

test("references are complete for a name with more definitions than are loaded", async () => {
  const { stats } = await find("findReferences", { symbolName: "draw", language: "ruby" });
  assert.deepEqual(stats, { matchCount: 1, isExhaustive: true, unparsedFiles: 0, filesMissing: 0 });
});

test("unsaved documents are navigated and outlined", async () => {
  const { client } = editor;
  const address = uri(app, "web/sum.ts");
  const text = `const first = 0;\n\n${readFileSync(join(app.path, "web/sum.ts"), "utf8")}`;
  await client.sendNotification("textDocument/didOpen", {
    textDocument: { uri: address, languageId: "typescript", version: 1, text },
  });
  const { lsp } = positionOf(app, "web/cart.ts", "total(");
  const found = await client.sendRequest<Parameters<typeof location>[0][]>("textDocument/definition", lsp);
  assert.deepEqual(found.map(location), ["app/web/sum.ts:4"]);
  const outline = await client.sendRequest<{ name: string; range: { start: { line: number } } }[]>(
    "textDocument/documentSymbol",
    { textDocument: { uri: address } },
  );
  assert.deepEqual(
    outline.map(({ name, range }) => `${name} ${range.start.line + 1}`),
    ["first 1", "total 4"],
  );
  await client.sendNotification("textDocument/didClose", { textDocument: { uri: address } });
});

test("a nested function is found if nothing else has its name", async () => {
  const hidden = await find("findDefinitions", { symbolName: "hidden_input" });
  assert.deepEqual(lines(hidden), ["- twins nested.py:2"]);
  const grow = await find("findDefinitions", { symbolName: "grow" });
  assert.deepEqual(lines(grow).sort(), ["- twins tree/doc/walk.go:6", "- twins tree/walk.go:3"]);
  const askedFrom = positionOf(app, "main.go", "main(").rest;
  const fromElsewhere = await find("findDefinitions", { symbolName: "hidden_input", askedFrom });
  assert.deepEqual(lines(fromElsewhere), []);
});

test("an outline shows the type of methods that are declared outside it", async () => {
  const { client } = editor;
  const address = uri(kit, "retry/client.go");
  const text = "package retry\n\ntype Client struct{ tries int }\n\nfunc (c *Client) Do() {}\n";
  await client.sendNotification("textDocument/didOpen", {
    textDocument: { uri: address, languageId: "go", version: 1, text },
  });
  const outline = await client.sendRequest<{ name: string; detail?: string }[]>(
    "textDocument/documentSymbol",
    { textDocument: { uri: address } },
  );
  assert.deepEqual(
    outline.map(({ name, detail }) => [name, detail]),
    [
      ["retry", undefined],
      ["Client", undefined],
      ["Do", "Client"],
    ],
  );
  await client.sendNotification("textDocument/didClose", { textDocument: { uri: address } });
});

test("the outline of a line with thousands of definitions has correct UTF-16 columns", async () => {
  const { client } = editor;
  const address = uri(app, "web/minified.js");
  const text = 'const w="👍é";function f(b){return b}'.repeat(3000);
  await client.sendNotification("textDocument/didOpen", {
    textDocument: { uri: address, languageId: "javascript", version: 1, text },
  });
  const outline = await client.sendRequest<
    { name: string; selectionRange: Record<"start" | "end", { line: number; character: number }> }[]
  >("textDocument/documentSymbol", { textDocument: { uri: address } });
  assert.deepEqual(
    outline.map(({ name, selectionRange: { start, end } }) => [
      name,
      start.line,
      start.character,
      end.character,
    ]),
    [...text.matchAll(/(?<=const )w|(?<=function )f/g)].map(({ 0: name, index }) => [
      name,
      0,
      index,
      index + 1,
    ]),
  );
  assert.equal(outline.length, 6000);
  await client.sendNotification("textDocument/didClose", { textDocument: { uri: address } });
});

test("in a snapshot of a commit, definitions are those of the commit", async () => {
  const commit = runGit(kit.path, ["rev-parse", "HEAD"]).toString().trim();
  const address = `trawl:/example.com/acme/kit%40${commit}/-/retry/twice.go`.replace("%40", "@");
  const lsp = { textDocument: { uri: address }, position: { line: 3, character: 12 } };
  const found = await editor.client.sendRequest<Parameters<typeof location>[0][]>(
    "textDocument/definition",
    lsp,
  );
  assert.deepEqual(found.map(location), ["trawl:/example.com/acme/kit@…/-/retry/retry.go:4"]);
});

interface WorkspaceSymbol {
  readonly name: string;
  readonly location: Parameters<typeof location>[0];
}

const workspaceSymbols = ({ client }: Editor, query: string) =>
  client.sendRequest<WorkspaceSymbol[]>("workspace/symbol", { query });

test("by option, workspace symbols are only those of repositories that are not open", async () => {
  assert.deepEqual(
    (await workspaceSymbols(editor, "Bank")).map((found) => location(found.location)),
    ["other/charge.ts:1"],
  );
  assert.deepEqual(await workspaceSymbols(editor, "total"), []);
});

test("workspace symbols are found in all repositories, from the first letter on", async (t) => {
  const other = await openEditor(dataDir, { folders: [organization], clientOptions: {} }, t);
  const symbolsWithLocations = async (query: string) =>
    (await workspaceSymbols(other, query)).map((found) => `${found.name} ${location(found.location)}`);
  assert.deepEqual(await symbolsWithLocations("total"), ["total app/web/sum.ts:2"]);
  assert.deepEqual(await symbolsWithLocations("Bank"), ["Bank other/charge.ts:1"]);
  const oneLetter = await symbolsWithLocations("B");
  // Sorted by length: the shortest names that start with the letter come first.
  assert.deepEqual(oneLetter.slice(0, 2).sort(), ["Box twins/src/Box.java:1", "Box twins/src/Box.java:3"]);
  assert(oneLetter.includes("Bank other/charge.ts:1"));
  assert(oneLetter.includes("bill app/web/cart.ts:4"));
  const all = await workspaceSymbols(other, "");
  assert.equal(all.length, 100);
  assert(all.some(({ name }) => name === "Bank"));
  const onlyApp = await openEditor(dataDir, { folders: [app.path], clientOptions: {} }, t);
  const [first] = await workspaceSymbols(onlyApp, "");
  assert.equal(location(first?.location ?? { uri: "", range: { start: { line: 0 } } }).split("/")[0], "app");
});

test("symbols are found by fuzzy and by prefix match", async () => {
  assert.deepEqual((await symbols("chrg")).sort(), ["charge other", "charge payments"]);
  const { symbols: found } = await editor.call<{ symbols: { symbol: string; parent: { symbol: string } }[] }>(
    "findSymbols",
    {
      query: "charge",
      match: "prefix",
      kinds: ["method"],
    },
  );
  assert.deepEqual(
    found.map(({ symbol, parent }) => `${parent.symbol}.${symbol}`),
    ["Bank.charge"],
  );
});

test("call hierarchies list callers and callees in all repositories", async () => {
  const { lsp } = positionOf(kit, "retry/retry.go", "Retry(");
  const [item] = await editor.client.sendRequest<CallHierarchyItem[]>(
    "textDocument/prepareCallHierarchy",
    lsp,
  );
  assert.equal(item?.name, "Retry");
  const incoming = await editor.client.sendRequest<CallHierarchyIncomingCall[]>(
    "callHierarchy/incomingCalls",
    { item },
  );
  assert.deepEqual(
    incoming.map(({ from, fromRanges }) => [from.name, fromRanges.map(({ start }) => start.line + 1)]),
    [
      ["Twice", [4, 7]],
      ["main", [7]],
    ],
  );
  const twice = incoming[0]?.from;
  const outgoing = await editor.client.sendRequest<CallHierarchyOutgoingCall[]>(
    "callHierarchy/outgoingCalls",
    {
      item: twice,
    },
  );
  assert.deepEqual(
    outgoing.map(({ to }) => to.name),
    ["Retry"],
  );
});

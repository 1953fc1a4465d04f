/** Names over REST and over LSP, in repositories that use one another. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { RepositoryItem } from "#contract/repositories";
import type { ReferenceEvent, SymbolResult } from "#contract/symbols";
import { type Editor, openEditor, until } from "#test/support/editor";
import { repo, runGit, type TestRepository, temporaryFolder } from "#test/support/repo";

const organisation = temporaryFolder();

function made(name: string, text: string): TestRepository {
  return repo(text, { path: join(organisation, name), origin: `https://example.com/acme/${name}.git` });
}

const kit = made(
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
const app = made(
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
`,
);
made(
  "payments",
  `
  = main: First
  package.json
  | { "name": "payments" }
  src/charge.ts
  | export function charge(amount: number): void {}
`,
);
const twins = made(
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
made(
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
    settings: { roots: [organisation], discovery: "workspace" },
  });
  // What is defined counts in the order of references, too.
  await until(async () => {
    const { items } = await editor.call<{ items: RepositoryItem[] }>("repos", {});
    const areReady = items.length > 1 && items.every(({ symbolsReady }) => symbolsReady);
    return areReady && (await symbols("total")).length > 0 && (await symbols("Bank")).length > 0;
  }, 60_000);
});

after(() => editor.kill());

async function symbols(query: string): Promise<string[]> {
  const answer = await editor.call<{ symbols: { symbol: string; repository: string }[] }>("findSymbols", {
    query,
  });
  return answer.symbols.map(({ symbol, repository }) => `${symbol} ${short(repository)}`);
}

function short(repository: string): string {
  return repository.slice(repository.lastIndexOf("/") + 1);
}

/** `certainty repository path:line`, in the order of the answer. */
function lines({ files }: Pick<SymbolResult, "files">): string[] {
  return files.flatMap(({ repository, fileName, matches }) =>
    matches.map(
      ({ certainty = "-", range }) =>
        `${certainty} ${short(repository)} ${fileName}:${range.start.lineNumber}`,
    ),
  );
}

const find = (row: "findDefinitions" | "findReferences", request: object) =>
  editor.call<SymbolResult>(row, request);

/** Where the `occurrence`-th `word` of a file stands; in the editor's way with `lsp`. */
function placeOf(repository: TestRepository, path: string, word: string, occurrence = 1) {
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

/** `repository path:line`, or a snapshot's. */
function location({ uri: address, range }: { uri: string; range: { start: { line: number } } }): string {
  const path = address.startsWith("file:")
    ? fileURLToPath(address).slice(organisation.length + 1)
    : decodeURIComponent(address)
        .replace(/@[0-9a-f]{40}/, "@…")
        .replace(/\?.*$/, "");
  return `${path}:${range.start.line + 1}`;
}

test("definitions of a name are those of all repositories", async () => {
  const { files, stats, repositoryInfo } = await find("findDefinitions", { symbolName: "Retry" });
  assert.deepEqual(lines({ files }).sort(), ["- kit retry/retry.go:4", "- other other.go:3"]);
  assert.deepEqual(stats, { matchCount: 2, isExhaustive: true, unparsedFiles: 0 });
  assert.deepEqual(repositoryInfo.map(({ name }) => short(name)).sort(), ["kit", "other"]);
  const [match] = files.find(({ repository }) => repository.endsWith("kit"))?.matches ?? [];
  assert.equal(match?.lineContent, "func Retry(work func() error) error {");
  assert.equal(match?.kind, "function");
  assert.equal(match?.range.end.column, 11);
});

test("what is imported where a name is read comes before what only has its name", async () => {
  const askedFrom = placeOf(app, "main.go", "Retry(").rest;
  const found = await find("findDefinitions", { symbolName: "Retry", askedFrom });
  assert.deepEqual(lines(found), ["import kit retry/retry.go:4", "name other other.go:3"]);
});

test("what is imported by its full name comes before what is near", async () => {
  const askedFrom = placeOf(twins, "src/main/java/com/acme/use/Use.java", "checkAll()").rest;
  const found = await find("findDefinitions", { symbolName: "checkAll", askedFrom });
  assert.deepEqual(lines(found), [
    "import other src/main/java/com/acme/far/Checks.java:4",
    "name twins src/main/java/com/acme/twins/Near.java:4",
  ]);
});

test("a package is known by the name in its manifest", async () => {
  const askedFrom = placeOf(app, "web/cart.ts", "charge(").rest;
  const found = await find("findDefinitions", { symbolName: "charge", askedFrom });
  assert.deepEqual(lines(found), ["import payments src/charge.ts:1", "name other charge.ts:2"]);
});

test("an import inside a repository is resolved", async () => {
  const askedFrom = placeOf(app, "web/cart.ts", "total(").rest;
  const found = await find("findDefinitions", { symbolName: "total", askedFrom });
  assert.deepEqual(lines(found), ["exact app web/sum.ts:2"]);
});

test("a local variable is defined where it is, and nowhere else", async () => {
  const askedFrom = placeOf(app, "main.go", "count++").rest;
  const found = await find("findDefinitions", { symbolName: "count", askedFrom });
  assert.deepEqual(lines(found), ["exact app main.go:6"]);
  const used = await find("findReferences", { symbolName: "count", askedFrom });
  assert.deepEqual(lines(used), ["exact app main.go:7"]);
});

test("references are uses in code: no comment, no string, no local of the same name", async () => {
  const askedFrom = placeOf(kit, "retry/retry.go", "Retry(").rest;
  const found = await find("findReferences", { symbolName: "Retry", askedFrom });
  assert.deepEqual(lines(found), [
    "exact kit retry/twice.go:4",
    "exact kit retry/twice.go:7",
    "import app main.go:7",
    "name other other.go:5",
  ]);
  assert.deepEqual(found.stats, { matchCount: 4, isExhaustive: true, unparsedFiles: 0 });
});

test("asked again, the answer is the same", async () => {
  const request = { symbolName: "Retry", language: "go" };
  const first = await find("findReferences", request);
  assert.deepEqual(await find("findReferences", request), first);
});

test("a language that nobody parses is matched as text, and that is said", async () => {
  const { files, stats } = await find("findReferences", { symbolName: "Retry", language: "markdown" });
  assert.deepEqual(
    files.map(({ fileName, isParsed }) => `${fileName} ${isParsed}`),
    ["notes.md false"],
  );
  assert.equal(stats.unparsedFiles, 1);
});

test("references come one after another, and as many as are wanted", async () => {
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

test("code comes before prose that speaks of it", async () => {
  // A name that nobody has asked for before: its code has to be parsed first.
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

test("only one repository, one revision, one language may be meant", async () => {
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

test("an editor goes to what is sure, in files of this computer", async () => {
  const rows: readonly (readonly [place: ReturnType<typeof placeOf>, expected: readonly string[]])[] = [
    [placeOf(app, "main.go", "Retry("), ["kit/retry/retry.go:4"]],
    [placeOf(app, "web/cart.ts", "total("), ["app/web/sum.ts:2"]],
    [placeOf(app, "main.go", "count++"), ["app/main.go:6"]],
    [placeOf(app, "main.go", "// Retry"), []],
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

test("an editor lists references, with the definition where that is wanted", async () => {
  const { lsp } = placeOf(kit, "retry/retry.go", "Retry(");
  const ask = async (includeDeclaration: boolean) => {
    const request = { ...lsp, context: { includeDeclaration } };
    const found = await editor.client.sendRequest<Parameters<typeof location>[0][]>(
      "textDocument/references",
      request,
    );
    return found.map(location);
  };
  // Not the one that has nothing but the same name.
  const uses = ["kit/retry/twice.go:4", "kit/retry/twice.go:7", "app/main.go:7"];
  assert.deepEqual(await ask(false), uses);
  assert.deepEqual(await ask(true), ["kit/retry/retry.go:4", ...uses]);
});

test("an editor shows what a definition says of itself, and none of it as markup", async () => {
  const { lsp } = placeOf(app, "web/cart.ts", "total(");
  const hover = await editor.client.sendRequest<{ contents: { value: string } }>("textDocument/hover", lsp);
  const { value } = hover.contents;
  assert.match(value, /^```typescript\nexport function total\(prices: number\[\]\): number/);
  assert.match(value, /\nAdds up\\\.\n/);
});

test("what its own file defines is meant, and not what an import has of the same name", async () => {
  const rows: readonly (readonly [
    place: ReturnType<typeof placeOf>,
    said: RegExp,
    places: readonly string[],
  ])[] = [
    [
      placeOf(twins, "tree/doc/walk.go", "grow() {"),
      /that of the documentation/,
      ["twins/tree/doc/walk.go:6"],
    ],
    [
      placeOf(twins, "tree/doc/walk.go", "grow();"),
      /that of the documentation/,
      ["twins/tree/doc/walk.go:6"],
    ],
    [
      placeOf(twins, "src/Box.java", "Box() {"),
      /Makes an empty one/,
      ["twins/src/Box.java:1", "twins/src/Box.java:3"],
    ],
  ];
  for (const [{ lsp }, said, places] of rows) {
    const { client } = editor;
    const hover = await client.sendRequest<{ contents: { value: string } }>("textDocument/hover", lsp);
    assert.match(hover.contents.value, said);
    const found = await client.sendRequest<Parameters<typeof location>[0][]>("textDocument/definition", lsp);
    assert.deepEqual(found.map(location), places);
  }
});

test("a name with more definitions than are looked at hides no use", async () => {
  const { stats } = await find("findReferences", { symbolName: "draw", language: "ruby" });
  assert.deepEqual(stats, { matchCount: 1, isExhaustive: true, unparsedFiles: 0 });
});

test("text that is not saved counts", async () => {
  const { client } = editor;
  const address = uri(app, "web/sum.ts");
  const text = `const first = 0;\n\n${readFileSync(join(app.path, "web/sum.ts"), "utf8")}`;
  await client.sendNotification("textDocument/didOpen", {
    textDocument: { uri: address, languageId: "typescript", version: 1, text },
  });
  const { lsp } = placeOf(app, "web/cart.ts", "total(");
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

test("a function inside of another is found where nothing else has its name", async () => {
  const hidden = await find("findDefinitions", { symbolName: "hidden_input" });
  assert.deepEqual(lines(hidden), ["- twins nested.py:2"]);
  const grow = await find("findDefinitions", { symbolName: "grow" });
  assert.deepEqual(lines(grow).sort(), ["- twins tree/doc/walk.go:6", "- twins tree/walk.go:3"]);
  const askedFrom = placeOf(app, "main.go", "main(").rest;
  const fromElsewhere = await find("findDefinitions", { symbolName: "hidden_input", askedFrom });
  assert.deepEqual(lines(fromElsewhere), []);
});

test("an outline says what methods belong to that stand outside of their types", async () => {
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

test("the outline of a line with thousands of definitions has each where the editor counts it", async () => {
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

test("a file of a commit is answered at that commit", async () => {
  const commit = runGit(kit.path, ["rev-parse", "HEAD"]).toString().trim();
  const address = `trawl:/example.com/acme/kit%40${commit}/-/retry/twice.go`.replace("%40", "@");
  const lsp = { textDocument: { uri: address }, position: { line: 3, character: 12 } };
  const found = await editor.client.sendRequest<Parameters<typeof location>[0][]>(
    "textDocument/definition",
    lsp,
  );
  assert.deepEqual(found.map(location), ["trawl:/example.com/acme/kit@…/-/retry/retry.go:4"]);
});

test("symbols of the workspace are those of repositories that are not open", async () => {
  const ask = (query: string) =>
    editor.client.sendRequest<{ name: string; location: Parameters<typeof location>[0] }[]>(
      "workspace/symbol",
      { query },
    );
  assert.deepEqual(
    (await ask("Bank")).map((found) => location(found.location)),
    ["other/charge.ts:1"],
  );
  assert.deepEqual(await ask("total"), []);
  assert.deepEqual(await ask("B"), []);
});

test("names are found by letters of them", async () => {
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

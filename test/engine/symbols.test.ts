import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import type { SymbolRequest } from "#engine/engine";
import { decodeChunks, type FileMatch } from "#model/match";
import type { RepositoryId } from "#model/repository";
import type { Definition, SymbolKind } from "#model/symbol";
import { simplifyQuery } from "#query/analysis/simplify";
import { parseQuery } from "#query/parser/parse";
import type { Query } from "#query/query";
import { compileExpression } from "#query/regexp/regexp";
import type { ShardDirectory } from "#shard/directory/directory";
import { pack } from "#symbols/parsing/packed";
import type { SymbolParsers } from "#symbols/parsing/parsers";
import {
  literal,
  openEngine,
  openIndex,
  planOf,
  search,
  type TestRepositoryIndex,
} from "#test/support/engines";
import { eventually } from "#test/support/eventually";
import { withoutPermission } from "#test/support/rights";
import { addSymbols, parseTestLanguage, testParsers } from "#test/support/testLanguage";

const signal = new AbortController().signal;

const repositories: readonly TestRepositoryIndex[] = [
  {
    id: 1,
    revisions: [
      { name: "refs/heads/main", commit: "a".repeat(40), slot: 0 },
      { name: "refs/heads/next", commit: "b".repeat(40), slot: 1 },
    ],
    segments: [
      [
        {
          path: "shape.go",
          language: "Go",
          content: "class Shape\n  def area\n  field width\ndef areaOf\nimport math\n",
        },
        { path: "use.go", language: "Go", content: "areaOf area Shape Shape Shape\n" },
        { path: "next.go", language: "Go", content: "def area_next\n", slots: [1] },
        { path: "notes.txt", language: "Text", content: "def area in prose\n" },
        { path: "calls.txt", language: "Text", content: "mainly ();\n" },
      ],
      {
        documents: [{ path: "late.py", language: "Python", content: "def area\nlocal def inner\n" }],
        overrides: [],
      },
    ],
  },
  {
    id: 2,
    segments: [[{ path: "test/AREA.go", language: "Go", category: "test", content: "const AREA\n" }]],
  },
];

function parsed(text: string, isRegexEnabled = false): Query {
  return simplifyQuery(
    parseQuery(text, { isRegexEnabled, isCaseSensitivityEnabled: false, contexts: new Set() }).query,
  );
}

/** Formats each file as `path: text of its ranges`. */
function texts(files: readonly FileMatch[]): string[] {
  return files.map((file) => {
    const { path, nameRanges } = file;
    const found = decodeChunks(file).flatMap(({ content, contentStart, matchRanges }) =>
      matchRanges.map(({ start, end }) => {
        const from = start.byteOffset - contentStart.byteOffset;
        return Buffer.from(content).toString("utf8", from, end.byteOffset - contentStart.byteOffset);
      }),
    );
    return `${path}: ${nameRanges.length > 0 ? "(name)" : found.join(" ")}`;
  });
}

async function indexed(): Promise<ShardDirectory> {
  const directory = await openIndex(repositories);
  await addSymbols(directory);
  return directory;
}

test("symbol queries match names", async (context) => {
  const directory = await indexed();
  const { engine } = openEngine(directory, { workerCount: 2 });
  const rows: Readonly<Record<string, readonly string[]>> = {
    "sym:area": ["late.py: area", "shape.go: area area", "test/AREA.go: AREA"],
    "sym:area case:yes": ["late.py: area", "shape.go: area area"],
    "sym:^area$ case:yes": ["late.py: area", "shape.go: area"],
    "sym:^a": ["late.py: a", "shape.go: a a", "test/AREA.go: A"],
    "sym:of$": ["shape.go: Of"],
    "sym:[wh]i": ["shape.go: wi"],
    "sym:[^x]": ["late.py: a i", "shape.go: S a w a", "test/AREA.go: A"],
    "sym:\\s": [],
    "sym:nothing": [],
    "sym:area lang:go": ["shape.go: area area", "test/AREA.go: AREA"],
    "sym:area -lang:go": ["late.py: area"],
    "sym:area file:shape": ["shape.go: area area"],
    "sym:area rev:next": ["next.go: area"],
    "sym:area or sym:inner": ["late.py: area inner", "shape.go: area area", "test/AREA.go: AREA"],
    "sym:area sym:width": ["shape.go: area width area"],
    "sym:area -sym:width": ["late.py: area", "test/AREA.go: AREA"],
    "Shape -sym:Shape": ["use.go: Shape Shape Shape"],
    "Shape sym:areaOf": ["shape.go: Shape areaOf"],
    "type:symbol width": ["shape.go: width"],
    "type:symbol file:shape": ["shape.go: Shape area width areaOf"],
    "type:symbol (area or width) lang:go": ["shape.go: area width area", "test/AREA.go: AREA"],
    "type:file sym:inner": ["late.py: (name)"],
    "sym:inner or (type:file sym:areaOf)": ["late.py: inner", "shape.go: (name)"],
    "sym:area or (type:file sym:areaOf)": ["late.py: area", "shape.go: area area", "test/AREA.go: AREA"],
    "sym:area -(type:file sym:areaOf)": ["late.py: area", "test/AREA.go: AREA"],
    "mainly ();": ["calls.txt: mainly ();"],
    "(mainly ()) or of": ["calls.txt: mainly ()", "shape.go: Of", "use.go: Of"],
  };
  for (const [text, expected] of Object.entries(rows)) {
    await context.test(text, async () => {
      const { files, isExhaustive } = await engine.search(planOf(parsed(text)), signal);
      assert.deepEqual(texts(files).sort(), expected);
      assert.equal(isExhaustive, true);
    });
  }
  await engine.close();
});

test("an expression matches each name separately", async () => {
  const word = fc.array(fc.constantFrom("a", "B", "k", "\u212a", "_", "é", "1"), {
    minLength: 1,
    maxLength: 6,
  });
  const names = fc.uniqueArray(
    word.map((parts) => parts.join("")),
    { minLength: 1, maxLength: 30 },
  );
  const expressions = fc.constantFrom(
    "a",
    "^a",
    "k$",
    "[^a]+",
    "a.b",
    "(?i)K",
    "_\\w",
    "^$",
    "b*",
    "a|é",
    "\\b_",
    "[aB]{2}",
  );
  await fc.assert(
    fc.asyncProperty(names, expressions, fc.boolean(), async (made, source, caseSensitive) => {
      const content = made.map((name) => `def ${name}\n`).join("");
      const directory = await openIndex([{ id: 1, segments: [[{ path: "a.go", language: "Go", content }]] }]);
      await addSymbols(directory);
      const { engine } = openEngine(directory);
      const query: Query = { kind: "symbol", pattern: { kind: "regexp", source, caseSensitive } };
      const { stats } = await engine.search(planOf(query), signal);
      const expression = compileExpression(source, caseSensitive);
      const expected = made.filter((name) => expression.findLinear(name, 0) !== undefined);
      assert.equal(stats.totalMatchCount, expected.length);
      const counted = await engine.search(planOf(query, { maxDisplayedMatches: 0 }), signal);
      assert.equal(counted.stats.totalMatchCount, expected.length);
      await engine.close();
    }),
    { numRuns: 60 },
  );
});

test("chunks list the definitions that their matches overlap", async () => {
  const { engine } = openEngine(await indexed());
  const { files } = await engine.search(planOf(parsed("area file:shape")), signal);
  assert.deepEqual(
    files.flatMap((file) => decodeChunks(file).flatMap(({ symbols }) => symbols)),
    [
      { symbol: "area", kind: "function", parent: { symbol: "Shape", kind: "class" } },
      { symbol: "areaOf", kind: "function", parent: { symbol: "", kind: "" } },
    ],
  );
  await engine.close();
});

test("a definition ranks before mentions, in any shard and even if the limit is reached earlier", async () => {
  const mentions = Array.from({ length: 300 }, (_, at) => ({
    path: `m${at}.go`,
    language: "Go",
    content: "wanted wanted wanted\n",
  }));
  const directory = await openIndex([
    { id: 1, segments: [mentions] },
    { id: 2, segments: [[{ path: "deep/definition.go", language: "Go", content: "x\ny\ndef wanted\n" }]] },
  ]);
  await addSymbols(directory);
  for (const workerCount of [1, 2]) {
    const { engine } = openEngine(directory, { workerCount });
    const { files } = await engine.search(planOf(parsed("wanted"), { maxMatches: 10 }), signal);
    assert.equal(files[0]?.path, "deep/definition.go");
    assert.equal(new Set(files.map(({ path }) => path)).size, files.length);
    await engine.close();
  }
});

test("a symbol search is not exhaustive until all documents are parsed", async () => {
  const directory = await openIndex(repositories);
  const { engine } = openEngine(directory);
  const reasonOf = async (text: string) => {
    const { stats, isExhaustive } = await engine.search(planOf(parsed(text)), signal);
    assert.equal(isExhaustive, stats.flushReason === "NONE");
    return stats.flushReason;
  };
  assert.equal(await reasonOf("sym:area"), "INDEXING");
  assert.equal(await reasonOf("type:symbol area"), "INDEXING");
  assert.equal(await reasonOf("area -sym:b"), "INDEXING");
  assert.equal(await reasonOf("area"), "NONE");
  assert.equal((await engine.findSymbols(request("exact", "area"), signal)).flushReason, "INDEXING");
  await addSymbols(directory);
  assert.equal(await reasonOf("sym:area"), "NONE");
  await engine.close();
});

test("a symbol file that temporarily cannot be opened does not count as damaged, and is searched afterwards", async () => {
  const directory = await indexed();
  const file = directory.symbols.of(directory.manifest(2)?.segments[0]?.file ?? "") ?? "";
  const plan = planOf(parsed("sym:^AREA$ case:yes"));
  const { engine, damage } = await withoutPermission(join(directory.folder, file), async () => {
    const opened = openEngine(directory);
    const without = await opened.engine.search(plan, signal);
    assert.deepEqual([without.files, without.isExhaustive], [[], false]);
    return opened;
  });
  const files = await eventually(async () => {
    const found = await engine.search(plan, signal);
    return found.isExhaustive && found.files;
  });
  assert.deepEqual(texts(files), ["test/AREA.go: AREA"]);
  assert.deepEqual(damage, []);
  await engine.close();
});

test("damaged symbols are reported, removed and rewritten; text search keeps working", async () => {
  const directory = await indexed();
  const file = directory.symbols.of(directory.manifest(2)?.segments[0]?.file ?? "") ?? "";
  const path = join(directory.folder, file);
  const bytes = readFileSync(path);
  // Damages the names, which are read only when they are searched.
  bytes[16] = 0x21;
  writeFileSync(path, bytes);
  const { engine, damage } = openEngine(directory);
  const found = await engine.search(planOf(parsed("sym:AREA")), signal);
  assert.equal(found.stats.flushReason, "SHARD_DAMAGED");
  assert.deepEqual(damage, [file]);
  assert.equal(await directory.dropSymbols(file), true);
  assert.equal((await engine.search(planOf(parsed("const AREA")), signal)).stats.totalMatchCount, 2);
  assert.equal((await engine.search(planOf(parsed("sym:AREA")), signal)).stats.flushReason, "INDEXING");
  await addSymbols(directory);
  const again = await engine.search(planOf(parsed("sym:^AREA$ case:yes")), signal);
  assert.deepEqual(texts(again.files), ["test/AREA.go: AREA"]);
  assert.equal(again.isExhaustive, true);
  await engine.close();
});

function request(
  kind: SymbolRequest["name"]["kind"],
  text: string,
  change: Partial<SymbolRequest> & { readonly caseSensitive?: boolean } = {},
): SymbolRequest {
  const { caseSensitive = false, ...rest } = change;
  return {
    name: { kind, text, caseSensitive },
    withLocals: true,
    repositories: "all",
    revisions: [],
    unsaved: [],
    preferred: [],
    limit: 100,
    ...rest,
  };
}

/** Defines three symbols for each `needle`: a function and a class at its start, and a function inside it. */
function needles(text: string): Definition[] {
  return [...text.matchAll(/needle/g)].flatMap(({ index }) => {
    const start = Buffer.byteLength(text.slice(0, index));
    const define = (name: string, kind: SymbolKind, nameStart: number): Definition => ({
      ...{ name, kind, nameStart, nameEnd: nameStart + name.length, start, end: start + 6 },
      ...{ parent: -1, owner: "", isLocal: false },
    });
    return [
      define("needle", "function", start),
      define("needle", "class", start),
      define("need", "function", start + 1),
    ];
  });
}

test("thousands of definitions in one line, some at the same location, are found", async () => {
  const content = `first\n${"ä needle 𝒜 ".repeat(500)}\nneedle\n`;
  const document = { path: "long.go", language: "Go", content };
  const directory = await openIndex([{ id: 1, segments: [[document]] }]);
  const parsers: SymbolParsers = {
    ...testParsers(),
    packedSymbols: async () => [pack({ definitions: needles(content), imports: [] })],
  };
  await addSymbols(directory, parsers);
  const { engine } = openEngine(directory);
  for (const [prefix, kinds] of [
    ["needle", ["class", "function"]],
    ["need", ["class", "function", "function"]],
  ] as const) {
    const { symbols } = await engine.findSymbols(request("prefix", prefix, { limit: 5000 }), signal);
    assert.equal(symbols.length, 501 * kinds.length);
    const lines = content.split("\n");
    const kindsAt = new Map<number, string[]>();
    for (const { name, kind, range, line, start } of symbols) {
      const { byteOffset, lineNumber, column } = range.start;
      const shown = lines[lineNumber - 1] ?? "";
      const before = [...shown].slice(0, column - 1).join("");
      const lineStart = Buffer.byteLength(lines.slice(0, lineNumber - 1).join("\n")) + 1;
      assert.equal(byteOffset, lineStart + Buffer.byteLength(before));
      assert.deepEqual(
        [range.end.byteOffset - byteOffset, range.end.column - column],
        [name.length, name.length],
      );
      assert.equal(line, shown.slice(0, line.length));
      kindsAt.set(start, [...(kindsAt.get(start) ?? []), kind].sort());
    }
    assert.deepEqual(new Set([...kindsAt.values()].map(String)), new Set([kinds.join()]));
  }
  await engine.close();
});

test("definitions are found by name", async (context) => {
  const { engine } = openEngine(await indexed(), { workerCount: 2 });
  const rows: readonly (readonly [string, SymbolRequest, readonly string[]])[] = [
    ["exact", request("exact", "area", { caseSensitive: true }), ["shape.go area Shape", "late.py area"]],
    ["in any case", request("exact", "area"), ["shape.go area Shape", "late.py area", "test/AREA.go AREA"]],
    [
      "by prefix, an exact match first",
      request("prefix", "area", { caseSensitive: true }),
      ["shape.go area Shape", "late.py area", "shape.go areaOf"],
    ],
    ["fuzzy", request("fuzzy", "aof"), ["shape.go areaOf"]],
    [
      "fuzzy, the shorter first",
      request("fuzzy", "are"),
      ["shape.go area Shape", "late.py area", "test/AREA.go AREA", "shape.go areaOf"],
    ],
    ["fuzzy in the middle", request("fuzzy", "hap"), ["shape.go Shape"]],
    ["of a kind", request("prefix", "a", { kinds: ["constant"] }), ["test/AREA.go AREA"]],
    ["of a language", request("prefix", "area", { languages: ["Python"] }), ["late.py area"]],
    ["on a revision", request("prefix", "area", { revisions: ["next"] }), ["next.go area_next"]],
    [
      "in a repository",
      request("exact", "area", { repositories: new Set([2 as RepositoryId]) }),
      ["test/AREA.go AREA"],
    ],
    ["locals", request("exact", "inner"), ["late.py inner"]],
    ["no locals", request("exact", "inner", { withLocals: false }), []],
    ["nothing", request("exact", "are"), []],
    ["the best few", request("prefix", "area", { limit: 1 }), ["shape.go area Shape"]],
  ];
  for (const [name, plan, expected] of rows) {
    await context.test(name, async () => {
      const { symbols, flushReason } = await engine.findSymbols(plan, signal);
      assert.deepEqual(
        symbols.map((each) => [each.document.path, each.name, each.parent.name].join(" ").trim()),
        expected,
      );
      assert.equal(flushReason, plan.limit === 1 ? "MATCH_LIMIT" : "NONE");
    });
  }
  const [area] = (await engine.findSymbols(request("exact", "area"), signal)).symbols;
  assert.deepEqual(area?.range, {
    start: { byteOffset: 18, lineNumber: 2, column: 7 },
    end: { byteOffset: 22, lineNumber: 2, column: 11 },
  });
  assert.equal(area?.line, "  def area");
  assert.deepEqual(area?.document.branches, ["refs/heads/main"]);
  await engine.close();
});

test("definitions are part of a limited result, whichever worker has found enough first", async () => {
  const content = `def area width\n${"area width\n".repeat(2000)}`;
  const document = { path: "area.go", language: "Go", content };
  const directory = await openIndex([
    { id: 1, segments: [[document]] },
    { id: 2, segments: [[document]] },
  ]);
  await addSymbols(directory);
  const query: Query = { kind: "and", children: [literal("area"), literal("width")] };
  const phrase = { kind: "literal", text: "area width", caseSensitive: true } as const;
  for (const workerCount of [1, 2]) {
    const { engine } = openEngine(directory, { workerCount });
    // One of them comes last in the search order, but is searched first.
    for (const id of [1 as RepositoryId, 2 as RepositoryId]) {
      const result = await search(engine, query, { maxMatches: 1 }, { phrase, preferred: [id] });
      assert.deepEqual(
        [result.files[0]?.repositoryId, result.stats.totalMatchCount, result.phraseMatchCount],
        [id, 2 * 4002, 2 * 2001],
        `${workerCount} workers, repository ${id}`,
      );
    }
    await engine.close();
  }
});

test("documents are returned with their text and symbols", async () => {
  const directory = await indexed();
  const { engine } = openEngine(directory, { workerCount: 2 });
  const repositoryId = 1 as RepositoryId;
  const content = "class Shape\n  def area\n  field width\ndef areaOf\nimport math\n";
  const [shape, next, gone, onNext, prose, byBlob] = await engine.readDocuments(
    [
      { repositoryId, path: "shape.go", withSymbols: true },
      { repositoryId, path: "next.go" },
      { repositoryId, path: "nothing.go" },
      { repositoryId, path: "next.go", revision: "next" },
      { repositoryId, path: "notes.txt", withSymbols: true },
      { repositoryId, path: "shape.go", blob: "0".repeat(40) },
    ],
    signal,
  );
  assert.equal(Buffer.from(shape?.content ?? []).toString(), content);
  assert.deepEqual(shape?.symbols, parseTestLanguage(content));
  assert.equal(next, undefined);
  assert.equal(gone, undefined);
  assert.deepEqual([onNext?.branches, onNext?.origin], [["refs/heads/next"], "commit"]);
  assert.ok(onNext !== undefined && !("symbols" in onNext));
  assert.ok(prose !== undefined && !("symbols" in prose));
  assert.equal(byBlob, undefined);
  const [again] = await engine.readDocuments(
    [{ repositoryId, path: "shape.go", blob: shape?.blobSha ?? "" }],
    signal,
  );
  assert.equal(again?.path, "shape.go");
  await engine.close();
});

test("unsaved documents are searched with their text in the editor", async () => {
  const directory = await indexed();
  const texts: string[] = [];
  const { engine } = openEngine(directory, {
    workerCount: 2,
    parsers: testParsers((text) => texts.push(text)),
  });
  const unsaved = [
    {
      repositoryId: 1 as RepositoryId,
      path: "shape.go",
      text: "class Circle\n  def area\n",
      language: "Go",
      version: "1",
    },
  ];
  const paths = async (text: string) => {
    const { files, isExhaustive } = await engine.search(planOf(parsed(text), {}, { unsaved }), signal);
    assert.equal(isExhaustive, true);
    return files.map(({ path, origin }) => `${path} ${origin}`);
  };
  assert.deepEqual(await paths("sym:circle"), ["shape.go unsaved"]);
  assert.deepEqual(await paths("sym:areaOf"), []);
  assert.equal(texts.length, 1);
  const { symbols } = await engine.findSymbols(request("exact", "area", { unsaved }), signal);
  assert.deepEqual(
    symbols.map(({ document, parent }) => `${document.path} ${document.origin} ${parent.name}`.trim()),
    ["shape.go unsaved Circle", "late.py commit", "test/AREA.go commit"],
  );
  await engine.close();
});

test("all definitions of a name are found, even after one that reaches the limit by itself", async () => {
  const directory = await openIndex(
    [1, 2, 3].map((id) => ({
      id,
      segments: [
        [{ path: "a.go", language: "Go", content: `def wanted\n${id === 1 ? "wanted\n".repeat(2000) : ""}` }],
      ],
    })),
  );
  await addSymbols(directory);
  for (const workerCount of [1, 2]) {
    const { engine } = openEngine(directory, { workerCount });
    const limits = { maxMatches: 300, maxDisplayedMatches: 3000 };
    const { files } = await engine.search(planOf(parsed("wanted"), limits), signal);
    assert.deepEqual(files.map(({ repositoryId }) => Number(repositoryId)).sort(), [1, 2, 3]);
    await engine.close();
  }
});

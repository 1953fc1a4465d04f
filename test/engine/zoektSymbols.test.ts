/** Symbols of documents on three Zoekt nodes, compared with the embedded engine: on doubles, and on real nodes if there are any. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { Engine, SymbolRequest } from "#engine/engine";
import { categorize } from "#languages/categorize";
import { documentCategories } from "#model/document";
import { symbolKinds } from "#model/symbol";
import { simplifyQuery } from "#query/analysis/simplify";
import type { Query } from "#query/query";
import { openEngine, search } from "#test/support/engines";
import { combined } from "#test/support/randomQueries";
import { addSymbols, testParsers } from "#test/support/testLanguage";
import {
  type Cluster,
  type ClusterRepository,
  embeddedIndex,
  openCluster,
  startNodes,
} from "#test/support/zoektCluster";
import { hasZoekt, withoutZoekt } from "#test/support/zoektPrograms";

const nodeCount = 3;
const branches = ["main", "next"];
const names = ["foo", "Foo", "foobar", "fooBar", "bar", "kelvin", "run-it", "éab", "A"];

const lines = fc
  .tuple(
    fc.constantFrom("class ", "def ", "  def ", "const ", "  field ", "local def ", "import ", "", "call "),
    fc.constantFrom(...names),
  )
  .map(([start, name]) => `${start}${name}\n`);
const contents = fc.array(lines, { maxLength: 8 }).map((parts) => Buffer.from(`# text\n${parts.join("")}`));
const paths = fc
  .tuple(fc.constantFrom("a", "src/b", "test/c", "vendor/d/e"), fc.constantFrom(".go", ".py", ".txt"))
  .map((parts) => parts.join(""));

const repositories = fc
  .array(
    fc.uniqueArray(
      fc.record({ path: paths, content: contents, held: fc.subarray([0, 1], { minLength: 1 }) }),
      { selector: ({ path }) => path, minLength: 1, maxLength: 6 },
    ),
    { minLength: 3, maxLength: 6 },
  )
  .map((generated) =>
    generated.map(
      (files, index): ClusterRepository => ({
        id: index + 1,
        branches,
        documents: files
          .map(({ path, content, held }) => ({ path, content, branches: held }))
          .sort(
            (left, right) =>
              indexRank(left.path) - indexRank(right.path) || (left.path < right.path ? -1 : 1),
          ),
      }),
    ),
  );

/** The order of an index: by category, then by depth. */
function indexRank(path: string): number {
  return documentCategories.indexOf(categorize(path)) * 1024 + path.split("/").length;
}

const patterns = fc.oneof(
  fc.record({
    kind: fc.constant("literal" as const),
    text: fc.constantFrom(...names, "o", "oo", "fOO"),
    caseSensitive: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant("regexp" as const),
    source: fc.constantFrom(
      "^foo$",
      "^f",
      "r$",
      "\\bit\\b",
      "foo|bar",
      ".",
      "o+B",
      "\\Akelvin\\z",
      "\\W",
      "(?i)^FOO",
    ),
    caseSensitive: fc.boolean(),
  }),
);
const queries = fc
  .letrec<{ tree: Query; leaf: Query }>((tie) => ({
    leaf: fc.oneof(
      { weight: 3, arbitrary: fc.record({ kind: fc.constant("symbol" as const), pattern: patterns }) },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant("text" as const),
          pattern: patterns,
          where: fc.constantFrom("content" as const, "name" as const, "both" as const),
        }),
      },
      fc.record({ kind: fc.constant("language" as const), names: fc.subarray(["Python", "Go", "Text"]) }),
      fc.record({ kind: fc.constant("revision" as const), names: fc.constantFrom(["next"], ["*"]) }),
    ),
    tree: combined(tie("leaf"), tie("tree"), ["symbol", "symbol", "file", "repo"]),
  }))
  .tree.map(simplifyQuery);

const requests: fc.Arbitrary<SymbolRequest> = fc.record({
  name: fc.record({
    kind: fc.constantFrom("exact" as const, "exact" as const, "prefix" as const),
    text: fc.constantFrom("foo", "Foo", "bar", "kelvin", "run", "run-it", "fooB", "none", "éab"),
    caseSensitive: fc.boolean(),
  }),
  kinds: fc.oneof(fc.constant(symbolKinds), fc.constant(["function" as const])),
  languages: fc.constantFrom(["Go", "Python"], ["Python"]),
  withLocals: fc.boolean(),
  repositories: fc.constant("all" as const),
  revisions: fc.constantFrom<readonly string[]>([], [], ["next"], ["*"]),
  unsaved: fc.constant([]),
  preferred: fc.constant([]),
  limit: fc.constantFrom(1, 3, 100),
});

interface Engines {
  readonly cluster: Cluster;
  readonly own: Engine;
}

async function withEngines(
  kind: "double" | "zoekt",
  indexed: readonly ClusterRepository[],
  use: (engines: Engines) => Promise<void>,
): Promise<void> {
  const nodes = await startNodes(kind, indexed, nodeCount);
  const cluster = await openCluster(nodes.urls, indexed);
  await cluster.repositories.refresh();
  const directory = await embeddedIndex(indexed);
  await addSymbols(directory);
  const { engine: own } = openEngine(directory, { parsers: testParsers() });
  try {
    await use({ cluster, own });
  } finally {
    await own.close();
    await cluster.close();
    await nodes.stop();
  }
}

/** With enclosing definitions, so that definitions count for scores in all searches. */
const limits = { maxMatches: 5000, contextLines: 1, findsEnclosing: true };

/** The result in its order, without commits, which are made up. */
async function found(engine: Engine, query: Query) {
  const { files, stats, isExhaustive } = await search(engine, query, limits);
  const lines = files.map(({ chunks, commit: _, ...file }) => ({
    ...file,
    chunks: Buffer.from(chunks).toString("utf8"),
  }));
  return { lines, matches: stats.totalMatchCount, reason: stats.flushReason, isExhaustive };
}

async function definitions(engine: Engine, request: SymbolRequest) {
  const { symbols, ...rest } = await engine.findSymbols(request, new AbortController().signal);
  return {
    symbols: symbols.map(({ document: { commit: _, ...document }, ...each }) => ({ ...each, document })),
    ...rest,
  };
}

const text: Query = {
  kind: "text",
  pattern: { kind: "literal", text: "foo", caseSensitive: false },
  where: "content",
};
const nestedTypes: [Query][] = [
  [{ kind: "type", type: "symbol", child: { kind: "type", type: "file", child: text } }],
  [{ kind: "type", type: "file", child: { kind: "type", type: "symbol", child: text } }],
];

async function checkAll({ cluster, own }: Engines, seed: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(queries, async (query) => {
      assert.deepEqual(await found(cluster.engine, query), await found(own, query));
    }),
    { numRuns, seed, examples: nestedTypes },
  );
  await fc.assert(
    fc.asyncProperty(requests, async (request) => {
      const [remote, local] = [await definitions(cluster.engine, request), await definitions(own, request)];
      assert.deepEqual(remote, local);
    }),
    { numRuns, seed },
  );
}

const numRuns = Number(process.env["RUNS"] ?? 25);

async function compare(kind: "double" | "zoekt", seed: number): Promise<void> {
  const [indexed = []] = fc.sample(repositories, { numRuns: 1, seed });
  await withEngines(kind, indexed, (engines) => checkAll(engines, seed));
}

test("symbols on three doubles are those of the embedded engine, in its order", async (t) => {
  const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
  t.diagnostic(`SEED=${seed}`);
  await compare("double", seed);
});

describe(`on three real nodes${withoutZoekt}`, { skip: !hasZoekt }, () => {
  test("symbols are those of the embedded engine, in its order", async () => {
    await compare("zoekt", Number(process.env["SEED"] ?? 7));
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { FileMatch } from "#model/match";
import type { Query } from "#query/query";
import { simplifyQuery } from "#query/simplify";
import type { IndexedRevision } from "#shard/directory";
import { type BruteDocument, brutePosition, bruteQuery, decodeBrute } from "#test/support/bruteForce";
import { openEngine, openIndex, rangeLines, search } from "#test/support/engines";

const revisions: readonly IndexedRevision[] = ["main", "next", "old"].map((name, slot) => ({
  name: `refs/heads/${name}`,
  commit: `${slot}`.repeat(40),
  slot,
}));

const words = [
  "foo",
  "Foo",
  "bar",
  "s",
  "k",
  "K",
  "\u212a",
  "\u017f",
  "é",
  "É",
  "👍",
  " ",
  " ",
  "\n",
  "\n",
  "\r\n",
  "_",
  ".",
];
const wordText = (maxLength: number) =>
  fc.array(fc.constantFrom(...words), { maxLength }).map((parts) => parts.join(""));
const contents = fc.oneof(
  { weight: 6, arbitrary: wordText(20).map((text) => new Uint8Array(Buffer.from(text))) },
  { weight: 1, arbitrary: fc.uint8Array({ min: 1, maxLength: 30 }) },
  { weight: 1, arbitrary: wordText(6).map((text) => new Uint8Array(Buffer.from(text.repeat(400)))) },
);
const paths = fc
  .array(fc.constantFrom("foo", "Bar", "s", "\u212a", "é", "a.b", "test", "x\nfoo", "c\rd"), {
    minLength: 1,
    maxLength: 3,
  })
  .map((parts) => parts.join("/"));
const slots = fc.subarray([0, 1, 2], { minLength: 1 });

interface Made {
  readonly path: string;
  readonly content: Uint8Array;
  readonly language: string;
  readonly slots: number[];
}

const documents: fc.Arbitrary<Made[]> = fc.uniqueArray(
  fc.record({ path: paths, content: contents, language: fc.constantFrom("C", "Go", ""), slots }),
  { selector: ({ path }) => path, maxLength: 8 },
);

const sources = fc.constantFrom(
  "fo+",
  "^",
  "$",
  "^$",
  "\\b",
  "s",
  "(?i)k",
  "[a-s]+",
  "x*",
  "foo|bar",
  ".",
  "(?s).",
  "\\s+",
  "o\\n",
  "\\Af",
  "\\n\\z",
  "é+",
  "\\W",
  "[^a-z]",
  "f.*r",
  "(?:foo|Foo)+?",
  "\\.",
  "k$",
);
const patterns = fc.oneof(
  fc.record({
    kind: fc.constant("literal" as const),
    text: wordText(4).filter((text) => text !== ""),
    caseSensitive: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("regexp" as const), source: sources, caseSensitive: fc.boolean() }),
);
const texts: fc.Arbitrary<Query> = fc.record({
  kind: fc.constant("text" as const),
  pattern: patterns,
  where: fc.constantFrom("content" as const, "name" as const, "both" as const),
});

/** Trees as the service hands them over: simplified. */
function trees(withRevisions: boolean): fc.Arbitrary<Query> {
  const { tree } = fc.letrec<{ tree: Query; leaf: Query }>((tie) => ({
    leaf: fc.oneof(
      { weight: 6, arbitrary: texts },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant("language" as const), names: fc.subarray(["C", "Go"]) }),
      },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant("repositoryIds" as const), ids: fc.subarray([1, 2, 3]) }),
      },
      ...(withRevisions
        ? [
            {
              weight: 2,
              arbitrary: fc.record({
                kind: fc.constant("revision" as const),
                names: fc.subarray(["main", "next", "old", "*", "gone"], { minLength: 1 }),
              }),
            },
          ]
        : []),
    ),
    tree: fc.oneof(
      { maxDepth: 3, depthSize: "small" },
      tie("leaf"),
      fc.record({
        kind: fc.constantFrom("and" as const, "or" as const),
        children: fc.array(tie("tree"), { minLength: 1, maxLength: 3 }),
      }),
      fc.record({ kind: fc.constant("not" as const), child: tie("tree") }),
    ),
  }));
  const asked = fc.oneof(
    { weight: 6, arbitrary: tree },
    { weight: 1, arbitrary: tree.map((child): Query => ({ kind: "type", type: "file", child })) },
  );
  return asked.map(simplifyQuery);
}

function mentionsRevision(query: Query): boolean {
  if (query.kind === "revision") return true;
  if (query.kind === "not" || query.kind === "type") return mentionsRevision(query.child);
  return "children" in query && query.children.some(mentionsRevision);
}

/** What the answer has to be, document by document; without a revision in the query only `main` counts. */
function expectedLines(documents: readonly BruteDocument[], query: Query): string[] {
  const brute = bruteQuery(query);
  const isOpen = mentionsRevision(query);
  return documents
    .filter(({ refs }) => isOpen || refs?.includes("main"))
    .flatMap((document) => {
      const hit = brute(document);
      const where = hit?.where === "name" ? "name " : "";
      return (hit?.ranges ?? []).map(
        ([start, end]) => `${document.repositoryId} ${document.path} ${where}${start}+${end - start}`,
      );
    })
    .sort();
}

/** Lines and columns are those of the bytes, and chunks are the text around them. */
function checkPlaces(files: readonly FileMatch[], documents: readonly BruteDocument[]): void {
  for (const file of files) {
    const document = documents.find(
      (each) => each.repositoryId === file.repositoryId && each.path === file.path,
    );
    for (const { content, contentStart, matchRanges } of file.chunks) {
      const bytes = document?.content ?? new Uint8Array(0);
      const { text } = decodeBrute(bytes.slice(contentStart.byteOffset));
      assert.ok(text.startsWith(content));
      for (const place of matchRanges.flatMap(({ start, end }) => [start, end])) {
        const { byteOffset, ...position } = place;
        assert.deepEqual(position, brutePosition(bytes, byteOffset));
      }
    }
  }
}

for (const withRevisions of [false, true]) {
  test(`any query over any documents${withRevisions ? " and revisions" : ""}`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(documents, { minLength: 1, maxLength: 3 }),
        fc.array(trees(withRevisions), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 3 }),
        async (repositories, queries, workerCount) => {
          const brute = repositories.flatMap((made, index) =>
            made.map(
              ({ path, content, language, slots: held }): BruteDocument => ({
                repositoryId: index + 1,
                path,
                content,
                language,
                refs: held.map((slot) => ["main", "next", "old"][slot] ?? ""),
              }),
            ),
          );
          const directory = await openIndex(
            repositories.map((made, index) => ({
              id: index + 1,
              revisions,
              segments: [made.slice(0, 5), ...(made.length > 5 ? [made.slice(5)] : [])],
            })),
          );
          const { engine } = openEngine(directory, { workerCount });
          for (const query of queries) {
            const { files, stats, exhaustive } = await search(engine, query, { contextLines: 1 });
            assert.deepEqual(rangeLines(files), expectedLines(brute, query));
            assert.equal(stats.totalMatchCount, rangeLines(files).length);
            assert.equal(stats.fileCount, files.length);
            assert.equal(exhaustive, true);
            checkPlaces(files, brute);
            const counted = await search(engine, query, { maxDisplayedMatches: 0 });
            assert.deepEqual(
              [counted.stats.totalMatchCount, counted.stats.fileCount, counted.files.length],
              [stats.totalMatchCount, stats.fileCount, 0],
            );
          }
          await engine.close();
        },
      ),
      { numRuns: Number(process.env["RUNS"] ?? 60) },
    );
  });
}

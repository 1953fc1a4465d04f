import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { printPlan } from "#engine/engine";
import { type Chunk, decodeChunks, type FileMatch } from "#model/match";
import type { RepositoryId } from "#model/repository";
import type { Pattern, Query } from "#query/query";
import type { IndexedRevision } from "#shard/directory/manifest";
import { type BruteDocument, brutePosition, bruteQuery, decodeBrute } from "#test/support/bruteForce";
import { literal, openEngine, openIndex, planOf, rangeLines, search } from "#test/support/engines";
import { expectedLines, trees, wordText } from "#test/support/randomQueries";

const revisions: readonly IndexedRevision[] = ["main", "next", "old"].map((name, slot) => ({
  name: `refs/heads/${name}`,
  commit: `${slot}`.repeat(40),
  slot,
}));

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

interface GeneratedDocument {
  readonly path: string;
  readonly content: Uint8Array;
  readonly language: string;
  readonly slots: number[];
}

const documents: fc.Arbitrary<GeneratedDocument[]> = fc.uniqueArray(
  fc.record({ path: paths, content: contents, language: fc.constantFrom("C", "Go", ""), slots }),
  { selector: ({ path }) => path, maxLength: 8 },
);

function containsPhrase(pattern: Pattern, document: BruteDocument | undefined): boolean {
  const query: Query = { kind: "text", pattern, where: "content" };
  return document !== undefined && bruteQuery(query)(document) !== undefined;
}

/** Checks that a file of `files` has its chunks in another order if some contain the phrase: these first. */
function checkPhraseFirst(
  ordered: FileMatch,
  files: readonly FileMatch[],
  phrase: Pattern,
  documents: readonly BruteDocument[],
): void {
  const { repositoryId, path } = ordered;
  const isSame = (each: { repositoryId: number; path: string }) =>
    each.repositoryId === repositoryId && each.path === path;
  const document = documents.find(isSame);
  const query: Query = { kind: "text", pattern: phrase, where: "content" };
  const occurrences = (document && bruteQuery(query)(document)?.ranges) ?? [];
  const hasPhrase = ({ matchRanges }: Chunk) =>
    matchRanges.some(({ start, end }) =>
      occurrences.some(([from, to]) => start.byteOffset < to && end.byteOffset > from),
    );
  const chunks = files.filter(isSame).flatMap(decodeChunks);
  const expected = [...chunks.filter(hasPhrase), ...chunks.filter((chunk) => !hasPhrase(chunk))];
  assert.deepEqual(decodeChunks(ordered), expected);
}

/** Checks that lines and columns match byte offsets, and that chunks contain the text at them. */
function checkPositions(files: readonly FileMatch[], documents: readonly BruteDocument[]): void {
  for (const file of files) {
    const document = documents.find(
      (each) => each.repositoryId === file.repositoryId && each.path === file.path,
    );
    for (const { content, contentStart, matchRanges } of decodeChunks(file)) {
      const bytes = document?.content ?? new Uint8Array(0);
      const { text } = decodeBrute(bytes.slice(contentStart.byteOffset));
      assert.ok(text.startsWith(content));
      for (const edge of matchRanges.flatMap(({ start, end }) => [start, end])) {
        const { byteOffset, ...position } = edge;
        assert.deepEqual(position, brutePosition(bytes, byteOffset));
      }
    }
  }
}

/** Texts that the words of the documents are likely to form. */
const phrases = fc.record({
  kind: fc.constant("literal" as const),
  text: fc.constantFrom("foo bar", "bar foo", "Foofoo", "ar_", "é.fo"),
  caseSensitive: fc.boolean(),
});

for (const withRevisions of [false, true]) {
  test(`any query finds what brute force finds in any documents${withRevisions ? " and revisions" : ""}`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(documents, { minLength: 1, maxLength: 3 }),
        fc.array(trees(withRevisions), { minLength: 1, maxLength: 6 }),
        phrases,
        fc.integer({ min: 1, max: 3 }),
        async (repositories, queries, phrase, workerCount) => {
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
            const { files, stats, isExhaustive } = await search(engine, query, { contextLines: 1 });
            assert.deepEqual(rangeLines(files), expectedLines(brute, query));
            assert.equal(stats.totalMatchCount, rangeLines(files).length);
            assert.equal(stats.fileCount, files.length);
            assert.equal(isExhaustive, true);
            checkPositions(files, brute);
            const ordered = await search(engine, query, { contextLines: 1 }, { phrase });
            assert.deepEqual(rangeLines(ordered.files), rangeLines(files));
            const hasPhrase = ordered.files.map(({ repositoryId, path }) =>
              containsPhrase(
                phrase,
                brute.find((each) => each.repositoryId === repositoryId && each.path === path),
              ),
            );
            assert.deepEqual(
              hasPhrase,
              hasPhrase.toSorted((left, right) => Number(right) - Number(left)),
            );
            for (const file of ordered.files) checkPhraseFirst(file, files, phrase, brute);
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

test("a plan prints itself in one line", () => {
  const plan = planOf(literal("key"), { maxMatches: 10 }, { preferred: [2 as RepositoryId] });
  assert.equal(
    printPlan(plan),
    'content:"key" repositories=all maxMatches=10 maxDisplayedMatches=10 unsaved=0 preferred=2',
  );
});

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { EmbeddedEngine } from "#engine/embedded/embeddedEngine";
import type { Query } from "#query/query";
import { skipReason } from "#shard/format/skipReason";
import { type BruteDocument, bruteFinder, bruteQuery, decodeBrute } from "#test/support/bruteForce";
import { type CorpusDocument, filesBelow, hugeLines, Random, shapedDocuments } from "#test/support/corpus";
import { literal, openEngine, openIndex, rangeLines, regexp, search } from "#test/support/engines";

/** To use another seed, run `SEED=7 node --test out/test/engine/differential.test.js`. */
const seed = Number(process.env["SEED"] ?? 1);

/** Opens an engine on the documents whose text is indexed, in two repositories of two segments. */
async function engineOver(documents: readonly CorpusDocument[]) {
  const texts = documents.filter(({ content }) => skipReason(content) === undefined);
  const brute: BruteDocument[] = texts.map(({ path, content }, index) => ({
    repositoryId: 1 + (index % 2),
    path,
    content,
  }));
  const of = (repositoryId: number, part: number) =>
    brute.filter((document, index) => document.repositoryId === repositoryId && (index >> 1) % 2 === part);
  const directory = await openIndex([1, 2].map((id) => ({ id, segments: [of(id, 0), of(id, 1)] })));
  return { brute, ...openEngine(directory, { workerCount: 2 }) };
}

/** Compares the ranges of both searches; a failure prints the first few that only one of them found. */
async function check(
  engine: EmbeddedEngine,
  documents: readonly BruteDocument[],
  query: Query,
): Promise<number> {
  const brute = bruteQuery(query);
  const expected = documents
    .flatMap((document) =>
      (brute(document)?.ranges ?? []).map(
        ([start, end]) => `${document.repositoryId} ${document.path} ${start}+${end - start}`,
      ),
    )
    .sort();
  const { files, stats } = await search(engine, query);
  const label = `seed ${seed}: ${JSON.stringify(query)}`;
  const actual = rangeLines(files);
  assert.equal(stats.totalMatchCount, actual.length, label);
  if (actual.join("\n") === expected.join("\n")) return expected.length;
  const known = new Set(actual);
  const expectedLines = new Set(expected);
  // If an expression takes too long on a document, the search skips it and reports that.
  const isWhole = stats.flushReason !== "TIME_LIMIT";
  assert.deepEqual(
    {
      surplus: actual.filter((line) => !expectedLines.has(line)).slice(0, 5),
      missing: isWhole ? expected.filter((line) => !known.has(line)).slice(0, 5) : [],
    },
    { surplus: [], missing: [] },
    label,
  );
  return expected.length;
}

/** Returns text of a random length from a random offset, sometimes with one letter changed. */
function fragment(random: Random, documents: readonly BruteDocument[], maxLength: number): string {
  for (;;) {
    const { content } = random.pick(documents);
    if (content.length === 0) continue;
    const at = random.between(0, content.length - 1);
    const { text } = decodeBrute(content.subarray(at, at + random.between(1, maxLength) * 2));
    const letters = Array.from(text.replaceAll("\ufffd", "")).slice(0, random.between(1, maxLength));
    if (letters.length === 0) continue;
    if (random.chance(0.15))
      letters[random.between(0, letters.length - 1)] = random.pick(["x", "S", "k", "é", " "]);
    if (random.chance(0.2)) return letters.join("").toUpperCase();
    return letters.join("");
  }
}

function isEmptySomewhere(source: string): boolean {
  return bruteFinder({ kind: "regexp", source, caseSensitive: true })(Buffer.from("\u0001 ")).some(
    ([start, end]) => start === end,
  );
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** Returns an expression that often matches: text of the corpus with generalized parts. */
function expression(random: Random, documents: readonly BruteDocument[]): string {
  const piece = (): string => {
    const text = fragment(random, documents, random.pick([3, 8, 20]));
    const letters = Array.from(text).map((letter) => {
      const roll = random.next();
      if (roll < 0.06) return ".";
      if (roll < 0.09) return letter === "\n" ? "\\s" : `[^${escaped(letter)}x-]?`;
      if (roll < 0.12)
        return random.pick(["\\w", "\\d", "\\s", "\\W", "[a-z]", "[A-Za-z0-9_]", "[^\\n]", "\\pL", "[кК]"]);
      if (roll < 0.15)
        return `${escaped(letter)}${random.pick(["*", "+", "?", "{2}", "{1,3}", "*?", "+?", "??"])}`;
      return escaped(letter);
    });
    return letters.join("");
  };
  const build = (depth: number): string => {
    switch (random.between(0, depth > 2 ? 3 : 9)) {
      case 0:
      case 1:
      case 2:
        return piece();
      case 3:
        return random.pick([
          "\\w+",
          "[a-z]+_?",
          "\\s*",
          "x*",
          "\\d+",
          ".*",
          "[A-Z]\\w*",
          "\\S+\\s",
          "$",
          "^",
          "^$",
          "\\b",
          "\\B",
        ]);
      case 4:
        return `${build(depth + 1)}${build(depth + 1)}`;
      case 5:
        return `(?:${build(depth + 1)}|${build(depth + 1)})`;
      case 6:
        return `(${piece()})${random.pick(["+", "{1,2}", "?", ""])}`;
      case 7:
        return random.pick([
          `^${piece()}`,
          `${piece()}$`,
          `\\b${piece()}\\b`,
          `\\A${piece()}`,
          `${piece()}\\z`,
        ]);
      case 8:
        return `(?i:${build(depth + 1)})`;
      default:
        return `${piece()}${random.pick([".*", "\\s+", "\\n", "[^;]*", "(?s:.{0,20})", ".*?"])}${piece()}`;
    }
  };
  return build(0);
}

describe("finds the ranges that brute force finds, and no others", () => {
  const engines: EmbeddedEngine[] = [];
  after(() => Promise.all(engines.map((engine) => engine.close())));

  const small = ({ content }: CorpusDocument) => content.length < 100_000;
  const trees: readonly (readonly [
    name: string,
    documents: () => CorpusDocument[],
    literals: number,
    expressions: number,
  ])[] = [
    ["shaped documents", () => shapedDocuments(seed), 50, 0],
    ["small shaped documents", () => shapedDocuments(seed).filter(small), 15, 35],
    ["the project", () => filesBelow("server", 1_200_000), 35, 0],
    ["the project's heart", () => filesBelow("server/src/shard", 150_000), 10, 35],
    ["a package", () => filesBelow("node_modules/re2js", 900_000), 20, 0],
    ["a package of small files", () => filesBelow("node_modules/fastify", 150_000), 20, 25],
    ["huge lines", hugeLines, 4, 0],
  ];
  for (const [name, documents, literalCount, expressionCount] of trees) {
    describe(name, () => {
      let opened: Awaited<ReturnType<typeof engineOver>>;
      before(async () => {
        opened = await engineOver(documents());
        engines.push(opened.engine);
      });

      test("literals", async () => {
        const random = new Random(seed * 31 + literalCount);
        let matches = 0;
        for (let count = 0; count < literalCount; count++) {
          const text = fragment(random, opened.brute, 40);
          matches += await check(
            opened.engine,
            opened.brute,
            literal(text, { caseSensitive: random.chance(0.5) }),
          );
        }
        assert.ok(matches > literalCount);
      });

      test("expressions", async () => {
        const random = new Random(seed * 37 + expressionCount);
        for (let count = 0; count < expressionCount; count++) {
          let source = expression(random, opened.brute);
          // Expressions that match the empty string have millions of matches, so a few are enough.
          while (isEmptySomewhere(source) && random.chance(0.9)) source = expression(random, opened.brute);
          const caseSensitive = random.chance(0.6);
          await check(opened.engine, opened.brute, regexp(source, { caseSensitive }));
        }
      });
    });
  }
});

/** The score of the retrieval benchmark, and the project's own questions. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { packageTrees } from "./packageTrees";
import { ownQuestions, type QuestionSet, readQuestions } from "./questions";
import { contentWords, halfOf, meanScore, scoreRanking } from "./retrievalScore";

const nine = ["b", "c", "d", "e", "f", "g", "h", "i", "j"];
/** 1 / log2(rank + 1) of the ranks 2, 3 and 10. */
const [second, third, tenth] = [0.63093, 0.5, 0.28906];

/** A row is a ranking, the targets, and the expected NDCG@10, recall@10 and reciprocal rank. */
const rows: readonly (readonly [string, readonly string[], readonly string[], number, number, number])[] = [
  ["the only target first", ["a", "b"], ["a"], 1, 1, 1],
  ["second", ["b", "a"], ["a"], second, 1, 1 / 2],
  ["third", ["b", "c", "a"], ["a"], third, 1, 1 / 3],
  ["tenth", [...nine, "a"], ["a"], tenth, 1, 1 / 10],
  ["after the tenth", [...nine, "k", "a"], ["a"], 0, 0, 1 / 11],
  ["missing", nine, ["a"], 0, 0, 0],
  ["no files", [], ["a"], 0, 0, 0],
  ["both targets first", ["a", "b", "c"], ["b", "a"], 1, 1, 1],
  ["first and third of two", ["a", "c", "b"], ["a", "b"], (1 + third) / (1 + second), 1, 1],
  ["one of two, second", ["c", "b"], ["a", "b"], second / (1 + second), 1 / 2, 1 / 2],
  ["ten of eleven targets", ["a", ...nine], ["a", ...nine, "k"], 1, 10 / 11, 1],
  ["a target as the last parts of a path", ["x/lib/a.ts"], ["lib/a.ts"], 1, 1, 1],
  ["a path as the last parts of a target", ["lib/a.ts"], ["x/lib/a.ts"], 1, 1, 1],
  ["a name that ends like a target", ["lib/aa.ts"], ["a.ts"], 0, 0, 0],
  // A rank counts once, even if it meets two targets.
  ["one path for two targets", ["x/lib/a.ts"], ["a.ts", "lib/a.ts"], 1 / (1 + second), 1, 1],
];

for (const [name, ranked, targets, ndcg, recall, reciprocalRank] of rows) {
  test(`scores ${name}`, () => {
    const score = scoreRanking(ranked, targets);
    const near = (value: number, expected: number) => Math.abs(value - expected) < 1e-4;
    assert.ok(near(score.ndcg, ndcg), `NDCG ${score.ndcg}`);
    assert.ok(near(score.recall, recall), `recall ${score.recall}`);
    assert.ok(near(score.reciprocalRank, reciprocalRank), `reciprocal rank ${score.reciprocalRank}`);
  });
}

test("averages each figure over the questions", () => {
  const one = { ndcg: 1, recall: 0.5, reciprocalRank: 0 };
  const other = { ndcg: 0, recall: 1, reciprocalRank: 0.5 };
  assert.deepEqual(meanScore([one, other]), { ndcg: 0.5, recall: 0.75, reciprocalRank: 0.25 });
});

test("asks only the words of a question that can occur in code, each once", () => {
  assert.deepEqual(contentWords("how are routes registered, and where?"), ["routes", "registered"]);
  assert.deepEqual(contentWords("retry the retry of read_file"), ["retry", "read_file"]);
  assert.deepEqual(contentWords("who is who"), ["who", "is"]);
});

test("reads annotations of others, whose targets may have lines", () => {
  const relevant = ["src/a.c", { path: "src/b.c", start_line: 1, end_line: 9 }];
  const [set] = readFrom([
    { query: "parse a date", relevant, secondary: ["c.h"], category: "semantic", seed: 1 },
  ]);
  assert.equal(set?.name, "corpus");
  assert.deepEqual(set?.questions[0]?.targets, ["src/a.c", "src/b.c", "c.h"]);
});

test("names the file and the field of a malformed question", () => {
  assert.throws(
    () => readFrom([{ query: "parse a date", relevant: [], category: "semantic" }]),
    /corpus\.json: .*\n.*at \[0\]\.relevant/,
  );
});

function readFrom(content: unknown): readonly QuestionSet[] {
  const folder = mkdtempSync(join(tmpdir(), "trawl-questions-"));
  try {
    writeFileSync(join(folder, "corpus.json"), JSON.stringify(content));
    return readQuestions(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const sets = readQuestions(ownQuestions);
const questions = sets.flatMap((set) => set.questions);

test("each package has questions, and the other way round", () => {
  assert.deepEqual(
    sets.map(({ name }) => name),
    Object.keys(packageTrees).sort(),
  );
});

test("questions differ, and have a known category and relative paths", () => {
  assert.equal(new Set(questions.map(({ text }) => text)).size, questions.length);
  for (const { category, targets } of questions) {
    assert.match(category, /^(?:semantic|architecture|symbol)$/);
    assert.equal(new Set(targets).size, targets.length);
    for (const path of targets) assert.match(path, /^(?!\/|.*\.\.).*\.\w+$/);
  }
});

test("questions stay in their half, and the halves are about as large", () => {
  assert.equal(halfOf("how are routes registered"), "tune");
  assert.equal(halfOf("open a file"), "test");
  const tune = questions.filter(({ half }) => half === "tune").length / questions.length;
  assert.ok(tune > 0.4 && tune < 0.6, `${tune}`);
});

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { Bitset } from "#base/bitset";
import { runGuarded } from "#platform/guard";
import type { Query } from "#query/query";
import { compileQuery } from "#shard/compile";
import { ShardEvaluation } from "#shard/evaluate";
import type { RunMode } from "#shard/expressionRun";
import type { ShardReader } from "#shard/reader";
import { skipReason } from "#shard/skipReason";
import { threadWindow } from "#shard/window";
import { shapedDocuments } from "#test/support/corpus";
import { literal, regexp, shardDocument } from "#test/support/engines";
import { readerOf, shardBytes } from "#test/support/shards";

const window = threadWindow();

function evaluationOf(
  reader: ShardReader,
  query: Query,
  change: { readonly countOnly?: boolean; readonly maxMatches?: number } = {},
): ShardEvaluation {
  const universe = Bitset.full(reader.meta.documentCount);
  const view = {
    reader,
    symbols: undefined,
    universe,
    ofRepositories: () => universe.copy(),
    ofRevisions: () => universe.copy(),
  };
  const counts = {
    ngramLookups: 0,
    ngramMatches: 0,
    indexBytesLoaded: 0,
    filesConsidered: 0,
    filesLoaded: 0,
    filesSkipped: 0,
    regexpsConsidered: 0,
  };
  return new ShardEvaluation(view, compileQuery(query, window.kernels), {
    window,
    counts,
    maxMatches: change.maxMatches ?? Number.POSITIVE_INFINITY,
    countOnly: change.countOnly ?? false,
    isPreferred: () => false,
  });
}

/** Document, place and ranges of each hit, in the order of the documents. */
function outcome(evaluation: ShardEvaluation) {
  const { hits, ranges, matchCount, fileCount, finished } = evaluation;
  const found = hits
    .map(({ document, from, to, inName, score }) => {
      const places = Array.from(
        { length: to - from },
        (_, at) => `${ranges.starts[from + at]}-${ranges.ends[from + at]}`,
      );
      return `${document} ${inName ? "name" : "text"} ${score}: ${places.join(" ")}`;
    })
    .sort();
  return { found, matchCount, fileCount, finished };
}

function runWhole(evaluation: ShardEvaluation, mode: RunMode) {
  if (evaluation.prepare(mode)) while (!evaluation.step(mode, () => false));
  return outcome(evaluation);
}

const queries: readonly Query[] = [
  literal("key", { where: "both" }),
  literal("return"),
  regexp("k\\w+"),
  regexp("(?i)kind|ключ", { where: "both" }),
  regexp("^\\s*$"),
  regexp("x*"),
  regexp("\\w+\\s\\w+"),
  regexp("n\\n+[a-z]"),
  regexp("\\Ar|e\\z", { where: "both" }),
  regexp("[^a-z]s"),
  regexp("o.*?o"),
  { kind: "and", children: [literal("return"), regexp("v.l"), { kind: "not", child: literal("Straße") }] },
  { kind: "type", type: "file", child: literal("e", { where: "both" }) },
];

describe("an evaluation", () => {
  let reader: ShardReader;
  before(async () => {
    const documents = shapedDocuments(3).filter(
      ({ content }) => content.length < 40_000 && skipReason(content) === undefined,
    );
    const bytes = await shardBytes((writer) => {
      writer.beginRepository(1);
      for (const document of documents) writer.add(shardDocument(document));
    });
    reader = await readerOf(bytes);
  });

  for (const [index, query] of queries.entries()) {
    const name = JSON.stringify(query);

    test(`finds the same with either engine: ${name}`, () => {
      const fast = runWhole(evaluationOf(reader, query), "backtracking");
      assert.deepEqual(runWhole(evaluationOf(reader, query), "linear"), fast);
      assert.equal(fast.finished, true);
      assert.ok(fast.matchCount > 0);
    });

    test(`finds the same in slices, however it is stopped: ${name}`, () => {
      const whole = runWhole(evaluationOf(reader, query), "backtracking");
      const sliced = evaluationOf(reader, query);
      sliced.prepare("backtracking");
      while (!sliced.step("backtracking", () => true)) window.forget();
      assert.deepEqual(outcome(sliced), whole);

      for (const countOnly of [false, true]) {
        const stopped = evaluationOf(reader, query, { countOnly });
        stopped.prepare("backtracking");
        let isDone = false;
        const step = () => {
          isDone = stopped.step("backtracking", () => false);
        };
        while (!isDone) {
          if (runGuarded(step, 1)) continue;
          window.forget();
          stopped.lookAtCurrent("linear");
        }
        const { found, ...counts } = outcome(stopped);
        const { found: expected, ...expectedCounts } = whole;
        assert.deepEqual(counts, expectedCounts);
        assert.deepEqual(found, countOnly ? [] : expected);
      }
    });

    if (index > 3) continue;
    test(`stops behind the document that fills the limit: ${name}`, () => {
      const whole = runWhole(evaluationOf(reader, query), "backtracking");
      for (const maxMatches of [1, 10, 100]) {
        const cut = runWhole(evaluationOf(reader, query, { maxMatches }), "backtracking");
        assert.ok(cut.matchCount >= Math.min(maxMatches, whole.matchCount));
        assert.ok(cut.found.every((hit) => whole.found.includes(hit)));
        assert.ok(cut.found.length < whole.found.length && !cut.finished);
      }
    });
  }

  test("a document that is given up is counted", () => {
    const evaluation = evaluationOf(reader, regexp("\\w+\\s\\w+"));
    const whole = runWhole(evaluationOf(reader, regexp("\\w+\\s\\w+")), "backtracking");
    evaluation.prepare("backtracking");
    evaluation.step("backtracking", () => true);
    const { fileCount } = evaluation;
    evaluation.skipCurrent();
    while (!evaluation.step("backtracking", () => false));
    assert.ok(evaluation.fileCount >= fileCount && evaluation.fileCount <= whole.fileCount);
  });
});

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { Bitset } from "#base/bitset";
import { runWithTimeout } from "#platform/runWithTimeout";
import { printQuery } from "#query/print";
import type { Query } from "#query/query";
import { compileQuery } from "#shard/evaluation/compile";
import { newEvaluationCounts, ShardEvaluation } from "#shard/evaluation/evaluate";
import type { RunMode } from "#shard/evaluation/expressionRun";
import type { ShardReader } from "#shard/format/reader";
import { skipReason } from "#shard/format/skipReason";
import { threadWindow } from "#shard/format/window";
import { shapedDocuments } from "#test/support/corpus";
import { literal, regexp, shardDocument } from "#test/support/engines";
import { readerOf, shardBytes } from "#test/support/shards";

const window = threadWindow();

function evaluationOf(
  reader: ShardReader,
  query: Query,
  change: {
    readonly isCountOnly?: boolean;
    readonly maxMatches?: number;
    readonly maxBlocks?: number;
    readonly phrase?: "required" | "optional";
    readonly phraseText?: string;
  } = {},
): ShardEvaluation {
  const universe = Bitset.full(reader.meta.documentCount);
  const view = {
    reader,
    symbols: undefined,
    universe,
    ofRepositories: () => universe.copy(),
    ofRevisions: () => universe.copy(),
  };
  const counts = newEvaluationCounts();
  const phrase = { kind: "literal", text: change.phraseText ?? "unused", caseSensitive: true } as const;
  return new ShardEvaluation(view, compileQuery(query, window.kernels, phrase), {
    window,
    counts,
    maxMatches: change.maxMatches ?? Number.POSITIVE_INFINITY,
    phrase: change.phrase ?? "ignored",
    maxBlocks: change.maxBlocks ?? Number.POSITIVE_INFINITY,
    output: change.isCountOnly === true ? "totals" : "hits",
    isPreferred: () => false,
    starLevel: () => 0,
  });
}

/** The document, score and ranges of each hit, sorted. */
function outcome(evaluation: ShardEvaluation) {
  const { hits, ranges, matchCount, fileCount, isFinished } = evaluation;
  const found = [...hits]
    .map(({ document, from, to, isInName: inName, score }) => {
      const hitRanges = Array.from(
        { length: to - from },
        (_, at) => `${ranges.starts[from + at]}-${ranges.ends[from + at]}`,
      );
      return `${document} ${inName ? "name" : "text"} ${score}: ${hitRanges.join(" ")}`;
    })
    .sort();
  return { found, matchCount, fileCount, isFinished };
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
  {
    kind: "or",
    children: [literal("return"), { kind: "type", type: "file", child: literal("e", { where: "both" }) }],
  },
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
    const name = printQuery(query);

    test(`finds the same with both engines: ${name}`, () => {
      const fast = runWhole(evaluationOf(reader, query), "backtracking");
      assert.deepEqual(runWhole(evaluationOf(reader, query), "linear"), fast);
      assert.equal(fast.isFinished, true);
      assert.ok(fast.matchCount > 0);
    });

    test(`finds the same in time slices and after interruptions: ${name}`, () => {
      const whole = runWhole(evaluationOf(reader, query), "backtracking");
      const sliced = evaluationOf(reader, query);
      sliced.prepare("backtracking");
      while (!sliced.step("backtracking", () => true)) window.invalidate();
      assert.deepEqual(outcome(sliced), whole);

      for (const isCountOnly of [false, true]) {
        const stopped = evaluationOf(reader, query, { isCountOnly });
        stopped.prepare("backtracking");
        let isDone = false;
        const step = () => {
          isDone = stopped.step("backtracking", () => false);
        };
        while (!isDone) {
          if (runWithTimeout(step, 1)) continue;
          window.invalidate();
          stopped.evaluateCurrent("linear");
        }
        const { found, ...counts } = outcome(stopped);
        const { found: expected, ...expectedCounts } = whole;
        assert.deepEqual(counts, expectedCounts);
        assert.deepEqual(found, isCountOnly ? [] : expected);
      }
    });

    if (index > 3) continue;
    test(`stops after the document that reaches the limit: ${name}`, () => {
      const whole = runWhole(evaluationOf(reader, query), "backtracking");
      for (const maxMatches of [1, 10, 100]) {
        const cut = runWhole(evaluationOf(reader, query, { maxMatches }), "backtracking");
        assert.ok(cut.matchCount >= Math.min(maxMatches, whole.matchCount));
        assert.ok(cut.found.every((hit) => whole.found.includes(hit)));
        assert.ok(cut.found.length < whole.found.length && !cut.isFinished);
      }
    });
  }

  test("prints its match tree in one line", async () => {
    const bytes = await shardBytes((writer) => {
      writer.beginRepository(1);
      writer.add(shardDocument({ path: "key.txt", content: "one key\n" }));
      writer.add(shardDocument({ path: "b.txt", content: "two\n" }));
    });
    const evaluation = evaluationOf(await readerOf(bytes), {
      kind: "and",
      children: [
        { kind: "const", value: true },
        literal("key", { where: "both" }),
        { kind: "not", child: regexp("t[wx]o") },
      ],
    });
    assert.equal(String(evaluation), "not prepared");
    evaluation.prepare("backtracking");
    const either = '(or name:"key" in 1 documents content:"key" in 1 blocks)';
    assert.equal(String(evaluation), `(and documents:2 ${either} (not content:/t[wx]o/c in 1 blocks))`);
  });

  test("skipped documents are counted", () => {
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

test("reads a text at most once for all terms", async () => {
  const filler = "x = 1;\n".repeat(600);
  const content = Buffer.from(`int a;\nreturn b;\n${filler}return c;\n${filler}return int;\n`);
  const bytes = await shardBytes((writer) => {
    writer.beginRepository(1);
    for (const path of ["a.c", "b.c", "c.c"]) writer.add(shardDocument({ path, content }));
  });
  const children = [literal("int"), literal("return"), literal("void")];
  const evaluation = evaluationOf(await readerOf(bytes), { kind: "or", children });
  assert.ok(evaluation.prepare("backtracking"));
  const before = window.bytesLoaded;
  while (!evaluation.step("backtracking", () => false));
  assert.equal(evaluation.matchCount, 3 * 5);
  const read = window.bytesLoaded - before;
  assert.ok(read <= 3 * content.length, `read ${read} of ${3 * content.length} bytes`);
});

test("does not read blocks again in which a pattern was not found", async () => {
  const found = [800, 900];
  const bytes = await shardBytes((writer) => {
    writer.beginRepository(1);
    for (let number = 0; number < 1000; number++)
      writer.add(
        shardDocument({ path: `${number}.c`, content: found.includes(number) ? "a key" : "a keyword" }),
      );
  });
  const reader = await readerOf(bytes);
  const check = (source: string, maxMatches: number, blockCount: number, expected: readonly number[]) => {
    const evaluation = evaluationOf(reader, regexp(source), { maxMatches });
    evaluation.prepare("backtracking");
    assert.equal(String(evaluation), `content:/${source}/c in ${blockCount} blocks`);
    while (!evaluation.step("backtracking", () => false));
    evaluation.cacheCandidates();
    assert.deepEqual(
      [...evaluation.hits].map(({ document }) => document),
      expected,
    );
  };
  check("\\bkey\\b", 1, 1000, [800]);
  check("\\bkey\\b", 2, 200, found);
  check("\\bkey\\b", 2, 101, found);
  check("\\b[k]ey\\b", 1, 1000, [800]);
});

describe("an evaluation with a phrase", () => {
  const texts = [
    "int a;\nreturn b;\n",
    "return int;\n",
    "int return; return int;\n",
    "int\nreturn\n",
    "return int; return int;\n",
  ];
  const query: Query = { kind: "and", children: [literal("return"), literal("int")] };
  const phraseText = "return int";
  let reader: ShardReader;
  before(async () => {
    const bytes = await shardBytes((writer) => {
      writer.beginRepository(1);
      for (const [number, text] of texts.entries())
        writer.add(shardDocument({ path: `${number}.c`, content: Buffer.from(text) }));
    });
    reader = await readerOf(bytes);
  });
  const documentsOf = ({ hits }: ShardEvaluation) => [...hits].map(({ document }) => document);

  test("finds only documents that contain it, if it is required", () => {
    const evaluation = evaluationOf(reader, query, { phrase: "required", phraseText });
    const { matchCount, isFinished } = runWhole(evaluation, "backtracking");
    assert.deepEqual(documentsOf(evaluation), [1, 2, 4]);
    assert.deepEqual([evaluation.phraseMatchCount, matchCount, isFinished], [4, 2 + 4 + 4, true]);
    assert.ok([...evaluation.hits].every(({ score }) => score > 20_000));
  });

  test("finds all documents, and scores it, if it is optional", () => {
    const evaluation = evaluationOf(reader, query, { phrase: "optional", phraseText });
    runWhole(evaluation, "backtracking");
    assert.deepEqual(
      [...evaluation.hits].filter(({ score }) => score > 20_000).map(({ document }) => document),
      [1, 2, 4],
    );
    assert.deepEqual([evaluation.hits.length, evaluation.phraseMatchCount], [5, 4]);
  });

  test("stops after a number of blocks", () => {
    const evaluation = evaluationOf(reader, query, { phrase: "required", phraseText, maxBlocks: 2 });
    const { isFinished } = runWhole(evaluation, "backtracking");
    assert.deepEqual([documentsOf(evaluation), evaluation.blockCount, isFinished], [[1, 2], 2, false]);
  });

  test("finds nothing if it does not occur", () => {
    const evaluation = evaluationOf(reader, query, { phrase: "required", phraseText: "int void" });
    assert.equal(evaluation.prepare("backtracking"), false);
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { HitList } from "#shard/evaluation/hitList";

const number = fc.nat({ max: 0xffff_ffff });
const score = fc.double({ min: -1e9, max: 1e9, noNaN: true });
const hit = fc.record({
  document: number,
  from: number,
  to: number,
  matchCount: number,
  nameScore: score,
  definitionScore: score,
  score,
  isInName: fc.boolean(),
  hasPhrase: fc.boolean(),
});

test("a list returns the hits that were added", () => {
  fc.assert(
    fc.property(fc.array(hit, { maxLength: 100 }), (hits) => {
      const list = new HitList();
      for (const each of hits) list.push({ ...each });
      assert.deepEqual(
        [...list],
        hits.map((each) => ({ ...each })),
      );
      assert.deepEqual([list.length, list.at(-1), list.at(hits.length)], [hits.length, undefined, undefined]);
      const { documents, scores, matchCounts } = list.columns();
      assert.deepEqual(
        hits.map((_, at) => [documents[at], scores[at], matchCounts[at]]),
        hits.map((each) => [each.document, each.score, each.matchCount]),
      );
    }),
  );
});

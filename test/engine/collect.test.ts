import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { chooseHits } from "#engine/embedded/collect";
import type { SearchResponse, ShardHits } from "#engine/embedded/searchMessages";
import type { ShardOrder } from "#engine/embedded/searchOrder";
import { noStats } from "#model/stats";
import { literal, planOf } from "#test/support/engines";

interface Hit {
  readonly order: ShardOrder;
  readonly document: number;
  readonly score: number;
  readonly matchCount: number;
}

const hits = fc.record({
  document: fc.integer({ min: 0, max: 30 }),
  score: fc.constantFrom(0, 1, 2.5, 1000),
  matchCount: fc.integer({ min: 1, max: 5 }),
});
/** The hits of each shard of each worker. Documents are in any order, and occur once. */
const workers = fc.array(fc.array(fc.uniqueArray(hits, { selector: ({ document }) => document })), {
  maxLength: 3,
});

const perFile = fc.constantFrom(1, 2, Number.POSITIVE_INFINITY);

function shardHits(order: ShardOrder, found: readonly Omit<Hit, "order">[], maxPerFile: number): ShardHits {
  return {
    order,
    matchCount: found.reduce((sum, { matchCount }) => sum + matchCount, 0),
    limitedMatchCount: found.reduce((sum, { matchCount }) => sum + Math.min(matchCount, maxPerFile), 0),
    fileCount: found.length,
    phraseMatchCount: 0,
    documents: Uint32Array.from(found, ({ document }) => document),
    scores: Float64Array.from(found, ({ score }) => score),
    matchCounts: Uint32Array.from(found, ({ matchCount }) => matchCount),
  };
}

function response(of: readonly ShardHits[]): SearchResponse {
  return {
    kind: "hits",
    token: 1,
    hits: of,
    loadedCount: 0,
    stats: noStats,
    isTruncated: false,
    damagedFiles: [],
  };
}

test("the best hits of all workers are chosen, ties in search order and then by document", async () => {
  await fc.assert(
    fc.asyncProperty(
      workers,
      fc.integer({ min: 1, max: 60 }),
      perFile,
      async (shardsOf, maxDisplayedMatches, maxPerFile) => {
        // Worker 0 has the shards 0, 3, 6 and so on.
        const orderOf = (worker: number, shard: number): ShardOrder => [7, 1, shard * 3 + worker];
        const responses = shardsOf.map((shards, worker) =>
          response(shards.map((found, shard) => shardHits(orderOf(worker, shard), found, maxPerFile))),
        );
        const { limits } = planOf(literal("a"), {
          maxMatches: 1e6,
          maxDisplayedMatches,
          maxMatchesPerFile: maxPerFile,
        });
        const chosen = await chooseHits(responses, limits);
        const all: Hit[] = shardsOf.flatMap((shards, worker) =>
          shards.flatMap((found, shard) => found.map((hit) => ({ ...hit, order: orderOf(worker, shard) }))),
        );
        all.sort((a, b) => b.score - a.score || a.order[2] - b.order[2] || a.document - b.document);
        let remaining = maxDisplayedMatches;
        const expected: string[] = [];
        for (const { order, document, matchCount } of all) {
          if (remaining <= 0) break;
          const shown = Math.min(matchCount, maxPerFile, remaining);
          expected.push(`${order[2]} ${document} ${shown}`);
          remaining -= shown;
        }
        const actual: string[] = [];
        for (const [worker, { shards, hits: picked, maxRanges, ranks }] of chosen.hits.entries()) {
          for (const [at, rank] of ranks.entries()) {
            const found = responses[worker]?.hits[shards[at] ?? 0];
            actual[rank] = `${found?.order[2]} ${found?.documents[picked[at] ?? 0]} ${maxRanges[at]}`;
          }
        }
        assert.deepEqual(actual, expected);
      },
    ),
  );
});

test("the best files are loaded first, then batches of the others in the order of the text", async () => {
  const shards = Array.from({ length: 5 }, (_, shard) =>
    shardHits(
      [7, 1, shard],
      Array.from({ length: 1000 }, (_, document) => ({
        document: 999 - document,
        score: (document * 7919 + shard * 104_729) % 1013,
        matchCount: 1,
      })),
      Number.POSITIVE_INFINITY,
    ),
  );
  const { limits } = planOf(literal("a"), { maxMatches: 1e6, maxDisplayedMatches: 4500 });
  const [chosen] = (await chooseHits([response(shards)], limits)).hits;
  assert.ok(chosen);
  const loaded = Array.from(chosen.ranks, (rank, at) => {
    const [shard, hit] = [chosen.shards[at] ?? 0, chosen.hits[at] ?? 0];
    return { rank, position: shard * 1000 + hit, score: shards[shard]?.scores[hit] ?? 0 };
  });
  const byRank = [...loaded].sort((one, other) => one.rank - other.rank);
  assert.deepEqual(
    byRank.map(({ rank }) => rank),
    [...Array(4500).keys()],
  );
  assert.ok(byRank.every(({ score }, at) => at === 0 || score <= (byRank[at - 1]?.score ?? 0)));
  const isAscending = (values: readonly number[]) =>
    values.every((value, at) => at === 0 || value > (values[at - 1] ?? 0));
  const bounds = [0, 1000, 2000, 4000, 4500];
  for (const [at, from] of bounds.slice(0, -1).entries()) {
    const to = bounds[at + 1] ?? 0;
    const batch = loaded.slice(from, to);
    assert.deepEqual(
      new Set(batch.map(({ rank }) => rank)),
      new Set(Array.from({ length: to - from }, (_, at) => from + at)),
    );
    assert.ok(isAscending(batch.map((each) => (from === 0 ? each.rank : each.position))), `${from}`);
  }
});

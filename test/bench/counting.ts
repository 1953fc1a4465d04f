/** Counts every match in the engine itself, because the contract limits requests to 100,000 matches. */

import { join } from "node:path";
import { EmbeddedEngine } from "#engine/embedded/embeddedEngine";
import { monotonicNow } from "#platform/clock";
import { startThread } from "#platform/workerThread";
import { ShardDirectory } from "#shard/directory/directory";
import { projectRoot } from "#test/support/house";
import type { Measured } from "./peers";
import { type BenchQuery, benchQueries } from "./queries";
import { median } from "./report";

const rounds = 9;
const worker = join(projectRoot(), "dist/server/searchWorker.js");

/** Returns medians over the shards of a data directory that no other process uses, on two threads. */
export async function countAll(dataDir: string): Promise<ReadonlyMap<BenchQuery, Measured>> {
  const engine = new EmbeddedEngine({
    directory: await ShardDirectory.open(join(dataDir, "shards")),
    workerCount: 2,
    startThread: (onExit) => startThread(worker, onExit),
    onDamage: (file) => console.log(`${file} is damaged.`),
  });
  try {
    const counted = new Map<BenchQuery, Measured>();
    for (const query of benchQueries) counted.set(query, await count(engine, query));
    return counted;
  } finally {
    await engine.close();
  }
}

async function count(engine: EmbeddedEngine, query: BenchQuery): Promise<Measured> {
  const { pattern, isRegex, caseSensitive } = query;
  const times: number[] = [];
  let matches = 0;
  for (let round = 0; round <= rounds; round++) {
    const began = performance.now();
    const { stats } = await engine.search(
      {
        query: {
          kind: "text",
          where: "content",
          pattern: isRegex
            ? { kind: "regexp", source: pattern, caseSensitive }
            : { kind: "literal", text: pattern, caseSensitive },
        },
        repositories: "all",
        limits: {
          maxMatches: Number.POSITIVE_INFINITY,
          maxDisplayedMatches: 0,
          contextLines: 0,
          returnsContent: false,
          deadline: monotonicNow() + 60_000,
          maxResponseBytes: 64 * 1024 * 1024,
          explainsScores: false,
        },
        unsaved: [],
        preferred: [],
      },
      new AbortController().signal,
    );
    // The first round is a warm-up: it reads files and compiles code.
    if (round > 0) times.push(performance.now() - began);
    matches = stats.totalMatchCount;
  }
  return { ms: median(times), matches };
}

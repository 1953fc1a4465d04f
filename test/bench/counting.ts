/** Counting every match, which the engine can and no caller may: the contract ends at 100,000. */
import { join } from "node:path";
import { EmbeddedEngine } from "#engine/embedded/embeddedEngine";
import { startThread } from "#platform/workers";
import { ShardDirectory } from "#shard/directory";
import { projectRoot } from "#test/support/house";
import type { Measured } from "./peers";
import { type BenchQuery, benchQueries } from "./queries";
import { median } from "./report";

const rounds = 9;
const worker = join(projectRoot(), "dist/server/searchWorker.js");

/** Medians over the shards of a data folder that no other process holds, on two threads. */
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
          whole: false,
          deadline: Date.now() + 60_000,
          maxAnswerBytes: 64 * 1024 * 1024,
          explain: false,
        },
        unsaved: [],
        preferred: [],
      },
      new AbortController().signal,
    );
    // The first round pays for reading and compiling.
    if (round > 0) times.push(performance.now() - began);
    matches = stats.totalMatchCount;
  }
  return { ms: median(times), matches };
}

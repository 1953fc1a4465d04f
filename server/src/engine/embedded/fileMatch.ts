import type { FileMatch } from "#model/match";
import type { Limits } from "#query/limits";
import type { CompiledSearch } from "#shard/evaluation/compile";
import type { DocumentHit, ShardEvaluation } from "#shard/evaluation/evaluate";
import type { TextWindow } from "#shard/format/window";
import { cutChunks, decodeBytes, nameRanges } from "#shard/matches/chunks";
import { describeDocument } from "./documentInfo";
import type { ResultFile } from "./searchMessages";
import type { OpenShard } from "./shardSet";

/** A hit and its shard. */
export interface ShardHit {
  readonly shard: OpenShard;
  readonly evaluation: ShardEvaluation;
  readonly hit: DocumentHit;
}

/** Builds the result file of a hit, with its first `maxRanges` match ranges. Throws `SHARD_DAMAGED`. */
export function buildFileMatch(
  found: ShardHit,
  window: TextWindow,
  compiled: CompiledSearch,
  limits: Limits,
  maxRanges: number,
): ResultFile {
  const { shard, evaluation, hit } = found;
  const { reader } = shard;
  const { ranges } = evaluation;
  const to = Math.min(hit.to, hit.from + maxRanges);
  const path = reader.path(hit.document);
  const info = describeDocument(shard, hit.document, compiled);
  const text = { reader, window, document: hit.document, symbols: shard.symbols };
  const chunks = hit.isInName ? [] : cutChunks(text, ranges, hit.from, to, limits.contextLines);
  const content = limits.returnsContent ? decodeBytes(reader.readContent(hit.document)) : "";
  const file: FileMatch = {
    ...info,
    nameRanges: hit.isInName ? nameRanges(path, ranges, hit.from, to) : [],
    chunks,
    content,
    score: hit.score,
    matchCount: hit.matchCount,
    ...(limits.explainsScores ? { explanation: evaluation.explain(hit) } : {}),
  };
  const shown = chunks.reduce((sum, chunk) => sum + chunk.content.length + 160 * chunk.matchRanges.length, 0);
  return { file, byteCount: shown + content.length + path.length + 400 };
}

import type { FileMatch } from "#model/match";
import type { Limits } from "#query/limits";
import { cutChunks, decodeBytes, nameRanges } from "#shard/chunks";
import type { CompiledSearch } from "#shard/compile";
import type { DocumentHit, ShardEvaluation } from "#shard/evaluate";
import type { TextWindow } from "#shard/window";
import { placeOf } from "./place";
import type { OpenShard } from "./shardSet";
import type { PresentedFile } from "./task";

/** A hit with the shard it lies in. */
export interface ShardHit {
  readonly shard: OpenShard;
  readonly evaluation: ShardEvaluation;
  readonly hit: DocumentHit;
}

/** A hit with its first `maxRanges` ranges as others see it. Throws `SHARD_DAMAGED`. */
export function presentFile(
  found: ShardHit,
  window: TextWindow,
  compiled: CompiledSearch,
  limits: Limits,
  maxRanges: number,
): PresentedFile {
  const { shard, evaluation, hit } = found;
  const { reader } = shard;
  const { ranges } = evaluation;
  const to = Math.min(hit.to, hit.from + maxRanges);
  const path = reader.path(hit.document);
  const place = placeOf(shard, hit.document, compiled);
  const text = { reader, window, document: hit.document, symbols: shard.symbols };
  const chunks = hit.inName ? [] : cutChunks(text, ranges, hit.from, to, limits.contextLines);
  const content = limits.whole ? decodeBytes(reader.readContent(hit.document)) : "";
  const file: FileMatch = {
    ...place,
    nameRanges: hit.inName ? nameRanges(path, ranges, hit.from, to) : [],
    chunks,
    content,
    score: hit.score,
    matchCount: hit.matchCount,
    ...(limits.explain ? { explanation: evaluation.explain(hit) } : {}),
  };
  const shown = chunks.reduce((sum, chunk) => sum + chunk.content.length + 160 * chunk.matchRanges.length, 0);
  return { file, byteCount: shown + content.length + path.length + 400 };
}

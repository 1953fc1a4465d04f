import type { FileMatch } from "#model/match";
import type { RepositoryId } from "#model/repository";
import type { Limits } from "#query/limits";
import { cutChunks, decodeBytes, nameRanges } from "#shard/chunks";
import type { CompiledSearch } from "#shard/compile";
import type { DocumentHit, ShardEvaluation } from "#shard/evaluate";
import type { TextWindow } from "#shard/window";
import { selectSlots } from "./revisions";
import { type OpenShard, partOf, type ShardPart } from "./shardSet";
import type { PresentedFile } from "./task";
import { unsavedLayer } from "./universe";

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
  const part = partOf(shard, hit.document);
  const path = reader.path(hit.document);
  const text = { reader, window, document: hit.document, symbols: shard.symbols };
  const chunks = hit.inName ? [] : cutChunks(text, ranges, hit.from, to, limits.contextLines);
  const content = limits.whole ? decodeBytes(reader.readContent(hit.document)) : "";
  const branches = part === undefined ? [] : branchesOf(part, hit.document, compiled);
  const file: FileMatch = {
    repositoryId: (part?.repository.shards.id ?? 0) as RepositoryId,
    path: decodeBytes(path),
    nameRanges: hit.inName ? nameRanges(path, ranges, hit.from, to) : [],
    chunks,
    language: reader.language(hit.document),
    branches: branches.map((branch) => branch.name),
    origin: originOf(shard, part),
    commit: branches[0]?.commit ?? "",
    blobSha: reader.blob(hit.document),
    content,
    score: hit.score,
    matchCount: hit.matchCount,
    ...(limits.explain ? { explanation: evaluation.explain(hit) } : {}),
  };
  const shown = chunks.reduce((sum, chunk) => sum + chunk.content.length + 160 * chunk.matchRanges.length, 0);
  return { file, byteCount: shown + content.length + path.length + 400 };
}

function originOf(shard: OpenShard, part: ShardPart | undefined): FileMatch["origin"] {
  if (shard.order[0] === unsavedLayer) return "unsaved";
  return part === undefined || part.segment < 0 || part.repository.shards.isFolder ? "workingTree" : "commit";
}

/** Revisions that the query covers and that hold this document; for what is in no commit, those of HEAD. */
function branchesOf(
  part: ShardPart,
  document: number,
  compiled: CompiledSearch,
): { name: string; commit: string }[] {
  const { shards, defaultSlot, segments } = part.repository;
  const isDefault = (slot: number) => slot === defaultSlot;
  if (part.segment < 0 || !compiled.hasRevision)
    return shards.revisions.filter(({ slot }) => isDefault(slot));
  const held = segments.slotsOf(part.segment, document);
  const all = shards.revisions.filter(({ slot }) => held.includes(slot));
  if (compiled.revisions.length === 0) return all;
  const wanted = selectSlots(part.repository, compiled.revisions);
  const covered = all.filter(({ slot }) => wanted.has(slot));
  // A document that matched on a side of an `or` that names no revision has all of its own.
  return covered.length > 0 ? covered : all;
}

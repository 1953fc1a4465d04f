import type { DocumentPlace } from "#engine/engine";
import type { Origin } from "#model/document";
import type { RepositoryId } from "#model/repository";
import { decodeBytes } from "#shard/chunks";
import { selectSlots } from "./revisions";
import { type OpenShard, partOf, type ShardPart } from "./shardSet";
import { layers } from "./task";

/** Which revisions a request is about: without any, the default one; of an empty list, all. */
export interface AskedRevisions {
  readonly hasRevision: boolean;
  readonly revisions: readonly string[];
}

/** Where a document stands, as others see it. */
export function placeOf(shard: OpenShard, document: number, asked: AskedRevisions): DocumentPlace {
  const { reader } = shard;
  const part = partOf(shard, document);
  const branches = part === undefined ? [] : branchesOf(part, document, asked);
  return {
    repositoryId: (part?.repository.shards.id ?? 0) as RepositoryId,
    path: decodeBytes(reader.path(document)),
    language: reader.language(document),
    branches: branches.map((branch) => branch.name),
    origin: originOf(shard, part),
    commit: branches[0]?.commit ?? "",
    blobSha: reader.blob(document),
  };
}

function originOf(shard: OpenShard, part: ShardPart | undefined): Origin {
  if (shard.order[0] === layers.unsaved) return "unsaved";
  return part === undefined || part.segment < 0 || part.repository.shards.isFolder ? "workingTree" : "commit";
}

/** Revisions that the query covers and that hold this document; for what is in no commit, those of HEAD. */
function branchesOf(
  part: ShardPart,
  document: number,
  asked: AskedRevisions,
): { name: string; commit: string }[] {
  const { shards, defaultSlot, segments } = part.repository;
  const isDefault = (slot: number) => slot === defaultSlot;
  if (part.segment < 0 || !asked.hasRevision) return shards.revisions.filter(({ slot }) => isDefault(slot));
  const held = segments.slotsOf(part.segment, document);
  const all = shards.revisions.filter(({ slot }) => held.includes(slot));
  if (asked.revisions.length === 0) return all;
  const wanted = selectSlots(part.repository, asked.revisions);
  const covered = all.filter(({ slot }) => wanted.has(slot));
  // A document that matched on a side of an `or` that names no revision has all of its own.
  return covered.length > 0 ? covered : all;
}

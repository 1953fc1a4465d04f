import type { DocumentInfo } from "#engine/engine";
import type { Origin } from "#model/document";
import type { DocumentSource } from "#model/match";
import type { RepositoryId } from "#model/repository";
import { decodeBytes } from "#shard/matches/chunks";
import { layers } from "./searchOrder";
import { selectSlots } from "./selectSlots";
import { type OpenShard, partOf, type ShardPart } from "./shardSet";

/**
 * The revisions that a request covers: without `hasRevision` the default one, else `revisions`; all if that is empty.
 */
export interface RequestedRevisions {
  readonly hasRevision: boolean;
  readonly revisions: readonly string[];
}

/** Describes a document of a shard for results. */
export function describeDocument(
  shard: OpenShard,
  document: number,
  requested: RequestedRevisions,
): DocumentInfo {
  return { ...describeContent(shard, document), ...describeSource(shard, document, requested) };
}

function describeContent({ reader }: OpenShard, document: number): Omit<DocumentInfo, keyof DocumentSource> {
  return {
    path: decodeBytes(reader.path(document)),
    language: reader.language(document),
    blobSha: reader.blob(document),
  };
}

function describeSource(shard: OpenShard, document: number, requested: RequestedRevisions): DocumentSource {
  const part = partOf(shard, document);
  const branches = part === undefined ? [] : branchesOf(part, document, requested);
  return {
    repositoryId: (part?.repository.shards.id ?? 0) as RepositoryId,
    branches: branches.map((branch) => branch.name),
    origin: originOf(shard, part),
    commit: branches[0]?.commit ?? "",
  };
}

/** The sources of many documents for one request, each computed once. */
export class DocumentSources {
  readonly #requested: RequestedRevisions;
  /** By the part of a shard, then by the slots of the documents. */
  readonly #known = new Map<ShardPart | undefined, Map<readonly number[] | undefined, DocumentSource>>();

  constructor(requested: RequestedRevisions) {
    this.#requested = requested;
  }

  /** Documents of a part with the same slots share one object. */
  of(shard: OpenShard, document: number): DocumentSource {
    const part = partOf(shard, document);
    let bySlots = this.#known.get(part);
    if (bySlots === undefined) {
      bySlots = new Map();
      this.#known.set(part, bySlots);
    }
    const isCommitted = part !== undefined && part.segment >= 0;
    const slots = isCommitted ? part.repository.segments.slotsOf(part.segment, document) : undefined;
    const known = bySlots.get(slots);
    if (known !== undefined) return known;
    const source = describeSource(shard, document, this.#requested);
    bySlots.set(slots, source);
    return source;
  }
}

function originOf(shard: OpenShard, part: ShardPart | undefined): Origin {
  if (shard.order[0] === layers.unsaved) return "unsaved";
  return part === undefined || part.segment < 0 || part.repository.shards.isFolder ? "workingTree" : "commit";
}

/**
 * Returns the revisions that the request covers and that contain the document; for an uncommitted one, the default one.
 */
function branchesOf(
  part: ShardPart,
  document: number,
  requested: RequestedRevisions,
): { name: string; commit: string }[] {
  const { shards, defaultSlot, segments } = part.repository;
  const isDefault = (slot: number) => slot === defaultSlot;
  if (part.segment < 0 || !requested.hasRevision)
    return shards.revisions.filter(({ slot }) => isDefault(slot));
  const containing = segments.slotsOf(part.segment, document);
  const all = shards.revisions.filter(({ slot }) => containing.includes(slot));
  if (requested.revisions.length === 0) return all;
  const slots = selectSlots(part.repository, requested.revisions);
  const covered = all.filter(({ slot }) => slots.has(slot));
  // A document may match a part of an `or` that has no `rev:` filter. It then keeps all of its revisions.
  return covered.length > 0 ? covered : all;
}

/**
 * When shards are worth writing again, so that a search opens few of them.
 *
 * Each commit adds a delta shard. Deltas of one repository are merged into one when there are many, and into the base
 * when they have grown to a good part of it. Small repositories, which are most repositories, are put together into
 * compound shards.
 */
import type { Manifest } from "./directory";

/** Segments from `from` on become one; all of them where that is 0. */
export interface MergeSegments {
  readonly kind: "merge";
  readonly manifest: Manifest;
  readonly from: number;
}

export interface MakeCompound {
  readonly kind: "compound";
  /** By repository. */
  readonly manifests: readonly Manifest[];
}

export type Compaction = MergeSegments | MakeCompound;

/** Reading eight deltas for one search is nothing; a delta a commit for a year is not. */
const maxSegments = 8;
/** Deltas are merged into the base when they hold more than this part of its text. */
const maxDeltaPart = 0.3;
/** Repositories with less text share a shard. */
const smallRepositoryBytes = 8 * 1024 * 1024;
/** Worth it from this many shards on. */
const minCompoundMembers = 16;
/** What one compound holds: as much as can be written again in a few seconds. */
const compoundBytes = 64 * 1024 * 1024;
const maxCompoundMembers = 2000;

/** The next thing to do, or nothing. Repositories that `isBusy` are left alone. */
export function nextCompaction(
  manifests: ReadonlyMap<number, Manifest>,
  isBusy: (repositoryId: number) => boolean,
): Compaction | undefined {
  const free = [...manifests.values()].filter((manifest) => !isBusy(manifest.repositoryId));
  for (const manifest of free) {
    const merge = nextMerge(manifest);
    if (merge !== undefined) return merge;
  }
  return nextCompound(free, membersOfFiles(manifests.values()));
}

function nextMerge(manifest: Manifest): MergeSegments | undefined {
  const { segments } = manifest;
  const firstDelta = segments.findIndex((segment) => segment.isDelta);
  if (firstDelta < 0) return undefined;
  const baseBytes = textOf(segments.slice(0, firstDelta));
  const deltaBytes = textOf(segments.slice(firstDelta));
  if (deltaBytes > baseBytes * maxDeltaPart) return { kind: "merge", manifest, from: 0 };
  return segments.length - firstDelta >= maxSegments
    ? { kind: "merge", manifest, from: firstDelta }
    : undefined;
}

/** How many repositories name each file. */
function membersOfFiles(manifests: Iterable<Manifest>): ReadonlyMap<string, number> {
  const members = new Map<string, number>();
  for (const { segments } of manifests) {
    for (const { file } of segments) members.set(file, (members.get(file) ?? 0) + 1);
  }
  return members;
}

function nextCompound(
  free: readonly Manifest[],
  members: ReadonlyMap<string, number>,
): MakeCompound | undefined {
  const small = free
    .filter(({ segments }) => textOf(segments) < smallRepositoryBytes)
    .filter(
      ({ segments }) =>
        segments.length === 1 && (members.get(segments[0]?.file ?? "") ?? 0) < minCompoundMembers,
    )
    .sort((left, right) => left.repositoryId - right.repositoryId);
  const chosen: Manifest[] = [];
  let bytes = 0;
  for (const manifest of small) {
    const more = textOf(manifest.segments);
    if (chosen.length >= maxCompoundMembers || bytes + more > compoundBytes) break;
    chosen.push(manifest);
    bytes += more;
  }
  const files = new Set(chosen.map((manifest) => manifest.segments[0]?.file));
  return files.size >= minCompoundMembers ? { kind: "compound", manifests: chosen } : undefined;
}

function textOf(segments: Manifest["segments"]): number {
  return segments.reduce((sum, segment) => sum + segment.contentBytes, 0);
}

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
/** Files with less text are worth putting together. */
const smallFileBytes = 16 * 1024 * 1024;
/** Worth it from this many files on. */
const minCompoundFiles = 16;
/** What one compound holds: as much as can be written again in a second or two. */
const compoundBytes = 64 * 1024 * 1024;
const maxCompoundMembers = 4000;
/** A file much larger than all smaller ones together is not written again for their sake. */
const maxGrowth = 2;

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
  return nextCompound(manifests, isBusy);
}

function nextMerge(manifest: Manifest): MergeSegments | undefined {
  const { segments } = manifest;
  const firstDelta = segments.findIndex((segment) => segment.isDelta);
  if (firstDelta < 0) return undefined;
  const baseBytes = textOf(segments.slice(0, firstDelta));
  const deltaBytes = textOf(segments.slice(firstDelta));
  if (deltaBytes > baseBytes * maxDeltaPart) return { kind: "merge", manifest, from: 0 };
  // What deltas are merged into may take several files, of which only the first is one.
  return segments.filter((segment) => segment.isDelta).length >= maxSegments
    ? { kind: "merge", manifest, from: firstDelta }
    : undefined;
}

/** A shard file and all that name it. */
interface NamedFile {
  readonly manifests: Manifest[];
  bytes: number;
}

function nextCompound(
  manifests: ReadonlyMap<number, Manifest>,
  isBusy: (repositoryId: number) => boolean,
): MakeCompound | undefined {
  const small = namedFiles(manifests.values())
    .filter((file) => file.bytes < smallFileBytes)
    .filter((file) =>
      file.manifests.every((each) => each.segments.length === 1 && !isBusy(each.repositoryId)),
    )
    .sort((left, right) => left.bytes - right.bytes);
  const chosen: Manifest[] = [];
  let fileCount = 0;
  let bytes = 0;
  for (const file of small) {
    const isTooMuch =
      bytes + file.bytes > compoundBytes || chosen.length + file.manifests.length > maxCompoundMembers;
    if (isTooMuch || (fileCount >= minCompoundFiles && file.bytes > maxGrowth * bytes)) break;
    chosen.push(...file.manifests);
    fileCount++;
    bytes += file.bytes;
  }
  chosen.sort((left, right) => left.repositoryId - right.repositoryId);
  return fileCount >= minCompoundFiles ? { kind: "compound", manifests: chosen } : undefined;
}

function namedFiles(manifests: Iterable<Manifest>): NamedFile[] {
  const files = new Map<string, NamedFile>();
  for (const manifest of manifests) {
    for (const { file, contentBytes } of manifest.segments) {
      const named = files.get(file) ?? { manifests: [], bytes: 0 };
      named.manifests.push(manifest);
      named.bytes += contentBytes;
      files.set(file, named);
    }
  }
  return [...files.values()];
}

function textOf(segments: Manifest["segments"]): number {
  return segments.reduce((sum, segment) => sum + segment.contentBytes, 0);
}

/**
 * Decides when to rewrite shards, so that a search reads few of them.
 *
 * Each commit adds a delta shard. The deltas of a repository are merged into one when there are many, and into the base
 * when they contain a significant part of the text. Small repositories (most repositories are small) are combined into
 * compound shards. Shards in an older format are rewritten, because the current one takes less space.
 */
import { diskFormatVersion } from "#shard/format/frames";
import { isCompressed, type ShardFormatVersion } from "#shard/format/shard";
import type { Manifest } from "./manifest";

/** Merges the segments from index `from` on; all of them if that is 0. */
export interface MergeSegments {
  readonly kind: "merge";
  readonly manifest: Manifest;
  readonly from: number;
}

/** Combines the shards of several repositories into one compound shard. */
export interface MakeCompound {
  readonly kind: "compound";
  /** In ascending order of repository ids. */
  readonly manifests: readonly Manifest[];
}

export type Compaction = MergeSegments | MakeCompound;

/** Searching eight deltas costs little; searching one for each commit of a year does not. */
const maxSegments = 8;
/** Deltas are merged into the base when they contain more than this share of its text. */
const maxDeltaShare = 0.3;
/** Only shards with less text than this become part of a compound shard. */
const smallFileBytes = 16 * 1024 * 1024;
/** Combining fewer shards than this does not pay off. */
const minCompoundFiles = 16;
/** Text of one compound shard: as much as can be rewritten in a second or two. */
const compoundBytes = 64 * 1024 * 1024;
const maxCompoundMembers = 4000;
/** A shard with more than this many times the text of all smaller ones together is not rewritten to combine them. */
const maxGrowth = 2;

/** Returns the next compaction, if any. Skips busy repositories. */
export function nextCompaction(
  manifests: ReadonlyMap<number, Manifest>,
  isBusy: (repositoryId: number) => boolean,
): Compaction | undefined {
  const idle = [...manifests.values()].filter((manifest) => !isBusy(manifest.repositoryId));
  for (const manifest of idle) {
    const merge = nextMerge(manifest);
    if (merge !== undefined) return merge;
  }
  return nextCompound(manifests, isBusy);
}

function nextMerge(manifest: Manifest): MergeSegments | undefined {
  const { segments } = manifest;
  const firstDelta = segments.findIndex((segment) => segment.isDelta);
  if (firstDelta < 0) return undefined;
  const baseBytes = contentBytesOf(segments.slice(0, firstDelta));
  const deltaBytes = contentBytesOf(segments.slice(firstDelta));
  if (deltaBytes > baseBytes * maxDeltaShare) return { kind: "merge", manifest, from: 0 };
  // Count deltas rather than segments, because the base may consist of several shards.
  return segments.filter((segment) => segment.isDelta).length >= maxSegments
    ? { kind: "merge", manifest, from: firstDelta }
    : undefined;
}

/** A shard file and the manifests that list it. */
interface ListedFile {
  readonly manifests: Manifest[];
  readonly isOld: boolean;
  bytes: number;
}

function nextCompound(
  manifests: ReadonlyMap<number, Manifest>,
  isBusy: (repositoryId: number) => boolean,
): MakeCompound | undefined {
  const small = listedFiles(manifests.values())
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
  return fileCount >= minCompoundFiles ? { kind: "compound", manifests: inOrder(chosen) } : undefined;
}

function inOrder(manifests: readonly Manifest[]): Manifest[] {
  return manifests.toSorted((left, right) => left.repositoryId - right.repositoryId);
}

/** Returns the compaction that rewrites the next shard in an older format, if any. Skips busy repositories. */
export function nextConversion(
  manifests: ReadonlyMap<number, Manifest>,
  isBusy: (repositoryId: number) => boolean,
): Compaction | undefined {
  for (const { manifests: members, isOld } of listedFiles(manifests.values())) {
    const [manifest] = members;
    if (!isOld || manifest === undefined || members.some((each) => isBusy(each.repositoryId))) continue;
    const changed = members.length === 1 ? manifest : members.find(({ segments }) => segments.length > 1);
    if (changed !== undefined) return { kind: "merge", manifest: changed, from: 0 };
    return { kind: "compound", manifests: inOrder(members) };
  }
  return undefined;
}

function listedFiles(manifests: Iterable<Manifest>): ListedFile[] {
  const files = new Map<string, ListedFile>();
  const current = diskFormatVersion();
  for (const manifest of manifests) {
    for (const { file, contentBytes, formatVersion } of manifest.segments) {
      const isOld = isReplaced(formatVersion ?? 1, current);
      const listed = files.get(file) ?? { manifests: [], isOld, bytes: 0 };
      listed.manifests.push(manifest);
      listed.bytes += contentBytes;
      files.set(file, listed);
    }
  }
  return [...files.values()];
}

/** A machine that cannot compress does not rewrite what another one has compressed: that would need twice the space. */
function isReplaced(version: ShardFormatVersion, current: ShardFormatVersion): boolean {
  return version < current && (isCompressed(current) || !isCompressed(version));
}

function contentBytesOf(segments: Manifest["segments"]): number {
  return segments.reduce((sum, segment) => sum + segment.contentBytes, 0);
}

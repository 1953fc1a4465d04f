/**
 * Counts the documents of a repository's shards, except for those that deltas hide or that only deleted refs contain.
 */
import { bytePath, textOf } from "#git/bytePath";
import type { SkipReason } from "#model/document";
import { fileSource } from "#platform/byteSource";
import { loadChecksum } from "#shard/format/checksum";
import { ShardReader } from "#shard/format/reader";
import { RepositorySegments } from "#shard/format/segments";

export interface Inspection {
  readonly repositoryId: number;
  readonly segmentPaths: readonly string[];
  /** Slots of existing refs. */
  readonly slots: readonly number[];
  readonly includesSkipped: boolean;
}

export interface SkippedDocument {
  readonly path: string;
  readonly reason: SkipReason;
  /** Absent if unknown. */
  readonly sizeBytes?: number;
}

export interface ShardContents {
  readonly documentCount: number;
  readonly skippedCount: number;
  readonly contentBytes: number;
  /** By path; empty unless requested. */
  readonly skipped: readonly SkippedDocument[];
}

/** Returns the counts, and the skipped documents if requested. Throws SHARD_DAMAGED, and file-system errors. */
export async function inspect({
  repositoryId,
  segmentPaths,
  slots,
  includesSkipped,
}: Inspection): Promise<ShardContents> {
  const checksum = await loadChecksum();
  const readers: ShardReader[] = [];
  const wanted = new Set(slots);
  const skipped: SkippedDocument[] = [];
  let documentCount = 0;
  let skippedCount = 0;
  let contentBytes = 0;
  try {
    for (const path of segmentPaths) readers.push(new ShardReader(fileSource(path), checksum));
    const sizes = readers.map(
      (reader) =>
        new Map(includesSkipped ? reader.skipped().map(({ document, size }) => [document, size]) : []),
    );
    for (const found of new RepositorySegments(repositoryId, readers).documents()) {
      const reader = readers[found.segment];
      if (reader === undefined || !found.slots.some((slot) => wanted.has(slot))) continue;
      documentCount++;
      const reason = reader.skipReason(found.document);
      if (reason === undefined) {
        contentBytes += reader.contentLength(found.document);
        continue;
      }
      skippedCount++;
      if (!includesSkipped) continue;
      const size = sizes[found.segment]?.get(found.document) ?? 0;
      const path = textOf(bytePath(reader.path(found.document)));
      skipped.push({ path, reason, ...(size > 0 ? { sizeBytes: size } : {}) });
    }
  } finally {
    for (const reader of readers) reader.close();
  }
  skipped.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  return { documentCount, skippedCount, contentBytes, skipped };
}

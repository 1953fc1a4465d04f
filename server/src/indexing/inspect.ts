/** What the shards of a repository hold now: documents that deltas hid or that only gone refs had do not count. */
import { bytePath, textOf } from "#git/bytePath";
import type { SkipReason } from "#model/document";
import { fileSource } from "#platform/byteSource";
import { loadChecksum } from "#shard/checksum";
import { ShardReader } from "#shard/reader";
import { RepositorySegments } from "#shard/segments";

export interface Inspection {
  readonly repositoryId: number;
  readonly segmentPaths: readonly string[];
  /** Of the refs that exist. */
  readonly slots: readonly number[];
  readonly withSkipped: boolean;
}

export interface SkippedDocument {
  readonly path: string;
  readonly reason: SkipReason;
  /** Absent where nobody knows. */
  readonly sizeBytes?: number;
}

export interface ShardContents {
  readonly documentCount: number;
  readonly skippedCount: number;
  readonly contentBytes: number;
  /** By path; empty unless asked for. */
  readonly skipped: readonly SkippedDocument[];
}

/** Throws SHARD_DAMAGED, and what the disk throws. */
export async function inspect({
  repositoryId,
  segmentPaths,
  slots,
  withSkipped,
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
      (reader) => new Map(withSkipped ? reader.skipped().map(({ document, size }) => [document, size]) : []),
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
      if (!withSkipped) continue;
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

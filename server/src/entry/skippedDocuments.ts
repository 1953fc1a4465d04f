import { fileSource } from "#platform/byteSource";
import type { SkippedEntry } from "#service/repositoryView";
import { loadChecksum } from "#shard/checksum";
import type { ShardDirectory } from "#shard/directory";
import { ShardReader } from "#shard/reader";
import { RepositorySegments } from "#shard/segments";

/** The documents of a repository whose text is not indexed, in the order of their paths, each path once. */
export async function skippedDocuments(
  directory: ShardDirectory,
  repositoryId: number,
): Promise<SkippedEntry[]> {
  const manifest = directory.manifest(repositoryId);
  if (manifest === undefined) return [];
  const checksum = await loadChecksum();
  const readers: ShardReader[] = [];
  try {
    for (const segment of manifest.segments) {
      readers.push(new ShardReader(fileSource(directory.pathOf(segment)), checksum));
    }
    const segments = new RepositorySegments(repositoryId, readers);
    const found = new Map<string, SkippedEntry>();
    for (const [index, reader] of readers.entries()) {
      const part = reader.repository(repositoryId);
      if (part === undefined) continue;
      for (const { document, reason, size } of reader.skipped()) {
        // A compound shard holds documents of others as well.
        if (document < part.firstDocument || document >= part.endDocument) continue;
        if (segments.slotsOf(index, document).length === 0) continue;
        const path = Buffer.from(reader.path(document)).toString("utf8");
        found.set(path, { path, reason, ...(size === 0 ? {} : { sizeBytes: size }) });
      }
    }
    return [...found.values()].sort((left, right) => (left.path < right.path ? -1 : 1));
  } finally {
    for (const reader of readers) reader.close();
  }
}

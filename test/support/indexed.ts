/** Prints the contents of an index as readable lines. */
import { isPlainFolder } from "#model/repository";
import { fileSource, memorySource } from "#platform/byteSource";
import type { ShardDirectory } from "#shard/directory/directory";
import { loadChecksum } from "#shard/format/checksum";
import { ShardReader } from "#shard/format/reader";
import { RepositorySegments } from "#shard/format/segments";

/** Returns `path [main v1]: text` lines, sorted; skipped documents show the reason instead. Ref names are short. */
export async function indexedLines(directory: ShardDirectory, repositoryId: number): Promise<string[]> {
  const manifest = directory.manifest(repositoryId);
  if (!manifest) return ["no manifest"];
  const checksum = await loadChecksum();
  const readers = manifest.segments.map(
    (segment) => new ShardReader(fileSource(directory.pathOf(segment)), checksum),
  );
  const segments = new RepositorySegments(repositoryId, readers);
  const names = new Map(
    manifest.revisions.map(({ slot, name }) => [slot, name.replace(/^refs\/(heads|tags)\//, "")]),
  );
  const lines = [...segments.documents()].flatMap(({ segment, document, slots }) => {
    const reader = readers[segment];
    const refs = slots.flatMap((slot) => names.get(slot) ?? []).sort();
    if (!reader || (refs.length === 0 && !isPlainFolder(manifest.kind))) return [];
    return [`${textOf(reader.path(document))} [${refs.join(" ")}]: ${contentOf(reader, document)}`];
  });
  for (const reader of readers) reader.close();
  return lines.sort();
}

/** Returns the documents of an in-memory shard as `path: text`. */
export async function shardLines(bytes: Uint8Array): Promise<string[]> {
  const reader = new ShardReader(memorySource(bytes), await loadChecksum());
  return Array.from(
    { length: reader.meta.documentCount },
    (_, document) => `${textOf(reader.path(document))}: ${contentOf(reader, document)}`,
  ).sort();
}

function contentOf(reader: ShardReader, document: number): string {
  const skip = reader.skipReason(document);
  return skip === undefined ? textOf(reader.readContent(document)).replaceAll("\n", "|") : `(${skip})`;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("utf8");
}

/** Documents of a repository that have no symbols although their language is parsed. */
import { isServiceError } from "#base/error";
import { bytePath, textOf } from "#git/bytePath";
import { type ByteSource, fileSource } from "#platform/byteSource";
import { type Checksum, loadChecksum } from "#shard/checksum";
import { ShardReader } from "#shard/reader";
import { RepositorySegments } from "#shard/segments";
import { SymbolReader } from "#shard/symbolReader";
import type { UnparsedReason } from "#symbols/symbols";

export interface UnparsedQuestion {
  readonly repositoryId: number;
  readonly segmentPaths: readonly string[];
  /** Of the companions, in the order of the segments; absent where there is none yet. */
  readonly symbolPaths: readonly (string | undefined)[];
  /** Of the refs that exist. */
  readonly slots: readonly number[];
}

export interface UnparsedDocument {
  readonly path: string;
  /** Linguist's name. */
  readonly language: string;
  readonly reason: FailedReason;
  readonly sizeBytes: number;
}

/** What nobody parses is no failure. */
export type FailedReason = Exclude<UnparsedReason, "noGrammar">;

const failedReasons: ReadonlySet<string> = new Set<FailedReason>(["tooLarge", "tooSlow", "crashed"]);

/** By path. Throws SHARD_DAMAGED for a shard, and what the disk throws. */
export async function unparsedDocuments({
  repositoryId,
  segmentPaths,
  symbolPaths,
  slots,
}: UnparsedQuestion): Promise<UnparsedDocument[]> {
  const checksum = await loadChecksum();
  const opened: { close(): void }[] = [];
  const wanted = new Set(slots);
  const unparsed: UnparsedDocument[] = [];
  try {
    const readers = segmentPaths.map((path) => {
      const reader = new ShardReader(fileSource(path), checksum);
      opened.push(reader);
      return reader;
    });
    const companions = readers.map((reader, segment) => {
      const companion = openCompanion(symbolPaths[segment], checksum, reader);
      if (companion !== undefined) opened.push(companion);
      return companion;
    });
    // Most have parsed everything, and then nobody need look through the documents.
    if (!companions.some((each) => each?.meta.reasons.some((reason) => failedReasons.has(reason)))) return [];
    for (const { segment, document, slots: own } of new RepositorySegments(
      repositoryId,
      readers,
    ).documents()) {
      const reader = readers[segment];
      const reason = companions[segment]?.unparsedReason(document);
      if (reader === undefined || reason === undefined || !isFailure(reason)) continue;
      // A document without text is skipped, and has symbols for no other reason.
      if (reader.skipReason(document) !== undefined || !own.some((slot) => wanted.has(slot))) continue;
      unparsed.push({
        path: textOf(bytePath(reader.path(document))),
        language: reader.language(document),
        reason,
        sizeBytes: reader.contentLength(document),
      });
    }
  } finally {
    for (const each of opened) each.close();
  }
  return unparsed.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

function isFailure(reason: string): reason is FailedReason {
  return failedReasons.has(reason);
}

/** One that is damaged, or has been replaced meanwhile, is as good as none: it is made anew. */
function openCompanion(
  path: string | undefined,
  checksum: Checksum,
  shard: ShardReader,
): SymbolReader | undefined {
  let source: ByteSource | undefined;
  try {
    source = path === undefined ? undefined : fileSource(path);
    return source && new SymbolReader(source, checksum, shard);
  } catch (error) {
    source?.close();
    const isGone = (error as NodeJS.ErrnoException).code === "ENOENT";
    if (!isGone && !isServiceError(error, "SHARD_DAMAGED")) throw error;
    return undefined;
  }
}

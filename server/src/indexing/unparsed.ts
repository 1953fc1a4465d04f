/** Lists the documents of a repository that could not be parsed although their language is supported. */
import { bytePath, textOf } from "#git/bytePath";
import { type ByteSource, fileSource } from "#platform/byteSource";
import { type Checksum, isMissingOrDamaged, loadChecksum } from "#shard/format/checksum";
import { ShardReader } from "#shard/format/reader";
import { RepositorySegments } from "#shard/format/segments";
import { SymbolReader } from "#shard/symbolFile/symbolReader";
import type { UnparsedReason } from "#symbols/symbols";

export interface UnparsedQuery {
  readonly repositoryId: number;
  readonly segmentPaths: readonly string[];
  /** Paths of the symbol files, in the order of the segments; `undefined` if there is none yet. */
  readonly symbolPaths: readonly (string | undefined)[];
  /** Slots of existing refs. */
  readonly slots: readonly number[];
}

export interface UnparsedDocument {
  readonly path: string;
  /** Linguist's name. */
  readonly language: string;
  readonly reason: FailedReason;
  readonly sizeBytes: number;
}

/** A language without a grammar is not a failure. */
export type FailedReason = Exclude<UnparsedReason, "noGrammar">;

const failedReasons: ReadonlySet<string> = new Set<FailedReason>(["tooLarge", "tooSlow", "crashed"]);

/** Returns documents by path. Throws SHARD_DAMAGED for a damaged shard, and file-system errors. */
export async function unparsedDocuments({
  repositoryId,
  segmentPaths,
  symbolPaths,
  slots,
}: UnparsedQuery): Promise<UnparsedDocument[]> {
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
    const symbolFiles = readers.map((reader, segment) => {
      const symbolFile = openSymbolFile(symbolPaths[segment], checksum, reader);
      if (symbolFile !== undefined) opened.push(symbolFile);
      return symbolFile;
    });
    // Usually everything was parsed, and the documents do not have to be read.
    if (!symbolFiles.some((each) => each?.meta.reasons.some((reason) => failedReasons.has(reason))))
      return [];
    for (const { segment, document, slots: own } of new RepositorySegments(
      repositoryId,
      readers,
    ).documents()) {
      const reader = readers[segment];
      const reason = symbolFiles[segment]?.unparsedReason(document);
      if (reader === undefined || reason === undefined || !isFailure(reason)) continue;
      // A document without content is reported as skipped instead.
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

/** Returns `undefined` for a symbol file that is damaged or has just been replaced; it will be rebuilt. */
function openSymbolFile(
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
    if (!isMissingOrDamaged(error)) throw error;
    return undefined;
  }
}

import { canceled, isServiceError } from "#base/error";
import { fileSource } from "#platform/byteSource";
import { diskFiles, type Files } from "#platform/files";
import { loadChecksum } from "#shard/format/checksum";
import { ShardReader } from "#shard/format/reader";
import { RepositorySegments } from "#shard/format/segments";
import { targetShardBytes } from "#shard/format/shard";
import type { ShardWriter } from "#shard/format/writer";
import { type Draft, pathsOf } from "./directory";
import { writeDraft } from "./draft";
import { removeStrayFile } from "./stray";
import { SymbolCopier } from "./symbolCopier";

/** Shards to rewrite: plain data for a worker. */
export interface Rewrite {
  readonly repositories: readonly {
    readonly id: number;
    /** Paths of all segments, oldest first. */
    readonly segments: readonly string[];
    /** Slots of refs that still exist. Other slots are dropped, and so are documents that have no slots left. */
    readonly liveSlots: readonly number[];
  }[];
  /** Segments before this index are not rewritten. Greater than 0 only for a single repository. */
  readonly from: number;
  /** Paths of symbol files by the paths of their segments. */
  readonly symbols?: Readonly<Record<string, string>>;
  /** The path of the first draft. Further ones append a number. */
  readonly draftPath: string;
}

/** The new shards, or the path of an old one that is damaged. */
export type Rewritten =
  | { readonly kind: "rewritten"; readonly drafts: readonly Draft[] }
  | { readonly kind: "damaged"; readonly path: string };

interface LiveDocument {
  readonly reader: ShardReader;
  readonly document: number;
  readonly slots: readonly number[];
  readonly rank: number;
}

const maxDepth = 1000;

/**
 * Writes the live documents of shards into new ones, best first. Reads only the shards, not the repositories. Removes
 * its drafts if it fails or an old shard is damaged.
 */
export async function rewriteShards(
  rewrite: Rewrite,
  isCanceled: () => boolean,
  files?: Files,
): Promise<Rewritten> {
  const checksum = await loadChecksum();
  const readers = new Map<string, ShardReader>();
  const paths = new Map<ShardReader, string>();
  let current = "";
  const open = (path: string): ShardReader => {
    current = path;
    let reader = readers.get(path);
    if (reader === undefined) {
      reader = new ShardReader(fileSource(path), checksum);
      readers.set(path, reader);
      paths.set(reader, path);
    }
    return reader;
  };
  const drafts: Draft[] = [];
  const copier = new SymbolCopier(checksum, rewrite.symbols ?? {});
  try {
    const repositories = rewrite.repositories.map(({ id, segments, liveSlots }) => ({
      id,
      segments: new RepositorySegments(id, segments.map(open)),
      live: new Set(liveSlots),
    }));
    const rest = repositories.map(({ id, segments, live }) => ({
      id,
      documents: liveDocuments(segments, live, rewrite.from),
    }));
    // A compound shard is always one file, because its repositories list no other.
    const maxBytes = repositories.length > 1 ? Number.POSITIVE_INFINITY : targetShardBytes;
    while (drafts.length === 0 || rest.length > 0) {
      const path = drafts.length === 0 ? rewrite.draftPath : `${rewrite.draftPath}.${drafts.length}`;
      const isFirst = drafts.length === 0;
      const draft = await writeDraft(
        path,
        checksum,
        (writer) => {
          fill(writer, rest, maxBytes, (reader, document) => {
            if (isCanceled()) throw canceled();
            current = paths.get(reader) ?? current;
            copier.add(reader, paths.get(reader) ?? "", document);
          });
          const [only] = repositories;
          if (isFirst && rewrite.from > 0 && only !== undefined)
            copyOverrides(writer, only.segments, rewrite.from);
        },
        files,
      );
      drafts.push(draft);
      const symbols = await copier.write(path, files);
      if (symbols !== undefined) drafts[drafts.length - 1] = { ...draft, symbols };
    }
    return { kind: "rewritten", drafts };
  } catch (error) {
    for (const path of pathsOf(drafts)) removeStrayFile(files ?? diskFiles, path);
    if (isServiceError(error, "SHARD_DAMAGED")) return { kind: "damaged", path: current };
    throw error;
  } finally {
    copier.close();
    for (const reader of readers.values()) reader.close();
  }
}

function liveDocuments(
  segments: RepositorySegments,
  live: ReadonlySet<number>,
  from: number,
): LiveDocument[] {
  const documents: LiveDocument[] = [];
  for (const found of segments.documents()) {
    const reader = segments.segments[found.segment]?.reader;
    const slots = found.slots.filter((slot) => live.has(slot));
    if (found.segment < from || reader === undefined || slots.length === 0) continue;
    const depth = reader.path(found.document).reduce((sum, byte) => sum + (byte === 0x2f ? 1 : 0), 0);
    const rank = reader.categoryIndex(found.document) * maxDepth + Math.min(depth, maxDepth - 1);
    documents.push({ reader, document: found.document, slots, rank });
  }
  return documents.sort(
    (left, right) =>
      left.rank - right.rank ||
      Buffer.compare(left.reader.path(left.document), right.reader.path(right.document)),
  );
}

/** Moves documents from `rest` to the shard until that is full. */
function fill(
  writer: ShardWriter,
  rest: { readonly id: number; documents: LiveDocument[] }[],
  maxBytes: number,
  onCopy: (reader: ShardReader, document: number) => void,
): void {
  for (let repository = rest[0]; repository !== undefined; repository = rest[0]) {
    writer.beginRepository(repository.id);
    let taken = 0;
    for (const { reader, document, slots } of repository.documents) {
      if (writer.contentBytes >= maxBytes) {
        repository.documents = repository.documents.slice(taken);
        return;
      }
      onCopy(reader, document);
      addCopy(writer, reader, document, slots);
      taken++;
    }
    rest.shift();
  }
}

function addCopy(writer: ShardWriter, reader: ShardReader, document: number, slots: readonly number[]): void {
  const skip = reader.skipReason(document);
  const described = {
    path: reader.path(document),
    blob: reader.blob(document),
    language: reader.language(document),
    category: reader.category(document),
    slots,
  };
  if (skip === undefined) writer.add({ ...described, content: reader.readContent(document) });
  else writer.add({ ...described, skip, size: reader.skippedSize(document) });
}

/**
 * Copies the changes that the merged deltas make to the segments that are not rewritten: slot copies in order, then the
 * final set of each override.
 */
function copyOverrides(writer: ShardWriter, segments: RepositorySegments, from: number): void {
  writer.markDelta();
  const overridden = new Set<string>();
  for (const segment of segments.segments.slice(from)) {
    for (const slotCopy of segment?.reader.meta.likenesses ?? []) writer.copySlot(slotCopy);
    const overrides = segment?.reader.overrides ?? new Uint32Array(0);
    for (let at = 0; at + 2 < overrides.length; at += 3) {
      const target = overrides[at] ?? 0;
      if (target < from) overridden.add(`${target} ${overrides[at + 1]}`);
    }
  }
  for (const key of overridden) {
    const [segment = 0, document = 0] = key.split(" ").map(Number);
    writer.override({ segment, document, slots: segments.slotsOf(segment, document) });
  }
}

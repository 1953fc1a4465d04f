/** Builds the symbols of one shard: copies those of contents that were parsed before, and parses the rest. */
import { isServiceError } from "#base/error";
import { fileSource, memorySource } from "#platform/byteSource";
import { diskFiles, type Files } from "#platform/files";
import { writeSymbolDraft } from "#shard/directory/draft";
import type { SymbolDraft } from "#shard/directory/symbolFiles";
import { type Checksum, loadChecksum } from "#shard/format/checksum";
import { ShardReader } from "#shard/format/reader";
import { MemorySink } from "#shard/format/writer";
import { type KnownSymbols, pendingSymbols, type SymbolSummary } from "#shard/symbolFile/symbolFile";
import { SymbolReader } from "#shard/symbolFile/symbolReader";
import { SymbolWriter } from "#shard/symbolFile/symbolWriter";
import { definesNames } from "#symbols/grammars/grammars";
import { type PackedSymbols, unpack } from "#symbols/parsing/packed";
import type { SymbolParsers } from "#symbols/parsing/parsers";
import { contentKey, KnownContents, type ShardWithSymbols } from "./knownContents";

/** For a shard on disk, a draft is written. For an overlay, the symbol file is returned in shared memory. */
export type SymbolTarget =
  | { readonly kind: "disk"; readonly shardPath: string; readonly draftPath: string }
  | { readonly kind: "memory"; readonly shard: Uint8Array };

export interface SymbolTask {
  readonly target: SymbolTarget;
  /** Path of the shard's incomplete symbol file. */
  readonly own?: string;
  /** Shards that may contain symbols of the same contents. */
  readonly known: readonly ShardWithSymbols[];
  /** Number of parser threads. */
  readonly parserCount: number;
  /** After about this time, the rest is left for the next run. */
  readonly budgetMs: number;
}

export type SymbolResult =
  | { readonly kind: "symbolDraft"; readonly draft: SymbolDraft }
  | { readonly kind: "symbolBytes"; readonly bytes: Uint8Array }
  /** The shard itself is damaged. */
  | { readonly kind: "damagedShard" };

/** How much text is passed to each parser thread at once. */
const bytesAtOnce = 1024 * 1024;

/** Builds a symbol file. Rejects with CANCELLED when `signal` fires; symbols parsed so far are then lost. */
export async function buildSymbols(
  { target, own, known, parserCount, budgetMs }: SymbolTask,
  parsers: SymbolParsers,
  signal: AbortSignal,
  files: Files = diskFiles,
): Promise<SymbolResult> {
  const checksum = await loadChecksum();
  const source = target.kind === "disk" ? fileSource(target.shardPath) : memorySource(target.shard);
  parsers.resize(parserCount);
  try {
    const shard = new ShardReader(source, checksum);
    const endAt = performance.now() + budgetMs;
    const run = { shard, checksum, own, known, parsers, signal, endAt, bytes: parserCount * bytesAtOnce };
    const fill = (writer: SymbolWriter) => addSymbols(writer, run);
    if (target.kind === "disk")
      return { kind: "symbolDraft", draft: await writeSymbolDraft(target.draftPath, checksum, fill, files) };
    const sink = new MemorySink();
    await fill(new SymbolWriter(sink, checksum));
    return { kind: "symbolBytes", bytes: sink.bytes() };
  } catch (error) {
    if (isServiceError(error, "SHARD_DAMAGED")) return { kind: "damagedShard" };
    throw error;
  } finally {
    source.close();
  }
}

interface SymbolRun {
  readonly shard: ShardReader;
  readonly checksum: Checksum;
  readonly own: string | undefined;
  readonly known: readonly ShardWithSymbols[];
  readonly parsers: SymbolParsers;
  readonly signal: AbortSignal;
  readonly endAt: number;
  /** How many bytes of text are parsed at once. */
  readonly bytes: number;
}

async function addSymbols(writer: SymbolWriter, run: SymbolRun): Promise<SymbolSummary> {
  const { shard, checksum, own, known } = run;
  const source = own === undefined ? undefined : fileSource(own);
  let contents: KnownContents | undefined;
  try {
    const before = openOwn(() => source && new SymbolReader(source, checksum, shard));
    const keys = parsableKeys(shard, before);
    contents = new KnownContents(known, checksum, new Set(keys.values()));
    await addAll(writer, run, { before, keys, contents });
    return writer.finish(shard.stamp);
  } finally {
    contents?.close();
    source?.close();
  }
}

/** Returns `undefined` for a damaged symbol file. */
function openOwn(open: () => SymbolReader | undefined): SymbolReader | undefined {
  try {
    const own = open();
    own?.verify();
    own?.names.loadAll();
    return own;
  } catch (error) {
    if (!isServiceError(error, "SHARD_DAMAGED")) throw error;
    return undefined;
  }
}

/** Sources of symbols that do not have to be parsed. */
interface Sources {
  readonly before: SymbolReader | undefined;
  /** By document: keys of contents to parse, or to copy from other shards. */
  readonly keys: ReadonlyMap<number, string>;
  readonly contents: KnownContents;
}

/** A document to be added to the symbol file. */
interface Entry {
  /** Absent until parsed. Packed until they are written, because there may be hundreds of thousands of definitions. */
  symbols?: KnownSymbols | PackedSymbols;
  readonly language: string;
  readonly content?: Uint8Array;
  readonly key?: string;
}

/** Adds all documents in order. Reads the next ones while some are parsed. */
async function addAll(
  writer: SymbolWriter,
  run: SymbolRun,
  { before, keys, contents }: Sources,
): Promise<void> {
  const { shard } = run;
  const twice = repeated(keys.values());
  /** Symbols of contents that occur more than once in this shard. */
  const parsedHere = new Map<string, KnownSymbols | PackedSymbols>();
  const { documentCount } = shard.meta;
  let waiting: Promise<void> = Promise.resolve();
  let hasParsed = false;
  for (let next = 0; next < documentCount; ) {
    // Every run parses at least one batch, to make progress.
    const isOver = hasParsed && performance.now() >= run.endAt;
    const entries: Entry[] = [];
    let bytes = 0;
    for (; next < documentCount && bytes < run.bytes; next++) {
      const key = keys.get(next);
      const language = shard.language(next);
      if (key === undefined) {
        entries.push({ language, symbols: parsedBefore(before, next) ?? symbolsWithoutText(shard, next) });
        continue;
      }
      const symbols = contents.get(key) ?? parsedHere.get(key) ?? (isOver ? pendingSymbols : undefined);
      const content = symbols === undefined ? shard.readContent(next) : undefined;
      bytes += content?.length ?? 0;
      entries.push({ language, key, ...(symbols && { symbols }), ...(content && { content }) });
    }
    hasParsed ||= bytes > 0;
    const parsed = parse(entries, run);
    // Rethrown by `await` below; handled here because another promise may be awaited first.
    parsed.catch(() => undefined);
    await waiting;
    waiting = parsed.then(() => {
      for (const { symbols = pendingSymbols, key } of entries) {
        writer.add(symbols.kind === "packed" ? unpack(symbols) : symbols);
        if (key !== undefined && twice.has(key) && symbols.kind !== "pending") parsedHere.set(key, symbols);
      }
    });
    waiting.catch(() => undefined);
  }
  await waiting;
}

async function parse(entries: readonly Entry[], { parsers, signal }: SymbolRun): Promise<void> {
  const texts: { entry: Entry; language: string; content: Uint8Array }[] = [];
  for (const entry of entries) {
    const { symbols, language, content } = entry;
    if (symbols === undefined && content !== undefined) texts.push({ entry, language, content });
  }
  if (texts.length === 0) return;
  const results = await parsers.packedSymbols(
    texts.map(({ language, content }) => ({ language, content })),
    signal,
  );
  for (const [at, { entry }] of texts.entries()) {
    const result = results[at];
    if (result !== undefined) entry.symbols = result;
  }
}

/** Ignores pending entries, which may have been copied from other shards and need no parsing. */
function parsedBefore(before: SymbolReader | undefined, document: number): KnownSymbols | undefined {
  const symbols = before?.symbolsOf(document);
  return symbols?.kind === "pending" ? undefined : symbols;
}

/** Returns the entry of a document that is never parsed: its content is skipped, or its language has no grammar. */
function symbolsWithoutText(shard: ShardReader, document: number): KnownSymbols {
  return { kind: "unparsed", reason: shard.skipReason(document) ?? "noGrammar" };
}

/** Returns the content keys of the documents that still have to be parsed, by document number. */
function parsableKeys(shard: ShardReader, before: SymbolReader | undefined): Map<number, string> {
  const keys = new Map<number, string>();
  for (let document = 0; document < shard.meta.documentCount; document++) {
    if (before !== undefined && !before.isPending(document)) continue;
    if (shard.skipReason(document) !== undefined || !definesNames(shard.language(document))) continue;
    keys.set(document, contentKey(shard, document));
  }
  return keys;
}

function repeated(keys: Iterable<string>): Set<string> {
  const once = new Set<string>();
  const twice = new Set<string>();
  for (const key of keys) (once.has(key) ? twice : once).add(key);
  return twice;
}

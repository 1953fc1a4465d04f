/** The symbols of one shard: what is known of its contents already is copied, the rest parsed. */
import { isServiceError } from "#base/error";
import { fileSource, memorySource } from "#platform/byteSource";
import { diskFiles, type Files } from "#platform/files";
import { type Checksum, loadChecksum } from "#shard/checksum";
import { writeSymbolDraft } from "#shard/draft";
import { ShardReader } from "#shard/reader";
import type { SymbolDraft } from "#shard/symbolFiles";
import { SymbolReader } from "#shard/symbolReader";
import { type KnownSymbols, pendingSymbols, type SymbolSummary } from "#shard/symbols";
import { SymbolWriter } from "#shard/symbolWriter";
import { MemorySink } from "#shard/writer";
import { definesNames } from "#symbols/grammars";
import type { SymbolParsers } from "#symbols/parsers";
import { contentKey, KnownContents, type ShardWithSymbols } from "./knownContents";

/** Of a shard on disk a draft is made, of an overlay's a companion in shared memory. */
export type SymbolTarget =
  | { readonly kind: "disk"; readonly shardPath: string; readonly draftPath: string }
  | { readonly kind: "memory"; readonly shard: Uint8Array };

export interface SymbolTask {
  readonly target: SymbolTarget;
  /** Path of its companion that is not complete. */
  readonly own?: string;
  /** Where the same contents may have been parsed before. */
  readonly known: readonly ShardWithSymbols[];
  /** Threads that parse. */
  readonly parserCount: number;
  /** After about so long the rest is left for the next time. */
  readonly budgetMs: number;
}

export type SymbolAnswer =
  | { readonly kind: "symbolDraft"; readonly draft: SymbolDraft }
  | { readonly kind: "symbolBytes"; readonly bytes: Uint8Array }
  /** The shard itself does not hold what it should. */
  | { readonly kind: "damagedShard" };

/** Text that is given to the parsers at once, for each of them. */
const bytesAtOnce = 1024 * 1024;

/** Rejects with `CANCELLED` when `signal` fires; what was parsed until then is lost. */
export async function makeSymbols(
  { target, own, known, parserCount, budgetMs }: SymbolTask,
  parsers: SymbolParsers,
  signal: AbortSignal,
  files: Files = diskFiles,
): Promise<SymbolAnswer> {
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
  /** Of text that is parsed at once. */
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

/** A damaged companion is as good as none. */
function openOwn(open: () => SymbolReader | undefined): SymbolReader | undefined {
  try {
    const own = open();
    own?.verify();
    own?.names.keepAll();
    return own;
  } catch (error) {
    if (!isServiceError(error, "SHARD_DAMAGED")) throw error;
    return undefined;
  }
}

/** What need not be parsed. */
interface Sources {
  readonly before: SymbolReader | undefined;
  /** By document: what has to be parsed, or copied from elsewhere. */
  readonly keys: ReadonlyMap<number, string>;
  readonly contents: KnownContents;
}

/** A document on its way into the companion. */
interface Entry {
  /** Absent for what has to be parsed. */
  symbols?: KnownSymbols;
  readonly language: string;
  readonly content?: Uint8Array;
  readonly key?: string;
}

/** Goes through the documents in their order; while some are parsed the next ones are read. */
async function addAll(
  writer: SymbolWriter,
  run: SymbolRun,
  { before, keys, contents }: Sources,
): Promise<void> {
  const { shard } = run;
  const twice = repeated(keys.values());
  /** Of contents that this shard has more than once. */
  const parsedHere = new Map<string, KnownSymbols>();
  const { documentCount } = shard.meta;
  let waiting: Promise<void> = Promise.resolve();
  let hasParsed = false;
  for (let next = 0; next < documentCount; ) {
    // Each time some, or there would be no end.
    const isOver = hasParsed && performance.now() >= run.endAt;
    const entries: Entry[] = [];
    let bytes = 0;
    for (; next < documentCount && bytes < run.bytes; next++) {
      const key = keys.get(next);
      const language = shard.language(next);
      if (key === undefined) {
        entries.push({ language, symbols: parsedBefore(before, next) ?? withoutText(shard, next) });
        continue;
      }
      const symbols = contents.get(key) ?? parsedHere.get(key) ?? (isOver ? pendingSymbols : undefined);
      const content = symbols === undefined ? shard.readContent(next) : undefined;
      bytes += content?.length ?? 0;
      entries.push({ language, key, ...(symbols && { symbols }), ...(content && { content }) });
    }
    hasParsed ||= bytes > 0;
    const parsed = parse(entries, run);
    // Its failure is this function's, which may still be waiting for the one before.
    parsed.catch(() => undefined);
    await waiting;
    waiting = parsed.then(() => {
      for (const { symbols = pendingSymbols, key } of entries) {
        writer.add(symbols);
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
  const answers = await parsers.symbols(
    texts.map(({ language, content }) => ({ language, content })),
    signal,
  );
  for (const [at, { entry }] of texts.entries()) {
    const answer = answers[at];
    if (answer !== undefined) entry.symbols = answer;
  }
}

/** What a companion copied from other shards calls pending may be nothing to parse. */
function parsedBefore(before: SymbolReader | undefined, document: number): KnownSymbols | undefined {
  const symbols = before?.symbolsOf(document);
  return symbols?.kind === "pending" ? undefined : symbols;
}

/** What a document without a text to be parsed has. */
function withoutText(shard: ShardReader, document: number): KnownSymbols {
  return { kind: "unparsed", reason: shard.skipReason(document) ?? "noGrammar" };
}

/** Documents that can be parsed and were not, each with what names its content. */
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

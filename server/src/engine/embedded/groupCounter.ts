import type { Grouping } from "#engine/engine";
import type { CompiledSearch } from "#shard/evaluation/compile";
import type { CountedDocuments } from "#shard/evaluation/evaluate";
import { lastAtOrBelow } from "#shard/format/lastAtOrBelow";
import type { ShardReader } from "#shard/format/reader";
import type { TextWindow } from "#shard/format/window";
import { DocumentSources } from "./documentInfo";
import type { GroupColumns } from "./searchMessages";
import { type OpenShard, partOf } from "./shardSet";
import { outsideOf, SymbolKeys } from "./symbolKeys";
import { TextKeys } from "./textKeys";

/** Maximum number of groups that one worker keeps, and of the bytes of their keys. */
const maxGroups = 100_000;
const maxKeyBytes = 16 * 1024 * 1024;
/** Maximum number of documents whose lines are kept, to find out who changed them, and of their lines. */
const maxLineDocuments = 500;
const maxLines = 200_000;
const slash = 0x2f;
const newline = 0x0a;
/** Between the parts of a key. Neither paths nor names contain it. */
const separator = "\0";
/** Ranges are read in steps of this many. */
const rangesPerStep = 256;
/** A step ends after this many bytes, or steps of captures: at most a few milliseconds. */
const maxCost = 10_000;

/** Where the ranges of one document are. */
interface RangeSpan {
  readonly shard: OpenShard;
  readonly document: number;
  readonly counted: CountedDocuments;
  readonly isInName: boolean;
  readonly from: number;
  readonly to: number;
}

interface Group {
  matchCount: number;
  fileCount: number;
  /** The last document that was counted in it. */
  lastFile: number;
}

/**
 * Counts the matches of one search on one worker by a property. Keys are texts of bytes (`latin1`), so that texts which
 * are not UTF-8 stay apart.
 *
 * The counts of a shard are kept apart until `commit`, because a damaged shard counts for nothing.
 */
export class GroupCounter {
  readonly #grouping: Grouping;
  readonly #window: TextWindow;
  readonly #sources: DocumentSources;
  readonly #texts: TextKeys;
  readonly #committed = new Map<string, Group>();
  #pending = new Map<string, Group>();
  readonly #repositories = new Set<number>();
  #pendingRepositories = new Set<number>();
  readonly #lines = new Map<string, number[]>();
  #lineCount = 0;
  #pendingLines = new Map<string, number[]>();
  #pendingLineCount = 0;
  #fileNumber = 0;
  #keyBytes = 0;
  /** The pending groups that are not committed, and the bytes of their keys. */
  #newGroupCount = 0;
  #newKeyBytes = 0;
  #isTruncated = false;
  #hasPendingSymbols = false;

  constructor(grouping: Grouping, compiled: CompiledSearch, window: TextWindow) {
    this.#grouping = grouping;
    this.#window = window;
    this.#sources = new DocumentSources(compiled);
    this.#texts = new TextKeys(compiled.query);
  }

  /** Whether it needs to know where the matches are. */
  get needsRanges(): boolean {
    const { by } = this.#grouping;
    return by === "text" || by === "symbol" || by === "author";
  }

  /** Whether definitions of a document with matches are not known yet. */
  get hasPendingSymbols(): boolean {
    return this.#hasPendingSymbols;
  }

  /** Adds documents of a shard. Yields often, so that others can run. Throws `SHARD_DAMAGED`. */
  *add(shard: OpenShard, counted: CountedDocuments): Generator<void, void> {
    const { documents, matchCounts, areInName } = counted;
    let from = 0;
    for (let at = 0; at < documents.length; at++) {
      const document = documents[at] ?? 0;
      const matchCount = matchCounts[at] ?? 0;
      const repositoryId = partOf(shard, document)?.repository.shards.id ?? 0;
      this.#pendingRepositories.add(repositoryId);
      this.#fileNumber++;
      if (this.needsRanges) {
        const to = from + matchCount;
        yield* this.#addRanges(repositoryId, {
          shard,
          document,
          counted,
          isInName: areInName[at] === true,
          from,
          to,
        });
        from = to;
      } else this.#count(this.#documentKey(shard.reader, document, repositoryId), matchCount);
      if (at % rangesPerStep === 0) yield;
    }
  }

  /** Keeps what was added since the last call. */
  commit(): void {
    for (const [key, { matchCount, fileCount }] of this.#pending) {
      const known = this.#committed.get(key);
      if (known !== undefined) {
        known.matchCount += matchCount;
        known.fileCount += fileCount;
      } else this.#committed.set(key, { matchCount, fileCount, lastFile: 0 });
    }
    for (const id of this.#pendingRepositories) this.#repositories.add(id);
    for (const [key, lines] of this.#pendingLines) this.#lines.set(key, lines);
    this.#keyBytes += this.#newKeyBytes;
    this.#lineCount += this.#pendingLineCount;
    this.discard();
  }

  /** Drops what was added since the last `commit`. */
  discard(): void {
    this.#pending = new Map();
    this.#pendingRepositories = new Set();
    this.#pendingLines = new Map();
    this.#pendingLineCount = 0;
    this.#newGroupCount = 0;
    this.#newKeyBytes = 0;
  }

  columns(): GroupColumns {
    const groups = [...this.#committed.values()];
    return {
      keys: [...this.#committed.keys()],
      matchCounts: Float64Array.from(groups, ({ matchCount }) => matchCount),
      fileCounts: Float64Array.from(groups, ({ fileCount }) => fileCount),
      repositories: [...this.#repositories],
      lines: this.#lines,
      isTruncated: this.#isTruncated,
    };
  }

  #count(key: string, matchCount: number): void {
    let group = this.#pending.get(key);
    if (group === undefined) {
      if (!this.#committed.has(key)) {
        const isFull = this.#committed.size + this.#newGroupCount >= maxGroups;
        if (isFull || this.#keyBytes + this.#newKeyBytes + key.length > maxKeyBytes) {
          this.#isTruncated = true;
          return;
        }
        this.#newGroupCount++;
        this.#newKeyBytes += key.length;
      }
      group = { matchCount: 0, fileCount: 0, lastFile: -1 };
      this.#pending.set(key, group);
    }
    group.matchCount += matchCount;
    if (group.lastFile === this.#fileNumber) return;
    group.lastFile = this.#fileNumber;
    group.fileCount++;
  }

  #documentKey(reader: ShardReader, document: number, repositoryId: number): string {
    const { by, depth = Number.POSITIVE_INFINITY } = this.#grouping;
    if (by === "none") return "";
    if (by === "repo") return String(repositoryId);
    if (by === "language") return reader.language(document);
    const path = reader.path(document);
    let end = 0;
    for (let at = 0, level = 0; at < path.length && level < depth; at++) {
      if (path[at] !== slash) continue;
      end = at;
      level++;
    }
    return repositoryId + separator + latin1(path, 0, end);
  }

  *#addRanges(repositoryId: number, span: RangeSpan): Generator<void, void> {
    const { shard, document } = span;
    const { by } = this.#grouping;
    if (by === "text") {
      yield* this.#addTexts(span);
      return;
    }
    const path = latin1(shard.reader.path(document));
    if (by === "symbol") yield* this.#addSymbols(repositoryId + separator + path, span);
    else yield* this.#addLines(repositoryId, path, span);
  }

  *#addSymbols(file: string, span: RangeSpan): Generator<void, void> {
    const { shard, document, counted, from, to, isInName } = span;
    const { symbols } = shard;
    if (symbols === undefined || symbols.isPending(document)) this.#hasPendingSymbols = true;
    const keys = symbols === undefined || isInName ? undefined : new SymbolKeys(symbols, document, file);
    for (let at = from; at < to; at++) {
      this.#count(keys?.keyAt(counted.ranges.starts[at] ?? 0) ?? outsideOf(file), 1);
      if ((at - from) % rangesPerStep === rangesPerStep - 1) yield;
    }
  }

  *#addLines(repositoryId: number, path: string, span: RangeSpan): Generator<void, void> {
    const { shard, document, counted, from, to, isInName } = span;
    const { origin, commit } = this.#sources.of(shard, document);
    const isBlamed = !isInName && origin === "commit";
    const key = [repositoryId, isBlamed ? commit : "", path].join(separator);
    this.#count(key, to - from);
    if (!isBlamed || this.#lines.has(key) || this.#pendingLines.has(key)) return;
    if (this.#lines.size + this.#pendingLines.size >= maxLineDocuments) return;
    const maxLeft = maxLines - this.#lineCount - this.#pendingLineCount;
    const { reader } = shard;
    const base = reader.contentStarts[document] ?? 0;
    // Each line is followed by its number of matches.
    const lines: number[] = [];
    let block = -1;
    let line = 0;
    let offset = 0;
    for (let at = from; at < to; at++) {
      const start = base + (counted.ranges.starts[at] ?? 0);
      const containing = blockAt(reader, document, start);
      if (containing !== block) {
        block = containing;
        line = reader.blockLines[block] ?? 1;
        offset = reader.blockStarts[block] ?? 0;
      }
      const address = this.#window.load(reader, block, block + 1);
      const blockStart = reader.blockStarts[block] ?? 0;
      const { bytes } = this.#window.kernels;
      for (; offset < start; offset++) if (bytes[address + offset - blockStart] === newline) line++;
      if (lines.at(-2) === line) lines.push((lines.pop() ?? 0) + 1);
      else if (lines.length >= 2 * maxLeft) return;
      else lines.push(line, 1);
      if ((at - from) % rangesPerStep === rangesPerStep - 1) yield;
    }
    this.#pendingLines.set(key, lines);
    this.#pendingLineCount += lines.length / 2;
  }

  *#addTexts({ shard, document, counted, from, to, isInName }: RangeSpan): Generator<void, void> {
    const { starts, ends } = counted.ranges;
    const { reader } = shard;
    const base = reader.contentStarts[document] ?? 0;
    const path = isInName ? Buffer.from(reader.path(document)) : undefined;
    const length = path?.length ?? reader.contentLength(document);
    for (let at = from; at < to; at++) {
      const [start, end] = [starts[at] ?? 0, ends[at] ?? 0];
      let bytes: Buffer<ArrayBufferLike> | undefined = path;
      let origin = 0;
      if (bytes === undefined) {
        // With the bytes before and after the range.
        const first = blockAt(reader, document, base + Math.max(0, start - 1));
        const last = blockAt(reader, document, base + Math.min(Math.max(0, length - 1), end));
        const address = this.#window.load(reader, first, last + 1);
        bytes = this.#window.buffer;
        origin = address - ((reader.blockStarts[first] ?? 0) - base);
      }
      const key = this.#texts.keyOf(bytes, origin, start, end, length);
      if (key === undefined) this.#isTruncated = true;
      else this.#count(key, 1);
      // Captures may be slow, and long ranges are slow to load.
      const cost = this.#texts.steps + (end - start);
      if (cost < maxCost && (at - from) % rangesPerStep !== rangesPerStep - 1) continue;
      this.#texts.steps = 0;
      yield;
    }
  }
}

function blockAt({ blockStarts, firstBlocks }: ShardReader, document: number, offset: number): number {
  const first = firstBlocks[document] ?? 0;
  return Math.max(first, lastAtOrBelow(blockStarts, first, firstBlocks[document + 1] ?? 0, offset));
}

function latin1(bytes: Uint8Array, from = 0, to = bytes.length): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1", from, to);
}

import type { Grouping } from "#engine/engine";
import type { Query } from "#query/query";
import { compileCapture, type ExpressionCapture } from "#query/regexp/regexp";
import type { CompiledSearch } from "#shard/evaluation/compile";
import type { CountedDocuments } from "#shard/evaluation/evaluate";
import { lastAtOrBelow } from "#shard/format/lastAtOrBelow";
import type { ShardReader } from "#shard/format/reader";
import { decodeText } from "#shard/format/text";
import type { TextWindow } from "#shard/format/window";
import { DocumentSources } from "./documentInfo";
import { InnermostDefinitions } from "./innermostDefinitions";
import type { GroupColumns } from "./searchMessages";
import { type OpenShard, partOf } from "./shardSet";

/** Longer texts are cut, and those that differ only after the cut are one group. */
const maxTextBytes = 1000;
/** Maximum number of groups that one worker keeps, and of the bytes of their keys. */
const maxGroups = 200_000;
const maxKeyBytes = 64 * 1024 * 1024;
/** Maximum number of documents whose lines are kept, to find out who changed them. */
const maxLineDocuments = 500;
const slash = 0x2f;
const newline = 0x0a;
/** Between the parts of a key. Neither paths nor names contain it. */
const separator = "\0";
/** Ranges are read in steps of this many. */
const rangesPerStep = 256;

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
  readonly #captures: readonly ExpressionCapture[];
  readonly #needsWholeText: boolean;
  readonly #committed = new Map<string, Group>();
  #pending = new Map<string, Group>();
  readonly #repositories = new Set<number>();
  #pendingRepositories = new Set<number>();
  #lines = new Map<string, number[]>();
  #fileNumber = 0;
  #keyBytes = 0;
  #isTruncated = false;
  #hasPendingSymbols = false;

  constructor(grouping: Grouping, compiled: CompiledSearch, window: TextWindow) {
    this.#grouping = grouping;
    this.#window = window;
    this.#sources = new DocumentSources(compiled);
    this.#captures = grouping.by === "text" ? capturesOf(compiled.query) : [];
    this.#needsWholeText = this.#captures.some((capture) => capture.needsWholeDocument);
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
    this.discard();
  }

  /** Drops what was added since the last `commit`. */
  discard(): void {
    this.#pending = new Map();
    this.#pendingRepositories = new Set();
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
        const isFull = this.#committed.size + this.#pending.size >= maxGroups;
        if (isFull || this.#keyBytes + key.length > maxKeyBytes) {
          this.#isTruncated = true;
          return;
        }
        this.#keyBytes += key.length;
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
    else this.#addLines(repositoryId, path, span);
  }

  *#addSymbols(file: string, span: RangeSpan): Generator<void, void> {
    const { shard, document, counted, from, to, isInName } = span;
    const { symbols } = shard;
    if (symbols === undefined || symbols.isPending(document)) this.#hasPendingSymbols = true;
    const definitions =
      symbols === undefined || isInName ? undefined : new InnermostDefinitions(symbols, document);
    for (let at = from; at < to; at++) {
      const start = counted.ranges.starts[at] ?? 0;
      const parts = definitions?.at(start) ?? ["", "", ""];
      const names = parts.map((part) => Buffer.from(part).toString("latin1"));
      this.#count([file, ...names].join(separator), 1);
      if ((at - from) % rangesPerStep === rangesPerStep - 1) yield;
    }
  }

  #addLines(repositoryId: number, path: string, span: RangeSpan): void {
    const { shard, document, counted, from, to, isInName } = span;
    const { origin, commit } = this.#sources.of(shard, document);
    const isBlamed = !isInName && origin === "commit";
    const key = [repositoryId, isBlamed ? commit : "", path].join(separator);
    this.#count(key, to - from);
    if (!isBlamed || this.#lines.has(key)) return;
    if (this.#lines.size >= maxLineDocuments) return;
    const { reader } = shard;
    const base = reader.contentStarts[document] ?? 0;
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
      const address = this.#load(reader, block, block + 1);
      const blockStart = reader.blockStarts[block] ?? 0;
      const { bytes } = this.#window.kernels;
      for (; offset < start; offset++) if (bytes[address + offset - blockStart] === newline) line++;
      lines.push(line);
    }
    this.#lines.set(key, lines);
  }

  *#addTexts(span: RangeSpan): Generator<void, void> {
    const { shard, document, counted, from, to, isInName } = span;
    const { ranges } = counted;
    const { reader } = shard;
    const base = reader.contentStarts[document] ?? 0;
    let text = isInName ? new RangeText(Buffer.from(reader.path(document)), 0) : undefined;
    let first = -1;
    let end = -1;
    for (let at = from; at < to; at++) {
      const [start, stop] = [ranges.starts[at] ?? 0, ranges.ends[at] ?? 0];
      if (!isInName) {
        const [low, high] = this.#blocksOf(reader, document, base + start, base + stop);
        if (text === undefined || low !== first || high !== end) {
          first = low;
          end = high;
          const blockStart = reader.blockStarts[first] ?? 0;
          const address = this.#load(reader, first, end);
          const length = (reader.blockStarts[end] ?? 0) - blockStart;
          // A copy, because the window may change between two steps.
          const bytes = Buffer.from(this.#window.buffer.subarray(address, address + length));
          text = new RangeText(bytes, blockStart - base);
        }
      }
      this.#count(text?.keyOf(start, stop, this.#captures) ?? "", 1);
      if (this.#captures.length > 0 || (at - from) % rangesPerStep === rangesPerStep - 1) yield;
    }
  }

  #blocksOf(reader: ShardReader, document: number, start: number, stop: number): [number, number] {
    if (this.#needsWholeText)
      return [reader.firstBlocks[document] ?? 0, reader.firstBlocks[document + 1] ?? 0];
    return [blockAt(reader, document, start), blockAt(reader, document, Math.max(start, stop - 1)) + 1];
  }

  /** Returns the address of the blocks `[first, end)`. */
  #load(reader: ShardReader, first: number, end: number): number {
    const stop = reader.blockStarts[end] ?? 0;
    return this.#window.load(reader, reader.blockStarts[first] ?? 0, stop, () => stop);
  }
}

function blockAt({ blockStarts, firstBlocks }: ShardReader, document: number, offset: number): number {
  const first = firstBlocks[document] ?? 0;
  return Math.max(first, lastAtOrBelow(blockStarts, first, firstBlocks[document + 1] ?? 0, offset));
}

/** A part of a document that contains ranges. */
class RangeText {
  readonly #bytes: Buffer;
  readonly #origin: number;
  #decoded: string | undefined;
  #line: readonly [string, number] = ["", 0];
  #lastByte = 0;
  #lastUnit = 0;

  /** `origin` is the byte offset of the part in its document. */
  constructor(bytes: Buffer, origin: number) {
    this.#bytes = bytes;
    this.#origin = origin;
  }

  /** Returns the key of a range: what the first group captured, or the whole range. Ascending ranges are fastest. */
  keyOf(start: number, end: number, captures: readonly ExpressionCapture[]): string {
    const [from, to] = [start - this.#origin, end - this.#origin];
    for (const { find, needsWholeDocument } of captures) {
      this.#decoded ??= decodeText(this.#bytes, 0, this.#bytes.length, false).text;
      const unit = this.#unitAt(from);
      const match = decodeText(this.#bytes, from, to, false);
      const matchEnd = unit + match.text.length;
      // Searching takes as long as the text is.
      const [text, start] = needsWholeDocument ? [this.#decoded, 0] : this.#lineAround(unit, matchEnd);
      const captured = find(text, unit - start, matchEnd - start);
      if (captured === undefined) continue;
      const low = from + match.byteAt(captured[0] + start - unit);
      const high = from + match.byteAt(captured[1] + start - unit);
      return latin1(this.#bytes, low, Math.min(high, low + maxTextBytes + 1));
    }
    return latin1(this.#bytes, from, Math.min(to, from + maxTextBytes + 1));
  }

  /** Returns the line that contains a match, and where it starts. */
  #lineAround(unit: number, end: number): readonly [string, number] {
    const text = this.#decoded ?? "";
    const [, start] = this.#line;
    if (unit < start || end > start + this.#line[0].length || this.#line[0] === "") {
      const lineStart = unit === 0 ? 0 : text.lastIndexOf("\n", unit - 1) + 1;
      const lineEnd = text.indexOf("\n", end);
      this.#line = [text.slice(lineStart, lineEnd < 0 ? text.length : lineEnd), lineStart];
    }
    return this.#line;
  }

  #unitAt(byte: number): number {
    if (byte < this.#lastByte) {
      this.#lastByte = 0;
      this.#lastUnit = 0;
    }
    this.#lastUnit += decodeText(this.#bytes, this.#lastByte, byte, false).text.length;
    this.#lastByte = byte;
    return this.#lastUnit;
  }
}

/** The expressions whose matches can be the ranges of a document, if they have a group that captures. */
function capturesOf(query: Query): ExpressionCapture[] {
  switch (query.kind) {
    case "and":
    case "or":
      return query.children.flatMap(capturesOf);
    case "type":
      return capturesOf(query.child);
    case "text": {
      if (query.pattern.kind !== "regexp") return [];
      const capture = compileCapture(query.pattern.source, query.pattern.caseSensitive);
      return capture === undefined ? [] : [capture];
    }
    default:
      return [];
  }
}

function latin1(bytes: Uint8Array, from = 0, to = bytes.length): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1", from, to);
}

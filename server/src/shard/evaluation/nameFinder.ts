import { isAscii, isUtf8 } from "node:buffer";
import { Bitset } from "#base/bitset";
import type { Needle } from "#kernels/needle";
import { lastAtOrBelow } from "#shard/format/lastAtOrBelow";
import type { ShardReader } from "#shard/format/reader";
import { decodeText } from "#shard/format/text";
import { hasFoldingSpecials } from "#shard/format/trigram";
import type { TextWindow } from "#shard/format/window";
import { edgesOf, type RangeBuffer } from "#shard/matches/ranges";
import { eachMatchingLine, type RunMode, runExpression } from "./expressionRun";
import { type CompiledPattern, type ExpressionPattern, type LiteralPattern, printPattern } from "./pattern";

const newline = 0x0a;

/** Decoding a path by itself costs about as much as searching this many paths at once. */
const minPathsPerCandidate = 16;

/** Properties of all paths of a shard, determined once. */
interface NameTraits {
  /** Each path is one line of UTF-8: none contains a newline. */
  readonly areLines: boolean;
  /** All paths are ASCII without carriage returns. */
  readonly areAscii: boolean;
  readonly haveFoldingSpecials: boolean;
}

const traits = new WeakMap<ShardReader, NameTraits>();

/**
 * Finds one pattern in the paths of one shard. There are no posting lists for paths: a gigabyte of source has three
 * megabytes of paths, which the kernels search in half a millisecond.
 */
export class NameFinder {
  readonly documents: Bitset;
  readonly #reader: ShardReader;
  readonly #pattern: CompiledPattern;
  readonly #mode: RunMode;

  /** Searches only the documents `among`, if given. */
  constructor(
    reader: ShardReader,
    window: TextWindow,
    pattern: CompiledPattern,
    mode: RunMode,
    among: Uint32Array | undefined,
  ) {
    this.#reader = reader;
    this.#pattern = pattern;
    this.#mode = mode;
    this.documents = new Bitset(reader.meta.documentCount);
    if (among !== undefined) {
      this.#findOneByOne(among);
      return;
    }
    const known = traitsOf(reader);
    const expression =
      pattern.kind === "expression" ? pattern : known.haveFoldingSpecials ? pattern.special : undefined;
    if (expression === undefined) {
      // A literal with a newline cannot match if every path is one line.
      if (!pattern.needsWholeDocument) this.#findLiteral(window);
      else if (!known.areLines) this.#findOneByOne();
    } else {
      const candidates = this.#findCandidates(expression, window);
      if (candidates !== undefined) {
        this.#findOneByOne(candidates);
        return;
      }
      // The linear engine has no line form. It runs only after V8 has taken too long.
      const lineForm =
        known.areLines && mode === "backtracking" ? expression.lineForm(known.areAscii) : undefined;
      if (lineForm === undefined || !this.#findInAll(lineForm, known)) this.#findOneByOne();
    }
  }

  /** Returns the documents whose paths contain what every match contains; `undefined` if that does not pay off. */
  #findCandidates({ required }: ExpressionPattern, window: TextWindow): Iterable<number> | undefined {
    if (required === undefined) return undefined;
    const count = this.#findNeedle(required, window);
    if (count > this.documents.size / minPathsPerCandidate) return undefined;
    const candidates = new Set<number>();
    this.#eachDocument(
      count,
      (at) => window.kernels.hits[at] ?? 0,
      (document) => candidates.add(document),
    );
    return candidates;
  }

  /** Prints the pattern and the number of documents that match. */
  toString(): string {
    return `name:${printPattern(this.#pattern)} in ${this.documents.count()} documents`;
  }

  #findLiteral(window: TextWindow): void {
    if (this.#pattern.kind !== "literal") return;
    const count = this.#findNeedle(this.#pattern.needle, window);
    this.#markAll(count, (at) => window.kernels.hits[at] ?? 0);
  }

  /** Searches all paths, and returns how many offsets `kernels.hits` contains, in ascending order. */
  #findNeedle(needle: Needle, window: TextWindow): number {
    const { names } = this.#reader;
    return window.kernels.find(needle, window.loadNames(this.#reader), names.length);
  }

  /** Searches all paths as one text. Returns false if V8 cannot run the expression. */
  #findInAll(expression: RegExp, { areAscii }: NameTraits): boolean {
    const { names, meta } = this.#reader;
    if (meta.documentCount === 0) return true;
    const { text, byteAt } = decodeText(bufferOf(names), 0, names.length - 1, areAscii);
    const offsets: number[] = [];
    if (!eachMatchingLine(expression, text, ({ index }) => offsets.push(byteAt(index)))) return false;
    this.#markAll(offsets.length, (at) => offsets[at] ?? 0);
    return true;
  }

  /** Marks the documents whose paths contain the offsets, which ascend. */
  #markAll(count: number, offsetAt: (index: number) => number): void {
    this.#eachDocument(count, offsetAt, (document) => this.documents.add(document));
  }

  #eachDocument(count: number, offsetAt: (index: number) => number, visit: (document: number) => void): void {
    const { nameStarts } = this.#reader;
    let document = 0;
    for (let at = 0; at < count; at++) {
      const offset = offsetAt(at);
      if (offset >= (nameStarts[document + 1] ?? 0))
        document = lastAtOrBelow(nameStarts, document + 1, nameStarts.length - 1, offset);
      visit(document);
    }
  }

  #findOneByOne(documents: Iterable<number> = new Uint32Array(this.documents.size).keys()): void {
    for (const document of documents) {
      let found = false;
      this.#each(document, () => {
        found = true;
      });
      if (found) this.documents.add(document);
    }
  }

  /** Appends the ranges in a document's path, as byte offsets. */
  find(document: number, ranges: RangeBuffer): void {
    const name = this.#reader.path(document);
    this.#each(document, (start, end) => {
      ranges.push(start, end, edgesOf(name, start, end, 0, name.length), 0);
    });
  }

  #each(document: number, found: (start: number, end: number) => void): void {
    const name = bufferOf(this.#reader.path(document));
    const isAsciiName = isAscii(name);
    const special = (pattern: LiteralPattern) => (isAsciiName ? undefined : pattern.special);
    const pattern = this.#pattern.kind === "expression" ? this.#pattern : special(this.#pattern);
    if (pattern !== undefined) {
      const decoded = decodeText(name, 0, name.length, isAsciiName);
      runExpression(pattern, decoded, this.#mode, (start, end) =>
        found(decoded.byteAt(start), decoded.byteAt(end)),
      );
    } else if (this.#pattern.kind === "literal") {
      const { bytes, caseSensitive } = this.#pattern.needle;
      const text = caseSensitive ? name : Buffer.from(name.map(lower));
      for (let at = text.indexOf(bytes); at >= 0; at = text.indexOf(bytes, at + bytes.length)) {
        found(at, at + bytes.length);
      }
    }
  }
}

function traitsOf(reader: ShardReader): NameTraits {
  let known = traits.get(reader);
  if (known === undefined) {
    const names = bufferOf(reader.names);
    let lines = 0;
    for (let at = names.indexOf(newline); at >= 0; at = names.indexOf(newline, at + 1)) lines++;
    const isPlain = isAscii(names);
    known = {
      areLines: lines === reader.meta.documentCount && (isPlain || isUtf8(names)),
      areAscii: isPlain && !names.includes(0x0d),
      haveFoldingSpecials: !isPlain && hasFoldingSpecials(names, 0, names.length),
    };
    traits.set(reader, known);
  }
  return known;
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function lower(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
}

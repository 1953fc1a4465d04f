import { isAscii, isUtf8 } from "node:buffer";
import { Bitset } from "#base/bitset";
import { eachMatchingLine, type RunMode, runExpression } from "./expressionRun";
import type { CompiledPattern } from "./pattern";
import { edgesOf, type RangeBuffer } from "./ranges";
import type { ShardReader } from "./reader";
import { decodeText } from "./text";
import { hasFoldingSpecials } from "./trigram";
import type { TextWindow } from "./window";

const newline = 0x0a;

/** What a shard's names allow, found out once. */
interface NameTraits {
  /** One line a name: none holds a newline, and all are UTF-8. */
  readonly areLines: boolean;
  /** They are ASCII without carriage return. */
  readonly areAscii: boolean;
  readonly haveSpecials: boolean;
}

const traits = new WeakMap<ShardReader, NameTraits>();

/**
 * Finds one pattern in the paths of one shard. The paths of a gigabyte of source are three megabytes, which the
 * kernels cross in half a millisecond, so names have no postings.
 */
export class NameFinder {
  readonly documents: Bitset;
  readonly #reader: ShardReader;
  readonly #pattern: CompiledPattern;
  readonly #mode: RunMode;

  /** Of the documents `among`, if only they are looked at. */
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
      pattern.kind === "expression" ? pattern : known.haveSpecials ? pattern.special : undefined;
    if (expression === undefined) {
      // Text with a newline in it stands in no name that is one line.
      if (!pattern.needsWholeDocument) this.#findLiteral(window);
      else if (!known.areLines) this.#findOneByOne();
    } else {
      // The linear engine knows no lines; it runs where V8 has taken too long already.
      const ofLine =
        known.areLines && mode === "backtracking" ? expression.ofLine(known.areAscii) : undefined;
      if (ofLine === undefined || !this.#findInAll(ofLine, known)) this.#findOneByOne();
    }
  }

  #findLiteral(window: TextWindow): void {
    if (this.#pattern.kind !== "literal") return;
    const { names } = this.#reader;
    const place = window.scratch(names.length);
    window.kernels.bytes.set(names, place);
    const count = window.kernels.find(this.#pattern.needle, place, names.length);
    this.#markAll(count, (at) => window.kernels.hits[at] ?? 0);
  }

  /** Runs over all names at once, from one that matches to the next name; false where V8 does not take it. */
  #findInAll(expression: RegExp, { areAscii }: NameTraits): boolean {
    const { names, meta } = this.#reader;
    if (meta.documentCount === 0) return true;
    const { text, byteAt } = decodeText(bufferOf(names), 0, names.length - 1, areAscii);
    const places: number[] = [];
    if (!eachMatchingLine(expression, text, ({ index }) => places.push(byteAt(index)))) return false;
    this.#markAll(places.length, (at) => places[at] ?? 0);
    return true;
  }

  /** Marks the documents in whose names the ascending places lie. */
  #markAll(count: number, placeAt: (at: number) => number): void {
    const { nameStarts } = this.#reader;
    let document = 0;
    for (let at = 0; at < count; at++) {
      const place = placeAt(at);
      if (place >= (nameStarts[document + 1] ?? 0)) document = documentAt(nameStarts, place, document + 1);
      this.documents.add(document);
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

  /** Appends the ranges in a document's name, in bytes from its start. */
  find(document: number, ranges: RangeBuffer): void {
    const name = this.#reader.path(document);
    this.#each(document, (start, end) => {
      ranges.push(start, end, edgesOf(name, start, end, 0, name.length), 0);
    });
  }

  #each(document: number, found: (start: number, end: number) => void): void {
    const name = bufferOf(this.#reader.path(document));
    const pattern = this.#pattern.kind === "literal" ? this.#pattern.special : this.#pattern;
    if (pattern !== undefined) {
      const decoded = decodeText(name, 0, name.length, !name.some((byte) => byte > 0x7f));
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

function documentAt(starts: Uint32Array, place: number, from: number): number {
  let low = from;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle + 1] ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return low;
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
      haveSpecials: !isPlain && hasFoldingSpecials(names, 0, names.length),
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

import { Bitset } from "#base/bitset";
import { type RunMode, runExpression } from "./expressionRun";
import type { CompiledPattern, ExpressionPattern } from "./pattern";
import { edgesOf, type RangeBuffer } from "./ranges";
import type { ShardReader } from "./reader";
import { decodeText } from "./text";
import { hasFoldingSpecials } from "./trigram";
import type { TextWindow } from "./window";

const newline = 0x0a;

/** What a shard's names allow, found out once. */
interface NameTraits {
  /** One line a name: none holds a newline or carriage return, and all are ASCII. */
  readonly plain: boolean;
  readonly specials: boolean;
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

  constructor(reader: ShardReader, window: TextWindow, pattern: CompiledPattern, mode: RunMode) {
    this.#reader = reader;
    this.#pattern = pattern;
    this.#mode = mode;
    this.documents = new Bitset(reader.meta.documentCount);
    const known = traitsOf(reader);
    if (pattern.kind === "literal" && !pattern.needsWholeDocument && !(pattern.special && known.specials)) {
      this.#findLiteral(window);
    } else if (pattern.kind === "expression" && known.plain && !pattern.needsWholeDocument) {
      this.#findInAll(pattern);
    } else {
      this.#findOneByOne();
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

  #findInAll(pattern: ExpressionPattern): void {
    const { names } = this.#reader;
    const decoded = decodeText(bufferOf(names), 0, Math.max(names.length - 1, 0), true);
    const starts: number[] = [];
    if (this.#reader.meta.documentCount === 0) return;
    runExpression(pattern, decoded, this.#mode, (start) => starts.push(start));
    this.#markAll(starts.length, (at) => starts[at] ?? 0);
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

  #findOneByOne(): void {
    for (let document = 0; document < this.#reader.meta.documentCount; document++) {
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
    const { names } = reader;
    let lines = 0;
    let plain = true;
    for (let at = 0; at < names.length; at++) {
      const byte = names[at] ?? 0;
      if (byte === newline) lines++;
      else if (byte > 0x7f || byte === 0x0d) plain = false;
    }
    plain = plain && lines === reader.meta.documentCount;
    known = { plain, specials: hasFoldingSpecials(names, 0, names.length) };
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

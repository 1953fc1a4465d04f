/**
 * The inner loops of a search: finding bytes and newlines, decoding and intersecting lists of numbers, and writing chunks.
 *
 * There are two equivalent implementations: `simd.ts` in WebAssembly, and `plain.ts` as a fallback. Each thread has one
 * instance (`thread.ts`), which owns its memory. Texts are read directly into that memory, then searched:
 *
 *     const start = kernels.reserve(length);
 *     readSync(descriptor, kernels.bytes, start, length, position);
 *     const hitCount = kernels.find(needle, start, length);
 *     kernels.hits.subarray(0, hitCount);
 *
 * Positions of texts are offsets in `bytes`. A text may be anywhere in the reserved range, so several texts fit side by
 * side. Methods throw a `RangeError` for a text outside of it. The content of `hits`, `decoded` and `output` is valid until
 * the next call that fills them. Only A to Z are case-folded; needles with other letters are searched as regular
 * expressions.
 */
import type { Needle } from "./needle";

export interface Kernels {
  /** The memory. Replaced when `reserve` makes it grow, as are the other views of it. */
  readonly bytes: Uint8Array;
  /** The same memory as 32-bit words. */
  readonly words: Uint32Array;
  /** Offsets of hits or newlines from the start of the text, ascending. Also the ranges that `writeChunk` writes. */
  readonly hits: Uint32Array;
  /** The numbers that `decodeDeltas` or `decodeGaps` decoded. */
  readonly decoded: Uint32Array;
  /** The JSON that `writeChunk` or `writeRanges` wrote. Shares memory with `decoded`. */
  readonly output: Uint8Array;

  /** Ensures room for `byteCount` bytes of text, preserving the current content. Returns where the texts start. */
  reserve(byteCount: number): number;

  /** Prepares a needle for `find` and `count`. Throws a `RangeError` if `bytes` is empty. */
  prepareNeedle(bytes: Uint8Array, caseSensitive: boolean): Needle;

  /** Fills `hits` with non-overlapping hits from left to right. Returns how many there are. */
  find(needle: Needle, start: number, length: number, maxHits?: number): number;

  /** Returns what `find` would return without a maximum. */
  count(needle: Needle, start: number, length: number): number;

  /** Fills `hits` with the offsets of newlines. Returns how many there are. */
  newlines(start: number, length: number): number;

  countNewlines(start: number, length: number): number;

  /** Whether all bytes are less than 0x80. */
  isAscii(start: number, length: number): boolean;

  /** Counts the bytes that are not UTF-8 continuation bytes. In valid text, this is the number of code points. */
  countCodePoints(start: number, length: number): number;

  /** Copies a text with A to Z in lower case. `from` and `to` may be equal. */
  fold(from: number, to: number, length: number): void;

  /**
   * Decodes LEB128 deltas, each at least 1, the first counted from -1, to ascending numbers in `decoded`.
   *
   * Returns how many there are, or -1 if a delta is 0, a number exceeds 32 bits, or the last one is truncated.
   */
  decodeDeltas(start: number, length: number): number;

  /**
   * Decodes ascending numbers in the encoding of `gaps.ts` to `decoded`. There must be room for `limit` bytes after `start`.
   *
   * Returns how many there are, or -1 if a number is not less than `limit`, or the last one is truncated.
   */
  decodeGaps(start: number, length: number, limit: number): number;

  /**
   * Writes the intersection of two strictly ascending lists to `into`, which must have room for the shorter one and may
   * be either of them. Returns its length. The lists need not lie in the kernels' memory.
   */
  intersect(a: Uint32Array, b: Uint32Array, into: Uint32Array): number;

  /**
   * Writes the numbers of a list to `into` whose bits are set in the bitmap of `length` bytes at `start`, the lowest bit of each
   * byte first. `into` must have room for all, and may be the list. Returns how many there are. The list need not lie in the
   * kernels' memory.
   */
  select(list: Uint32Array, start: number, length: number, into: Uint32Array): number;

  /**
   * Writes the start of the JSON of a `Chunk`, through its first ranges; `matchRanges` stays open. The chunk is the text of
   * `length` bytes at `start`, and begins at `byteOffset` in line `lineNumber` (less than 2^32) of its file. `hits` contains
   * `rangeCount` pairs of offsets from `start`, ascending. Returns the number of bytes. Throws a `RangeError` for more than
   * `maxWrittenRanges`.
   */
  writeChunk(
    start: number,
    length: number,
    byteOffset: number,
    lineNumber: number,
    rangeCount: number,
  ): number;

  /** Writes at least one more range of the same chunk, whose text must still be there. Returns the number of bytes. */
  writeRanges(rangeCount: number): number;
}

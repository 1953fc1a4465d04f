/**
 * The inner loops of a search: finding bytes, newlines, decoding and intersecting lists of numbers.
 *
 * There are two sets with the same answers: `simd.ts` in WebAssembly, and `plain.ts` for where that is missing. Each
 * thread has one (`thread.ts`), which owns its memory. Texts are read straight into that memory, then searched:
 *
 *     const start = kernels.reserve(length);
 *     readSync(descriptor, kernels.bytes, start, length, position);
 *     const hitCount = kernels.find(needle, start, length);
 *     kernels.hits.subarray(0, hitCount);
 *
 * Positions of texts are offsets in `bytes`; a text may lie anywhere between what `reserve` gave and the length it
 * was given, so several texts fit side by side. What `hits` and `decoded` hold is good until the next call that
 * fills them. Case is that of A to Z alone: needles with other letters in any case are the business of expressions.
 */
import type { Needle } from "./needle";

export interface Kernels {
  /** The memory; replaced when `reserve` makes it grow, as are all views beside it. */
  readonly bytes: Uint8Array;
  /** The same memory in words. */
  readonly words: Uint32Array;
  /** Distances of hits or newlines from the start of the text, ascending. */
  readonly hits: Uint32Array;
  readonly decoded: Uint32Array;

  /** Makes room for texts of `byteCount` bytes altogether, keeps those that are there, and gives where they start. */
  reserve(byteCount: number): number;

  /** The needle has at least one byte. */
  prepareNeedle(bytes: Uint8Array, caseSensitive: boolean): Needle;

  /** Fills `hits` from left to right, no hit overlapping another, and gives how many there are. */
  find(needle: Needle, start: number, length: number, maxHits?: number): number;

  /** What `find` would give without a maximum. */
  count(needle: Needle, start: number, length: number): number;

  /** Fills `hits` with the places of newlines and gives how many there are. */
  newlines(start: number, length: number): number;

  countNewlines(start: number, length: number): number;

  /** True when no byte is 0x80 or more. */
  isAscii(start: number, length: number): boolean;

  /** Bytes that start a UTF-8 sequence; in a valid text these are its code points. */
  countCodePoints(start: number, length: number): number;

  /** Copies with A to Z made small; the two may be the same place. */
  fold(from: number, to: number, length: number): void;

  /**
   * Decodes LEB128 deltas, each at least 1, the first counted from -1, to ascending numbers in `decoded`.
   *
   * Gives how many there are, or -1 when a delta is 0, a number needs more than 32 bits, or the last one is cut.
   */
  decodeDeltas(start: number, length: number): number;

  /**
   * Puts what two strictly ascending lists have in common into `into`, which must have room for the shorter one
   * and may be either of them. Gives how many there are. The lists may lie anywhere.
   */
  intersect(a: Uint32Array, b: Uint32Array, into: Uint32Array): number;
}

/**
 * Folds text before its trigrams are computed.
 *
 * The index contains the trigrams of each block's bytes with `A`-`Z` folded to `a`-`z`. A block with U+212A (the Kelvin
 * sign) or U+017F (the long s), which equal `k` and `s` when case is ignored, is also indexed with these two folded to
 * `k` and `s`. So every block is indexed in this *second* form, and queries use only that form, whether case matters or
 * not: no query misses a block, and few get a false candidate.
 */
import { foldingOrbit } from "./re2";

/** Bytes as a string of characters up to U+00FF, so that sets can contain them. */
export type ByteString = string;

const kelvinSign = 0x212a;
const longS = 0x17f;

/** Folds one byte as the index does: ASCII to lowercase. */
function foldByte(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
}

/**
 * Returns the folded UTF-8 bytes of a code point.
 *
 * Returns undefined if documents may contain other bytes for it: U+FFFD also stands for invalid UTF-8.
 */
export function foldCodePoint(codePoint: number): ByteString | undefined {
  if (codePoint === kelvinSign) return "k";
  if (codePoint === longS) return "s";
  if (codePoint < 0x80) return String.fromCharCode(foldByte(codePoint));
  if (codePoint < 0x800) return bytes(0xc0 | (codePoint >> 6), tail(codePoint));
  if (codePoint === 0xfffd || (codePoint >= 0xd800 && codePoint <= 0xdfff)) return undefined;
  if (codePoint < 0x10000) return bytes(0xe0 | (codePoint >> 12), tail(codePoint >> 6), tail(codePoint));
  return bytes(0xf0 | (codePoint >> 18), tail(codePoint >> 12), tail(codePoint >> 6), tail(codePoint));
}

/** Returns the folded bytes of the folding orbit of `codePoint`: one string for ASCII. */
export function foldVariants(codePoint: number): readonly (ByteString | undefined)[] {
  if (codePoint < 0x80) return [foldCodePoint(codePoint)];
  return [...new Set(foldingOrbit(codePoint).map(foldCodePoint))];
}

function tail(bits: number): number {
  return 0x80 | (bits & 0x3f);
}

function bytes(...values: readonly number[]): ByteString {
  return String.fromCharCode(...values);
}

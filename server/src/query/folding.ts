/**
 * How text is folded before its trigrams are taken.
 *
 * The index holds the trigrams of each block's bytes with `A`-`Z` as `a`-`z`. A block that holds U+212A (the Kelvin
 * sign) or U+017F (the long s), which equal `k` and `s` where case does not count, also holds the trigrams of its bytes
 * with these two written as `k` and `s`. So whatever a text holds, its trigrams in the *second* form are in the index,
 * and a query only ever asks for that form, in both cases: no query can miss a block, and few find one too many.
 */
import { foldingOrbit } from "./re2";

/** Bytes as a string of characters up to U+00FF, which can be kept in sets. */
export type ByteString = string;

const kelvinSign = 0x212a;
const longS = 0x17f;

/** One byte as the index holds it: ASCII capitals as small letters. */
function foldByte(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
}

/**
 * The folded UTF-8 bytes of one code point.
 *
 * Undefined for what text cannot be trusted to hold as these bytes: U+FFFD also stands for bytes that are no UTF-8.
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

/** The folded bytes of all that equals `codePoint` where case does not count: one string for an ASCII letter. */
export function foldVariants(codePoint: number): readonly (ByteString | undefined)[] {
  return [...new Set(foldingOrbit(codePoint).map(foldCodePoint))];
}

function tail(bits: number): number {
  return 0x80 | (bits & 0x3f);
}

function bytes(...values: readonly number[]): ByteString {
  return String.fromCharCode(...values);
}

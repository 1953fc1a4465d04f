/** What becomes of a document's bytes: text that is indexed, or a reason why only its name is. */
import type { SkipReason } from "#model/document";
import { maxDocumentBytes } from "./shard";

/** `undefined` for text that is indexed whole. */
export function skipReason(content: Uint8Array): SkipReason | undefined {
  if (content.length > maxDocumentBytes) return "tooLarge";
  if (hasWideEncoding(content)) return "notText";
  if (content.includes(0)) return "binary";
  return isNoise(content) ? "tooManyTrigrams" : undefined;
}

/** A byte order mark of UTF-16 or UTF-32. */
function hasWideEncoding(content: Uint8Array): boolean {
  const [first, second, third, fourth] = content;
  return (
    (first === 0xff && second === 0xfe) ||
    (first === 0xfe && second === 0xff) ||
    (first === 0 && second === 0 && third === 0xfe && fourth === 0xff)
  );
}

/** Source of 2 MiB has about 15 000 different trigrams; each one more makes the index larger for everybody. */
const maxTrigrams = 20_000;
/** Prose and source are one eighth blanks, minified code one fiftieth, encoded bytes one eightieth or less. */
const minBlankShare = 0.02;
/** Chinese and its like have many trigrams and few blanks, and are text. */
const maxAsciiShare = 0.75;

/** Whether this is encoded bytes, keys or hashes: many different trigrams in ASCII text without blanks. */
function isNoise(content: Uint8Array): boolean {
  if (content.length <= maxTrigrams) return false;
  let blanks = 0;
  let ascii = 0;
  for (let at = 0; at < content.length; at++) {
    const byte = content[at] ?? 0;
    if (byte < 0x80) ascii++;
    if (byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)) blanks++;
  }
  if (blanks >= content.length * minBlankShare || ascii < content.length * maxAsciiShare) return false;
  return countTrigrams(content) > maxTrigrams;
}

/** One bit for each of 2^24 trigrams; made when the first suspect comes. */
let seen: Uint32Array | undefined;

/** Different trigrams of the folded bytes. */
function countTrigrams(content: Uint8Array): number {
  seen ??= new Uint32Array(1 << 19);
  seen.fill(0);
  let count = 0;
  let trigram = 0;
  for (let at = 0; at < content.length; at++) {
    const byte = content[at] ?? 0;
    trigram = ((trigram << 8) | (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte)) & 0xffffff;
    if (at < 2) continue;
    const word = seen[trigram >>> 5] ?? 0;
    const bit = 1 << (trigram & 31);
    if ((word & bit) === 0) {
      seen[trigram >>> 5] = word | bit;
      count++;
    }
  }
  return count;
}

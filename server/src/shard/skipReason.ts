/** What becomes of a document's bytes: text that is indexed, or a reason why only its name is. */
import { Exclusion } from "#base/exclusion";
import type { SkipReason } from "#model/document";
import { maxDocumentBytes } from "./shard";
import { countDistinctTrigrams } from "./trigram";

/** Which documents somebody wants indexed with their text. */
export interface ContentChoice {
  readonly maxFileBytes: number;
  /** Patterns of paths (`#base/exclusion`). */
  readonly indexExclude: readonly string[];
}

export const everyContent: ContentChoice = { maxFileBytes: maxDocumentBytes, indexExclude: [] };

/** The choice as it is asked for document after document. */
export class Admission {
  readonly maxBytes: number;
  readonly #exclusion: Exclusion;

  constructor({ maxFileBytes, indexExclude }: ContentChoice) {
    this.maxBytes = maxFileBytes;
    this.#exclusion = new Exclusion(indexExclude);
  }

  /** Whether documents need not be asked for their paths. */
  get isForAllPaths(): boolean {
    return this.#exclusion.isEmpty;
  }

  excludes(path: string): boolean {
    return this.#exclusion.excludes(path);
  }
}

/** `undefined` for text that is indexed whole. */
export function skipReason(content: Uint8Array, maxBytes = maxDocumentBytes): SkipReason | undefined {
  if (content.length > maxBytes) return "tooLarge";
  if (hasWideEncoding(content)) return "notText";
  // On a `Buffer` this is `memchr`; `Uint8Array` compares one by one.
  if (Buffer.from(content.buffer, content.byteOffset, content.byteLength).includes(0)) return "binary";
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
  let looked = 0;
  for (let at = 0; at < content.length; at += sampleStep) {
    const byte = content[at] ?? 0;
    looked++;
    if (byte < 0x80) ascii++;
    if (byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)) blanks++;
  }
  if (blanks >= looked * minBlankShare || ascii < looked * maxAsciiShare) return false;
  return countDistinctTrigrams(content, maxTrigrams) > maxTrigrams;
}

/** One byte in so many is looked at for the shares: a thousand and more of any document that can be noise. */
const sampleStep = 13;

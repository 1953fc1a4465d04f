/** Decides whether the text of a document is indexed, and if not, why only its path is. */
import { Exclusion } from "#base/exclusion";
import type { SkipReason } from "#model/document";
import { maxDocumentBytes } from "./shard";
import { countDistinctTrigrams } from "./trigram";

/** The settings that determine which documents are indexed with their text. */
export interface ContentSettings {
  readonly maxFileBytes: number;
  /** Path patterns (`#base/exclusion`). */
  readonly indexExclude: readonly string[];
}

export const defaultContentSettings: ContentSettings = { maxFileBytes: maxDocumentBytes, indexExclude: [] };

/** `ContentSettings` compiled for checking many documents. */
export class ContentFilter {
  readonly maxBytes: number;
  readonly #exclusion: Exclusion;

  constructor({ maxFileBytes, indexExclude }: ContentSettings) {
    this.maxBytes = maxFileBytes;
    this.#exclusion = new Exclusion(indexExclude);
  }

  /** Whether no path is excluded. */
  get includesAllPaths(): boolean {
    return this.#exclusion.isEmpty;
  }

  excludes(path: string): boolean {
    return this.#exclusion.excludes(path);
  }
}

/** Returns why text is not indexed; `undefined` if it is. */
export function skipReason(content: Uint8Array, maxBytes = maxDocumentBytes): SkipReason | undefined {
  if (content.length > maxBytes) return "tooLarge";
  if (hasWideEncoding(content)) return "notText";
  // `includes` is `memchr` on a `Buffer`, but a slow loop on a `Uint8Array`.
  if (Buffer.from(content.buffer, content.byteOffset, content.byteLength).includes(0)) return "binary";
  return isNoise(content) ? "tooManyTrigrams" : undefined;
}

/** Checks for a byte order mark of UTF-16 or UTF-32. */
function hasWideEncoding(content: Uint8Array): boolean {
  const [first, second, third, fourth] = content;
  return (
    (first === 0xff && second === 0xfe) ||
    (first === 0xfe && second === 0xff) ||
    (first === 0 && second === 0 && third === 0xfe && fourth === 0xff)
  );
}

/** Source of 2 MiB has about 15,000 distinct trigrams. Each further one makes the index larger. */
const maxTrigrams = 20_000;
/**
 * Whitespace is one eighth of prose and source, one fiftieth of minified code, at most one eightieth of encoded bytes.
 */
const minWhitespaceShare = 0.02;
/** Chinese, for example, has many trigrams and little whitespace, but is text. */
const maxAsciiShare = 0.75;

/** Whether this is encoded bytes, keys or hashes: many distinct trigrams in ASCII text without whitespace. */
function isNoise(content: Uint8Array): boolean {
  if (content.length <= maxTrigrams) return false;
  let whitespace = 0;
  let ascii = 0;
  let sampled = 0;
  for (let at = 0; at < content.length; at += sampleStep) {
    const byte = content[at] ?? 0;
    sampled++;
    if (byte < 0x80) ascii++;
    if (byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)) whitespace++;
  }
  if (whitespace >= sampled * minWhitespaceShare || ascii < sampled * maxAsciiShare) return false;
  return countDistinctTrigrams(content, maxTrigrams) > maxTrigrams;
}

/** The shares are estimated from every 13th byte: over a thousand bytes of any document that could be noise. */
const sampleStep = 13;

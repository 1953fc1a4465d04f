/** Looks up keywords in bytes, without allocating strings. */

/** The byte class of word characters: letters, digits, `_`, `$`, and all bytes beyond ASCII. */
export const isWordByte: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 || /[\w$]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

const longest = 15;

/** A set of lowercase keywords of at most `longest` letters. */
export class Keywords {
  readonly #bytes: readonly Uint8Array[];
  /** The numbers of candidate keywords, from 1, by length and first letter. */
  readonly #buckets: (readonly number[] | undefined)[] = [];

  constructor(words: readonly string[]) {
    this.#bytes = words.map((word) => Buffer.from(word, "latin1"));
    for (const [index, bytes] of this.#bytes.entries()) {
      const bucket = bucketOf(bytes[0] ?? 0, bytes.length);
      this.#buckets[bucket] = [...(this.#buckets[bucket] ?? []), index + 1];
    }
    for (let index = 0; index < this.#buckets.length; index++) this.#buckets[index] ??= undefined;
  }

  /** Returns the number of the keyword from `start` to `end`, from 1 in their order; 0 for any other word. */
  find(content: Uint8Array, start: number, end: number): number {
    const first = content[start] ?? 0;
    if (end - start > longest || first < 0x61 || first > 0x7a) return 0;
    const numbers = this.#buckets[bucketOf(first, end - start)];
    if (numbers === undefined) return 0;
    for (const number of numbers) {
      const bytes = this.#bytes[number - 1];
      if (bytes !== undefined && isSame(bytes, content, start)) return number;
    }
    return 0;
  }
}

function bucketOf(first: number, length: number): number {
  return (first - 0x61) * (longest + 1) + length;
}

function isSame(bytes: Uint8Array, content: Uint8Array, start: number): boolean {
  for (let at = 0; at < bytes.length; at++) if (bytes[at] !== content[start + at]) return false;
  return true;
}

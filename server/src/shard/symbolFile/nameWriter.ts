import { GrowingWords } from "#shard/format/numbers";
import { sortNames } from "./nameOrder";

const newline = 0x0a;
/** Longer names are truncated; in UTF-16 units. */
const maxNameLength = 1000;
const maxStoredBytes = 3 * maxNameLength;
const unprintable = /\p{Cc}+/gu;

/** The names of a symbol file. */
export interface WrittenNames {
  /** The distinct names in their order, each with a newline. */
  readonly content: Uint8Array;
  readonly count: number;
  /** Per definition: the number of its name. */
  readonly numbers: Uint32Array;
}

/**
 * Collects the names of definitions, and stores each as one line of limited length. Holds their bytes, because hundreds of
 * thousands of strings, or a map to find duplicates at once, would take several times the memory.
 */
export class NameWriter {
  /** The stored names, each with a newline. */
  #bytes = Buffer.allocUnsafe(2 * maxStoredBytes);
  #length = 0;
  /** Per definition: where its name starts. */
  readonly #starts = new GrowingWords();

  /** Adds the name of the next definition. */
  add(name: string): void {
    this.#starts.push(this.#length);
    if (this.#length + maxStoredBytes + 1 > this.#bytes.length) {
      const bytes = Buffer.allocUnsafe(2 * this.#bytes.length);
      bytes.set(this.#bytes);
      this.#bytes = bytes;
    }
    const bytes = this.#bytes;
    let at = this.#length;
    const end = at + Math.min(name.length, maxNameLength);
    // Almost all names are printable ASCII, and stored as they are.
    for (let index = 0; at < end; index++) {
      const unit = name.charCodeAt(index);
      if (unit < 0x20 || unit > 0x7e) break;
      bytes[at++] = unit;
    }
    if (at < end || name === "") {
      const line = name.slice(0, maxNameLength).replace(unprintable, " ");
      // Replaces unpaired surrogates.
      at = this.#length + bytes.write(line || " ", this.#length);
    }
    bytes[at++] = newline;
    this.#length = at;
  }

  /** Sorts and numbers the names, and releases their bytes. Nothing can be added afterwards. */
  finish(): WrittenNames {
    const bytes = this.#bytes;
    const starts = this.#starts.words();
    const numbers = new Uint32Array(starts.length);
    const content = new Uint8Array(this.#length);
    let length = 0;
    let count = 0;
    let previous = -1;
    for (const definition of sortNames(bytes, starts)) {
      const start = starts[definition] ?? 0;
      if (previous < 0 || !isSameName(bytes, previous, start)) {
        for (let at = start; bytes[at] !== newline; at++) content[length++] = bytes[at] ?? 0;
        content[length++] = newline;
        count++;
        previous = start;
      }
      numbers[definition] = count - 1;
    }
    this.#bytes = Buffer.alloc(0);
    return { content: content.subarray(0, length), count, numbers };
  }
}

/** Compares the names that start there. */
function isSameName(bytes: Uint8Array, left: number, right: number): boolean {
  for (let at = 0; bytes[left + at] === bytes[right + at]; at++)
    if (bytes[left + at] === newline) return true;
  return false;
}

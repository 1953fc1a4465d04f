/** Where the posting list of each trigram is. See `shard.ts` for the layout. */
import { partitionPoint } from "#base/binarySearch";
import { lowerBound } from "#kernels/gallop";
import { GrowingBytes, GrowingWords, NumberReader } from "./numbers";
import { bytesOf, type SectionReader, type SectionWriter } from "./sections";
import { hasOldLists } from "./shard";

/** A posting list: a range of `postings`. */
export interface ListRange {
  readonly start: number;
  readonly length: number;
}

export interface TrigramTable {
  find(trigram: number): ListRange | undefined;
}

/** Larger groups would take less memory, but longer to search. */
const groupSize = 32;
const groupWords = 3;

export class TrigramTableWriter {
  readonly #entries = new GrowingBytes();
  readonly #groups = new GrowingWords();
  #count = 0;
  #last = 0;
  #postingBytes = 0;

  /** Adds the next trigram, which must be greater than the ones before it. */
  add(trigram: number, listBytes: number): void {
    if (this.#count++ % groupSize === 0) {
      this.#groups.push(trigram);
      this.#groups.push(this.#entries.length);
      this.#groups.push(this.#postingBytes);
      this.#last = trigram;
    }
    this.#entries.writeNumber(trigram - this.#last);
    this.#entries.writeNumber(listBytes);
    this.#last = trigram;
    this.#postingBytes += listBytes;
  }

  write(sections: SectionWriter): void {
    sections.write("trigrams", this.#entries.bytes());
    sections.write("trigramGroups", bytesOf(this.#groups.words()));
  }
}

export function openTrigramTable(sections: SectionReader): TrigramTable {
  return hasOldLists(sections.formatVersion) ? new WordTable(sections) : new GroupTable(sections);
}

class GroupTable implements TrigramTable {
  readonly #entries: Uint8Array;
  readonly #groups: Uint32Array;

  constructor(sections: SectionReader) {
    this.#entries = sections.bytes("trigrams");
    this.#groups = sections.words("trigramGroups");
  }

  find(trigram: number): ListRange | undefined {
    const groups = this.#groups;
    const groupCount = groups.length / groupWords;
    const group = partitionPoint(0, groupCount, (at) => (groups[at * groupWords] ?? 0) <= trigram) - 1;
    if (group < 0) return undefined;
    const at = group * groupWords;
    const entries = new NumberReader(this.#entries.subarray(groups[at + 1], groups[at + groupWords + 1]));
    let found = groups[at] ?? 0;
    let start = groups[at + 2] ?? 0;
    while (!entries.isAtEnd) {
      found += entries.next();
      const length = entries.next();
      if (found >= trigram) return found === trigram ? { start, length } : undefined;
      start += length;
    }
    return undefined;
  }
}

/** The table of versions 1 and 2. */
class WordTable implements TrigramTable {
  readonly #trigrams: Uint32Array;
  readonly #starts: Uint32Array;

  constructor(sections: SectionReader) {
    this.#trigrams = sections.words("trigrams");
    this.#starts = sections.words("postingStarts");
  }

  find(trigram: number): ListRange | undefined {
    const at = lowerBound(this.#trigrams, trigram, 0, this.#trigrams.length);
    if (this.#trigrams[at] !== trigram) return undefined;
    const start = this.#starts[at] ?? 0;
    return { start, length: (this.#starts[at + 1] ?? 0) - start };
  }
}

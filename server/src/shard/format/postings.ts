import { Bitset } from "#base/bitset";
import type { TrigramFormula } from "#query/regexp/trigramFormula";
import { shardDamaged } from "./checksum";
import type { ShardReader } from "./reader";
import { hasOldLists } from "./shard";
import type { ListRange } from "./trigramTable";
import type { TextWindow } from "./window";

/** Block numbers or document numbers, ascending; `undefined` means all. */
export type Candidates = Uint32Array | undefined;

/** Decoding a list with more bytes than this for each candidate takes longer than verifying the candidates. */
const listBytesPerBlock = 1500;

const noCandidates = new Uint32Array(0);

/** The cost of evaluating formulas. */
export interface LookupCounts {
  ngramLookups: number;
  ngramMatches: number;
  indexBytesLoaded: number;
}

/**
 * Evaluates trigram formulas on one shard's posting lists. Starts with the rarest trigram, and stops reading lists once
 * verifying the remaining candidates is cheaper.
 */
export class PostingLists {
  readonly #reader: ShardReader;
  readonly #window: TextWindow;
  readonly #counts: LookupCounts;
  /** Evaluates per document instead of per block, for patterns that need the whole document. */
  readonly #byDocument: boolean;
  readonly #bitmapBytes: number;

  constructor(reader: ShardReader, window: TextWindow, counts: LookupCounts, byDocument: boolean) {
    this.#reader = reader;
    this.#window = window;
    this.#counts = counts;
    this.#byDocument = byDocument;
    this.#bitmapBytes = (reader.meta.blockCount + 7) >>> 3;
  }

  /** Returns the candidates, restricted to those in `within` if given. Throws `SHARD_DAMAGED`. */
  evaluate(formula: TrigramFormula, within?: Uint32Array): Candidates {
    if (!this.#reader.meta.hasTrigrams && formula.kind !== "none") return within;
    switch (formula.kind) {
      case "all":
        return within;
      case "none":
        return noCandidates;
      case "trigram": {
        const list = this.#lookUp(formula.value);
        if (list === undefined) return noCandidates;
        return within === undefined ? this.#decode(list) : this.#narrow(within, list, within.slice());
      }
      case "and":
        return this.#evaluateAnd(formula.parts, within);
      case "or":
        return this.#evaluateOr(formula.parts, within);
    }
  }

  #evaluateAnd(parts: readonly TrigramFormula[], within: Uint32Array | undefined): Candidates {
    const lists: ListRange[] = [];
    const others: TrigramFormula[] = [];
    for (const part of parts) {
      if (part.kind !== "trigram") {
        others.push(part);
        continue;
      }
      const list = this.#lookUp(part.value);
      if (list === undefined) return noCandidates;
      lists.push(list);
    }
    lists.sort((left, right) => left.length - right.length);
    let result: Candidates = within;
    for (const list of lists) {
      if (result !== undefined && list.length > result.length * listBytesPerBlock) break;
      if (result?.length === 0) return result;
      // Only the lists of this formula may be overwritten.
      const into = result === within ? result?.slice() : result;
      result =
        result === undefined || into === undefined ? this.#decode(list) : this.#narrow(result, list, into);
    }
    for (const other of others) {
      if (result !== undefined && result.length < 4) break;
      const found = this.evaluate(other, within);
      if (found === undefined) continue;
      result =
        result === undefined
          ? found
          : this.#intersect(result, found, new Uint32Array(Math.min(result.length, found.length)));
    }
    return result;
  }

  #evaluateOr(parts: readonly TrigramFormula[], within: Uint32Array | undefined): Candidates {
    const size = this.#byDocument ? this.#reader.meta.documentCount : this.#reader.meta.blockCount;
    const found = new Bitset(size);
    for (const part of parts) {
      const candidates = this.evaluate(part, within);
      if (candidates === undefined) return undefined;
      for (let at = 0; at < candidates.length; at++) found.add(candidates[at] ?? 0);
    }
    return membersOf(found);
  }

  #lookUp(trigram: number): ListRange | undefined {
    this.#counts.ngramLookups++;
    return this.#reader.trigrams.find(trigram);
  }

  /** Loads a list into the kernels' memory, with room to decode it, and returns its address. */
  #load({ start, length }: ListRange): number {
    if (length < 0 || start + length > this.#reader.postings.length)
      throw shardDamaged("A posting list is out of bounds");
    const base = this.#window.scratch(Math.max(length, this.#reader.meta.blockCount));
    this.#reader.postings.read(start, this.#window.kernels.bytes, base, length);
    this.#counts.indexBytesLoaded += length;
    return base;
  }

  /** Returns the numbers of a list. The next call may overwrite them. */
  #read(list: ListRange): Uint32Array {
    const base = this.#load(list);
    const { length } = list;
    const { kernels } = this.#window;
    let blocks: Uint32Array;
    if (length === this.#bitmapBytes) {
      blocks = blocksOfBitmap(kernels.bytes, base, length);
    } else {
      const count = hasOldLists(this.#reader.sections.formatVersion)
        ? kernels.decodeDeltas(base, length)
        : kernels.decodeGaps(base, length, this.#reader.meta.blockCount);
      if (count < 0) throw shardDamaged("A posting list is invalid");
      blocks = kernels.decoded.subarray(0, count);
    }
    if ((blocks.at(-1) ?? -1) >= this.#reader.meta.blockCount)
      throw shardDamaged("A posting list is invalid");
    this.#counts.ngramMatches += blocks.length;
    return this.#byDocument ? documentsOf(blocks, this.#reader.blockDocuments) : blocks;
  }

  #decode(list: ListRange): Uint32Array {
    const blocks = this.#read(list);
    return blocks.buffer === this.#window.kernels.decoded.buffer ? blocks.slice() : blocks;
  }

  /** Writes the candidates that are in a list to `into`, which has room for all of them and may be the same array. */
  #narrow(candidates: Uint32Array, list: ListRange, into: Uint32Array): Uint32Array {
    if (this.#byDocument || list.length !== this.#bitmapBytes)
      return this.#intersect(candidates, this.#read(list), into);
    const base = this.#load(list);
    return into.subarray(0, this.#window.kernels.select(candidates, base, list.length, into));
  }

  #intersect(left: Uint32Array, right: Uint32Array, into: Uint32Array): Uint32Array {
    return into.subarray(0, this.#window.kernels.intersect(left, right, into));
  }
}

function blocksOfBitmap(bytes: Uint8Array, base: number, length: number): Uint32Array {
  let count = 0;
  const blocks = new Uint32Array(length * 8);
  for (let at = 0; at < length; at++) {
    for (let bits = bytes[base + at] ?? 0; bits !== 0; bits &= bits - 1) {
      blocks[count++] = at * 8 + 31 - Math.clz32(bits & -bits);
    }
  }
  return blocks.subarray(0, count);
}

function documentsOf(blocks: Uint32Array, blockDocuments: Uint32Array): Uint32Array {
  const documents = new Uint32Array(blocks.length);
  let count = 0;
  let last = -1;
  for (let at = 0; at < blocks.length; at++) {
    const document = blockDocuments[blocks[at] ?? 0] ?? 0;
    if (document !== last) documents[count++] = document;
    last = document;
  }
  return documents.subarray(0, count);
}

function membersOf(set: Bitset): Uint32Array {
  const members = new Uint32Array(set.count());
  let count = 0;
  for (let member = set.next(0); member >= 0; member = set.next(member + 1)) members[count++] = member;
  return members;
}

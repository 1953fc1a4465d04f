/**
 * Sections whose entries vary in length. They are divided into groups of entries, so that any entry is found by decoding
 * a few bytes. See `symbolFile.ts`.
 */
import { shardDamaged } from "#shard/format/checksum";
import { GrowingBytes } from "#shard/format/numbers";
import type { PagedReader } from "#shard/format/sections";

const groupBits = 6;
export const groupSize = 1 << groupBits;

/** Returns the group that contains an entry. */
export function groupOf(entry: number): number {
  return entry >>> groupBits;
}

/** Returns the number of groups of that many entries, which is also the first group that starts at or after an entry. */
export function groupCountOf(entries: number): number {
  return Math.ceil(entries / groupSize);
}

/** Collects the entries of a section. */
export class GroupWriter {
  readonly #numbers = new GrowingBytes();
  readonly #starts: number[] = [];
  #entries = 0;

  /** Starts the next entry. Returns whether it is the first one of its group. */
  startEntry(): boolean {
    const isFirst = this.#entries++ % groupSize === 0;
    if (isFirst) this.#starts.push(this.#numbers.length);
    return isFirst;
  }

  /** Appends an integer from 0 to 2³⁵ - 1 to the entry. */
  write(value: number): void {
    this.#numbers.writeNumber(value);
  }

  bytes(): Uint8Array {
    return this.#numbers.bytes();
  }

  /** Per group and one more: where it starts in `bytes`. */
  starts(): Uint32Array {
    return Uint32Array.from([...this.#starts, this.#numbers.length]);
  }
}

/** Reads groups. Methods throw `SHARD_DAMAGED`. */
export class GroupReader {
  /** How many numbers `decode` has decoded. */
  count = 0;
  readonly #name: string;
  readonly #starts: Uint32Array;
  readonly #source: Uint8Array | PagedReader;
  #cached = new Uint8Array(0);
  #cachedGroup = -1;

  constructor(name: string, entryCount: number, starts: Uint32Array, source: Uint8Array | PagedReader) {
    if (starts.length !== groupCountOf(entryCount) + 1)
      throw shardDamaged(`Section ${name} has the wrong number of groups`);
    this.#name = name;
    this.#starts = starts;
    this.#source = source;
  }

  /** Decodes the groups `[from, to)`, whose numbers have up to 32 bits. Any other call may overwrite the result. */
  decode(from: number, to: number): Uint32Array {
    const source = this.#source;
    const start = this.#startOf(from);
    const end = this.#startOf(to);
    const length = end - start;
    if (length < 0 || end > source.length) throw shardDamaged(`Section ${this.#name} has no group ${from}`);
    const numbers = length <= shared.numbers.length ? shared.numbers : new Uint32Array(length);
    if (source instanceof Uint8Array) this.count = decodeNumbers(source, start, end, numbers);
    else {
      const bytes = length <= shared.bytes.length ? shared.bytes : new Uint8Array(length);
      source.read(start, bytes, 0, length);
      this.count = decodeNumbers(bytes, 0, length, numbers);
    }
    return numbers;
  }

  /** The bytes of one group. */
  bytes(group: number): Uint8Array {
    if (group === this.#cachedGroup) return this.#cached;
    const source = this.#source;
    const start = this.#startOf(group);
    const end = this.#startOf(group + 1);
    if (start > end || end > source.length) throw shardDamaged(`Section ${this.#name} has no group ${group}`);
    if (source instanceof Uint8Array) return source.subarray(start, end);
    const bytes = new Uint8Array(end - start);
    source.read(start, bytes, 0, bytes.length);
    this.#cached = bytes;
    this.#cachedGroup = group;
    return bytes;
  }

  #startOf(group: number): number {
    const start = this.#starts[group];
    if (start === undefined) throw shardDamaged(`Section ${this.#name} has no group ${group}`);
    return start;
  }
}

/** Reused, because most calls decode a few hundred bytes, and allocating them would take longer. */
const shared = { bytes: new Uint8Array(4096), numbers: new Uint32Array(4096) };

/** Runs for every number, so it allocates nothing. Returns how many numbers are in `bytes[start … end)`. */
function decodeNumbers(bytes: Uint8Array, start: number, end: number, into: Uint32Array): number {
  let count = 0;
  for (let at = start; at < end; ) {
    let byte = bytes[at++] ?? 0;
    let value = byte & 0x7f;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      if (at === end || shift > 28) throw shardDamaged("A number is truncated or too long");
      byte = bytes[at++] ?? 0;
      if (shift === 28 && byte > 0xf) throw shardDamaged("A number is too long");
      value |= (byte & 0x7f) << shift;
    }
    into[count++] = value;
  }
  return count;
}

/** Maps integers to non-negative ones, so that those close to 0 are short. For integers of up to 32 bits. */
export function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

/** Reverses `zigzag`, for results of up to 31 bits. */
export function unzigzag(value: number): number {
  return (value >>> 1) ^ -(value & 1);
}

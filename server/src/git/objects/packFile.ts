/**
 * Reads one packfile and its index (see gitformat-pack(5)).
 *
 * Index, version 2: magic `FF 74 4F 63`, version; a fan-out table of 256 counts (hashes whose first byte is at most the
 * entry's index); the sorted hashes; a CRC-32 for each; a 32-bit pack offset for each, or with the highest bit set an
 * index into the table of 64-bit offsets that follows. All numbers are big-endian.
 *
 * Pack entry: the type (three bits) and the size (a little-endian varint, four bits in the first byte); then for an
 * `ofsDelta` the distance back to its base, for a `refDelta` the hash of its base; then the content or the delta,
 * compressed with zlib.
 */
import { inflateSync } from "node:zlib";
import { partitionPoint } from "#base/binarySearch";
import { type ByteSource, fileSource } from "#platform/byteSource";

/** A pack entry: a whole object, or a delta with the pack offset or the hash of its base. */
export type PackedObject =
  | { readonly kind: "whole"; readonly type: string; readonly bytes: Buffer }
  | { readonly kind: "delta"; readonly base: number | string; readonly bytes: Buffer };

const hashBytes = 20;
const fanoutStart = 8;
const hashesStart = fanoutStart + 256 * 4;
const wholeTypes: readonly (string | undefined)[] = [undefined, "commit", "tree", "blob", "tag"];
const windowBytes = 16 * 1024;
/** Up to this many hashes are read at once, which takes less time than a search that reads them one by one. */
const hashesPerRead = 256;
/** Of the type, the size, and the base of a delta. */
const entryHeaderBytes = 64;
const ofsDelta = 6;
const refDelta = 7;

/** Methods throw, or return `undefined`, if the pack is damaged. Must be closed. */
export class PackFile {
  readonly #index: ByteSource;
  readonly #path: string;
  #pack: ByteSource | undefined;
  readonly #fanout: Buffer;
  /** The part of the pack that was read last. Objects that are read one after another are often neighbors. */
  #window = Buffer.alloc(0);
  #windowStart = 0;

  /** `path` is the `.idx` file next to the pack. */
  constructor(path: string) {
    this.#path = path;
    this.#index = fileSource(path);
    try {
      const head = this.#readIndex(0, hashesStart);
      if (head.readUInt32BE(0) !== 0xff744f63 || head.readUInt32BE(4) !== 2)
        throw new RangeError(`${path} is not a pack index of version 2`);
      this.#fanout = head.subarray(fanoutStart);
    } catch (error) {
      this.#index.close();
      throw error;
    }
  }

  close(): void {
    this.#index.close();
    this.#pack?.close();
  }

  /** Returns the pack offset of an object, or `undefined` if it is not in this pack. */
  find(hash: string): number | undefined {
    const wanted = Buffer.from(hash, "hex");
    const first = wanted[0] ?? 0;
    const count = this.#fanout.readUInt32BE(255 * 4);
    let low = first === 0 ? 0 : this.#fanout.readUInt32BE((first - 1) * 4);
    let high = this.#fanout.readUInt32BE(first * 4);
    while (high - low > hashesPerRead) {
      const middle = (low + high) >>> 1;
      if (wanted.compare(this.#readIndex(hashesStart + middle * hashBytes, hashBytes)) < 0) high = middle;
      else low = middle;
    }
    const hashes = this.#readIndex(hashesStart + low * hashBytes, (high - low) * hashBytes);
    const orderAt = (at: number) => wanted.compare(hashes, at * hashBytes, (at + 1) * hashBytes);
    const found = partitionPoint(0, high - low, (at) => orderAt(at) > 0);
    return low + found < high && orderAt(found) === 0 ? this.#offsetOf(low + found, count) : undefined;
  }

  #offsetOf(object: number, count: number): number {
    const offsetsStart = hashesStart + count * (hashBytes + 4);
    const offset = this.#readIndex(offsetsStart + object * 4, 4).readUInt32BE(0);
    if (offset < 0x80000000) return offset;
    const largeStart = offsetsStart + count * 4;
    return Number(this.#readIndex(largeStart + (offset - 0x80000000) * 8, 8).readBigUInt64BE(0));
  }

  /** Returns `undefined` for an entry of more than `maxBytes`. */
  read(offset: number, maxBytes: number): PackedObject | undefined {
    const head = this.#readPack(offset, entryHeaderBytes);
    let at = 0;
    let byte = head[at++] ?? 0;
    const type = (byte >> 4) & 7;
    let size = byte & 15;
    for (let factor = 16; byte & 0x80; factor *= 128) {
      byte = head[at++] ?? 0;
      size += (byte & 0x7f) * factor;
    }
    if (size > maxBytes) return undefined;
    const whole = wholeTypes[type];
    if (whole !== undefined) return { kind: "whole", type: whole, bytes: this.#inflate(offset + at, size) };
    if (type === refDelta) {
      const base = head.toString("hex", at, at + hashBytes);
      return { kind: "delta", base, bytes: this.#inflate(offset + at + hashBytes, size) };
    }
    if (type !== ofsDelta) throw new RangeError(`Unknown object type ${type}`);
    byte = head[at++] ?? 0;
    let distance = byte & 0x7f;
    while (byte & 0x80) {
      byte = head[at++] ?? 0;
      distance = (distance + 1) * 128 + (byte & 0x7f);
    }
    return { kind: "delta", base: offset - distance, bytes: this.#inflate(offset + at, size) };
  }

  #inflate(start: number, size: number): Buffer {
    return inflateExactly(this.#readPack(start, deflateBound(size)), size);
  }

  #readIndex(position: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    this.#index.read(position, bytes, 0, length);
    return bytes;
  }

  /** Reads up to `length` bytes: fewer at the end of the pack. */
  #readPack(offset: number, length: number): Buffer {
    const pack = this.#pack ?? fileSource(this.#path.replace(/idx$/, "pack"));
    this.#pack = pack;
    const end = Math.min(offset + length, pack.length);
    if (offset < this.#windowStart || end > this.#windowStart + this.#window.length) {
      const bytes = Buffer.allocUnsafe(Math.min(Math.max(length, windowBytes), pack.length - offset));
      pack.read(offset, bytes, 0, bytes.length);
      this.#window = bytes;
      this.#windowStart = offset;
    }
    return this.#window.subarray(offset - this.#windowStart, end - this.#windowStart);
  }
}

/** Returns the maximum compressed size of `size` bytes, like zlib's `deflateBound`. */
function deflateBound(size: number): number {
  return size + (size >>> 12) + (size >>> 14) + (size >>> 25) + 64;
}

/** Decompresses a zlib stream. Throws unless the result has exactly `size` bytes. */
function inflateExactly(bytes: Uint8Array, size: number): Buffer {
  const chunkSize = Math.max(64, size + 1);
  const result = inflateSync(bytes, { maxOutputLength: chunkSize, chunkSize });
  if (result.length !== size)
    throw new RangeError(`The object has ${result.length} bytes instead of ${size}`);
  return result;
}

/**
 * Applies a delta to its base object. A delta consists of the sizes of base and result (little-endian varints), then
 * instructions. With the highest bit set an instruction copies from `base`, and its other bits select which of four
 * offset bytes and three size bytes follow; otherwise it is the number of literal bytes that follow.
 *
 * Returns `undefined` for a result of more than `maxBytes`. Throws for a malformed delta.
 */
export function applyDelta(base: Buffer, delta: Buffer, maxBytes: number): Buffer | undefined {
  let at = 0;
  const readSize = () => {
    let size = 0;
    for (let factor = 1, byte = 0x80; byte & 0x80; factor *= 128) {
      byte = delta.readUInt8(at++);
      size += (byte & 0x7f) * factor;
    }
    return size;
  };
  if (readSize() !== base.length) throw new RangeError("The delta belongs to another base");
  const size = readSize();
  if (size > maxBytes) return undefined;
  const result = Buffer.allocUnsafe(size);
  let filled = 0;
  while (at < delta.length) {
    const step = delta.readUInt8(at++);
    let from = delta;
    let start = at;
    let length = step;
    if (step & 0x80) {
      from = base;
      start = 0;
      length = 0;
      for (let bit = 0; bit < 4; bit++) if (step & (1 << bit)) start += delta.readUInt8(at++) * 256 ** bit;
      for (let bit = 0; bit < 3; bit++) {
        if (step & (16 << bit)) length += delta.readUInt8(at++) << (8 * bit);
      }
      if (length === 0) length = 0x10000;
    } else at += length;
    if (length === 0 || start + length > from.length || filled + length > size)
      throw new RangeError("The delta exceeds its base or its result");
    from.copy(result, filled, start, start + length);
    filled += length;
  }
  if (filled !== size) throw new RangeError("The delta is too short");
  return result;
}

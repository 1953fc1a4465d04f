/**
 * One pack of a repository: objects one behind the other, and an index that says where each begins.
 *
 * Index, version 2: `FF 74 4F 63`, version; 256 numbers, each how many hashes begin with its byte or a smaller one; the
 * hashes in order; a checksum for each; where each object begins, 32 bits, or with the highest bit set the place in a
 * table of 64-bit numbers behind. All numbers are big-endian.
 *
 * Pack: at its place an object has its type (three bits) and its size, seven bits a byte, least significant first, four
 * in the first; then, for the difference to another object, how far before this one that is, or its hash; then what
 * zlib made of the content or of the difference.
 */
import { inflateSync } from "node:zlib";
import { type ByteSource, fileSource } from "#platform/byteSource";

/** What stands in a pack for one object. */
export type PackedObject =
  | { readonly kind: "whole"; readonly type: string; readonly bytes: Buffer }
  | { readonly kind: "difference"; readonly base: number | string; readonly bytes: Buffer };

const hashBytes = 20;
const fanoutStart = 8;
const hashesStart = fanoutStart + 256 * 4;
const wholeTypes: readonly (string | undefined)[] = [undefined, "commit", "tree", "blob", "tag"];
const offsetDifference = 6;
const hashDifference = 7;

/** Open until closed. Whatever is not as it should be makes a method throw, or give `undefined`. */
export class PackFile {
  readonly #index: ByteSource;
  readonly #path: string;
  #pack: ByteSource | undefined;
  readonly #fanout: Buffer;

  /** `path` ends in `.idx`; the pack lies beside it. */
  constructor(path: string) {
    this.#path = path;
    this.#index = fileSource(path);
    try {
      const head = this.#bytesOfIndex(0, hashesStart);
      if (head.readUInt32BE(0) !== 0xff744f63 || head.readUInt32BE(4) !== 2) throw new RangeError(path);
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

  /** Where an object begins. */
  find(hash: string): number | undefined {
    const wanted = Buffer.from(hash, "hex");
    const first = wanted[0] ?? 0;
    const count = this.#fanout.readUInt32BE(255 * 4);
    let low = first === 0 ? 0 : this.#fanout.readUInt32BE((first - 1) * 4);
    let high = this.#fanout.readUInt32BE(first * 4);
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = wanted.compare(this.#bytesOfIndex(hashesStart + middle * hashBytes, hashBytes));
      if (order === 0) return this.#placeOf(middle, count);
      if (order < 0) high = middle;
      else low = middle + 1;
    }
    return undefined;
  }

  #placeOf(object: number, count: number): number {
    const placesStart = hashesStart + count * (hashBytes + 4);
    const place = this.#bytesOfIndex(placesStart + object * 4, 4).readUInt32BE(0);
    if (place < 0x80000000) return place;
    const largeStart = placesStart + count * 4;
    return Number(this.#bytesOfIndex(largeStart + (place - 0x80000000) * 8, 8).readBigUInt64BE(0));
  }

  /** `undefined` for one of more than `maxBytes`. */
  read(place: number, maxBytes: number): PackedObject | undefined {
    this.#pack ??= fileSource(this.#path.replace(/idx$/, "pack"));
    const head = this.#bytesOfPack(place, headBytes);
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
    if (whole !== undefined)
      return { kind: "whole", type: whole, bytes: this.#inflate(head, place, at, size) };
    if (type === hashDifference) {
      const base = head.toString("hex", at, at + hashBytes);
      return { kind: "difference", base, bytes: this.#inflate(head, place, at + hashBytes, size) };
    }
    if (type !== offsetDifference) throw new RangeError(`An object of type ${type}`);
    byte = head[at++] ?? 0;
    let distance = byte & 0x7f;
    while (byte & 0x80) {
      byte = head[at++] ?? 0;
      distance = (distance + 1) * 128 + (byte & 0x7f);
    }
    return { kind: "difference", base: place - distance, bytes: this.#inflate(head, place, at, size) };
  }

  #inflate(head: Buffer, place: number, start: number, size: number): Buffer {
    const end = start + largestDeflated(size);
    const bytes = end <= head.length ? head : this.#bytesOfPack(place, end);
    return inflated(bytes.subarray(start), size);
  }

  #bytesOfIndex(position: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    this.#index.read(position, bytes, 0, length);
    return bytes;
  }

  /** Fewer than `wanted` where the pack ends. */
  #bytesOfPack(place: number, wanted: number): Buffer {
    const pack = this.#pack;
    const length = Math.min(wanted, (pack?.length ?? 0) - place);
    const bytes = Buffer.allocUnsafe(length);
    pack?.read(place, bytes, 0, length);
    return bytes;
  }
}

/** Most objects of a small repository are read at once. */
const headBytes = 4096;

/** What zlib makes of so many bytes in the worst case. */
function largestDeflated(size: number): number {
  return size + (size >>> 12) + (size >>> 14) + (size >>> 25) + 64;
}

/** What zlib made smaller; throws where that is not exactly `size` bytes. */
function inflated(bytes: Uint8Array, size: number): Buffer {
  const chunkSize = Math.max(64, size + 1);
  const result = inflateSync(bytes, { maxOutputLength: chunkSize, chunkSize });
  if (result.length !== size) throw new RangeError(`${result.length} bytes in place of ${size}`);
  return result;
}

/**
 * Makes an object out of another and the difference between them: two sizes, seven bits a byte, least significant
 * first; then steps. A step with the highest bit set copies from `base` (its other bits say which of four bytes of the
 * position and three of the length follow), another one is how many bytes to take from behind itself.
 *
 * Throws where that does not come out.
 */
export function applyDifference(base: Buffer, difference: Buffer, maxBytes: number): Buffer | undefined {
  let at = 0;
  const readSize = () => {
    let size = 0;
    for (let factor = 1, byte = 0x80; byte & 0x80; factor *= 128) {
      byte = difference.readUInt8(at++);
      size += (byte & 0x7f) * factor;
    }
    return size;
  };
  if (readSize() !== base.length) throw new RangeError("A difference to something else");
  const size = readSize();
  if (size > maxBytes) return undefined;
  const result = Buffer.allocUnsafe(size);
  let filled = 0;
  while (at < difference.length) {
    const step = difference.readUInt8(at++);
    let from = difference;
    let start = at;
    let length = step;
    if (step & 0x80) {
      from = base;
      start = 0;
      length = 0;
      for (let bit = 0; bit < 4; bit++)
        if (step & (1 << bit)) start += difference.readUInt8(at++) * 256 ** bit;
      for (let bit = 0; bit < 3; bit++) {
        if (step & (16 << bit)) length += difference.readUInt8(at++) << (8 * bit);
      }
      if (length === 0) length = 0x10000;
    } else at += length;
    if (length === 0 || start + length > from.length || filled + length > size)
      throw new RangeError("A difference beyond its object");
    from.copy(result, filled, start, start + length);
    filled += length;
  }
  if (filled !== size) throw new RangeError("A difference that is too short");
  return result;
}

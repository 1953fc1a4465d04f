import { ServiceError } from "#base/error";
import type { ByteSource } from "#platform/byteSource";
import { type Checksum, damaged } from "./checksum";
import { checkedPageBytes, shardEndMagic, shardFormatVersion, shardMagic } from "./shard";

/** Where a shard's bytes go: a draft file, or memory. */
export interface ByteSink {
  write(bytes: Uint8Array): void;
}

const headerBytes = 16;
const trailerBytes = 16;
const text = new TextEncoder();

type Place = readonly [offset: number, length: number, checksum: number];

export function bytesOf(numbers: Uint8Array | Uint16Array | Uint32Array | Float64Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

/** Writes the frame of a shard: header, sections, table of contents. */
export class SectionWriter {
  readonly #sink: ByteSink;
  readonly #checksum: Checksum;
  readonly #places: Record<string, Place> = {};
  #position = 0;

  constructor(sink: ByteSink, checksum: Checksum) {
    this.#sink = sink;
    this.#checksum = checksum;
    const header = new Uint8Array(headerBytes);
    header.set(text.encode(shardMagic));
    new DataView(header.buffer).setUint32(8, shardFormatVersion, true);
    this.#write(header);
  }

  get position(): number {
    return this.#position;
  }

  write(name: string, bytes: Uint8Array): void {
    this.#align();
    this.#places[name] = [this.#position, bytes.length, this.#checksum(bytes)];
    this.#write(bytes);
  }

  /** A large section that comes in pieces; its pages' checksums become the section `checksName`. */
  stream(name: string, checksName: string): PagedSection {
    this.#align();
    const start = this.#position;
    return new PagedSection(
      this.#checksum,
      (bytes) => this.#write(bytes),
      (length, checks) => {
        this.#places[name] = [start, length, 0];
        this.write(checksName, bytesOf(checks));
      },
    );
  }

  /** Writes the table of contents and gives the length of the whole. */
  finish(): number {
    this.#align();
    const table = text.encode(JSON.stringify(this.#places));
    const trailer = new Uint8Array(trailerBytes);
    const view = new DataView(trailer.buffer);
    view.setUint32(0, table.length, true);
    view.setUint32(4, this.#checksum(table), true);
    trailer.set(text.encode(shardEndMagic), 8);
    this.#write(table);
    this.#write(trailer);
    return this.#position;
  }

  #align(): void {
    const rest = this.#position & 7;
    if (rest !== 0) this.#write(new Uint8Array(8 - rest));
  }

  #write(bytes: Uint8Array): void {
    this.#sink.write(bytes);
    this.#position += bytes.length;
  }
}

/** Gathers pieces into pages: each page is hashed and handed on once. */
export class PagedSection {
  readonly #checksum: Checksum;
  readonly #write: (bytes: Uint8Array) => void;
  readonly #done: (length: number, checks: Uint32Array) => void;
  readonly #checks: number[] = [];
  /** Sixteen pages to a write. */
  readonly #buffer = new Uint8Array(16 * checkedPageBytes);
  #buffered = 0;
  #length = 0;

  constructor(
    checksum: Checksum,
    write: (bytes: Uint8Array) => void,
    done: (length: number, checks: Uint32Array) => void,
  ) {
    this.#checksum = checksum;
    this.#write = write;
    this.#done = done;
  }

  get length(): number {
    return this.#length;
  }

  write(bytes: Uint8Array): void {
    this.#length += bytes.length;
    for (let at = 0; at < bytes.length; ) {
      const count = Math.min(bytes.length - at, this.#buffer.length - this.#buffered);
      this.#buffer.set(bytes.subarray(at, at + count), this.#buffered);
      this.#buffered += count;
      at += count;
      if (this.#buffered === this.#buffer.length) this.#flush();
    }
  }

  finish(): void {
    this.#flush();
    this.#done(this.#length, Uint32Array.from(this.#checks));
  }

  #flush(): void {
    if (this.#buffered === 0) return;
    for (let at = 0; at < this.#buffered; at += checkedPageBytes) {
      const end = Math.min(at + checkedPageBytes, this.#buffered);
      this.#checks.push(this.#checksum(this.#buffer.subarray(at, end)));
    }
    // A sink may keep what it is given (memory does), so it gets a copy.
    this.#write(this.#buffer.slice(0, this.#buffered));
    this.#buffered = 0;
  }
}

/** Reads the frame of a shard. Everything is checked against its checksum before it is believed. */
export class SectionReader {
  readonly #source: ByteSource;
  readonly #checksum: Checksum;
  readonly #places: Readonly<Record<string, Place>>;
  /** Bytes of the index that were read so far; bytes of text are counted by who reads them. */
  indexBytesLoaded = 0;
  tableChecksum = 0;

  /** Throws `SHARD_DAMAGED` for anything that is no shard of this format. */
  constructor(source: ByteSource, checksum: Checksum) {
    this.#source = source;
    this.#checksum = checksum;
    this.#places = this.#readTable();
  }

  get length(): number {
    return this.#source.length;
  }

  #readTable(): Readonly<Record<string, Place>> {
    const size = this.#source.length;
    if (size < headerBytes + trailerBytes) throw damaged("Too short for a shard");
    const header = this.#read(0, headerBytes);
    const trailer = this.#read(size - trailerBytes, trailerBytes);
    const version = new DataView(header.buffer).getUint32(8, true);
    if (ascii(header, 0) !== shardMagic || ascii(trailer, 8) !== shardEndMagic) throw damaged("No shard");
    if (version !== shardFormatVersion) throw damaged(`Shard format ${version}, not ${shardFormatVersion}`);
    const view = new DataView(trailer.buffer);
    const length = view.getUint32(0, true);
    if (length > size - headerBytes - trailerBytes) throw damaged("Table of contents out of bounds");
    const table = this.#read(size - trailerBytes - length, length);
    this.tableChecksum = view.getUint32(4, true);
    if (this.#checksum(table) !== this.tableChecksum) throw damaged("Table of contents");
    return JSON.parse(new TextDecoder().decode(table)) as Record<string, Place>;
  }

  #read(position: number, length: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(length);
    try {
      this.#source.read(position, bytes, 0, length);
    } catch (cause) {
      throw new ServiceError("SHARD_DAMAGED", "Cannot be read", { cause });
    }
    return bytes;
  }

  bytes(name: string): Uint8Array<ArrayBuffer> {
    const [offset, length, checksum] = this.#place(name);
    const bytes = this.#read(offset, length);
    if (this.#checksum(bytes) !== checksum) throw damaged(`Section ${name}`);
    this.indexBytesLoaded += length;
    return bytes;
  }

  words(name: string): Uint32Array {
    const bytes = this.bytes(name);
    return new Uint32Array(bytes.buffer, 0, bytes.length >>> 2);
  }

  json(name: string): unknown {
    return JSON.parse(new TextDecoder().decode(this.bytes(name)));
  }

  /** A large section that is read in pieces, each page checked once. */
  paged(name: string, checksName: string): PagedReader {
    const [offset, length] = this.#place(name);
    return new PagedReader(this.#source, this.#checksum, name, offset, length, this.words(checksName));
  }

  #place(name: string): Place {
    const place = this.#places[name];
    if (place === undefined) throw damaged(`No section ${name}`);
    return place;
  }
}

const nothing = new Uint8Array(0);
const littleBytes = 2048;

export class PagedReader {
  readonly length: number;
  readonly #source: ByteSource;
  readonly #checksum: Checksum;
  readonly #name: string;
  readonly #start: number;
  readonly #checks: Uint32Array;
  readonly #isChecked: Uint8Array;
  /** The stretch of which a little was read last. */
  #kept: Uint8Array = nothing;
  #keptAt = 0;

  constructor(
    source: ByteSource,
    checksum: Checksum,
    name: string,
    start: number,
    length: number,
    checks: Uint32Array,
  ) {
    if (checks.length !== Math.ceil(length / checkedPageBytes)) throw damaged(`Checks of ${name}`);
    this.length = length;
    this.#source = source;
    this.#checksum = checksum;
    this.#name = name;
    this.#start = start;
    this.#checks = checks;
    this.#isChecked = new Uint8Array(checks.length);
  }

  /** Fills `target[offset … offset + length)` from `position`. Throws `SHARD_DAMAGED`. */
  read(position: number, target: Uint8Array, offset: number, length: number): void {
    if (length <= 0) return;
    const last = Math.floor((position + length - 1) / checkedPageBytes);
    for (let page = Math.floor(position / checkedPageBytes); page <= last; page++) {
      if (this.#isChecked[page] !== 1) this.#check(page);
    }
    if (length <= littleBytes) this.#copy(position, target, offset, length);
    else this.#fill(position, target, offset, length);
  }

  /** Who reads a little goes on near it, mostly, and each read is a call of the system. */
  #copy(position: number, target: Uint8Array, offset: number, length: number): void {
    if (position < this.#keptAt || position + length > this.#keptAt + this.#kept.length) {
      const start = position - (position % littleBytes);
      const size = Math.min(2 * littleBytes, this.length - start);
      const kept = this.#kept.length === size ? this.#kept : new Uint8Array(Math.max(0, size));
      this.#kept = nothing;
      this.#fill(start, kept, 0, size);
      this.#kept = kept;
      this.#keptAt = start;
    }
    const from = position - this.#keptAt;
    target.set(this.#kept.subarray(from, from + length), offset);
  }

  #fill(position: number, target: Uint8Array, offset: number, length: number): void {
    try {
      this.#source.read(this.#start + position, target, offset, length);
    } catch (cause) {
      throw new ServiceError("SHARD_DAMAGED", `${this.#name} cannot be read`, { cause });
    }
  }

  #check(page: number): void {
    const at = page * checkedPageBytes;
    const length = Math.min(checkedPageBytes, this.length - at);
    if (length <= 0) throw damaged(`${this.#name} has no page ${page}`);
    const bytes = pageBuffer.subarray(0, length);
    this.#fill(at, bytes, 0, length);
    if (this.#checksum(bytes) !== this.#checks[page]) throw damaged(`${this.#name}, page ${page}`);
    this.#isChecked[page] = 1;
  }
}

const pageBuffer = new Uint8Array(checkedPageBytes);

function ascii(bytes: Uint8Array, start: number): string {
  return String.fromCharCode(...bytes.subarray(start, start + 8));
}

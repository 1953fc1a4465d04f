import { ServiceError } from "#base/error";
import type { ByteSource } from "#platform/byteSource";
import { type Checksum, shardDamaged } from "./checksum";
import {
  checkedPageBytes,
  isShardFormatVersion,
  type ShardFormatVersion,
  shardEndMagic,
  shardMagic,
} from "./shard";

/** The destination of a shard: a draft file, or memory. */
export interface ByteSink {
  /** Whether the sink keeps the bytes that are passed to it. Otherwise, their buffer is used again. */
  readonly keepsBytes?: true;
  write(bytes: Uint8Array): void;
}

const headerBytes = 16;
const trailerBytes = 16;
const text = new TextEncoder();

type SectionEntry = readonly [offset: number, length: number, checksum: number];

export function bytesOf(numbers: Uint8Array | Uint16Array | Uint32Array | Float64Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

/** Writes the container of a shard: header, sections, and table of contents. */
export class SectionWriter {
  readonly #sink: ByteSink;
  readonly #checksum: Checksum;
  readonly #table: Record<string, SectionEntry> = {};
  #position = 0;

  constructor(sink: ByteSink, checksum: Checksum, formatVersion: ShardFormatVersion) {
    this.#sink = sink;
    this.#checksum = checksum;
    const header = new Uint8Array(headerBytes);
    header.set(text.encode(shardMagic));
    new DataView(header.buffer).setUint32(8, formatVersion, true);
    this.#write(header);
  }

  get position(): number {
    return this.#position;
  }

  write(name: string, bytes: Uint8Array): void {
    this.#align();
    this.#table[name] = [this.#position, bytes.length, this.#checksum(bytes)];
    this.#write(bytes);
  }

  /** Starts a large section that is written in pieces. The checksums of its pages become the section `checksName`. */
  stream(name: string, checksName: string): PagedSection {
    this.#align();
    const start = this.#position;
    return new PagedSection(
      this.#checksum,
      (bytes) => this.#write(this.#sink.keepsBytes ? bytes.slice() : bytes),
      (length, checks) => {
        this.#table[name] = [start, length, 0];
        this.write(checksName, bytesOf(checks));
      },
    );
  }

  /** Writes the table of contents and returns the length of the file. */
  finish(): number {
    this.#align();
    const table = text.encode(JSON.stringify(this.#table));
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

/** Collects pieces into pages, and hashes and writes whole pages. */
export class PagedSection {
  readonly #checksum: Checksum;
  readonly #write: (bytes: Uint8Array) => void;
  readonly #done: (length: number, checks: Uint32Array) => void;
  readonly #checks: number[] = [];
  /** Sixteen pages are written at once. */
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
    this.#write(this.#buffer.subarray(0, this.#buffered));
    this.#buffered = 0;
  }
}

/**
 * Reads the container of a shard. Every method throws `SHARD_DAMAGED` if a section is missing or its checksum differs.
 */
export class SectionReader {
  readonly #source: ByteSource;
  readonly #checksum: Checksum;
  readonly #table: Readonly<Record<string, SectionEntry>>;
  /** Bytes read so far, except from paged sections, whose callers count their own reads. */
  indexBytesLoaded = 0;
  tableChecksum = 0;
  formatVersion: ShardFormatVersion = 1;

  /** Throws `SHARD_DAMAGED` for anything but a shard of a known format. */
  constructor(source: ByteSource, checksum: Checksum) {
    this.#source = source;
    this.#checksum = checksum;
    this.#table = this.#readTable();
  }

  get length(): number {
    return this.#source.length;
  }

  #readTable(): Readonly<Record<string, SectionEntry>> {
    const size = this.#source.length;
    if (size < headerBytes + trailerBytes) throw shardDamaged("The file is too short for a shard");
    const header = this.#read(0, headerBytes);
    const trailer = this.#read(size - trailerBytes, trailerBytes);
    const version = new DataView(header.buffer).getUint32(8, true);
    if (ascii(header, 0) !== shardMagic || ascii(trailer, 8) !== shardEndMagic)
      throw shardDamaged("The file is not a shard");
    if (!isShardFormatVersion(version)) throw shardDamaged(`Shard format ${version} is not supported`);
    this.formatVersion = version;
    const view = new DataView(trailer.buffer);
    const length = view.getUint32(0, true);
    if (length > size - headerBytes - trailerBytes)
      throw shardDamaged("The table of contents is out of bounds");
    const table = this.#read(size - trailerBytes - length, length);
    this.tableChecksum = view.getUint32(4, true);
    if (this.#checksum(table) !== this.tableChecksum)
      throw shardDamaged("The checksum of the table of contents does not match");
    return JSON.parse(new TextDecoder().decode(table)) as Record<string, SectionEntry>;
  }

  #read(position: number, length: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(length);
    try {
      this.#source.read(position, bytes, 0, length);
    } catch (cause) {
      throw new ServiceError("SHARD_DAMAGED", "The file cannot be read", { cause });
    }
    return bytes;
  }

  bytes(name: string): Uint8Array<ArrayBuffer> {
    const [offset, length, checksum] = this.#entry(name);
    const bytes = this.#read(offset, length);
    if (this.#checksum(bytes) !== checksum)
      throw shardDamaged(`The checksum of section ${name} does not match`);
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

  /** Opens a large section that is read in pieces. Each page is verified once. */
  paged(name: string, checksName: string): PagedReader {
    const [offset, length] = this.#entry(name);
    return new PagedReader(this.#source, this.#checksum, name, offset, length, this.words(checksName));
  }

  #entry(name: string): SectionEntry {
    const entry = this.#table[name];
    if (entry === undefined) throw shardDamaged(`Section ${name} is missing`);
    return entry;
  }
}

const noBytes = new Uint8Array(0);
const smallReadBytes = 2048;

/** Reads any part of a large section. Verifies each page when it is first read. */
export class PagedReader {
  readonly length: number;
  readonly #source: ByteSource;
  readonly #checksum: Checksum;
  readonly #name: string;
  readonly #start: number;
  readonly #checks: Uint32Array;
  readonly #isChecked: Uint8Array;
  /** The bytes around the last small read. */
  #cached: Uint8Array = noBytes;
  #cachedAt = 0;

  constructor(
    source: ByteSource,
    checksum: Checksum,
    name: string,
    start: number,
    length: number,
    checks: Uint32Array,
  ) {
    if (checks.length !== Math.ceil(length / checkedPageBytes))
      throw shardDamaged(`Section ${name} has the wrong number of checksums`);
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
    if (length <= smallReadBytes) this.#copy(position, target, offset, length);
    else this.#fill(position, target, offset, length);
  }

  /** Small reads are mostly followed by others close by, and each read is a system call, so read more and cache it. */
  #copy(position: number, target: Uint8Array, offset: number, length: number): void {
    if (position < this.#cachedAt || position + length > this.#cachedAt + this.#cached.length) {
      const start = position - (position % smallReadBytes);
      const size = Math.min(2 * smallReadBytes, this.length - start);
      const cached = this.#cached.length === size ? this.#cached : new Uint8Array(Math.max(0, size));
      this.#cached = noBytes;
      this.#fill(start, cached, 0, size);
      this.#cached = cached;
      this.#cachedAt = start;
    }
    const from = position - this.#cachedAt;
    target.set(this.#cached.subarray(from, from + length), offset);
  }

  #fill(position: number, target: Uint8Array, offset: number, length: number): void {
    try {
      this.#source.read(this.#start + position, target, offset, length);
    } catch (cause) {
      throw new ServiceError("SHARD_DAMAGED", `Section ${this.#name} cannot be read`, { cause });
    }
  }

  #check(page: number): void {
    const at = page * checkedPageBytes;
    const length = Math.min(checkedPageBytes, this.length - at);
    if (length <= 0) throw shardDamaged(`Section ${this.#name} has no page ${page}`);
    const bytes = pageBuffer.subarray(0, length);
    this.#fill(at, bytes, 0, length);
    if (this.#checksum(bytes) !== this.#checks[page])
      throw shardDamaged(`The checksum of section ${this.#name}, page ${page} does not match`);
    this.#isChecked[page] = 1;
  }
}

const pageBuffer = new Uint8Array(checkedPageBytes);

function ascii(bytes: Uint8Array, start: number): string {
  return String.fromCharCode(...bytes.subarray(start, start + 8));
}

/**
 * Reads ZIP archives whose bytes are in memory, such as JAR files.
 *
 * Archives may be hostile: nothing is read outside of the bytes, and no entry inflates to more than its stated size, so
 * that a caller who adds these up knows what it needs. ZIP64, archives in several parts and encryption are not supported.
 */
import { crc32, inflateRawSync } from "node:zlib";

export interface ZipEntry {
  /** As the archive states it, `/`-separated; ends with `/` for a folder. May lead anywhere: see `isPortablePath`. */
  readonly name: string;
  /** Bytes after inflating. */
  readonly size: number;
  /** Throws an error for damaged, encrypted or unsupported data. */
  readonly read: () => Uint8Array;
}

const endSignature = 0x06054b50;
const endLength = 22;
const maxCommentLength = 0xffff;
const centralSignature = 0x02014b50;
const centralLength = 46;
const localSignature = 0x04034b50;
const localLength = 30;
const stored = 0;
const deflated = 8;

/** Yields the entries of the central directory. Throws an error for what is not a ZIP archive, or is damaged. */
export function* readZip(archive: Buffer): Generator<ZipEntry> {
  const end = findEnd(archive);
  const count = archive.readUInt16LE(end + 10);
  let at = archive.readUInt32LE(end + 16);
  if (archive.readUInt16LE(end + 4) !== 0 || count === 0xffff || at === 0xffffffff)
    throw new Error("archives in several parts and ZIP64 are not supported");
  for (let index = 0; index < count; index++) {
    if (at + centralLength > end || archive.readUInt32LE(at) !== centralSignature) throw damaged();
    const nameEnd = at + centralLength + archive.readUInt16LE(at + 28);
    const next = nameEnd + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
    if (next > end) throw damaged();
    const header = at;
    yield {
      name: archive.toString("utf8", at + centralLength, nameEnd),
      size: archive.readUInt32LE(at + 24),
      read: () => readEntry(archive, header),
    };
    at = next;
  }
}

/** The end record is followed only by a comment. */
function findEnd(archive: Buffer): number {
  const first = Math.max(0, archive.length - endLength - maxCommentLength);
  for (let at = archive.length - endLength; at >= first; at--)
    if (archive.readUInt32LE(at) === endSignature) return at;
  throw new Error("it is not a ZIP archive");
}

/** `header` is the position of the entry in the central directory. Local headers may lack sizes. */
function readEntry(archive: Buffer, header: number): Uint8Array {
  const isEncrypted = (archive.readUInt16LE(header + 8) & 1) === 1;
  const method = archive.readUInt16LE(header + 10);
  const checksum = archive.readUInt32LE(header + 16);
  const packedSize = archive.readUInt32LE(header + 20);
  const size = archive.readUInt32LE(header + 24);
  const local = archive.readUInt32LE(header + 42);
  if (isEncrypted || (method !== stored && method !== deflated))
    throw new Error("an entry is encrypted, or compressed in an unsupported way");
  if (local + localLength > archive.length || archive.readUInt32LE(local) !== localSignature) throw damaged();
  const start = local + localLength + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  if (start + packedSize > archive.length) throw damaged();
  const packed = archive.subarray(start, start + packedSize);
  const bytes = method === stored ? packed : inflate(packed, size);
  if (bytes.length !== size || crc32(bytes) !== checksum) throw damaged();
  return bytes;
}

function inflate(packed: Uint8Array, size: number): Uint8Array {
  try {
    // A limit of 0 means none.
    return inflateRawSync(packed, { maxOutputLength: Math.max(size, 1) });
  } catch {
    throw damaged();
  }
}

function damaged(): Error {
  return new Error("the archive is damaged");
}

const maxPathLength = 500;
const maxPathParts = 50;

/** Whether an entry with this name can be a file below any folder, on every operating system. Omits hidden files. */
export function isPortablePath(name: string): boolean {
  const parts = name.length <= maxPathLength ? name.split("/") : [];
  return parts.length > 0 && parts.length <= maxPathParts && parts.every(isPortablePart);
}

function isPortablePart(part: string): boolean {
  if (part === "" || part.startsWith(".") || /[. ]$/.test(part) || /[\p{C}\\:*?"<>|]/u.test(part))
    return false;
  return !/^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(part);
}

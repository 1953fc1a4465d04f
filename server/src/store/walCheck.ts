/**
 * Checks a write-ahead log of SQLite for damage that SQLite would ignore.
 *
 * SQLite treats the first frame with a wrong checksum as the end of the log and drops everything after it. That is
 * right after a power failure, which can tear the last transaction. But a frame that is followed by a later transaction
 * was on disk before that one began (`synchronous = full`), so a wrong checksum there means damage, and opening the log
 * would silently undo changes that were reported as done.
 *
 * Format: https://www.sqlite.org/fileformat2.html#the_write_ahead_log
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const headerBytes = 32;
const frameHeaderBytes = 24;
/** The first word of the log. Its last bit is the byte order of the checksums. */
const magic = 0x377f0682;

/** Returns a description of the damage to the log `file`; undefined if it is intact or does not exist. */
export function findWalDamage(file: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, "r");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  try {
    const { size } = fstatSync(descriptor);
    if (size <= headerBytes) return undefined;
    const header = Buffer.alloc(headerBytes);
    readSync(descriptor, header, 0, headerBytes, 0);
    return damageOfFrames(header, size, (buffer, offset) => {
      readSync(descriptor, buffer, 0, buffer.length, offset);
    });
  } finally {
    closeSync(descriptor);
  }
}

function damageOfFrames(
  header: Buffer,
  size: number,
  read: (buffer: Buffer, offset: number) => void,
): string | undefined {
  const pageBytes = header.readUInt32BE(8);
  const isBigEndian = header.readUInt32BE(0) === magic + 1;
  let sum: Checksum = checksum([0, 0], header, 0, 24, isBigEndian);
  const isHeaderWhole =
    (isBigEndian || header.readUInt32BE(0) === magic) &&
    sum[0] === header.readUInt32BE(24) &&
    sum[1] === header.readUInt32BE(28);
  if (!isHeaderWhole) return "the header of its log has a wrong checksum";
  const salts = header.subarray(16, 24);
  const frame = Buffer.alloc(frameHeaderBytes + pageBytes);
  let isBroken = false;
  let hasEnded = false;
  for (let offset = headerBytes; offset + frame.length <= size; offset += frame.length) {
    read(frame, offset);
    // Frames of an earlier generation, which are overwritten one by one, have other salts.
    const isCurrent = frame.subarray(8, 16).equals(salts);
    if (!isBroken) {
      sum = checksum(sum, frame, 0, 8, isBigEndian);
      sum = checksum(sum, frame, frameHeaderBytes, frame.length, isBigEndian);
      isBroken = !isCurrent || sum[0] !== frame.readUInt32BE(16) || sum[1] !== frame.readUInt32BE(20);
    }
    if (!isBroken || !isCurrent) continue;
    if (hasEnded) return `its log has a wrong checksum at byte ${offset - frame.length} or before`;
    // The size of the database, which is set only in the last frame of a transaction.
    hasEnded = frame.readUInt32BE(4) !== 0;
  }
  return undefined;
}

type Checksum = readonly [number, number];

/** Continues a checksum over the bytes in `[start, end)`, whose number must be a multiple of eight. */
function checksum(
  before: Checksum,
  bytes: Buffer,
  start: number,
  end: number,
  isBigEndian: boolean,
): Checksum {
  let [first, second] = before;
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let offset = start; offset < end; offset += 8) {
    first = (first + words.getUint32(offset, !isBigEndian) + second) >>> 0;
    second = (second + words.getUint32(offset + 4, !isBigEndian) + first) >>> 0;
  }
  return [first, second];
}

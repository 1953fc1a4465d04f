/**
 * Parses git's index file (versions 2 to 4), because `git status` may run filters that a repository's configuration
 * names.
 *
 * Layout: `DIRC`, version, count; then for each entry ten 32-bit numbers (ctime s, ns; mtime s, ns; device; inode;
 * mode; user; group; size), the hash, 16 bits of flags, 16 more bits in versions 3 and 4 if the extended flag is set,
 * the path and NUL. Versions 2 and 3 pad an entry to a multiple of 8 bytes. Version 4 stores how many bytes to remove
 * from the end of the previous path, and the suffix to append. Extensions follow: a four-letter signature, a length,
 * bytes.
 */
import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { ServiceError } from "#base/error";
import type { BytePath } from "#git/bytePath";
import { configValue } from "#git/config";
import { runGit } from "#git/git";
import { type GitRepository, readConfig } from "#git/repository";

export interface IndexEntry {
  readonly path: BytePath;
  readonly hash: string;
  readonly mode: number;
  /** 0, or 1 to 3 during an unresolved merge. */
  readonly stage: number;
  /** Whether the entry is excluded by sparse checkout (skip-worktree). */
  readonly isSkipped: boolean;
  /** Where `IndexFile.stats` has the file's stat data when it last matched the entry; -1 if unknown. */
  readonly statAt: number;
}

/** Numbers of each entry in `IndexFile.stats`. Seconds, nanoseconds, and the size, are modulo 2^32. */
export const statColumns = { ctimeS: 0, ctimeNs: 1, mtimeS: 2, mtimeNs: 3, size: 4 } as const;
const statWidth = 5;

export interface IndexFile {
  readonly entries: readonly IndexEntry[];
  /** The stat data of all entries, because an object for each would take longer than comparing them. */
  readonly stats: Uint32Array;
  /** Milliseconds since 1970. A file written at or after this time may have changed unnoticed ("racily clean"). */
  readonly mtimeMs: number;
}

/** Reads the index. Returns `undefined` if there is none, because nothing was ever checked out. Throws GIT_FAILED. */
export async function readIndex(
  repository: GitRepository,
  signal?: AbortSignal,
): Promise<IndexFile | undefined> {
  const path = join(repository.gitDir, "index");
  let bytes: Buffer;
  let mtimeMs: number;
  try {
    mtimeMs = statSync(path).mtimeMs;
    bytes = readFileSync(path);
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    throw new ServiceError("GIT_FAILED", `Cannot read the git index of ${repository.gitDir}.`, { cause });
  }
  const format = configValue(readConfig(repository.commonDir), "extensions.objectformat");
  const parsed = parseIndex(bytes, format === "sha256" ? 32 : 20);
  const { entries, stats } = parsed ?? {
    entries: await readIndexWithGit(repository, signal),
    stats: new Uint32Array(0),
  };
  return { entries, stats, mtimeMs };
}

/** Returns the number of entries from the header of the index at `path`, or `undefined` if it cannot be read. */
export function readEntryCount(path: string): number | undefined {
  const head = Buffer.alloc(12);
  try {
    const descriptor = openSync(path, "r");
    try {
      if (readSync(descriptor, head, 0, head.length, 0) < head.length) return undefined;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
  return head.readUInt32BE(8);
}

const fixedBytes = 40;
const longestShortName = 0xfff;

/**
 * Parses an index. Returns `undefined` if git must read it: it is split, damaged, of another version, or has unknown
 * required extensions.
 */
function parseIndex(bytes: Buffer, hashBytes: number): Pick<IndexFile, "entries" | "stats"> | undefined {
  if (bytes.length < 12 || bytes.toString("latin1", 0, 4) !== "DIRC") return undefined;
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) return undefined;
  const count = bytes.readUInt32BE(8);
  if (count > bytes.length / (fixedBytes + hashBytes)) return undefined;
  const entries: IndexEntry[] = [];
  const stats = new Uint32Array(count * statWidth);
  // Takes half as long as the methods of a buffer.
  const numbers = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 12;
  let previous = "";
  for (let index = 0; index < count; index++) {
    if (at + fixedBytes + hashBytes + 4 > bytes.length) return undefined;
    const start = at;
    const hashStart = at + fixedBytes;
    const hashEnd = hashStart + hashBytes;
    const flags = numbers.getUint16(hashEnd);
    const isExtended = version >= 3 && (flags & 0x4000) !== 0;
    const moreFlags = isExtended ? numbers.getUint16(hashEnd + 2) : 0;
    let nameStart = hashEnd + (isExtended ? 4 : 2);
    let prefix = "";
    if (version === 4) {
      const [dropped, next] = readOffset(bytes, nameStart);
      prefix = previous.slice(0, Math.max(previous.length - dropped, 0));
      nameStart = next;
    }
    const knownLength = version < 4 && (flags & longestShortName) < longestShortName;
    const nameEnd = knownLength ? nameStart + (flags & longestShortName) : bytes.indexOf(0, nameStart);
    if (nameEnd < 0 || nameEnd >= bytes.length) return undefined;
    const path = prefix + bytes.toString("latin1", nameStart, nameEnd);
    previous = path;
    const isIntentToAdd = (moreFlags & 0x2000) !== 0;
    entries.push({
      path: path as BytePath,
      hash: bytes.toString("hex", hashStart, hashEnd),
      mode: numbers.getUint32(at + 24),
      stage: (flags >> 12) & 3,
      isSkipped: (moreFlags & 0x4000) !== 0,
      statAt: isIntentToAdd ? -1 : index * statWidth,
    });
    for (let column = 0; column < statWidth; column++)
      stats[index * statWidth + column] = numbers.getUint32(at + (statOffsets[column] ?? 0));
    at = version === 4 ? nameEnd + 1 : start + ((nameEnd - start + 8) & ~7);
  }
  return hasUnknownExtension(bytes, at, hashBytes) ? undefined : { entries, stats };
}

/** Where an entry has the numbers of `statColumns`, in their order. */
const statOffsets: readonly number[] = [0, 4, 8, 12, 36];

/** Reads an offset varint (as in packfiles); returns the number and the byte offset after it. */
function readOffset(bytes: Buffer, start: number): [number, number] {
  let at = start;
  let byte = bytes[at++] ?? 0;
  let value = byte & 0x7f;
  while (byte & 0x80) {
    byte = bytes[at++] ?? 0;
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return [value, at];
}

/**
 * Whether the index has a required extension, whose signature is lowercase, that is not supported. `sdir` (sparse
 * directories) is supported; `link` (split index) is not.
 */
function hasUnknownExtension(bytes: Buffer, start: number, hashBytes: number): boolean {
  for (let at = start; at + 8 <= bytes.length - hashBytes; at += 8 + bytes.readUInt32BE(at + 4)) {
    const name = bytes.toString("latin1", at, at + 4);
    if (/^[a-z]/.test(name) && name !== "sdir") return true;
  }
  return false;
}

/** Lists the entries of the index with git. They have no stat data, so every file is compared by content. */
async function readIndexWithGit(
  repository: GitRepository,
  signal: AbortSignal | undefined,
): Promise<IndexEntry[]> {
  return parseStaged(await runGit(repository, ["ls-files", "-s", "-t", "-z", "--full-name"], { signal }));
}

/** Parses `<tag> SP <mode> SP <hash> SP <stage> TAB <path> NUL` records; the tag `S` means skip-worktree. */
export function parseStaged(output: Buffer): IndexEntry[] {
  return output
    .toString("latin1")
    .split("\0")
    .filter((line) => line !== "")
    .map((line) => {
      const tab = line.indexOf("\t");
      const [tag, mode = "", hash = "", stage = ""] = line.slice(0, tab).split(" ");
      return {
        path: line.slice(tab + 1) as BytePath,
        hash,
        mode: Number.parseInt(mode, 8),
        stage: Number(stage),
        isSkipped: tag === "S",
        statAt: -1,
      };
    });
}

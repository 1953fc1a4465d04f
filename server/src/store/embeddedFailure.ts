/**
 * Explains why the embedded database cannot be used, and what to do. The explanation may be shown to anyone, so it
 * contains no path.
 */
import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { ServiceError } from "#base/error";
import { databaseNames } from "./lostOrganization";

/** Thrown on the database thread. The message prefix survives the transfer to the main thread; the class does not. */
export class DamagedDatabase extends ServiceError {
  constructor(reason: string) {
    super("STORAGE_FAILED", `damaged: ${reason}`);
  }
}

const name = databaseNames.embedded;
const howToReplace =
  `To go on without it, stop Trawl, move ${name} and ${name}-wal out of the data directory, and run ` +
  `"trawl restore FILE" with a backup.`;

/** The first pattern that matches the message of an error selects its explanation. */
const explanations: readonly (readonly [pattern: RegExp, explain: (reason: string) => string])[] = [
  [
    /^damaged: |malformed|not a database|unsupported file format/,
    (reason) => `The database ${name} is damaged (${reason.replace(/^damaged: /, "")}). ${howToReplace}`,
  ],
  [
    /^ENOSPC|is full/,
    () => `${name} cannot be written: the disk of the data directory is full. Free some space.`,
  ],
  [
    /^EROFS|read-?only/,
    () => `${name} cannot be written: it, or the disk of the data directory, is read-only. Make it writable.`,
  ],
  [
    /^EACCES|^EPERM/,
    () =>
      `${name} cannot be opened: permission denied. Check its owner and permissions in the data directory.`,
  ],
  [
    /^EISDIR|^ENOTDIR|^ELOOP|^ENXIO/,
    () =>
      `${name} in the data directory is not a file. Move it away; a backup is restored by "trawl restore FILE".`,
  ],
  [/is locked/, () => `${name} is locked by another program. Close that program.`],
  [
    /disk I\/O error|unable to open|^E[A-Z]{2,}: /,
    () => `${name} cannot be read or written: the disk of the data directory reports an error.`,
  ],
];

/**
 * Returns ENGINE_UNAVAILABLE with what to do, or STORAGE_FAILED (whose message contains the path) for an error that is
 * not about the file or its disk.
 */
export function embeddedFailure(file: string, cause: unknown): ServiceError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const explained = isFull(file, reason) ? "is full" : reason;
  const known = explanations.find(([pattern]) => pattern.test(explained));
  if (known === undefined) return new ServiceError("STORAGE_FAILED", `${file}: ${reason}`, { cause });
  return new ServiceError("ENGINE_UNAVAILABLE", known[1](reason), { cause });
}

/** Checks the disk itself, because SQLite reports a full one as an I/O error. */
function isFull(file: string, reason: string): boolean {
  if (!reason.includes("disk I/O error")) return false;
  try {
    const { bavail, bsize } = statfsSync(dirname(file));
    return bavail * bsize < 64 * 1024;
  } catch {
    return false;
  }
}

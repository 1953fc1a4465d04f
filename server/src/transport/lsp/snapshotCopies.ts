/**
 * Read-only copies of files at commits, for editors that open only `file:` URIs.
 *
 * Each copy has a folder of its own, `snapshots/<key>/<repository>@<commit>/<name>`, so that no name in a repository
 * can reach or shadow another file. `snapshots/<key>/origin.json` identifies the file; its modification time is when
 * the copy was last used. The modification time of the copy itself never changes; otherwise, editors would ask whether
 * to reload it.
 */
import { createHash } from "node:crypto";
import { readFileSync, realpathSync, statSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { extname, isAbsolute, join, posix, relative, sep } from "node:path";
import { type SnapshotLocation, toWellFormed } from "#contract/snapshotUri";
import { diskFiles } from "#platform/files";

/** Limits of the cache of copies. */
export interface CopyLimits {
  readonly maxBytes: number;
  readonly maxCopies: number;
  readonly maxAgeMs: number;
}

const defaultLimits: CopyLimits = {
  maxBytes: 128 * 1024 * 1024,
  maxCopies: 4000,
  maxAgeMs: 30 * 24 * 3600 * 1000,
};

/** Evicting reads the whole folder, so it runs only after 1/8 of a limit has been written. */
const evictionShare = 8;
const maxNameBytes = 120;
/** The modification time of every copy. A copy with any other was changed, and is written again. */
const copyTime = new Date(Date.UTC(2000, 0, 1));

interface Origin extends SnapshotLocation {
  readonly bytes: number;
}

export class SnapshotCopies {
  readonly #dataDir: string;
  readonly #limits: CopyLimits;
  readonly #pending = new Map<string, Promise<string>>();
  #folder: string | undefined;
  #newBytes = 0;
  #newCopies = 0;

  constructor(dataDir: string, limits = defaultLimits) {
    this.#dataDir = dataDir;
    this.#limits = limits;
  }

  /** Whether a path lies in the folder of the copies. */
  contains(path: string): boolean {
    return this.#folderContaining(path) !== undefined;
  }

  /** Returns the path of the copy. If there is none yet, writes what `read` returns; rejects if `read` does. */
  async pathOf(location: SnapshotLocation, read: () => Promise<Uint8Array>): Promise<string> {
    this.#folder ??= createFolder(this.#dataDir);
    const key = keyOf(location);
    const path = join(
      this.#folder,
      key,
      folderLabel(location),
      toSafeFileName(posix.basename(location.path)),
    );
    if (isIntact(path, join(this.#folder, key))) return path;
    const pending = this.#pending.get(key);
    if (pending !== undefined) return pending;
    const folder = this.#folder;
    const writing = read()
      .then((content) => {
        writeCopy(join(folder, key), relative(join(folder, key), path), location, content);
        this.#countWritten(content.length);
        return path;
      })
      .finally(() => this.#pending.delete(key));
    this.#pending.set(key, writing);
    return writing;
  }

  /**
   * Returns the file that `path` is a copy of, and records its use. Returns `undefined` for paths that are not copies.
   */
  originOf(path: string): SnapshotLocation | undefined {
    const folder = this.#folderContaining(path);
    if (folder === undefined) return undefined;
    const [key = "", label, name] = relative(folder, path).split(sep);
    if (label === undefined || name === undefined) return undefined;
    const origin = readOrigin(join(folder, key));
    if (origin !== undefined) touch(join(folder, key));
    return origin;
  }

  /** Removes copies that are too old, then the least recently used ones until the limits hold. */
  async evict(): Promise<void> {
    const folder = copiesFolder(this.#dataDir);
    const { maxAgeMs, maxBytes, maxCopies } = this.#limits;
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const copies: { readonly path: string; readonly usedAt: number; readonly bytes: number }[] = [];
    for (const entry of entries) {
      if (!entry.isDirectory()) continue;
      const path = join(folder, entry.name);
      copies.push((await readCopyInfo(path)) ?? { path, usedAt: await modifiedAt(path), bytes: 0 });
    }
    copies.sort((left, right) => right.usedAt - left.usedAt);
    let bytes = 0;
    for (const [index, copy] of copies.entries()) {
      bytes += copy.bytes;
      const isOld = Date.now() - copy.usedAt > maxAgeMs;
      if (isOld || bytes > maxBytes || index >= maxCopies) diskFiles.removeFolder(copy.path);
    }
  }

  /**
   * Returns the folder of the copies, with symbolic links resolved if `path` has them resolved. Returns `undefined` if
   * `path` is not in it.
   */
  #folderContaining(path: string): string | undefined {
    const folder = copiesFolder(this.#dataDir);
    return [folder, realPath(folder)].find((each) => isInside(each, path));
  }

  #countWritten(bytes: number): void {
    this.#newBytes += bytes;
    this.#newCopies++;
    const { maxBytes, maxCopies } = this.#limits;
    if (this.#newBytes < maxBytes / evictionShare && this.#newCopies < maxCopies / evictionShare) return;
    this.#newBytes = 0;
    this.#newCopies = 0;
    // A failed eviction is retried next time.
    this.evict().catch(() => undefined);
  }
}

function copiesFolder(dataDir: string): string {
  return join(dataDir, "snapshots");
}

/**
 * Creates the folder of the copies. Returns its real path, because some editors resolve symbolic links of files that
 * they open.
 */
function createFolder(dataDir: string): string {
  const folder = copiesFolder(dataDir);
  diskFiles.mkdir(folder);
  // The data directory may be in a working tree.
  writeFile(join(folder, ".gitignore"), new TextEncoder().encode("*\n"), 0o600);
  return realpathSync(folder);
}

/** Writes a draft next to the final folder and renames it, so that a copy is complete or absent. */
function writeCopy(
  folder: string,
  relativePath: string,
  snapshot: SnapshotLocation,
  content: Uint8Array,
): void {
  const draft = `${folder}.${process.pid}`;
  const origin: Origin = { ...snapshot, bytes: content.length };
  try {
    diskFiles.removeFolder(draft);
    diskFiles.mkdir(join(draft, relativePath, ".."));
    writeFile(join(draft, relativePath), content, 0o400);
    diskFiles.setModified(join(draft, relativePath), copyTime);
    writeFile(originPath(draft), new TextEncoder().encode(JSON.stringify(origin)), 0o600);
    diskFiles.removeFolder(folder);
    diskFiles.rename(draft, folder);
  } catch (error) {
    diskFiles.removeFolder(draft);
    // Another process may have written the same copy.
    if (!isIntact(join(folder, relativePath), folder)) throw error;
  }
}

function writeFile(path: string, content: Uint8Array, mode: number): void {
  const descriptor = diskFiles.create(path, mode);
  try {
    diskFiles.write(descriptor, content);
  } finally {
    diskFiles.close(descriptor);
  }
}

/** Whether the copy exists unchanged. If so, records its use. */
function isIntact(path: string, folder: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  const isUnchanged = found?.mtimeMs === copyTime.getTime() && found.size === readOrigin(folder)?.bytes;
  if (isUnchanged) touch(folder);
  return isUnchanged;
}

function touch(folder: string): void {
  try {
    diskFiles.setModified(originPath(folder), new Date());
  } catch {
    // Another process has just removed it.
  }
}

function originPath(folder: string): string {
  return join(folder, "origin.json");
}

function readOrigin(folder: string): Origin | undefined {
  try {
    return parseOrigin(readFileSync(originPath(folder), "utf8"));
  } catch {
    return undefined;
  }
}

async function readCopyInfo(path: string) {
  try {
    const { bytes } = parseOrigin(await readFile(originPath(path), "utf8"));
    return { path, usedAt: await modifiedAt(originPath(path)), bytes };
  } catch {
    return undefined;
  }
}

/** Throws if the text is not an origin. */
function parseOrigin(text: string): Origin {
  const { repository, commit, path, bytes } = JSON.parse(text) as Partial<Record<keyof Origin, unknown>>;
  const isComplete =
    typeof repository === "string" &&
    typeof commit === "string" &&
    typeof path === "string" &&
    typeof bytes === "number";
  if (!isComplete) throw new TypeError("A field is missing.");
  return { repository, commit, path, bytes };
}

async function modifiedAt(path: string): Promise<number> {
  return await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

function isInside(folder: string, path: string): boolean {
  const relativePath = relative(folder, path);
  return relativePath !== ".." && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function keyOf({ repository, commit, path }: SnapshotLocation): string {
  const identity = JSON.stringify([repository, commit, path]);
  return createHash("sha256").update(identity).digest("hex").slice(0, 32);
}

/** Returns the folder name that editors show: the last segment of the repository's name, and the abbreviated commit. */
function folderLabel({ repository, commit }: SnapshotLocation): string {
  const short = posix.basename(repository).replace(/[^A-Za-z0-9_-]/g, "_");
  return `${short.slice(0, 60)}@${commit.slice(0, 7)}`;
}

/**
 * Makes a file name valid on every file system, and keeps the extension: replaces separators, control characters, names
 * and characters reserved by Windows, and trailing dots and spaces, and limits the length.
 */
export function toSafeFileName(name: string): string {
  const plain = toWellFormed(name)
    .replace(/[<>:"/\\|?*\p{Cc}\p{Cf}\u2028\u2029]/gu, "_")
    .replace(/[. ]+$/, (end) => "_".repeat(end.length));
  const usable = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i.test(plain) ? `_${plain}` : plain;
  if (usable === "") return "_";
  if (Buffer.byteLength(usable) <= maxNameBytes) return usable;
  const extension = extname(usable);
  const shortExtension = Buffer.byteLength(extension) <= maxNameBytes / 2 ? extension : "";
  const stem = Buffer.from(usable).subarray(0, maxNameBytes - Buffer.byteLength(shortExtension));
  return new TextDecoder().decode(stem).replace(/\u{fffd}+$/u, "") + shortExtension;
}

/** Trees from a repository's own files, folder by folder. Everything here gives `undefined` where git must be asked. */
import { type BytePath, joined } from "./bytePath";
import { fewObjects, type ObjectFiles } from "./objectFiles";

/** What a tree has at a path. */
export interface RawEntry {
  readonly path: BytePath;
  /** Octal, six digits. */
  readonly mode: string;
  readonly hash: string;
}

/** What two trees have at a path where they differ; at least one of them has something. */
export interface RawChange {
  readonly path: BytePath;
  readonly to?: RawEntry;
}

/** All that is no folder, in git's order; `tree` may be a commit. */
export function listTreeFiles(files: ObjectFiles, tree: string): RawEntry[] | undefined {
  return whole(new Folders(files).below(rootTreeOf(files, tree) ?? tree, ""));
}

/** The root tree of a commit. */
export function rootTreeOf(files: ObjectFiles, commit: string): string | undefined {
  const found = files.read(commit, maxTreeBytes);
  if (found?.type !== "commit") return undefined;
  return /^tree ([0-9a-f]{40})\n/.exec(found.bytes.toString("latin1", 0, 64))?.[1];
}

export function diffTreeFiles(files: ObjectFiles, from: string, to: string): RawChange[] | undefined {
  return whole(new Folders(files).differences(from, to, ""));
}

const maxTreeBytes = 1024 * 1024;
const folderMode = "040000";

function whole<Item>(items: Iterable<Item | undefined>): Item[] | undefined {
  const all: Item[] = [];
  for (const item of items) {
    if (item === undefined) return undefined;
    all.push(item);
  }
  return all;
}

/** Its generators give `undefined` and end at what cannot be read, and after so many folders that git is quicker. */
class Folders {
  readonly #files: ObjectFiles;
  #left = fewObjects;

  constructor(files: ObjectFiles) {
    this.#files = files;
  }

  *below(tree: string, folder: string): Generator<RawEntry | undefined> {
    const entries = this.#read(tree, folder);
    if (entries === undefined) yield undefined;
    for (const entry of entries ?? []) {
      if (entry.mode === folderMode) yield* this.below(entry.hash, entry.path);
      else yield entry;
    }
  }

  *differences(from: string, to: string, folder: string): Generator<RawChange | undefined> {
    const before = this.#read(from, folder);
    const after = this.#read(to, folder);
    if (before === undefined || after === undefined) {
      yield undefined;
      return;
    }
    const old = byKey(before);
    const now = byKey(after);
    for (const key of [...new Set([...old.keys(), ...now.keys()])].sort()) {
      const left = old.get(key);
      const right = now.get(key);
      if (left?.hash === right?.hash && left?.mode === right?.mode) continue;
      yield* this.#difference(left, right);
    }
  }

  /** Both are folders, or neither is. */
  *#difference(left: RawEntry | undefined, right: RawEntry | undefined): Generator<RawChange | undefined> {
    if (left?.mode === folderMode && right?.mode === folderMode) {
      yield* this.differences(left.hash, right.hash, right.path);
    } else if (right?.mode === folderMode) {
      for (const to of this.below(right.hash, right.path)) yield to && { path: to.path, to };
    } else if (left?.mode === folderMode) {
      for (const gone of this.below(left.hash, left.path)) yield gone && { path: gone.path };
    } else if (right !== undefined) yield { path: right.path, to: right };
    else if (left !== undefined) yield { path: left.path };
  }

  #read(tree: string, folder: string): RawEntry[] | undefined {
    if (this.#left-- <= 0) return undefined;
    const found = this.#files.read(tree, maxTreeBytes);
    return found?.type === "tree" ? parseTreeObject(found.bytes, folder) : undefined;
  }
}

/** In git's order, which is that of the keys. A file and a folder of one name, one in each tree, are two things. */
function byKey(entries: readonly RawEntry[]): ReadonlyMap<string, RawEntry> {
  return new Map(entries.map((entry) => [entry.mode === folderMode ? `${entry.path}/` : entry.path, entry]));
}

/** `<mode> SP <name> NUL <hash>`, repeated; a hash has 20 bytes, or 32 in a repository of SHA-256. */
export function parseTreeObject(bytes: Buffer, folder: string, hashBytes = 20): RawEntry[] | undefined {
  const entries: RawEntry[] = [];
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const nameEnd = bytes.indexOf(0, space);
    const end = nameEnd + 1 + hashBytes;
    if (space < 0 || nameEnd < 0 || end > bytes.length) return undefined;
    entries.push({
      mode: bytes.toString("latin1", at, space).padStart(6, "0"),
      path: joined(folder, bytes.toString("latin1", space + 1, nameEnd)),
      hash: bytes.toString("hex", nameEnd + 1, end),
    });
    at = end;
  }
  return entries;
}

/** Parses tree objects, and lists and compares trees without git. Returns `undefined` where git must be used. */
import { type BytePath, joinPath } from "#git/bytePath";
import { treeOfCommit } from "./commitHeader";
import { folderMode } from "./fileMode";
import { maxDirectReads, type ObjectDatabase } from "./objectDatabase";

/** A tree entry with its full path. */
export interface RawEntry {
  readonly path: BytePath;
  /** Octal, six digits. */
  readonly mode: string;
  readonly hash: string;
}

/** A path that differs between two trees; `to` is absent for a deleted path. */
export interface RawChange {
  readonly path: BytePath;
  readonly to?: RawEntry;
}

/** Lists everything but folders, in git's order. `tree` is the full hash of a tree or commit. */
export function listTreeFiles(files: ObjectDatabase, tree: string): RawEntry[] | undefined {
  return collectAll(new TreeWalker(files).list(rootTreeOf(files, tree) ?? tree, ""));
}

function rootTreeOf(files: ObjectDatabase, commit: string): string | undefined {
  const found = files.read(commit, maxTreeBytes);
  return found && treeOfCommit(found);
}

export function diffTreeFiles(files: ObjectDatabase, from: string, to: string): RawChange[] | undefined {
  return collectAll(new TreeWalker(files).diff(from, to, ""));
}

const maxTreeBytes = 1024 * 1024;

function collectAll<Item>(items: Iterable<Item | undefined>): Item[] | undefined {
  const all: Item[] = [];
  for (const item of items) {
    if (item === undefined) return undefined;
    all.push(item);
  }
  return all;
}

/** Generators yield `undefined` and end at an unreadable tree, or after so many trees that git is faster. */
class TreeWalker {
  readonly #files: ObjectDatabase;
  #readsLeft = maxDirectReads;

  constructor(files: ObjectDatabase) {
    this.#files = files;
  }

  *list(tree: string, folder: string): Generator<RawEntry | undefined> {
    const entries = this.#read(tree, folder);
    if (entries === undefined) yield undefined;
    for (const entry of entries ?? []) {
      if (entry.mode === folderMode) yield* this.list(entry.hash, entry.path);
      else yield entry;
    }
  }

  *diff(from: string, to: string, folder: string): Generator<RawChange | undefined> {
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
      yield* this.#diffEntry(left, right);
    }
  }

  /** Compares two entries with the same key: both are folders, or neither is. */
  *#diffEntry(left: RawEntry | undefined, right: RawEntry | undefined): Generator<RawChange | undefined> {
    if (left?.mode === folderMode && right?.mode === folderMode) {
      yield* this.diff(left.hash, right.hash, right.path);
    } else if (right?.mode === folderMode) {
      for (const to of this.list(right.hash, right.path)) yield to && { path: to.path, to };
    } else if (left?.mode === folderMode) {
      for (const gone of this.list(left.hash, left.path)) yield gone && { path: gone.path };
    } else if (right !== undefined) yield { path: right.path, to: right };
    else if (left !== undefined) yield { path: left.path };
  }

  #read(tree: string, folder: string): RawEntry[] | undefined {
    if (this.#readsLeft-- <= 0) return undefined;
    const found = this.#files.read(tree, maxTreeBytes);
    return found?.type === "tree" ? parseTreeObject(found.bytes, folder) : undefined;
  }
}

/** Keys sort in git's order. A file and a folder with the same name have different keys. */
function byKey(entries: readonly RawEntry[]): ReadonlyMap<string, RawEntry> {
  return new Map(entries.map((entry) => [entry.mode === folderMode ? `${entry.path}/` : entry.path, entry]));
}

/** Parses `<mode> SP <name> NUL <hash>` records; a hash has 20 bytes, or 32 in a SHA-256 repository. */
export function parseTreeObject(bytes: Buffer, folder: string, hashBytes = 20): RawEntry[] | undefined {
  const entries: RawEntry[] = [];
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const nameEnd = bytes.indexOf(0, space);
    const end = nameEnd + 1 + hashBytes;
    if (space < 0 || nameEnd < 0 || end > bytes.length) return undefined;
    entries.push({
      mode: bytes.toString("latin1", at, space).padStart(6, "0"),
      path: joinPath(folder, bytes.toString("latin1", space + 1, nameEnd)),
      hash: bytes.toString("hex", nameEnd + 1, end),
    });
    at = end;
  }
  return entries;
}

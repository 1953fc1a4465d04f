/**
 * Reads objects directly from loose-object files and packfiles, because starting a git process costs as much as reading
 * several hundred objects, and most repositories are small.
 *
 * Everything unusual is left to git: unknown formats, alternates, replace refs, another owner, damage. In these cases
 * there is no database, or it does not find the object. Every object is checked against its hash.
 */
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { configValue } from "#git/config";
import { type GitRepository, readConfig, readText } from "#git/repository";
import { mirrorDescription } from "#model/repository";
import { applyDelta, PackFile } from "./packFile";

export interface StoredObject {
  readonly type: string;
  readonly bytes: Buffer;
}

/** For more objects than this, a git process is faster. */
export const maxDirectReads = 500;
/** On a slow disk, git is left to read the rest, within the limits of processes. */
const maxMs = 500;
/** A repository with more packs has not been repacked in a long time. */
const maxPacks = 50;
/** Larger loose objects are rare, and git reads them incrementally. */
const maxLooseBytes = 1024 * 1024;
const maxDeltaChain = 4096;
/** Size of the cache of delta bases, which consecutive objects often share. */
const maxCachedBytes = 8 * 1024 * 1024;

export class ObjectDatabase {
  readonly #folder: string;
  readonly #packPaths: readonly string[];
  /** Opened on first use. */
  readonly #packs: (PackFile | undefined)[] = [];
  readonly #cache = new Map<string, StoredObject>();
  #cachedBytes = 0;
  #reads = 0;
  readonly #endsAt = performance.now() + maxMs;

  private constructor(folder: string, packPaths: readonly string[]) {
    this.#folder = folder;
    this.#packPaths = packPaths;
  }

  /** Calls `read` with the open database, or with `undefined` if objects must be read by git. */
  static use<Result>(
    repository: GitRepository,
    read: (database: ObjectDatabase | undefined) => Result,
  ): Result {
    const folder = join(repository.commonDir, "objects");
    const packPaths = cachedPackPaths(repository, folder);
    if (packPaths === undefined) return read(undefined);
    const database = new ObjectDatabase(folder, packPaths);
    try {
      return read(database);
    } finally {
      for (const pack of database.#packs) pack?.close();
    }
  }

  /** Whether so many objects and deltas were read, or for so long, that the rest should be left to git. */
  get isExhausted(): boolean {
    return this.#reads > maxDirectReads || performance.now() > this.#endsAt;
  }

  /**
   * Returns the object that a tag names in the end, which may have up to `maxBytes`, or the object itself; `undefined` if
   * git must be used.
   */
  peel(hash: string, maxBytes: number): string | undefined {
    let at = hash;
    for (let depth = 0; depth < maxTagDepth; depth++) {
      const found = this.read(at, maxBytes);
      const target = found && tagTarget(found);
      if (target === undefined) return found && at;
      at = target;
    }
    return undefined;
  }

  /** Returns `undefined` if git must be used: the object is not found, larger than `maxBytes`, or unreadable. */
  read(hash: string, maxBytes: number): StoredObject | undefined {
    let found: StoredObject | undefined;
    try {
      found = this.#readPacked(hash, maxBytes) ?? this.#readLoose(hash, maxBytes);
    } catch {
      // Damaged, too large, or just deleted. Git reports the cause.
      return undefined;
    }
    return found !== undefined && hashOf(found) === hash ? found : undefined;
  }

  #readLoose(hash: string, maxBytes: number): StoredObject | undefined {
    const path = join(this.#folder, hash.slice(0, 2), hash.slice(2));
    const stat = fs.statSync(path, { throwIfNoEntry: false });
    if (stat === undefined || !stat.isFile() || stat.size > maxLooseBytes) return undefined;
    this.#reads++;
    const whole = inflateSync(fs.readFileSync(path), { maxOutputLength: maxBytes + maxHeaderBytes });
    const end = whole.indexOf(0);
    const match = /^(commit|tree|blob|tag) (\d+)$/.exec(whole.toString("latin1", 0, Math.max(end, 0)));
    const bytes = whole.subarray(end + 1);
    if (Number(match?.[2]) !== bytes.length || bytes.length > maxBytes) return undefined;
    return { type: match?.[1] ?? "", bytes };
  }

  #readPacked(hash: string, maxBytes: number): StoredObject | undefined {
    for (const [index, path] of this.#packPaths.entries()) {
      const pack = this.#packs[index] ?? new PackFile(path);
      this.#packs[index] = pack;
      const offset = pack.find(hash);
      if (offset !== undefined) return this.#readAt(pack, index, offset, maxBytes);
    }
    return undefined;
  }

  /** Follows the delta chain to a whole object, then applies the deltas in reverse. */
  #readAt(pack: PackFile, index: number, start: number, maxBytes: number): StoredObject | undefined {
    const deltas: { offset: number; bytes: Buffer }[] = [];
    let found: StoredObject | undefined;
    for (let offset = start; found === undefined; ) {
      found = this.#cache.get(`${index} ${offset}`);
      if (found !== undefined) break;
      this.#reads++;
      const object = pack.read(offset, maxBytes);
      if (object === undefined || deltas.length > maxDeltaChain) return undefined;
      if (object.kind === "whole") {
        found = { type: object.type, bytes: object.bytes };
        this.#addToCache(`${index} ${offset}`, found);
        break;
      }
      deltas.push({ offset, bytes: object.bytes });
      const base = typeof object.base === "number" ? object.base : pack.find(object.base);
      if (base === undefined) return undefined;
      offset = base;
    }
    for (const { offset, bytes } of deltas.reverse()) {
      const result: Buffer | undefined = applyDelta(found.bytes, bytes, maxBytes);
      if (result === undefined) return undefined;
      found = { type: found.type, bytes: result };
      this.#addToCache(`${index} ${offset}`, found);
    }
    return found;
  }

  #addToCache(key: string, object: StoredObject): void {
    this.#cachedBytes += object.bytes.length;
    if (this.#cachedBytes > maxCachedBytes) {
      this.#cache.clear();
      this.#cachedBytes = object.bytes.length;
    }
    this.#cache.set(key, object);
  }
}

/** Limits chains of tags that name other tags. */
export const maxTagDepth = 10;

/** Returns the hash of the object that a tag names, or `undefined` if `object` is not a tag. */
export function tagTarget({ type, bytes }: StoredObject): string | undefined {
  if (type !== "tag") return undefined;
  return /^object ([0-9a-f]{40,64})\n/.exec(bytes.toString("latin1", 0, 128))?.[1];
}

/** The size of a loose object's header: `commit 2147483648` and NUL. */
const maxHeaderBytes = 32;

function hashOf({ type, bytes }: StoredObject): string {
  return createHash("sha1").update(`${type} ${bytes.length}\0`).update(bytes).digest("hex");
}

/** Whether the repository uses only features supported here, and git would not refuse its owner. */
function canReadDirectly(repository: GitRepository, objects: string): boolean {
  if (!isOwnClone(repository)) return false;
  const config = readConfig(repository.commonDir);
  if ((configValue(config, "core.repositoryformatversion") ?? "0") !== "0") return false;
  if (fs.existsSync(join(objects, "info/alternates"))) return false;
  return !hasReplaceRefs(repository.commonDir);
}

/**
 * Whether git would accept the repository without further configuration: it refuses repositories of other owners and,
 * depending on `safe.bareRepository`, bare ones.
 */
function isOwnClone({ workTree, gitDir, commonDir }: GitRepository): boolean {
  const user = process.geteuid?.();
  // Mirrors are bare, but nobody else has written to them.
  const isMirror = workTree === undefined && fs.existsSync(join(gitDir, mirrorDescription));
  if (user === undefined || (workTree === undefined && !isMirror)) return false;
  const folders = workTree === undefined ? [] : [workTree, join(workTree, ".git")];
  return [...folders, gitDir, commonDir].every(
    (path) => fs.lstatSync(path, { throwIfNoEntry: false })?.uid === user,
  );
}

/** Reading a larger file takes longer than starting git. */
const maxPackedRefsBytes = 1024 * 1024;

/** Whether `git replace` may substitute objects. */
export function hasReplaceRefs(commonDir: string): boolean {
  const packedRefs = join(commonDir, "packed-refs");
  if ((fs.statSync(packedRefs, { throwIfNoEntry: false })?.size ?? 0) > maxPackedRefsBytes) return true;
  if ((readText(packedRefs) ?? "").includes(" refs/replace/")) return true;
  return fs.existsSync(join(commonDir, "refs/replace"));
}

/** Whether neither shallow boundaries nor grafts change the parents of commits. Replace refs may (`hasReplaceRefs`). */
export function hasWholeHistory(commonDir: string): boolean {
  return !["shallow", "info/grafts"].some((name) => fs.existsSync(join(commonDir, name)));
}

/** Cached per `GitRepository` object. Each task creates a new one. */
const packPathCache = new WeakMap<GitRepository, { readonly packPaths: readonly string[] | undefined }>();

function cachedPackPaths(repository: GitRepository, objects: string): readonly string[] | undefined {
  const known = packPathCache.get(repository) ?? { packPaths: listPackIndexes(repository, objects) };
  packPathCache.set(repository, known);
  return known.packPaths;
}

/** Returns the paths of all pack indexes, or `undefined` if git must be used. */
function listPackIndexes(repository: GitRepository, objects: string): readonly string[] | undefined {
  try {
    if (!canReadDirectly(repository, objects)) return undefined;
    const folder = join(objects, "pack");
    const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
    const paths = names.filter((name) => name.endsWith(".idx")).map((name) => join(folder, name));
    return paths.length > maxPacks ? undefined : paths.sort();
  } catch {
    // Permission denied, probably. Git reports the cause.
    return undefined;
  }
}

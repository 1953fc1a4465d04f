/**
 * Objects read from a repository's own files: starting a process costs as much as reading some hundred of them, and
 * most repositories are small.
 *
 * Whatever is out of the ordinary (a format or an object that we do not know, alternates, replaced objects, another
 * owner, damage) is left to git: then there is no reader, or it does not have the object. What it gives has the hash
 * that was asked for, so it cannot be wrong.
 */
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { configValue } from "./config";
import { applyDifference, PackFile } from "./packFile";
import { type GitPlace, readConfig, readText } from "./place";

export interface StoredObject {
  readonly type: string;
  readonly bytes: Buffer;
}

/** From so many objects on git is quicker. */
export const fewObjects = 500;
/** A repository with more packs was not tidied up for long. */
const maxPacks = 50;
/** Larger loose objects are seldom, and git reads them piece by piece. */
const maxLooseBytes = 1024 * 1024;
const maxDifferences = 4096;
/** Of the objects that others are differences to; the next ones mostly are differences to the same. */
const maxKeptBytes = 8 * 1024 * 1024;

export class ObjectFiles {
  readonly #folder: string;
  readonly #packPaths: readonly string[];
  /** Opened when they are first looked into. */
  readonly #packs: (PackFile | undefined)[] = [];
  readonly #kept = new Map<string, StoredObject>();
  #keptBytes = 0;

  private constructor(folder: string, packPaths: readonly string[]) {
    this.#folder = folder;
    this.#packPaths = packPaths;
  }

  /** Calls with a reader, or with `undefined` where git must be asked; the reader is closed afterwards. */
  static use<Result>(place: GitPlace, read: (files: ObjectFiles | undefined) => Result): Result {
    const folder = join(place.commonDir, "objects");
    const packPaths = knownPacksOf(place, folder);
    if (packPaths === undefined) return read(undefined);
    const files = new ObjectFiles(folder, packPaths);
    try {
      return read(files);
    } finally {
      for (const pack of files.#packs) pack?.close();
    }
  }

  /** `undefined` where git must be asked: for what is not there, is larger than `maxBytes`, or cannot be read. */
  read(hash: string, maxBytes: number): StoredObject | undefined {
    let found: StoredObject | undefined;
    try {
      found = this.#readLoose(hash, maxBytes) ?? this.#readPacked(hash, maxBytes);
    } catch {
      // Damaged, too large, or gone meanwhile: git finds out and says it better.
      return undefined;
    }
    return found !== undefined && hashOf(found) === hash ? found : undefined;
  }

  #readLoose(hash: string, maxBytes: number): StoredObject | undefined {
    const path = join(this.#folder, hash.slice(0, 2), hash.slice(2));
    const stat = fs.statSync(path, { throwIfNoEntry: false });
    if (stat === undefined || !stat.isFile() || stat.size > maxLooseBytes) return undefined;
    const whole = inflateSync(fs.readFileSync(path), { maxOutputLength: maxBytes + longestHead });
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
      const place = pack.find(hash);
      if (place !== undefined) return this.#readAt(pack, index, place, maxBytes);
    }
    return undefined;
  }

  /** Follows differences down to a whole object, and comes back up. */
  #readAt(pack: PackFile, index: number, start: number, maxBytes: number): StoredObject | undefined {
    const differences: { place: number; bytes: Buffer }[] = [];
    let found: StoredObject | undefined;
    for (let place = start; found === undefined; ) {
      found = this.#kept.get(`${index} ${place}`);
      if (found !== undefined) break;
      const object = pack.read(place, maxBytes);
      if (object === undefined || differences.length > maxDifferences) return undefined;
      if (object.kind === "whole") {
        found = { type: object.type, bytes: object.bytes };
        this.#keep(`${index} ${place}`, found);
        break;
      }
      differences.push({ place, bytes: object.bytes });
      const base = typeof object.base === "number" ? object.base : pack.find(object.base);
      if (base === undefined) return undefined;
      place = base;
    }
    for (const { place, bytes } of differences.reverse()) {
      const result: Buffer | undefined = applyDifference(found.bytes, bytes, maxBytes);
      if (result === undefined) return undefined;
      found = { type: found.type, bytes: result };
      this.#keep(`${index} ${place}`, found);
    }
    return found;
  }

  #keep(key: string, object: StoredObject): void {
    this.#keptBytes += object.bytes.length;
    if (this.#keptBytes > maxKeptBytes) {
      this.#kept.clear();
      this.#keptBytes = object.bytes.length;
    }
    this.#kept.set(key, object);
  }
}

/** `commit 2147483648` and a NUL. */
const longestHead = 32;

function hashOf({ type, bytes }: StoredObject): string {
  return createHash("sha1").update(`${type} ${bytes.length}\0`).update(bytes).digest("hex");
}

/** Whether the objects are all there, as they always were, and git would read them for us. */
function isOrdinary(place: GitPlace, objects: string): boolean {
  if (!isOwnClone(place)) return false;
  const config = readConfig(place.commonDir);
  if ((configValue(config, "core.repositoryformatversion") ?? "0") !== "0") return false;
  if (fs.existsSync(join(objects, "info/alternates"))) return false;
  return !hasReplacements(place.commonDir);
}

/**
 * Git refuses repositories of others, unless the person says otherwise, and may refuse bare ones. Where this is false
 * it is asked.
 */
function isOwnClone({ workTree, gitDir, commonDir }: GitPlace): boolean {
  const user = process.geteuid?.();
  if (user === undefined || workTree === undefined) return false;
  return [workTree, join(workTree, ".git"), gitDir, commonDir].every(
    (path) => fs.lstatSync(path, { throwIfNoEntry: false })?.uid === user,
  );
}

/** More refs than this take longer to read than git to start. */
const maxPackedRefsBytes = 1024 * 1024;

/** `git replace` lets one object stand for another. */
function hasReplacements(commonDir: string): boolean {
  const packedRefs = join(commonDir, "packed-refs");
  if ((fs.statSync(packedRefs, { throwIfNoEntry: false })?.size ?? 0) > maxPackedRefsBytes) return true;
  if ((readText(packedRefs) ?? "").includes(" refs/replace/")) return true;
  return fs.existsSync(join(commonDir, "refs/replace"));
}

/** A place is found anew for each task; in one task it is asked several times. */
const knownPacks = new WeakMap<GitPlace, { readonly packPaths: readonly string[] | undefined }>();

function knownPacksOf(place: GitPlace, objects: string): readonly string[] | undefined {
  const known = knownPacks.get(place) ?? { packPaths: packsOf(place, objects) };
  knownPacks.set(place, known);
  return known.packPaths;
}

/** Paths of the indexes of all packs; `undefined` where git must be asked. */
function packsOf(place: GitPlace, objects: string): readonly string[] | undefined {
  try {
    if (!isOrdinary(place, objects)) return undefined;
    const folder = join(objects, "pack");
    const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
    const paths = names.filter((name) => name.endsWith(".idx")).map((name) => join(folder, name));
    return paths.length > maxPacks ? undefined : paths.sort();
  } catch {
    // Something may not be read; git says what.
    return undefined;
  }
}

/** The refs that point to commits, as git's log prints them with `--decorate`. */
import * as fs from "node:fs";
import { join } from "node:path";
import { ByteCache, objectBytes } from "#base/byteCache";
import type { ObjectDatabase } from "#git/objects/objectDatabase";
import type { GitRepository } from "#git/repository";
import { parsePackedRefs } from "./refs";
import { refsFingerprint } from "./refsFingerprint";
import { isPlainRefName } from "./resolveRef";

/** Maps hashes of commits to text such as `HEAD -> main, tag: v1`. */
export type Decorations = ReadonlyMap<string, string>;

const folders = ["refs/heads", "refs/remotes", "refs/tags"] as const;
/** Reading more files and objects takes longer than starting git. */
const maxLooseEntries = 400;
const maxPackedRefsBytes = 512 * 1024;
const maxRefBytes = 4096;
const maxObjectBytes = 64 * 1024;
const maxCachedBytes = 16 * 1024 * 1024;

const cache = new ByteCache<Decorations>(maxCachedBytes);

/**
 * Returns the branches, remote branches and tags that point to each commit, and HEAD. Returns `undefined` if git must be
 * used: for anything unusual, for many refs that are not packed, and while refs change.
 */
export function readDecorations(repository: GitRepository, objects: ObjectDatabase): Decorations | undefined {
  const fingerprint = refsFingerprint(repository);
  if (fingerprint === undefined) return undefined;
  const key = `${repository.gitDir} ${fingerprint}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  try {
    const found = decorate(repository, objects);
    if (found === undefined || refsFingerprint(repository) !== fingerprint) return undefined;
    cache.set(key, found, objectBytes([key, ...found.keys(), ...found.values()]));
    return found;
  } catch {
    // Not readable, or deleted meanwhile.
    return undefined;
  }
}

/** Where a ref leads. */
interface RefTarget {
  readonly commit: string;
  /** Whether the ref names a tag object. */
  readonly isTag: boolean;
}

function decorate(repository: GitRepository, objects: ObjectDatabase): Decorations | undefined {
  const head = readRef(join(repository.gitDir, "HEAD"));
  // Loose refs first: git packs a ref before it deletes the file.
  const loose = readLooseRefs(repository.commonDir);
  const packed = readPackedRefs(repository.commonDir);
  if (head === undefined || loose === undefined || packed === undefined) return undefined;
  const targets = new Map<string, RefTarget>(packed);
  for (const [name, { hash }] of loose) {
    if (hash === undefined) continue;
    const commit = objects.peel(hash, maxObjectBytes);
    if (commit === undefined) return undefined;
    targets.set(name, { commit, isTag: commit !== hash });
  }
  for (const [name, { target }] of loose) {
    if (target === undefined) continue;
    const isElsewhere = !folders.some((folder) => target.startsWith(`${folder}/`));
    if (isElsewhere || loose.get(target)?.target !== undefined) return undefined;
    const found = targets.get(target);
    if (found === undefined) targets.delete(name);
    else targets.set(name, found);
  }
  const current = head.target;
  // Git would name the branch that a symbolic branch stands for.
  if (
    current !== undefined &&
    (!current.startsWith("refs/heads/") || loose.get(current)?.target !== undefined)
  )
    return undefined;
  return describe(head, targets);
}

interface StoredRef {
  readonly hash?: string;
  /** The target of a symbolic ref. */
  readonly target?: string;
}

/** Returns `undefined` for anything but a hash or a symbolic ref in a plain file. */
function readRef(path: string): StoredRef | undefined {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || !stat.isFile() || stat.size > maxRefBytes) return undefined;
  const [, hash, target] =
    /^(?:([0-9a-f]{40})|ref: (refs\/\S+))\n?$/.exec(fs.readFileSync(path, "utf8")) ?? [];
  if (hash !== undefined) return { hash };
  return target === undefined ? undefined : { target };
}

function readLooseRefs(commonDir: string): ReadonlyMap<string, StoredRef> | undefined {
  const refs = new Map<string, StoredRef>();
  const pending: string[] = [...folders];
  let entries = 0;
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    if (!fs.existsSync(join(commonDir, folder))) continue;
    for (const entry of fs.readdirSync(join(commonDir, folder), { withFileTypes: true })) {
      const name = `${folder}/${entry.name}`;
      if (++entries > maxLooseEntries) return undefined;
      // Git skips these.
      if (entry.name.startsWith(".") || entry.name.endsWith(".lock")) continue;
      if (!isPlainRefName(name)) return undefined;
      if (entry.isDirectory()) {
        pending.push(name);
        continue;
      }
      const ref = readRef(join(commonDir, name));
      if (ref === undefined) return undefined;
      refs.set(name, ref);
    }
  }
  return refs;
}

function readPackedRefs(commonDir: string): Map<string, RefTarget> | undefined {
  const path = join(commonDir, "packed-refs");
  const stat = fs.statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return new Map();
  if (!stat.isFile() || stat.size > maxPackedRefsBytes) return undefined;
  const text = fs.readFileSync(path, "utf8");
  // Otherwise, it does not say what each tag names.
  if (!/^# pack-refs with:.* fully-peeled /.test(text)) return undefined;
  const refs = new Map<string, RefTarget>();
  for (const [name, { hash, peeled = hash }] of parsePackedRefs(text, folders)) {
    if (!isPlainRefName(name)) return undefined;
    refs.set(name, { commit: peeled, isTag: peeled !== hash });
  }
  return refs;
}

/** Git lists HEAD first, then the others in reverse order of their full names. */
function describe(
  { hash, target: current }: StoredRef,
  targets: ReadonlyMap<string, RefTarget>,
): Decorations {
  const decorations = new Map<string, string[]>();
  const add = (commit: string, text: string) => {
    const known = decorations.get(commit);
    if (known === undefined) decorations.set(commit, [text]);
    else known.push(text);
  };
  const currentTarget = current === undefined ? undefined : targets.get(current);
  if (hash !== undefined) add(hash, "HEAD");
  if (current !== undefined && currentTarget !== undefined)
    add(currentTarget.commit, `HEAD -> ${shortName(current)}`);
  const byName = [...targets].sort(([one], [other]) => (one < other ? 1 : -1));
  for (const [name, { commit, isTag }] of byName) {
    if (name === current) continue;
    add(commit, isTag || name.startsWith("refs/tags/") ? `tag: ${shortName(name)}` : shortName(name));
  }
  return new Map([...decorations].map(([commit, all]) => [commit, all.join(", ")]));
}

function shortName(name: string): string {
  return name.split("/").slice(2).join("/");
}

/** Names the refs that point to commits, as git's log does. */
import { join } from "node:path";
import { ByteCache, objectBytes } from "#base/byteCache";
import { maxTagDepth, type ObjectDatabase, tagTarget } from "#git/objects/objectDatabase";
import { type GitRepository, readText } from "#git/repository";
import { type Head, type Ref, readRefFiles } from "./refs";
import { refsFingerprint } from "./refsFingerprint";

/** Maps hashes of commits to text such as `HEAD -> main, tag: v1`. */
export type RefNames = ReadonlyMap<string, string>;

const folders = ["refs/heads", "refs/remotes", "refs/tags"] as const;
/** Reading more files, and more tags to see what they point to, takes longer than starting git. */
const maxLooseRefs = 200;
const maxTagBytes = 64 * 1024;
const maxCachedBytes = 8 * 1024 * 1024;

const cache = new ByteCache<RefNames>(maxCachedBytes);

/** Returns the names of branches, remote branches and tags, and HEAD; `undefined` if git must be used. */
export function readRefNames(repository: GitRepository, files: ObjectDatabase): RefNames | undefined {
  const fingerprint = refsFingerprint(repository);
  const key = `${repository.gitDir} ${fingerprint}`;
  const known = fingerprint === undefined ? undefined : cache.get(key);
  if (known !== undefined) return known;
  const read = readRefFiles(repository, undefined, folders, maxLooseRefs);
  if (read === undefined || read.head.kind === "unreadable") return undefined;
  const commits = peelAll(read.refs, files);
  if (commits === undefined) return undefined;
  if (read.head.kind === "branch" && isSymbolic(repository, read.head.name)) return undefined;
  const names = nameCommits(read.head, commits);
  if (fingerprint !== undefined)
    cache.set(key, names, objectBytes([key, ...names.keys(), ...names.values()]));
  return names;
}

/** Returns the commit of each ref, by the ref's full name; `undefined` if an object cannot be read. */
function peelAll(refs: ReadonlyMap<string, Ref>, files: ObjectDatabase): Map<string, string> | undefined {
  const commits = new Map<string, string>();
  let reads = 0;
  for (const [name, { hash, peeled }] of refs) {
    if (peeled === undefined && reads++ === maxLooseRefs) return undefined;
    const commit = peeled ?? peel(hash, files);
    if (commit === undefined) return undefined;
    commits.set(name, commit);
  }
  return commits;
}

function peel(hash: string, files: ObjectDatabase): string | undefined {
  let at = hash;
  for (let depth = 0; depth < maxTagDepth; depth++) {
    const found = files.read(at, maxTagBytes);
    const target = found && tagTarget(found);
    if (target === undefined) return found && at;
    at = target;
  }
  return undefined;
}

/** Git would name the branch that this one stands for. */
function isSymbolic({ commonDir }: GitRepository, name: string): boolean {
  return readText(join(commonDir, name))?.startsWith("ref:") === true;
}

/** Git lists HEAD first, then the others in reverse order of their full names. */
function nameCommits(head: Head, commits: ReadonlyMap<string, string>): RefNames {
  const names = new Map<string, string[]>();
  const add = (commit: string, name: string) => {
    const known = names.get(commit);
    if (known === undefined) names.set(commit, [name]);
    else known.push(name);
  };
  const current = head.kind === "branch" ? head.name : undefined;
  const currentCommit = current === undefined ? undefined : commits.get(current);
  if (head.kind === "detached") add(head.hash, "HEAD");
  if (current !== undefined && currentCommit !== undefined)
    add(currentCommit, `HEAD -> ${shortName(current)}`);
  for (const [name, commit] of [...commits].reverse()) if (name !== current) add(commit, shortName(name));
  return new Map([...names].map(([commit, all]) => [commit, all.join(", ")]));
}

function shortName(name: string): string {
  const short = name.split("/").slice(2).join("/");
  return name.startsWith("refs/tags/") ? `tag: ${short}` : short;
}

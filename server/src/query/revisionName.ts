/** What the value of a `rev:` names, wherever refs are at hand. */
import { matchesGlob } from "#base/glob";

const prefixes = ["refs/heads/", "refs/tags/", "refs/remotes/"];
const minAbbreviation = 7;

/**
 * Tells whether a ref at a commit is what `name` says: a full or short ref name, a glob of either, a commit SHA of at
 * least seven digits, or `*` for everything. `HEAD` is a ref's name here; which one it stands for is the caller's to know.
 */
export function revisionMatcher(name: string): (ref: string, commit: string) => boolean {
  if (name === "*") return () => true;
  if (isRevisionGlob(name)) {
    return (ref) => matchesGlob(name, ref) || matchesGlob(name, shortRefName(ref));
  }
  const isSha = looksLikeCommit(name);
  return (ref, commit) => ref === name || shortRefName(ref) === name || (isSha && commit.startsWith(name));
}

export function isRevisionGlob(name: string): boolean {
  return /[*?[]/.test(name);
}

export function looksLikeCommit(name: string): boolean {
  return name.length >= minAbbreviation && /^[0-9a-f]+$/.test(name);
}

/** Without `refs/heads/`, `refs/tags/` or `refs/remotes/`. */
function shortRefName(ref: string): string {
  const prefix = prefixes.find((each) => ref.startsWith(each));
  return prefix === undefined ? ref : ref.slice(prefix.length);
}

/** Matches the value of a `rev:` filter with refs and commits. */
import { globMatcher } from "#base/glob";

const prefixes = ["refs/heads/", "refs/tags/", "refs/remotes/"];
const minAbbreviation = 7;

/**
 * Returns whether a ref at a commit matches `name`: a full or short ref name, a glob of either, a commit SHA of at
 * least seven digits, or `*` for everything. `HEAD` is an ordinary ref name here; callers resolve it.
 */
export function revisionMatcher(name: string): (ref: string, commit: string) => boolean {
  if (name === "*") return () => true;
  if (isRevisionGlob(name)) {
    const matches = globMatcher(name);
    return (ref) => matches(ref) || matches(shortRefName(ref));
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

/** Splits an expression such as `main~2` into `main` and `~2`. The suffix of a name is empty. */
export function splitRevisionExpression(revision: string): {
  readonly base: string;
  readonly suffix: string;
} {
  const at = revision.search(/[~^]|@\{/);
  return at < 0
    ? { base: revision, suffix: "" }
    : { base: revision.slice(0, at), suffix: revision.slice(at) };
}

/** Strips `refs/heads/`, `refs/tags/` or `refs/remotes/`. */
export function shortRefName(ref: string): string {
  const prefix = prefixes.find((each) => ref.startsWith(each));
  return prefix === undefined ? ref : ref.slice(prefix.length);
}

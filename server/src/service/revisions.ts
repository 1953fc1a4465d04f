import { readRefFiles } from "#git/refs";
import type { Repository } from "#model/repository";
import type { Query } from "#query/query";
import { isRevisionGlob, looksLikeCommit, revisionMatcher } from "#query/revisionName";

/** More would hold up the search; what was not looked at counts as not indexed. */
const maxRepositoriesRead = 100;

/**
 * Whether a `rev:` of the query may name something that exists in one of the repositories but is not indexed.
 *
 * Branches and tags are looked up in their files; commits and what git calculates (`main~2`) are taken for real.
 */
export function namesUnindexedRevision(query: Query, repositories: readonly Repository[]): boolean {
  const names = new Set(revisionNames(query));
  names.delete("*");
  names.delete("HEAD");
  if (names.size === 0) return false;
  const lacking = new Map<Repository, string[]>();
  for (const name of names) {
    const matches = revisionMatcher(name);
    const isOpen = isRevisionGlob(name);
    let isIndexed = false;
    for (const repository of repositories) {
      const isHere = repository.revisions.some((revision) => matches(revision.name, revision.commit));
      if (isHere) isIndexed = true;
      if (!isHere || isOpen) lacking.set(repository, [...(lacking.get(repository) ?? []), name]);
    }
    if (!isIndexed && (looksLikeCommit(name) || /[~^]|@\{/.test(name))) return true;
  }
  const read = [...lacking].filter(([{ gitDir }]) => gitDir !== undefined);
  return (
    read.slice(0, maxRepositoriesRead).some(([repository, open]) => hasUnindexedRef(repository, open)) ||
    read.length > maxRepositoriesRead
  );
}

function hasUnindexedRef({ gitDir = "", revisions }: Repository, names: readonly string[]): boolean {
  const found = readRefFiles({ gitDir, commonDir: gitDir });
  if (found === undefined) return false;
  const indexed = new Set(revisions.map(({ name }) => name));
  const matchers = names.map(revisionMatcher);
  return [...found.refs].some(
    ([ref, { hash }]) => !indexed.has(ref) && matchers.some((matches) => matches(ref, hash)),
  );
}

function revisionNames(query: Query): readonly string[] {
  switch (query.kind) {
    case "and":
    case "or":
      return query.children.flatMap(revisionNames);
    case "not":
    case "type":
      return revisionNames(query.child);
    case "revision":
      return query.names;
    default:
      return [];
  }
}

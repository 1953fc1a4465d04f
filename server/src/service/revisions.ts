/** Revisions that a query names and the index does not have. */
import { readRefFiles } from "#git/refs";
import type { Repository, RepositoryId } from "#model/repository";
import type { Query } from "#query/query";
import { isRevisionGlob, looksLikeCommit, revisionMatcher } from "#query/revisionName";

/** Ref files of more repositories would hold up the search. */
const maxRepositoriesRead = 100;
/** Each is a run of the indexer. */
const maxLacking = 20;

export interface LackingRevision {
  readonly repositoryId: RepositoryId;
  /** A full ref name, a commit, or what git calculates (`main~2`); it may turn out not to exist. */
  readonly name: string;
}

export interface LackingRevisions {
  readonly revisions: readonly LackingRevision[];
  /** False where there are more than anybody wants to wait for. */
  readonly isWhole: boolean;
}

/**
 * What the `rev:`s of a query may name in these repositories beyond what is indexed: branches and tags by their
 * files, commits and what git calculates wherever nothing indexed is called so.
 */
export function lackingRevisions(query: Query, repositories: readonly Repository[]): LackingRevisions {
  const names = new Set(revisionNames(query));
  names.delete("*");
  names.delete("HEAD");
  const git = names.size === 0 ? [] : repositories.filter(({ gitDir }) => gitDir !== undefined);
  const revisions: LackingRevision[] = [];
  for (const repository of git.slice(0, maxRepositoriesRead)) {
    const refs = unindexedRefs(repository, names);
    for (const name of names) {
      const matches = revisionMatcher(name);
      const isIndexed = repository.revisions.some((revision) => matches(revision.name, revision.commit));
      const found =
        isIndexed && !isRevisionGlob(name) ? [] : refs.filter(([ref, hash]) => matches(ref, hash));
      for (const [ref] of found) revisions.push({ repositoryId: repository.id, name: ref });
      const isCalculated = looksLikeCommit(name) || /[~^]|@\{/.test(name);
      if (!isIndexed && found.length === 0 && isCalculated)
        revisions.push({ repositoryId: repository.id, name });
    }
  }
  return {
    revisions: revisions.slice(0, maxLacking),
    isWhole: revisions.length <= maxLacking && git.length <= maxRepositoriesRead,
  };
}

function unindexedRefs(
  { gitDir = "", revisions }: Repository,
  names: ReadonlySet<string>,
): (readonly [ref: string, hash: string])[] {
  const matchers = [...names].map(revisionMatcher);
  const indexed = new Set(revisions.map(({ name }) => name));
  return [...(readRefFiles({ gitDir, commonDir: gitDir })?.refs ?? [])]
    .map(([ref, { hash }]) => [ref, hash] as const)
    .filter(([ref, hash]) => !indexed.has(ref) && matchers.some((matches) => matches(ref, hash)));
}

/** Every value of `rev:` in a query. */
export function revisionNames(query: Query): readonly string[] {
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

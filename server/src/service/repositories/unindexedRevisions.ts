/** Finds revisions that a query names but the index does not contain. */
import { ByteCache } from "#base/byteCache";
import { type Refs, readRefFiles } from "#git/refs/refs";
import { refsFingerprint } from "#git/refs/refsFingerprint";
import type { Repository, RepositoryId } from "#model/repository";
import { TimeSlice } from "#platform/timeSlice";
import type { Query } from "#query/query";
import {
  isRevisionGlob,
  looksLikeCommit,
  revisionMatcher,
  splitRevisionExpression,
} from "#query/revisionName";

/** Limited, because reading the refs of more repositories would delay the search. */
const maxRepositoriesRead = 100;
/** Values of `rev:` beyond this limit match only indexed revisions. */
const maxNames = 100;
/** Limited, because each revision takes an index run of its own. */
const maxUnindexed = 20;

export interface UnindexedRevision {
  readonly repositoryId: RepositoryId;
  /** A full ref name, a commit, or an expression such as `main~2`. It may not exist. */
  readonly name: string;
}

export interface UnindexedRevisions {
  readonly revisions: readonly UnindexedRevision[];
  /** False if a limit truncated the list. */
  readonly isComplete: boolean;
}

/**
 * Returns the unindexed revisions that the `rev:` filters of a query may name in these repositories: branches and tags
 * that are in the ref files, and commits and expressions that match no indexed revision.
 */
export async function findUnindexedRevisions(
  query: Query,
  repositories: readonly Repository[],
): Promise<UnindexedRevisions> {
  const timeSlice = new TimeSlice();
  const names = new Set(revisionNames(query));
  names.delete("*");
  names.delete("HEAD");
  const wanted = [...names].slice(0, maxNames).map((name) => ({ name, matches: revisionMatcher(name) }));
  const git = wanted.length === 0 ? [] : repositories.filter(({ gitDir }) => gitDir !== undefined);
  const revisions: UnindexedRevision[] = [];
  for (const repository of git.slice(0, maxRepositoriesRead)) {
    const refs = unindexedRefs(repository);
    for (const { name, matches } of wanted) {
      if (timeSlice.isExpired) await timeSlice.yieldToEventLoop();
      const isIndexed = repository.revisions.some((revision) => matches(revision.name, revision.commit));
      const found =
        isIndexed && !isRevisionGlob(name) ? [] : refs.filter(([ref, hash]) => matches(ref, hash));
      for (const [ref] of found) revisions.push({ repositoryId: repository.id, name: ref });
      const isRevisionExpression = looksLikeCommit(name) || splitRevisionExpression(name).suffix !== "";
      if (!isIndexed && found.length === 0 && isRevisionExpression)
        revisions.push({ repositoryId: repository.id, name });
    }
  }
  return {
    revisions: revisions.slice(0, maxUnindexed),
    isComplete:
      revisions.length <= maxUnindexed && git.length <= maxRepositoriesRead && names.size <= maxNames,
  };
}

function unindexedRefs({
  gitDir = "",
  revisions,
}: Repository): readonly (readonly [ref: string, hash: string])[] {
  const indexed = new Set(revisions.map(({ name }) => name));
  return [...refsInFiles(gitDir)]
    .map(([ref, { hash }]) => [ref, hash] as const)
    .filter(([ref]) => !indexed.has(ref));
}

/** By git directory. An editor may ask for the same refs on each keystroke. */
const refCache = new ByteCache<{ readonly fingerprint: string; readonly refs: Refs["refs"] }>(
  16 * 1024 * 1024,
);
/** A ref takes about this much memory. */
const bytesPerRef = 200;

/** Returns the branches and tags of a repository; none if only git can list them. */
export function refsInFiles(gitDir: string): Refs["refs"] {
  const gitRepository = { gitDir, commonDir: gitDir };
  const fingerprint = refsFingerprint(gitRepository);
  const cached = refCache.get(gitDir);
  if (cached !== undefined && cached.fingerprint === fingerprint) return cached.refs;
  const refs = readRefFiles(gitRepository)?.refs ?? new Map();
  if (fingerprint !== undefined) refCache.set(gitDir, { fingerprint, refs }, refs.size * bytesPerRef);
  return refs;
}

/** Returns all values of `rev:` in a query. */
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

/**
 * `type:commit`: finds commits by message, author and date, in all repositories that a query selects.
 *
 * Messages are not indexed. Git walks each history and skips commits without the text that every match must contain.
 * The rest is matched here, so that messages match by the same rules as files.
 */

import { isServiceError, ServiceError, throwIfAborted } from "#base/error";
import type { FoundCommit } from "#contract/search";
import type { CallContext } from "#contract/service";
import type { Commit } from "#git/history/commit";
import { searchCommits } from "#git/history/log";
import { isPlainFolder, type Repository } from "#model/repository";
import { type FlushReason, noStats, type SearchStats } from "#model/stats";
import { monotonicNow } from "#platform/clock";
import { TimeLimit } from "#platform/timeLimit";
import { TimeSlice } from "#platform/timeSlice";
import type { Limits } from "#query/limits";
import type { Query } from "#query/query";
import { isRevisionGlob, revisionMatcher } from "#query/revisionName";
import type { History, OpenRepository } from "#service/history/history";
import { revisionNames } from "#service/repositories/unindexedRevisions";
import { commitUrl, hostCommitUrl } from "#service/repositories/webLinks";
import { type CommitMatch, compileMatch, isTooLong, timeOf } from "./commitMatch";

export interface CommitsPlan {
  /** The child of `type:commit`, with repository filters replaced by ids. */
  readonly query: Query;
  /** Repositories in which the query may match. */
  readonly repositories: readonly Repository[];
  readonly limits: Limits;
}

export interface FoundCommits {
  /** Newest first. */
  readonly commits: readonly FoundCommit[];
  readonly stats: SearchStats;
  readonly reasons: readonly FlushReason[];
}

/** Limited, so that a search leaves git processes for other requests. */
const maxRepositoriesAtOnce = 2;

type CallerInfo = Pick<CallContext, "signal" | "client" | "baseUrl">;

/** Finds the newest matching commits. Throws FAILED_TO_PARSE_QUERY if the query excludes a revision, ENGINE_UNAVAILABLE without clones, and CANCELLED. */
export async function searchForCommits(
  history: History,
  plan: CommitsPlan,
  caller: CallerInfo,
): Promise<FoundCommits> {
  if (history.remote !== undefined)
    throw new ServiceError(
      "ENGINE_UNAVAILABLE",
      "This server has no clones, and cannot search for commits. The list of commits of one repository is available.",
    );
  const { query, limits } = plan;
  const startedAt = performance.now();
  const names = revisionNamesOf(query);
  const time = new TimeLimit(caller.signal, limits.deadline - monotonicNow());
  const boundedCaller = { ...caller, signal: time.signal };
  const newestFirst = plan.repositories
    .filter(({ kind }) => !isPlainFolder(kind))
    .toSorted((left, right) => (right.pushedAt ?? 0) - (left.pushedAt ?? 0));
  const newest = new NewestCommits(limits.maxMatches);
  const reasons = new Set<FlushReason>();
  const recordFailure = (error: unknown) => {
    if (caller.signal.aborted || !isServiceError(error)) throw error;
    reasons.add(time.isExpired || error.code === "TIMED_OUT" ? "TIME_LIMIT" : "ENGINE_PARTIAL");
  };

  let match: Promise<CommitMatch> | undefined;
  const searchIn = async (repository: Repository) => {
    throwIfAborted(boundedCaller.signal);
    const opened = history.open(repository, boundedCaller);
    const compile = () => compileMatch(query, opened.gitRequest);
    match ??= compile();
    // If parsing the dates failed in another repository, try again in this one.
    const compiled = await match.catch(() => {
      match = compile();
      return match;
    });
    const from = await resolveRevisions(history, opened, names);
    if (from.length === 0) return;
    let found = 0;
    const timeSlice = new TimeSlice();
    await searchCommits(opened.gitRequest, { ...compiled, from }, async (commits) => {
      for (const commit of commits) {
        if (compiled.matches(commit, repository.id)) {
          newest.add(repository, commit);
          found++;
        } else if (isTooLong(commit, compiled)) reasons.add("BYTE_LIMIT");
        if (timeSlice.isExpired) {
          await timeSlice.yieldToEventLoop();
          throwIfAborted(boundedCaller.signal);
        }
      }
      // Go on until one more than the limit is found, which shows that there are more.
      return found > limits.maxMatches;
    });
  };
  const searchNext = async () => {
    for (let next = newestFirst.shift(); next !== undefined; next = newestFirst.shift()) {
      await searchIn(next).catch(recordFailure);
    }
  };
  try {
    await Promise.all(Array.from({ length: maxRepositoriesAtOnce }, searchNext));
  } finally {
    // After a failure, the search of another repository may still be running.
    time.abort();
    time.dispose();
  }

  const { commits, total } = newest;
  if (total > commits.length) reasons.add("MATCH_LIMIT");
  const shownCommits = takeWithinBytes(limits.maxResponseBytes, commits, caller.baseUrl);
  if (shownCommits.length < commits.length) reasons.add("BYTE_LIMIT");
  const stats = {
    ...noStats,
    actualMatchCount: shownCommits.length,
    totalMatchCount: total,
    duration: Math.round((performance.now() - startedAt) * 1e6),
  };
  return { commits: shownCommits, stats, reasons: [...reasons] };
}

interface FoundInRepository {
  readonly repository: Repository;
  readonly commit: Commit;
  readonly time: number;
}

/** Keeps the newest of the added commits, and counts them all. */
class NewestCommits {
  readonly #maxCount: number;
  #found: FoundInRepository[] = [];
  total = 0;

  constructor(maxCount: number) {
    this.#maxCount = maxCount;
  }

  add(repository: Repository, commit: Commit): void {
    this.total++;
    this.#found.push({ repository, commit, time: timeOf(commit) });
    if (this.#found.length > 2 * this.#maxCount + 100) this.#found = this.commits;
  }

  /** Newest first, then by repository, so that the result is deterministic. */
  get commits(): FoundInRepository[] {
    return this.#found
      .toSorted((left, right) => right.time - left.time || left.repository.id - right.repository.id)
      .slice(0, this.#maxCount);
  }
}

/** Returns the first commits that fit into `maxBytes` of a response, by estimate. */
function takeWithinBytes(
  maxBytes: number,
  found: readonly FoundInRepository[],
  baseUrl: string | undefined,
): readonly FoundCommit[] {
  let bytes = 0;
  const firstExcess = found.findIndex(({ commit }) => {
    bytes += 2 * (commit.subject.length + commit.body.length) + 1000;
    return bytes > maxBytes;
  });
  return (firstExcess < 0 ? found : found.slice(0, firstExcess)).map((each) => toFoundCommit(each, baseUrl));
}

function toFoundCommit({ repository, commit }: FoundInRepository, baseUrl: string | undefined): FoundCommit {
  const { hash, date, commitDate, subject, refs, body, authorName, authorEmail } = commit;
  return {
    repository: repository.name,
    repositoryId: repository.id,
    hash,
    date,
    commitDate,
    message: subject,
    refs,
    body,
    authorName,
    authorEmail,
    webUrl: commitUrl(baseUrl, repository.name, hash),
    externalWebUrl: hostCommitUrl(repository, hash),
  };
}

/** Returns the names of the revisions whose histories are searched; none means the default revision. */
function revisionNamesOf(query: Query): readonly string[] {
  if (excludesRevision(query, false)) {
    throw new ServiceError(
      "FAILED_TO_PARSE_QUERY",
      'A revision cannot be excluded from a search with "type:commit".',
    );
  }
  return [...new Set(revisionNames(query))];
}

function excludesRevision(query: Query, isNegated: boolean): boolean {
  switch (query.kind) {
    case "revision":
      return isNegated;
    case "not":
      return excludesRevision(query.child, true);
    case "and":
    case "or":
      return query.children.some((child) => excludesRevision(child, isNegated));
    default:
      return false;
  }
}

/** Resolves revision names to commits in one repository, skipping unknown names. */
async function resolveRevisions(
  history: History,
  opened: OpenRepository,
  names: readonly string[],
): Promise<readonly string[]> {
  const commits = new Set<string>();
  for (const name of names.length === 0 ? [undefined] : names) {
    if (name !== undefined && isRevisionGlob(name)) {
      const matches = revisionMatcher(name);
      for (const revision of opened.repository.revisions) {
        if (matches(revision.name, revision.commit)) commits.add(revision.commit);
      }
      continue;
    }
    const found = await history.find(opened, name).catch((error: unknown) => {
      if (isServiceError(error, "INVALID_GIT_REF")) return undefined;
      throw error;
    });
    if (found !== undefined) commits.add(found.commit);
  }
  return [...commits];
}

/**
 * `type:commit`: commits by their messages, authors and dates, in all repositories that a query selects.
 *
 * There is no index of messages: git walks each history, and leaves out what lacks a text that every match must hold.
 * What remains is looked at here, so that a message is matched as files are.
 */
import { isServiceError, ServiceError, throwIfAborted } from "#base/error";
import type { FoundCommit } from "#contract/search";
import type { CallContext } from "#contract/service";
import { type Commit, searchCommits } from "#git/log";
import type { Repository } from "#model/repository";
import { type FlushReason, noStats, type SearchStats } from "#model/stats";
import { TimeLimit } from "#platform/timeLimit";
import type { Limits } from "#query/limits";
import type { Query } from "#query/query";
import { isRevisionGlob, revisionMatcher } from "#query/revisionName";
import { type CommitMatch, compileMatch, isTooLong, timeOf } from "./commitMatch";
import type { History, OpenRepository } from "./history";
import { revisionNames } from "./revisions";
import { commitUrl, hostCommitUrl } from "./webLinks";

export interface CommitsPlan {
  /** The child of `type:commit`, with ids in place of what it says of repositories. */
  readonly query: Query;
  /** In which something can match. */
  readonly repositories: readonly Repository[];
  readonly limits: Limits;
}

export interface FoundCommits {
  /** Newest first. */
  readonly commits: readonly FoundCommit[];
  readonly stats: SearchStats;
  readonly reasons: readonly FlushReason[];
}

/** Of the processes that may run at once, what a search leaves to others. */
const maxRepositoriesAtOnce = 2;

type Caller = Pick<CallContext, "signal" | "client" | "baseUrl">;

/** Throws FAILED_TO_PARSE_QUERY for a revision that is excluded, and CANCELLED. */
export async function searchForCommits(
  history: History,
  plan: CommitsPlan,
  caller: Caller,
): Promise<FoundCommits> {
  const { query, limits } = plan;
  const startedAt = performance.now();
  const names = revisionNamesOf(query);
  const time = new TimeLimit(caller.signal, limits.deadline - Date.now());
  const asker = { ...caller, signal: time.signal };
  const newestFirst = plan.repositories
    .filter(({ kind }) => kind !== "folder")
    .toSorted((left, right) => (right.pushedAt ?? 0) - (left.pushedAt ?? 0));
  const collected = new Collected(limits.maxMatches);
  const reasons = new Set<FlushReason>();
  const failed = (error: unknown) => {
    if (caller.signal.aborted || !isServiceError(error)) throw error;
    reasons.add(time.isOver || error.code === "TIMED_OUT" ? "TIME_LIMIT" : "ENGINE_PARTIAL");
  };

  let match: Promise<CommitMatch> | undefined;
  const searchIn = async (repository: Repository) => {
    throwIfAborted(asker.signal);
    const opened = history.open(repository, asker);
    const compile = () => compileMatch(query, opened.question);
    match ??= compile();
    // Where the git of another repository could not tell the dates, this one's may.
    const { matches, ...narrow } = await match.catch(() => {
      match = compile();
      return match;
    });
    const from = await commitsNamed(history, opened, names);
    if (from.length === 0) return;
    let found = 0;
    await searchCommits(opened.question, { ...narrow, from }, (commits) => {
      for (const commit of commits) {
        if (matches(commit, repository.id)) {
          collected.add(repository, commit);
          found++;
        } else if (isTooLong(commit)) reasons.add("BYTE_LIMIT");
      }
      // One more tells that there are more.
      return found > limits.maxMatches;
    });
  };
  const searchNext = async () => {
    for (let next = newestFirst.shift(); next !== undefined; next = newestFirst.shift()) {
      await searchIn(next).catch(failed);
    }
  };
  try {
    await Promise.all(Array.from({ length: maxRepositoriesAtOnce }, searchNext));
  } finally {
    // After a failure some may still run.
    time.stop();
    time.end();
  }

  const { commits, total } = collected;
  if (total > commits.length) reasons.add("MATCH_LIMIT");
  const presented = upTo(limits.maxAnswerBytes, commits, caller.baseUrl);
  if (presented.length < commits.length) reasons.add("BYTE_LIMIT");
  const stats = {
    ...noStats,
    actualMatchCount: presented.length,
    totalMatchCount: total,
    duration: Math.round((performance.now() - startedAt) * 1e6),
  };
  return { commits: presented, stats, reasons: [...reasons] };
}

interface Found {
  readonly repository: Repository;
  readonly commit: Commit;
  readonly time: number;
}

/** The newest of all that are added, and how many those were. */
class Collected {
  readonly #maxCount: number;
  #found: Found[] = [];
  total = 0;

  constructor(maxCount: number) {
    this.#maxCount = maxCount;
  }

  add(repository: Repository, commit: Commit): void {
    this.total++;
    this.#found.push({ repository, commit, time: timeOf(commit) });
    if (this.#found.length > 2 * this.#maxCount + 100) this.#found = this.commits;
  }

  /** Those of one time by repository, so that the same search gives the same answer. */
  get commits(): Found[] {
    return this.#found
      .toSorted((left, right) => right.time - left.time || left.repository.id - right.repository.id)
      .slice(0, this.#maxCount);
  }
}

function upTo(
  maxBytes: number,
  found: readonly Found[],
  baseUrl: string | undefined,
): readonly FoundCommit[] {
  let bytes = 0;
  const within = found.findIndex(({ commit }) => {
    bytes += 2 * (commit.subject.length + commit.body.length) + 1000;
    return bytes > maxBytes;
  });
  return (within < 0 ? found : found.slice(0, within)).map((each) => present(each, baseUrl));
}

function present({ repository, commit }: Found, baseUrl: string | undefined): FoundCommit {
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

/** Names of the revisions whose histories are searched; none stands for the default one. */
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

/** The commits that these names stand for in one repository; a name that it does not know stands for none. */
async function commitsNamed(
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

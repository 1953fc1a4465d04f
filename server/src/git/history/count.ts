/** Counts commits. Counting from scratch reads every commit, so a count is derived from what is known if possible. */
import { isServiceError } from "#base/error";
import { type GitRequest, runGitRequest } from "#git/gitRequest";
import type { Commit } from "./commit";

/** A commit, and the number of commits reachable from it, including itself. */
export interface CountedCommit {
  readonly commit: string;
  readonly total: number;
}

/**
 * Past this many commits, a difference takes as long as counting from scratch, and a clock that was wrong is more likely
 * to matter: git compares histories in order of dates.
 */
const maxDifference = 1000;

/** Histories that differ by more than that may take git longer to compare than the shorter one to count. */
const differenceTimeLimitMs = 1000;

/** Counts the commits reachable from `commit`. Throws what `runGitRequest` throws. */
export async function countCommits(request: GitRequest, commit: string): Promise<number> {
  return Number(await runGitRequest(request, ["rev-list", "--count", commit, "--"]));
}

/**
 * Counts from `known`, by the commits that only one of the two histories contains. Returns `undefined` if these are
 * more than `maxDifference`, if git takes too long, or if `known` no longer exists. Throws what `runGitRequest` throws.
 */
export async function countByDifference(
  request: GitRequest,
  commit: string,
  known: CountedCommit,
): Promise<number | undefined> {
  const args = ["rev-list", "--count", "--left-right", `${known.commit}...${commit}`, "--"];
  try {
    const timeLimitMs = Math.min(differenceTimeLimitMs, request.timeLimitMs);
    const [removed = 0, added = 0] = (await runGitRequest({ ...request, timeLimitMs }, args))
      .toString("latin1")
      .split("\t")
      .map(Number);
    return removed + added > maxDifference ? undefined : known.total - removed + added;
  } catch (error) {
    const expected = ["GIT_FAILED", "NOT_FOUND", "TIMED_OUT"] as const;
    if (expected.some((code) => isServiceError(error, code))) return undefined;
    throw error;
  }
}

/**
 * Counts from `known` without git, if every path of parents from the first commit of `page` leads to `known` within the
 * page. Then none of the commits on the way is reachable from `known`. Otherwise returns `undefined`.
 */
export function countFromPage(page: readonly Commit[], known: CountedCommit): number | undefined {
  const parentsOf = new Map(page.map(({ hash, parents }) => [hash, parents]));
  const found = new Set(page.slice(0, 1).map(({ hash }) => hash));
  for (const hash of found) {
    if (hash === known.commit) continue;
    const parents = parentsOf.get(hash) ?? [];
    if (parents.length === 0) return undefined;
    for (const parent of parents) found.add(parent);
  }
  return found.delete(known.commit) ? known.total + found.size : undefined;
}

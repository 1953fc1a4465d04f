/** Counts the commits of revisions, each from the last count in its repository. */
import { ByteCache } from "#base/byteCache";
import type { Commit } from "#git/history/commit";
import type { CountedCommit } from "#git/history/count";
import { countByDifference, countCommits, countFromPage } from "#git/history/count";
import type { CommitGraphs } from "./commitGraphs";
import { ancestryKey, type OpenRevision } from "./history";

/** Enough for about a thousand repositories. */
const maxBytes = 512 * 1024;

export class CommitCounts {
  /** The last exact count of each repository. A difference is not stored, so that no error accumulates. */
  readonly #known = new ByteCache<CountedCommit>(maxBytes);
  readonly #graphs: CommitGraphs;

  constructor(graphs: CommitGraphs) {
    this.#graphs = graphs;
  }

  /**
   * Counts the commits reachable from a revision. `firstPage` contains the first of these commits in git's order, or is
   * empty. Throws what `runGitRequest` throws.
   */
  async count(revision: OpenRevision, firstPage: readonly Commit[]): Promise<number> {
    const { gitRequest, commit, repository } = revision;
    const { gitRepository } = gitRequest;
    void this.#graphs.writeFirst(repository, gitRepository);
    const key = ancestryKey(revision);
    const known = this.#known.get(key);
    const fromPage = known && countFromPage(firstPage, known);
    const exact = fromPage ?? (await this.#graphs.count(repository, gitRepository, commit, firstPage));
    const fromDifference =
      known && exact === undefined ? await countByDifference(gitRequest, commit, known) : undefined;
    if (fromDifference !== undefined) return fromDifference;
    const total = exact ?? (await countCommits(gitRequest, commit));
    if (exact === undefined) void this.#graphs.update(repository, gitRepository, total, firstPage);
    this.#known.set(key, { commit, total }, 2 * key.length + 200);
    return total;
  }
}

/** The commits of a list that add or remove a text. */
import { isServiceError, ServiceError } from "#base/error";
import { SingleFlight } from "#base/singleFlight";
import type { GitRequest } from "#git/gitRequest";
import type { CommitList } from "#git/history/log";
import { findTextChanges, type TextChangeSearch } from "#git/history/textChanges";
import { TimeLimit } from "#platform/timeLimit";

/** Commits that one git process checks. Between two of them, other requests can run theirs. */
const commitsPerProcess = 2_000;

/**
 * A search in the changes of a list of commits. Reading the changes of many commits takes longer than a request may, so
 * each request continues where the one before it stopped.
 */
export class ChangedTextSearch {
  readonly #candidates: CommitList;
  readonly #search: TextChangeSearch;
  /** Positions in the list, ascending. */
  readonly #found: number[] = [];
  #checked = 0;
  readonly #runs = new SingleFlight();

  constructor(candidates: CommitList, search: TextChangeSearch) {
    this.#candidates = candidates;
    this.#search = search;
  }

  /** Number of commits that were checked, which are the first ones of the list. */
  get checked(): number {
    return this.#checked;
  }

  /** What was found in the commits that were checked. */
  get found(): CommitList {
    const found = this.#found;
    return {
      total: found.length,
      bytes: this.bytes,
      slice: (start, count) =>
        found.slice(start, start + count).flatMap((at) => this.#candidates.slice(at, 1)),
    };
  }

  /** The most memory that it takes, with the list. */
  get bytes(): number {
    return this.#candidates.bytes + 8 * this.#candidates.total;
  }

  /**
   * Checks commits for `timeMs` at most. Throws TIMED_OUT if that is not enough for a single commit, and what
   * `findTextChanges` throws.
   */
  async run({ signal, ...request }: GitRequest, timeMs: number): Promise<void> {
    await this.#runs.run("", (shared) => this.#run({ ...request, signal: shared }, timeMs), signal);
  }

  async #run(request: GitRequest, timeMs: number): Promise<void> {
    const before = this.#checked;
    const time = new TimeLimit(request.signal, timeMs);
    try {
      while (this.#checked < this.#candidates.total) {
        const start = this.#checked;
        try {
          await this.#checkNext(request, time.signal);
        } catch (error) {
          const isLate = time.isExpired || isServiceError(error, "TIMED_OUT");
          if (request.signal.aborted || !isLate) throw error;
          // Only the process has reached its time limit.
          if (this.#checked > start && !time.isExpired) continue;
          if (this.#checked > before) return;
          const message = 'Searching a single commit exceeded the time limit. Narrow the search with "path".';
          throw new ServiceError("TIMED_OUT", message, { cause: error });
        }
      }
    } finally {
      time.dispose();
    }
  }

  /** Checks commits with one git process, which `timeSignal` ends too. */
  async #checkNext(request: GitRequest, timeSignal: AbortSignal): Promise<void> {
    const next = this.#candidates.slice(this.#checked, commitsPerProcess);
    let isOver = false;
    try {
      await findTextChanges({ ...request, signal: timeSignal }, next, this.#search, (hasChange) => {
        // Output that git printed before it was killed may still arrive when another process is under way.
        if (isOver || timeSignal.aborted) return;
        if (hasChange) this.#found.push(this.#checked);
        this.#checked++;
      });
    } finally {
      isOver = true;
    }
  }
}

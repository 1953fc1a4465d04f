/** Has Zoekt nodes indexed by the indexers beside them, through the queue in the database. */
import { isServiceError, ServiceError } from "#base/error";
import { untilAborted } from "#base/untilAborted";
import type { NodeIndexers } from "#indexing/zoektIndexer";
import type { Repository } from "#model/repository";
import { type Clock, wait } from "#platform/clock";
import type { Log } from "#platform/log";
import type { IndexJobReport, IndexQueue, RevisionCommit } from "#store/indexQueue";

export interface QueuedIndexersOptions {
  /** Rejects with ENGINE_UNAVAILABLE while the database cannot be used. */
  readonly queue: () => Promise<IndexQueue>;
  /** Where indexers fetch a repository. */
  readonly sourceOf: (repository: Repository) => string;
  /** Whether an indexer runs beside a node. */
  readonly hasIndexer: (node: string) => boolean;
  /** Fetches again what nodes list. */
  readonly refreshLists: () => Promise<void>;
  /** Whether a node lists what it has indexed according to its indexer. */
  readonly isLoaded: (name: string, report: IndexJobReport) => boolean;
  /** How long a node keeps a repository that others serve now: searches that began before may still ask it. */
  readonly keepMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** What the leader waits for. */
interface Pending {
  readonly id: number;
  readonly name: string;
  readonly nodes: readonly string[];
  /** Settles `whenIndexed`. */
  readonly waiters: Set<(reports: readonly IndexJobReport[]) => void>;
  /** Whether other nodes must remove the repository once all of these have it. */
  isMoving: boolean;
}

const chunkLength = 500;
/** Reports are read this often at most, and this often at least while something is pending. */
const minPollMs = 100;
const maxPollMs = 5000;
/** How often nodes are asked for what they have loaded while that is all that is missing. */
const loadPollMs = 500;
/** How long a run waits for a database that does not respond. */
const patienceMs = 30_000;
const retryMs = 500;

export class QueuedIndexers implements NodeIndexers {
  readonly #options: QueuedIndexersOptions;
  readonly #pending = new Map<number, Pending>();
  /** Repositories that all nodes must remove, until the database knows. */
  readonly #removed = new Set<number>();
  #cancelPoll: (() => void) | undefined;
  /** Whether a poll is due as soon as it may be. More reports must not delay it. */
  #isPollingSoon = false;
  #isPolling = false;
  /** Reports must not be read before, by the clock's elapsed time. */
  #notBefore = Number.NEGATIVE_INFINITY;
  #mustPollAgain = false;
  #isClosed = false;

  constructor(options: QueuedIndexersOptions) {
    this.#options = options;
  }

  async want(
    repository: Repository,
    nodes: readonly string[],
    revisions: Parameters<NodeIndexers["want"]>[2],
    { maxFileBytes, isForced, signal }: Parameters<NodeIndexers["want"]>[3],
  ): Promise<void> {
    const { id, name } = repository;
    this.#removed.delete(id);
    const source = this.#options.sourceOf(repository);
    const jobs = nodes.map((node) => ({ repositoryId: id, node, name, source, maxFileBytes, revisions }));
    await this.#whenAvailable(async () => (await this.#options.queue()).want(jobs, { isForced }), signal);
  }

  /** Repeats a query for a while if the database does not respond, as when it restarts. */
  async #whenAvailable(send: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    for (const deadline = clock.elapsed() + patienceMs; ; ) {
      try {
        return await send();
      } catch (error) {
        if (!isServiceError(error, "ENGINE_UNAVAILABLE") || clock.elapsed() >= deadline) throw error;
        await wait(clock, retryMs, signal);
      }
    }
  }

  async whenIndexed(
    { id, name }: Repository,
    nodes: readonly string[],
    revisions: readonly RevisionCommit[],
    signal: AbortSignal,
  ): Promise<void> {
    const wanted = commitsOf(revisions);
    const pending = this.#pend(id, name, nodes);
    let check: (reports: readonly IndexJobReport[]) => void = () => {};
    const done = new Promise<void>((resolve, reject) => {
      check = (reports) => {
        // Reports may have been read before these commits were wanted.
        const current = reports.filter((report) => commitsOf(report.wanted) === wanted);
        if (current.some(({ state }) => state === "indexed")) resolve();
        else if (current.length > 0 && current.every(({ state }) => state === "failed"))
          reject(failureOf(current));
      };
    });
    pending.waiters.add(check);
    this.poll();
    try {
      await untilAborted(done, signal);
    } finally {
      pending.waiters.delete(check);
    }
  }

  async removeFromOthers(
    { id, name }: Pick<Repository, "id" | "name">,
    nodes: readonly string[],
  ): Promise<void> {
    if (nodes.length === 0) {
      this.#pending.delete(id);
      this.#removed.add(id);
      this.poll();
      return;
    }
    this.#pend(id, name, nodes).isMoving = true;
    this.poll();
  }

  /** Forgets moves and removals that are not done, because another process may finish them now. */
  forget(): void {
    this.#pending.clear();
    this.#removed.clear();
  }

  /** Reads the reports of indexers soon. Call it whenever there may be some. */
  poll(): void {
    if (this.#pending.size + this.#removed.size === 0) return;
    if (this.#isPolling) this.#mustPollAgain = true;
    else if (!this.#isPollingSoon)
      this.#pollAfter(Math.max(minPollMs, this.#notBefore - this.#options.clock.elapsed()), true);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelPoll?.();
  }

  #pend(id: number, name: string, nodes: readonly string[]): Pending {
    const known = this.#pending.get(id);
    const pending: Pending = { id, name, nodes, waiters: known?.waiters ?? new Set(), isMoving: false };
    this.#pending.set(id, pending);
    return pending;
  }

  #pollAfter(delayMs: number, isSoon: boolean): void {
    this.#cancelPoll?.();
    this.#isPollingSoon = isSoon;
    if (!this.#isClosed) this.#cancelPoll = this.#options.clock.after(delayMs, () => void this.#poll());
  }

  async #poll(): Promise<void> {
    const { clock, log } = this.#options;
    this.#isPolling = true;
    this.#isPollingSoon = false;
    this.#mustPollAgain = false;
    let isLoading = false;
    const startedAt = clock.elapsed();
    try {
      const queue = await this.#options.queue();
      for (const id of this.#removed) {
        await queue.unwant(id);
        this.#removed.delete(id);
      }
      const all = [...this.#pending.keys()];
      if ([...this.#pending.values()].some(({ isMoving }) => isMoving)) await this.#options.refreshLists();
      for (let at = 0; at < all.length && !this.#isClosed; at += chunkLength) {
        const ids = all.slice(at, at + chunkLength);
        const reports = new Map(ids.map((id): [number, IndexJobReport[]] => [id, []]));
        for (const report of await queue.reports(ids)) reports.get(report.repositoryId)?.push(report);
        for (const [id, own] of reports) if (await this.#advance(queue, id, own)) isLoading = true;
      }
    } catch (error) {
      if (!this.#isClosed)
        log.warn("Cannot exchange jobs and reports with indexers. Trying again.", { error });
    }
    this.#isPolling = false;
    if (this.#pending.size + this.#removed.size === 0) return;
    // A large number of reports must not keep the database busy.
    const restMs = 10 * (clock.elapsed() - startedAt);
    this.#notBefore = clock.elapsed() + restMs;
    const delayMs = this.#mustPollAgain ? minPollMs : isLoading ? loadPollMs : maxPollMs;
    this.#pollAfter(Math.max(delayMs, restMs), this.#mustPollAgain);
  }

  /** Returns whether only the node has to load what its indexer has indexed. */
  async #advance(queue: IndexQueue, id: number, reports: readonly IndexJobReport[]): Promise<boolean> {
    const { hasIndexer, isLoaded, keepMs, clock } = this.#options;
    const pending = this.#pending.get(id);
    if (pending === undefined) return false;
    const { name, nodes, waiters, isMoving } = pending;
    const own = reports.filter(({ node }) => nodes.includes(node));
    for (const check of waiters) check(own);
    if (waiters.size > 0) return false;
    if (isMoving) {
      const wanted = nodes.filter(hasIndexer);
      const indexed = own.filter(({ state }) => state === "indexed");
      if (!wanted.every((node) => indexed.some((report) => report.node === node))) return false;
      if (!indexed.every((report) => isLoaded(name, report))) return true;
    }
    if (isMoving && reports.some(({ node, wanted }) => !nodes.includes(node) && wanted.length > 0))
      await queue.unwant(id, { exceptNodes: nodes, dueAt: clock.now() + keepMs });
    if (this.#pending.get(id) === pending) this.#pending.delete(id);
    return false;
  }
}

function commitsOf(revisions: readonly RevisionCommit[]): string {
  return revisions.map(({ name, commit }) => `${commit} ${name}`).join("\n");
}

function failureOf(reports: readonly IndexJobReport[]): ServiceError {
  return new ServiceError("UNEXPECTED_ERROR", describeFailure(reports));
}

/** Describes why no indexer could index a repository. */
export function describeFailure(jobs: readonly Pick<IndexJobReport, "node" | "lastError">[]): string {
  const reasons = jobs.map(({ node, lastError }) => `node ${node}: ${lastError ?? "unknown reason"}`);
  return `No indexer could index it (${reasons.join("; ")}).`;
}

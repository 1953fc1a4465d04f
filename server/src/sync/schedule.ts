/** Schedules runs: one at a time per repository, and a limited number of repositories at once. */
import { Waiters } from "#base/waiters";
import type { RepositoryId } from "#model/repository";

/**
 * Why a run is queued, in descending order of priority: files or refs have changed, a user or a request waits for it,
 * or it is time for a check.
 */
export type Priority = "changed" | "requested" | "due";

const priorities: readonly Priority[] = ["changed", "requested", "due"];

export class Schedule {
  #limit: number;
  readonly #run: (id: RepositoryId) => Promise<void>;
  readonly #queues: Readonly<Record<Priority, Set<RepositoryId>>> = {
    changed: new Set(),
    requested: new Set(),
    due: new Set(),
  };
  readonly #running = new Set<RepositoryId>();
  readonly #idleWaiters = new Waiters();
  #isClosed = false;
  #isPaused = false;

  /** `run` must not reject. */
  constructor(limit: number, run: (id: RepositoryId) => Promise<void>) {
    this.#limit = limit;
    this.#run = run;
  }

  /** Queues a run, or raises the priority of a queued one. If the repository is running, the new run follows. */
  add(id: RepositoryId, priority: Priority): void {
    if (this.#isClosed) return;
    const rank = priorities.indexOf(priority);
    const queued = priorities.findIndex((other) => this.#queues[other].has(id));
    if (queued >= 0 && queued <= rank) return;
    this.#unqueue(id);
    this.#queues[priority].add(id);
    this.#startWaiting();
  }

  /** Removes a repository from the queue. An active run continues. */
  drop(id: RepositoryId): void {
    this.#unqueue(id);
    this.#notifyIdle();
  }

  #unqueue(id: RepositoryId): void {
    for (const queue of Object.values(this.#queues)) queue.delete(id);
  }

  /** While paused, nothing is started. Active runs continue. */
  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#startWaiting();
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Sets how many runs may be active at once. Active runs continue. */
  setLimit(count: number): void {
    this.#limit = count;
    this.#startWaiting();
  }

  get hasRunning(): boolean {
    return this.#running.size > 0;
  }

  get isIdle(): boolean {
    return this.#running.size === 0 && priorities.every((priority) => this.#queues[priority].size === 0);
  }

  isRunning(id: RepositoryId): boolean {
    return this.#running.has(id);
  }

  isQueued(id: RepositoryId): boolean {
    return priorities.some((priority) => this.#queues[priority].has(id));
  }

  /** Resolves when nothing is running or queued. */
  idle(): Promise<void> {
    if (this.isIdle) return Promise.resolve();
    return this.#idleWaiters.wait();
  }

  /** Starts nothing more; resolves when all active runs have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const queue of Object.values(this.#queues)) queue.clear();
    this.#notifyIdle();
    await this.idle();
  }

  #startWaiting(): void {
    while (!this.#isClosed && !this.#isPaused && this.#running.size < this.#limit) {
      const next = this.#takeNext();
      if (next === undefined) return;
      this.#running.add(next);
      this.#run(next)
        .finally(() => {
          this.#running.delete(next);
          this.#startWaiting();
          this.#notifyIdle();
        })
        .catch(() => undefined);
    }
  }

  #takeNext(): RepositoryId | undefined {
    for (const priority of priorities) {
      for (const id of this.#queues[priority]) {
        if (this.#running.has(id)) continue;
        this.#queues[priority].delete(id);
        return id;
      }
    }
    return undefined;
  }

  #notifyIdle(): void {
    if (this.isIdle) this.#idleWaiters.notify();
  }
}

/** Who is next: one run at a time for each repository, as many repositories at once as there are workers. */
import type { RepositoryId } from "#model/repository";

/** What somebody waits for comes before what is merely due. */
export type Urgency = "changed" | "asked" | "due";

const order: readonly Urgency[] = ["changed", "asked", "due"];

export class Schedule {
  #limit: number;
  readonly #run: (id: RepositoryId) => Promise<void>;
  readonly #queues: Readonly<Record<Urgency, Set<RepositoryId>>> = {
    changed: new Set(),
    asked: new Set(),
    due: new Set(),
  };
  readonly #running = new Set<RepositoryId>();
  #idleWaiters: (() => void)[] = [];
  #closed = false;
  #isPaused = false;

  /** `run` must not reject. */
  constructor(limit: number, run: (id: RepositoryId) => Promise<void>) {
    this.#limit = limit;
    this.#run = run;
  }

  /** Queues a run; one that is queued already only becomes more urgent. During a run, another one follows it. */
  add(id: RepositoryId, urgency: Urgency): void {
    if (this.#closed) return;
    const rank = order.indexOf(urgency);
    const queued = order.findIndex((other) => this.#queues[other].has(id));
    if (queued >= 0 && queued <= rank) return;
    this.drop(id);
    this.#queues[urgency].add(id);
    this.#startWaiting();
  }

  /** Takes a repository out of the queue; a run that has begun goes on. */
  drop(id: RepositoryId): void {
    for (const queue of Object.values(this.#queues)) queue.delete(id);
  }

  /** While paused nothing is started; what runs goes on to its end. */
  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#startWaiting();
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Takes effect with the next start. */
  limit(count: number): void {
    this.#limit = count;
    this.#startWaiting();
  }

  get hasRunning(): boolean {
    return this.#running.size > 0;
  }

  get isIdle(): boolean {
    return this.#running.size === 0 && order.every((urgency) => this.#queues[urgency].size === 0);
  }

  isRunning(id: RepositoryId): boolean {
    return this.#running.has(id);
  }

  /** Resolves as soon as nothing runs and nothing waits. */
  idle(): Promise<void> {
    if (this.isIdle) return Promise.resolve();
    return new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  /** Starts nothing more; resolves when what runs has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const queue of Object.values(this.#queues)) queue.clear();
    await this.idle();
  }

  #startWaiting(): void {
    while (!this.#closed && !this.#isPaused && this.#running.size < this.#limit) {
      const next = this.#takeNext();
      if (next === undefined) return;
      this.#running.add(next);
      this.#run(next)
        .finally(() => {
          this.#running.delete(next);
          this.#startWaiting();
          this.#tellIdle();
        })
        .catch(() => undefined);
    }
  }

  #takeNext(): RepositoryId | undefined {
    for (const urgency of order) {
      for (const id of this.#queues[urgency]) {
        if (this.#running.has(id)) continue;
        this.#queues[urgency].delete(id);
        return id;
      }
    }
    return undefined;
  }

  #tellIdle(): void {
    if (!this.isIdle) return;
    const waiters = this.#idleWaiters;
    this.#idleWaiters = [];
    for (const resolve of waiters) resolve();
  }
}

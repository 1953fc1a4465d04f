/** Queues fetches and first clones of mirrors: few at once, in all and for each host. */

export interface FetchJob {
  readonly number: number;
  /** Identifies the host, and how many jobs it may have at once. */
  readonly host: string;
  readonly hostLimit: number;
  readonly isClone: boolean;
  readonly sizeBytes: number;
}

/** Slots, in all and of each host, that clones never take, so that many clones do not delay fetches. */
const slotsForFetches = 2;

export class FetchQueue {
  readonly #limit: number;
  readonly #run: (number: number) => Promise<void>;
  readonly #onEnd: () => void;
  readonly #waiting = new Map<number, FetchJob>();
  readonly #running = new Map<number, FetchJob>();
  #waiters: (() => void)[] = [];
  #isPaused = false;

  /** `run` must not reject. `onEnd` is called when a job has ended, and its mirror can be queued again. */
  constructor(limit: number, run: (number: number) => Promise<void>, onEnd: () => void) {
    this.#limit = limit;
    this.#run = run;
    this.#onEnd = onEnd;
  }

  /** Queues a job. If its mirror is being fetched, it follows once. */
  add(job: FetchJob): void {
    this.#waiting.set(job.number, job);
    this.#startWaiting();
  }

  has(number: number): boolean {
    return this.#waiting.has(number) || this.#running.has(number);
  }

  drop(number: number): void {
    this.#waiting.delete(number);
  }

  get counts(): {
    readonly waitingClones: number;
    readonly waitingFetches: number;
    readonly running: number;
  } {
    const waitingClones = [...this.#waiting.values()].filter(({ isClone }) => isClone).length;
    return { waitingClones, waitingFetches: this.#waiting.size - waitingClones, running: this.#running.size };
  }

  /** While paused, nothing is started. Active jobs continue. */
  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#startWaiting();
  }

  /** Starts nothing more, and resolves when the active jobs have ended. */
  async close(): Promise<void> {
    this.#isPaused = true;
    this.#waiting.clear();
    while (this.#running.size > 0) await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  #startWaiting(): void {
    for (let next = this.#takeNext(); next !== undefined; next = this.#takeNext()) {
      const { number } = next;
      this.#running.set(number, next);
      void this.#run(number).finally(() => {
        this.#running.delete(number);
        for (const resolve of this.#waiters.splice(0)) resolve();
        this.#startWaiting();
        this.#onEnd();
      });
    }
  }

  /**
   * Takes fetches in the order in which they were queued, and else the smallest clone; but a clone if its host has none,
   * so that neither delays the other for long.
   */
  #takeNext(): FetchJob | undefined {
    if (this.#isPaused || this.#running.size >= this.#limit) return undefined;
    const usage = new Map<string, Usage>();
    let clones = 0;
    for (const { host, isClone } of this.#running.values()) {
      const { all, clones: ofHost } = usage.get(host) ?? unused;
      usage.set(host, { all: all + 1, clones: ofHost + (isClone ? 1 : 0) });
      if (isClone) clones++;
    }
    let fetch: FetchJob | undefined;
    let smallest: FetchJob | undefined;
    for (const job of this.#waiting.values()) {
      const used = usage.get(job.host) ?? unused;
      if (this.#running.has(job.number) || used.all >= job.hostLimit) continue;
      if (!job.isClone) fetch ??= job;
      else if (clones < cloneSlots(this.#limit) && used.clones < cloneSlots(job.hostLimit))
        if (smallest === undefined || job.sizeBytes < smallest.sizeBytes) smallest = job;
    }
    const isFirst = smallest !== undefined && (usage.get(smallest.host)?.clones ?? 0) === 0;
    const next = isFirst ? smallest : (fetch ?? smallest);
    return next === undefined ? undefined : this.#take(next);
  }

  #take(job: FetchJob): FetchJob {
    this.#waiting.delete(job.number);
    return job;
  }
}

interface Usage {
  readonly all: number;
  readonly clones: number;
}

const unused: Usage = { all: 0, clones: 0 };

function cloneSlots(limit: number): number {
  return Math.max(1, limit - slotsForFetches);
}

/** Takes the jobs of one node from the database, one after the other in each of several slots, until it is closed. */
import { isServiceError } from "#base/error";
import { untilAborted } from "#base/untilAborted";
import type { Clock } from "#platform/clock";
import type { Log } from "#platform/log";
import { TimeLimit } from "#platform/timeLimit";
import type { Backlog, IndexJob, IndexQueue } from "#store/indexQueue";

export interface IndexerLoopOptions {
  readonly queue: IndexQueue;
  readonly node: string;
  /** How many jobs may run at once. */
  readonly slots: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly run: (job: IndexJob, signal: AbortSignal) => Promise<void>;
  /** How long a job may go without a sign of life of its indexer. */
  readonly leaseMs: number;
}

/** An idle indexer looks for jobs this often, in case a notification was lost. */
const idleMs = 30_000;
const beatMs = 3000;
const retryQueueMs = 1000;
const backlogMs = 1000;
const minRetryMs = 5_000;
const maxRetryMs = 3_600_000;

export class IndexerLoop {
  readonly #options: IndexerLoopOptions;
  readonly #leaseMs: number;
  readonly #closing = new AbortController();
  readonly #slots: Promise<void>[];
  readonly #stopListening: () => void;
  readonly #sleepers = new Set<() => void>();
  /** The last run of each repository. */
  readonly #runs = new Map<number, { readonly lost: AbortController; readonly ended: Promise<void> }>();
  readonly counts = { indexed: 0, removed: 0, failed: 0, lost: 0 };
  #runningCount = 0;
  #backlog: Backlog | undefined;
  #isConnected = false;
  #wakeCount = 0;

  constructor(options: IndexerLoopOptions) {
    this.#options = options;
    this.#leaseMs = options.leaseMs;
    this.#stopListening = options.queue.subscribe(`wanted ${options.node}`, () => this.#wake());
    this.#slots = [this.#beat(), ...Array.from({ length: options.slots }, () => this.#work())];
  }

  get runningCount(): number {
    return this.#runningCount;
  }

  /** What the node has still to do, as it was read last; `undefined` before that. */
  get backlog(): Backlog | undefined {
    return this.#backlog;
  }

  /** Reads the backlog, unless the database does not respond soon. */
  async readBacklog(): Promise<void> {
    const { queue, node } = this.#options;
    const limit = new TimeLimit(this.#closing.signal, backlogMs);
    try {
      this.#backlog = await untilAborted(queue.backlog(node), limit.signal);
    } catch {
      // The old one remains.
    } finally {
      limit.dispose();
    }
  }

  /** Whether the database responded the last time. */
  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** Cancels the running jobs, and returns them to the queue. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#stopListening();
    this.#wake();
    await Promise.all(this.#slots);
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  async #beat(): Promise<void> {
    const { queue, node } = this.#options;
    for (; !this.#isClosed; await this.#sleep(beatMs, false)) await this.#ask(() => queue.recordSeen(node));
  }

  async #work(): Promise<void> {
    const { queue, node, clock } = this.#options;
    while (!this.#isClosed) {
      const wakeCount = this.#wakeCount;
      const taken = await this.#ask(() => queue.take(node, this.#leaseMs));
      if (taken.isFailed) await this.#sleep(retryQueueMs, true);
      else if (taken.value !== undefined) await this.#runAfterEarlier(taken.value);
      else {
        const { isFailed, value: dueAt } = await this.#ask(() => queue.nextDueAt(node));
        // A job may have been wanted while this was asked.
        if (wakeCount !== this.#wakeCount) continue;
        const dueMs = Math.max(1, (dueAt ?? Number.POSITIVE_INFINITY) - clock.now());
        await this.#sleep(isFailed ? retryQueueMs : Math.min(idleMs, dueMs), true);
      }
    }
  }

  /**
   * Runs a job. If this process still runs an earlier one for the repository, whose lease has expired, ends that first:
   * both would write to the same files. Never rejects.
   */
  async #runAfterEarlier(job: IndexJob): Promise<void> {
    const id = job.repositoryId;
    const earlier = this.#runs.get(id);
    earlier?.lost.abort();
    const lost = new AbortController();
    const ended = (earlier?.ended ?? Promise.resolve()).then(() => this.#run(job, lost));
    const run = { lost, ended };
    this.#runs.set(id, run);
    await ended;
    if (this.#runs.get(id) === run) this.#runs.delete(id);
  }

  /** Never rejects. */
  async #run(job: IndexJob, lost: AbortController): Promise<void> {
    const { queue, run, clock, log } = this.#options;
    const signal = AbortSignal.any([lost.signal, this.#closing.signal]);
    const renewal = setInterval(() => {
      void this.#ask(() => queue.renew(job, this.#leaseMs)).then(({ value }) => {
        if (value === false) lost.abort();
      });
    }, this.#leaseMs / 3);
    this.#runningCount++;
    try {
      await run(job, signal);
      if (await this.#report(() => queue.complete(job)))
        this.counts[job.revisions.length === 0 ? "removed" : "indexed"]++;
      else this.counts.lost++;
    } catch (error) {
      if (this.#isClosed) {
        await this.#ask(() => queue.release(job));
        return;
      }
      if (lost.signal.aborted) {
        this.counts.lost++;
        log.warn(`Another indexer has taken over ${job.name}.`);
        return;
      }
      const reason = error instanceof Error ? error.message : String(error);
      if (isServiceError(error)) log.warn(`${job.name} could not be indexed: ${reason}`);
      else log.error(`${job.name} could not be indexed.`, { error });
      const delayMs = Math.min(maxRetryMs, minRetryMs * 2 ** (job.attempts - 1));
      if (await this.#report(() => queue.fail(job, reason, clock.now() + delayMs))) this.counts.failed++;
      else this.counts.lost++;
    } finally {
      clearInterval(renewal);
      this.#runningCount--;
    }
  }

  /** Reports a result until the database accepts or rejects it. Returns whether it was accepted. */
  async #report(send: () => Promise<boolean>): Promise<boolean> {
    for (;;) {
      const { isFailed, value } = await this.#ask(send);
      if (!isFailed) return value === true;
      if (this.#isClosed) return false;
      await this.#sleep(retryQueueMs, false);
    }
  }

  /** Sends a query to the database, and remembers whether it responded. */
  async #ask<Value>(
    send: () => Promise<Value>,
  ): Promise<{ readonly isFailed: boolean; readonly value?: Value }> {
    try {
      const value = await send();
      if (!this.#isConnected) this.#options.log.info("Connected to the database.");
      this.#isConnected = true;
      return { isFailed: false, value };
    } catch (error) {
      if (this.#isConnected)
        this.#options.log.warn("The database does not respond. Trying again.", { error });
      this.#isConnected = false;
      return { isFailed: true };
    }
  }

  #wake(): void {
    this.#wakeCount++;
    for (const wake of this.#sleepers) wake();
  }

  async #sleep(delayMs: number, canWake: boolean): Promise<void> {
    if (this.#isClosed) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        cancel();
        this.#sleepers.delete(wake);
        resolve();
      };
      const wake = () => {
        if (canWake || this.#isClosed) end();
      };
      // Keeps the process alive, unlike the clock's timers.
      const timer = setTimeout(end, delayMs);
      const cancel = () => clearTimeout(timer);
      this.#sleepers.add(wake);
    });
  }
}

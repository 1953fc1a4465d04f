import { type Clock, systemClock } from "#platform/clock";
import type { ShardDirectory } from "#shard/directory/directory";

export interface ChangeRunnerOptions {
  readonly directory: Pick<ShardDirectory, "onChange">;
  /** Delay after a change, so that several changes cause one run. */
  readonly settleMs: number;
  /** Must not reject. Must check the directory again before it ends: changes during a run may not start another one. */
  readonly run: () => Promise<void>;
  readonly clock?: Clock;
}

/** Runs a task once at the start and shortly after changes of the shard directory, one run at a time. */
export class ChangeRunner {
  readonly #options: ChangeRunnerOptions;
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  readonly #unsubscribe: () => void;
  #cancelTimer: (() => void) | undefined;
  #dueAt = 0;
  #running: Promise<void> | undefined;

  constructor(options: ChangeRunnerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#unsubscribe = options.directory.onChange(() => this.schedule());
    this.schedule();
  }

  get isIdle(): boolean {
    return this.#running === undefined;
  }

  /** Aborted by `close`. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  /** Schedules a run after this delay, unless one is due earlier. It is dropped if another run is then active. */
  schedule(delayMs = this.#options.settleMs): void {
    const dueAt = this.#clock.elapsed() + delayMs;
    if (this.signal.aborted || (this.#cancelTimer !== undefined && this.#dueAt <= dueAt)) return;
    this.#cancelTimer?.();
    this.#dueAt = dueAt;
    this.#cancelTimer = this.#clock.after(delayMs, () => {
      this.#cancelTimer = undefined;
      if (this.#running !== undefined) return;
      this.#running = this.#options.run().finally(() => {
        this.#running = undefined;
      });
    });
  }

  /** Resolves when the current run has ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#unsubscribe();
    this.#cancelTimer?.();
    await this.#running;
  }
}

import { type Clock, systemClock } from "#platform/clock";
import type { ShardDirectory } from "#shard/directory";

export interface AfterChangesOptions {
  readonly directory: Pick<ShardDirectory, "onChange">;
  /** After a change, so that several are one. */
  readonly settleMs: number;
  /** Must not reject, and looks at the directory again before it ends: changes meanwhile start no other run. */
  readonly run: () => Promise<void>;
  readonly clock?: Clock;
}

/** Runs something at the start and a while after the directory of shards has changed, one run at a time. */
export class AfterChanges {
  readonly #options: AfterChangesOptions;
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  readonly #unsubscribe: () => void;
  #cancelTimer: (() => void) | undefined;
  #running: Promise<void> | undefined;

  constructor(options: AfterChangesOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#unsubscribe = options.directory.onChange(() => this.later());
    this.later();
  }

  get isIdle(): boolean {
    return this.#running === undefined;
  }

  /** Fires with `close`. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  /** Runs once more: when that was to be already, else after this delay. */
  later(delayMs = this.#options.settleMs): void {
    if (this.signal.aborted || this.#cancelTimer !== undefined) return;
    this.#cancelTimer = this.#clock.after(delayMs, () => {
      this.#cancelTimer = undefined;
      if (this.#running !== undefined) return;
      this.#running = this.#options.run().finally(() => {
        this.#running = undefined;
      });
    });
  }

  /** Resolves when the run that goes on has ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#unsubscribe();
    this.#cancelTimer?.();
    await this.#running;
  }
}

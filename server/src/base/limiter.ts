import { canceled, throwIfAborted } from "./error";

/**
 * Runs at most `limit` jobs at once.
 *
 * Waiting callers are served round-robin, and the jobs of one caller in FIFO order.
 */
export class Limiter {
  #limit: number;
  /** Queues by caller; the first one is next. No queue is empty. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get running(): number {
    return this.#running;
  }

  /** Starts waiting jobs if the limit grows. Running jobs continue if it shrinks. */
  resize(limit: number): void {
    this.#limit = limit;
    while (this.#running < this.#limit && this.#waiting.size > 0) {
      this.#running++;
      this.#startNext();
    }
  }

  /**
   * Rejects with CANCELLED if `signal` fires before `work` has started; after that, `work` must observe it.
   * `caller` identifies the queue.
   */
  async run<Result>(work: () => Promise<Result>, signal?: AbortSignal, caller = ""): Promise<Result> {
    throwIfAborted(signal);
    if (this.#running < this.#limit) this.#running++;
    else await this.#waitForSlot(signal, caller);
    try {
      return await work();
    } finally {
      this.#releaseSlot();
    }
  }

  /** Hands the slot to the next job. `#running` does not change, so that no new job can take the slot in between. */
  #releaseSlot(): void {
    if (this.#waiting.size === 0 || this.#running > this.#limit) this.#running--;
    else this.#startNext();
  }

  #startNext(): void {
    const [first] = this.#waiting;
    if (first === undefined) return;
    const [caller, queue] = first;
    const start = queue.shift();
    this.#waiting.delete(caller);
    if (queue.length > 0) this.#waiting.set(caller, queue);
    start?.();
  }

  #waitForSlot(signal: AbortSignal | undefined, caller: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener("abort", cancel);
        resolve();
      };
      const cancel = () => {
        const queue = this.#waiting.get(caller) ?? [];
        const at = queue.indexOf(start);
        if (at >= 0) queue.splice(at, 1);
        if (queue.length === 0) this.#waiting.delete(caller);
        reject(canceled());
      };
      const queue = this.#waiting.get(caller);
      if (queue === undefined) this.#waiting.set(caller, [start]);
      else queue.push(start);
      signal?.addEventListener("abort", cancel, { once: true });
    });
  }
}

import { cancelled, throwIfAborted } from "./error";

/**
 * Lets at most `limit` pieces of work run at once.
 *
 * Who waits is let in by turns: one of each caller, in the order in which callers came, and those of one caller in the
 * order in which they came.
 */
export class Limiter {
  #limit: number;
  /** By caller; the first of them is next. Nobody's line is empty. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get running(): number {
    return this.#running;
  }

  /** Who waits is let in where there is more room now; what runs goes on where there is less. */
  resize(limit: number): void {
    this.#limit = limit;
    while (this.#running < this.#limit && this.#waiting.size > 0) {
      this.#running++;
      this.#letIn();
    }
  }

  /**
   * Rejects with CANCELLED when `signal` fires before `work` has started; afterwards it is the work's to obey.
   * `caller` tells whose turn it is.
   */
  async run<Result>(work: () => Promise<Result>, signal?: AbortSignal, caller = ""): Promise<Result> {
    throwIfAborted(signal);
    if (this.#running < this.#limit) this.#running++;
    else await this.#turn(signal, caller);
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  /** A place is handed over, not given back: `#running` stays as it is, so that nobody can slip in between. */
  #leave(): void {
    if (this.#waiting.size === 0 || this.#running > this.#limit) this.#running--;
    else this.#letIn();
  }

  #letIn(): void {
    const [first] = this.#waiting;
    if (first === undefined) return;
    const [caller, line] = first;
    const start = line.shift();
    this.#waiting.delete(caller);
    if (line.length > 0) this.#waiting.set(caller, line);
    start?.();
  }

  #turn(signal: AbortSignal | undefined, caller: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener("abort", giveUp);
        resolve();
      };
      const giveUp = () => {
        const line = this.#waiting.get(caller) ?? [];
        const at = line.indexOf(start);
        if (at >= 0) line.splice(at, 1);
        if (line.length === 0) this.#waiting.delete(caller);
        reject(cancelled());
      };
      const line = this.#waiting.get(caller);
      if (line === undefined) this.#waiting.set(caller, [start]);
      else line.push(start);
      signal?.addEventListener("abort", giveUp, { once: true });
    });
  }
}

import { cancelled, throwIfAborted } from "./error";

/** Lets at most `limit` pieces of work run at once; the others wait in the order in which they came. */
export class Limiter {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get running(): number {
    return this.#running;
  }

  /** Rejects with CANCELLED when `signal` fires before `work` has started; afterwards it is the work's to obey. */
  async run<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    throwIfAborted(signal);
    if (this.#running < this.#limit) this.#running++;
    else await this.#turn(signal);
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  /** A place is handed over, not given back: `#running` stays as it is, so that nobody can slip in between. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#running--;
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener("abort", giveUp);
        resolve();
      };
      const giveUp = () => {
        const at = this.#waiting.indexOf(start);
        if (at >= 0) this.#waiting.splice(at, 1);
        reject(cancelled());
      };
      this.#waiting.push(start);
      signal?.addEventListener("abort", giveUp, { once: true });
    });
  }
}

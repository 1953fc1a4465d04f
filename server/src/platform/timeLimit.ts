/** The longest delay that `setTimeout` accepts; a longer one would fire at once. */
const maxDelayMs = 2 ** 31 - 1;

/** A signal that fires with another one, after a time limit, or when `abort` is called. */
export class TimeLimit {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #abort = () => this.#controller.abort();
  readonly #timer: NodeJS.Timeout;
  #isExpired = false;

  /** Does not use `AbortSignal.any`: Node 20 may garbage-collect the combined signal before it has fired. */
  constructor(outer: AbortSignal, timeMs: number) {
    this.#outer = outer;
    this.#timer = setTimeout(
      () => {
        this.#isExpired = true;
        this.#abort();
      },
      Math.min(timeMs, maxDelayMs),
    );
    outer.addEventListener("abort", this.#abort, { once: true });
    if (outer.aborted) this.#abort();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the time limit has passed. */
  get isExpired(): boolean {
    return this.#isExpired;
  }

  abort(): void {
    this.#abort();
  }

  /** Releases the timer and the listener. */
  dispose(): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener("abort", this.#abort);
  }
}

/** The longest delay that `setTimeout` accepts; a longer one would fire at once. */
export const maxDelayMs = 2 ** 31 - 1;

/** Shared, because most limits are aborted when they are no longer needed, and each error would record its stack. */
const aborted = new DOMException("This operation was aborted", "AbortError");

/**
 * A signal that fires with another one, after a time limit, or when `abort` is called.
 *
 * Use this instead of `AbortSignal.any` with `AbortSignal.timeout`: Node 20 may garbage-collect a timeout that only a
 * combined signal refers to, and then the combined signal never fires. Signals of controllers can be combined safely.
 */
export class TimeLimit {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #abort = () => this.#controller.abort(aborted);
  readonly #timer: NodeJS.Timeout;
  #isExpired = false;

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

/** A signal that fires with another one, after a time, or when it is told to. */
export class TimeLimit {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #abort = () => this.#controller.abort();
  readonly #timer: NodeJS.Timeout;
  #isOver = false;

  /** `AbortSignal.any` and `AbortSignal.timeout` would do, but Node 20 may collect them before they have fired. */
  constructor(outer: AbortSignal, timeMs: number) {
    this.#outer = outer;
    this.#timer = setTimeout(() => {
      this.#isOver = true;
      this.#abort();
    }, timeMs);
    outer.addEventListener("abort", this.#abort, { once: true });
    if (outer.aborted) this.#abort();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the time is over. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Fires now. */
  stop(): void {
    this.#abort();
  }

  /** Nobody needs it any more. */
  end(): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener("abort", this.#abort);
  }
}

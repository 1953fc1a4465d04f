/** Splits long work on a shared thread into time slices, so that other work runs in between. */
export class TimeSlice {
  readonly #sliceMs: number;
  #sliceEnd: number;

  constructor(sliceMs = 5) {
    this.#sliceMs = sliceMs;
    this.#sliceEnd = performance.now() + sliceMs;
  }

  /** Whether it is time to call `yieldToEventLoop`. Check it after each small piece of work. */
  get isExpired(): boolean {
    return performance.now() >= this.#sliceEnd;
  }

  async yieldIfExpired(): Promise<void> {
    if (this.isExpired) await this.yieldToEventLoop();
  }

  /** Lets pending events run, then starts the next slice. */
  async yieldToEventLoop(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#sliceEnd = performance.now() + this.#sliceMs;
  }
}

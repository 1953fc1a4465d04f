/** Long work on a thread that others need, too: it is done by turns. */
export class Pace {
  readonly #turnMs: number;
  #turnEnds: number;

  constructor(turnMs = 10) {
    this.#turnMs = turnMs;
    this.#turnEnds = performance.now() + turnMs;
  }

  /** To be asked after each small piece of the work: whether the turn is over, and it is time to `rest`. */
  get isOver(): boolean {
    return performance.now() >= this.#turnEnds;
  }

  /** Resolves when others have had their turn. */
  async rest(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#turnEnds = performance.now() + this.#turnMs;
  }
}

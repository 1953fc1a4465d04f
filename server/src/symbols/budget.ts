/** How long one text may keep a parser. */

/** Thrown where a text takes more than it may. */
export class TooSlow extends Error {}

/** A pause longer than this was the system's, not the parser's: a computer that slept is no reason to skip a file. */
const longestStepMs = 100;

export class Budget {
  /** Whether work was ended for it. */
  wasSpent = false;
  #left: number;
  #last = performance.now();

  /** In milliseconds of a thread that is not kept waiting. */
  constructor(milliseconds: number) {
    this.#left = milliseconds;
  }

  /** Asked often while work goes on; true as soon as it must end. */
  readonly isSpent = (): boolean => {
    const now = performance.now();
    this.#left -= Math.min(now - this.#last, longestStepMs);
    this.#last = now;
    this.wasSpent ||= this.#left < 0;
    return this.wasSpent;
  };

  /** Throws where it is spent. */
  check(): void {
    if (this.isSpent()) throw new TooSlow();
  }
}

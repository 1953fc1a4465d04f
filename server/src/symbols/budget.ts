/** How long one text may keep a parser. */

/** Thrown where a text takes more than it may. */
export class TooSlow extends Error {}

/**
 * A step takes a fraction of a millisecond. A longer one was mostly waiting: other threads had the processor, and that
 * is no reason to skip a file.
 */
const longestStepMs = 10;
/** Steps that are long by themselves end here; a pause longer than a second was that of a computer that slept. */
const wholeMs = 8000;
const longestPauseMs = 1000;

export class Budget {
  /** Whether work was ended for it. */
  wasSpent = false;
  #left: number;
  #whole = wholeMs;
  #last = performance.now();

  /** In milliseconds of a thread that is not kept waiting. */
  constructor(milliseconds: number) {
    this.#left = milliseconds;
  }

  /** Asked often while work goes on; true as soon as it must end. */
  readonly isSpent = (): boolean => {
    const now = performance.now();
    const step = now - this.#last;
    this.#last = now;
    this.#left -= Math.min(step, longestStepMs);
    this.#whole -= Math.min(step, longestPauseMs);
    this.wasSpent ||= this.#left < 0 || this.#whole < 0;
    return this.wasSpent;
  };

  /** Throws where it is spent. */
  check(): void {
    if (this.isSpent()) throw new TooSlow();
  }
}

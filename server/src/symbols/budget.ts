/** Limits the time that one text may take. */

/** Thrown when the time budget of a text is spent. */
export class BudgetSpent extends Error {}

/**
 * A step takes a fraction of a millisecond. Most of a longer one was spent waiting for a processor, which is no reason
 * to skip a file, so it counts as this much.
 */
const maxCountedStepMs = 10;
/** Limits elapsed time, in case long steps do not just wait. A longer pause counts as a second: the computer slept. */
const maxElapsedMs = 8000;
const maxCountedPauseMs = 1000;

export class Budget {
  /** Whether the budget was exceeded. */
  wasSpent = false;
  #processorLeft: number;
  #elapsedLeft = maxElapsedMs;
  #last = performance.now();

  /** `milliseconds` limits the processor time, approximately. */
  constructor(milliseconds: number) {
    this.#processorLeft = milliseconds;
  }

  /** Call often during the work, which must stop as soon as this returns true. */
  readonly isSpent = (): boolean => {
    const now = performance.now();
    const step = now - this.#last;
    this.#last = now;
    this.#processorLeft -= Math.min(step, maxCountedStepMs);
    this.#elapsedLeft -= Math.min(step, maxCountedPauseMs);
    this.wasSpent ||= this.#processorLeft < 0 || this.#elapsedLeft < 0;
    return this.wasSpent;
  };

  /** Throws `BudgetSpent` if the budget is spent. */
  check(): void {
    if (this.isSpent()) throw new BudgetSpent();
  }
}

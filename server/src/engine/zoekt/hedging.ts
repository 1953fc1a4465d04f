/** How many requests the 95th percentile is computed from, and how many are needed for it. */
const maxSamples = 200;
const minSamples = 20;
const defaultDelayMs = 1000;
const minDelayMs = 20;
/** Share of requests that may be sent twice, so that a slow cluster does not get twice the load. */
const maxShare = 0.1;
const maxCredit = 50;

/** Decides when a request is sent to a second node as well: after the 95th percentile of recent requests. */
export class Hedging {
  readonly #samples: number[] = [];
  #next = 0;
  #delayMs = defaultDelayMs;
  #credit = maxCredit;

  /** Records how long a node needed to respond. */
  record(durationMs: number): void {
    this.#credit = Math.min(maxCredit, this.#credit + maxShare);
    this.#samples[this.#next] = durationMs;
    this.#next = (this.#next + 1) % maxSamples;
    if (this.#samples.length < minSamples) return;
    const sorted = this.#samples.toSorted((left, right) => left - right);
    this.#delayMs = Math.max(minDelayMs, sorted[Math.floor(0.95 * (sorted.length - 1))] ?? defaultDelayMs);
  }

  /** How long to wait for a response before asking another node. */
  get delayMs(): number {
    return this.#delayMs;
  }

  /** Whether one more request may be sent twice now. */
  take(): boolean {
    if (this.#credit < 1) return false;
    this.#credit--;
    return true;
  }
}

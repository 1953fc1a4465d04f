import type { Clock } from "#platform/clock";

export interface CircuitBreakerOptions {
  readonly clock: Clock;
  /** Returns whether the server works again. Must not reject. */
  readonly probe: () => Promise<boolean>;
}

/** So many failures in a row open the breaker. */
const maxFailures = 3;
const minDelayMs = 250;
const maxDelayMs = 15_000;

/**
 * Stops requests to a server that fails. After a delay, which doubles each time, one probe decides whether requests are
 * sent again.
 */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  #failures = 0;
  #delayMs = minDelayMs;
  #isOpen = false;
  #isClosed = false;
  #cancelProbe: (() => void) | undefined;

  constructor(options: CircuitBreakerOptions) {
    this.#options = options;
  }

  /** Whether requests must not be sent. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  succeed(): void {
    this.#failures = 0;
    this.#delayMs = minDelayMs;
  }

  fail(): void {
    if (++this.#failures < maxFailures || this.#isOpen || this.#isClosed) return;
    this.#isOpen = true;
    this.#probeLater();
  }

  /** Cancels the next probe. */
  close(): void {
    this.#isClosed = true;
    this.#cancelProbe?.();
  }

  #probeLater(): void {
    this.#cancelProbe = this.#options.clock.after(this.#delayMs, () => void this.#probe());
  }

  async #probe(): Promise<void> {
    this.#delayMs = Math.min(maxDelayMs, 2 * this.#delayMs);
    const isWorking = await this.#options.probe();
    if (this.#isClosed) return;
    if (!isWorking) {
      this.#probeLater();
      return;
    }
    this.#isOpen = false;
    this.succeed();
  }
}

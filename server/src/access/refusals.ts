/**
 * Slows down whoever shows wrong credentials again and again.
 *
 * Only refusals wait, so that a neighbour behind the same address who shows the right ones notices nothing. Those of one
 * address wait one after another: asking many times at once brings nobody further.
 */
import { cancelled, ServiceError } from "#base/error";
import type { Clock } from "#platform/clock";

interface Offender {
  /** Refusals that count; they are forgotten, one for each `forgetMs`. */
  count: number;
  lastAt: number;
  waiting: number;
  /** When the last of those who wait is told. */
  until: number;
}

/** A person who mistypes a key is not to notice. */
const freeCount = 5;
const firstDelayMs = 100;
const longestDelayMs = 5000;
const forgetMs = 30_000;
/** Of one address; the next are sent away at once. */
const maxWaiting = 16;
/** Addresses that are remembered, the longest unseen forgotten first. */
const maxOffenders = 10_000;

export class Refusals {
  readonly #clock: Clock;
  /** Longest unseen first. */
  readonly #offenders = new Map<string, Offender>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Resolves when the caller may be told that its credentials are wrong.
   *
   * Throws OVERLOADED where too many of its address wait for that already, CANCELLED when the signal fires.
   */
  async wait(address: string, signal: AbortSignal): Promise<void> {
    const offender = this.#offenderAt(address);
    if (offender.waiting >= maxWaiting) {
      throw new ServiceError("OVERLOADED", "Too many calls with wrong credentials come from this address.");
    }
    offender.count++;
    const excess = offender.count - freeCount;
    if (excess <= 0) return;
    const delayMs = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(excess - 1, 16));
    const now = this.#clock.now();
    offender.until = Math.max(offender.until, now) + delayMs;
    offender.waiting++;
    try {
      await this.#pause(offender.until - now, signal);
    } finally {
      offender.waiting--;
    }
  }

  #offenderAt(address: string): Offender {
    const now = this.#clock.now();
    const known = this.#offenders.get(address);
    const offender = known ?? { count: 0, lastAt: now, waiting: 0, until: now };
    const forgotten = Math.floor(Math.max(0, now - offender.lastAt) / forgetMs);
    offender.count = Math.max(0, offender.count - forgotten);
    offender.lastAt = now;
    this.#offenders.delete(address);
    this.#offenders.set(address, offender);
    if (this.#offenders.size > maxOffenders) {
      const [oldest] = this.#offenders.keys();
      if (oldest !== undefined) this.#offenders.delete(oldest);
    }
    return offender;
  }

  #pause(delayMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(cancelled());
        return;
      }
      const stop = this.#clock.after(delayMs, () => {
        signal.removeEventListener("abort", giveUp);
        resolve();
      });
      const giveUp = () => {
        stop();
        reject(cancelled());
      };
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }
}

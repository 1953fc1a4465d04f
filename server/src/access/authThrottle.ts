/**
 * Slows down clients that repeatedly send wrong credentials.
 *
 * Only refusals are delayed, so that other clients that share the address are not affected. The refusals of one
 * address are delayed one after another, so that parallel requests gain nothing.
 */
import { canceled, ServiceError } from "#base/error";
import type { Clock } from "#platform/clock";

interface Client {
  /** Recent refusals. The count decreases by one for each `decayIntervalMs` that passes without one. */
  count: number;
  /** By `Clock.elapsed`, like `lastReleaseAt`, so that setting the clock neither prolongs a delay nor ends it. */
  lastSeenAt: number;
  /** Refusals that are being delayed. */
  waitingCount: number;
  /** When the last delayed refusal is sent. */
  lastReleaseAt: number;
}

/** Refusals without a delay, so that a user who mistypes a key does not notice. */
const undelayedCount = 5;
const firstDelayMs = 100;
const maxDelayMs = 5000;
const decayIntervalMs = 30_000;
/** Maximum number of delayed refusals of one address; further requests are rejected at once. */
const maxWaiting = 16;
/** Maximum number of remembered addresses; the least recently seen is evicted first. */
const maxClients = 10_000;

export class AuthThrottle {
  readonly #clock: Clock;
  /** Least recently seen first. */
  readonly #clients = new Map<string, Client>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Resolves when the refusal may be sent.
   *
   * Throws OVERLOADED if too many refusals of this address are already delayed, CANCELLED when the signal fires.
   */
  async delayRefusal(address: string, signal: AbortSignal): Promise<void> {
    const client = this.#clientAt(address);
    if (client.waitingCount >= maxWaiting) {
      throw new ServiceError(
        "OVERLOADED",
        "Too many requests with wrong credentials from this address. Try again later.",
      );
    }
    client.count++;
    const excess = client.count - undelayedCount;
    if (excess <= 0) return;
    const delayMs = Math.min(maxDelayMs, firstDelayMs * 2 ** Math.min(excess - 1, 16));
    const now = this.#clock.elapsed();
    client.lastReleaseAt = Math.max(client.lastReleaseAt, now) + delayMs;
    client.waitingCount++;
    try {
      await this.#pause(client.lastReleaseAt - now, signal);
    } finally {
      client.waitingCount--;
    }
  }

  #clientAt(address: string): Client {
    const now = this.#clock.elapsed();
    const known = this.#clients.get(address);
    const client = known ?? { count: 0, lastSeenAt: now, waitingCount: 0, lastReleaseAt: now };
    const decayed = Math.floor(Math.max(0, now - client.lastSeenAt) / decayIntervalMs);
    client.count = Math.max(0, client.count - decayed);
    client.lastSeenAt = now;
    this.#clients.delete(address);
    this.#clients.set(address, client);
    if (this.#clients.size > maxClients) {
      const [oldest] = this.#clients.keys();
      if (oldest !== undefined) this.#clients.delete(oldest);
    }
    return client;
  }

  #pause(delayMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(canceled());
        return;
      }
      const stop = this.#clock.after(delayMs, () => {
        signal.removeEventListener("abort", cancel);
        resolve();
      });
      const cancel = () => {
        stop();
        reject(canceled());
      };
      signal.addEventListener("abort", cancel, { once: true });
    });
  }
}

import { isServiceError } from "#base/error";
import type { Clock } from "#platform/clock";
import type { Log } from "#platform/log";
import type { Store } from "./store";

export interface RetentionOptions {
  /** How long audit records are kept. */
  readonly days: number;
  readonly clock: Clock;
  readonly log: Log;
}

const dayMs = 24 * 60 * 60 * 1000;
/** The start of a process has better things to do, and most commands are over by then. */
const firstMs = 60_000;
const everyMs = 60 * 60 * 1000;

/** The same store, which forgets audit records and sessions past their time until it is closed. */
export function withRetention(store: Store, { days, clock, log }: RetentionOptions): Store {
  const closing = new AbortController();
  let running: Promise<void> | undefined;
  let cancel = clock.after(firstMs, start);

  function start(): void {
    running = forget().finally(() => {
      running = undefined;
      if (!closing.signal.aborted) cancel = clock.after(everyMs, start);
    });
  }

  async function forget(): Promise<void> {
    try {
      const now = clock.now();
      await store.sessions.removeExpired(now);
      const removed = await store.auditLog.removeBefore(now - days * dayMs, closing.signal);
      if (removed > 0) log.info(`${removed} audit records were older than ${days} days.`);
    } catch (error) {
      if (!isServiceError(error, "CANCELLED")) log.warn("Old audit records could not be removed.", { error });
    }
  }

  return {
    ...store,
    async close() {
      closing.abort();
      cancel();
      await running;
      await store.close();
    },
  };
}

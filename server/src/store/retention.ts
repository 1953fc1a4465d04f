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
/** Delay before the first run, which must not slow down startup. Most commands exit sooner. */
const firstMs = 60_000;
const everyMs = 60 * 60 * 1000;

/** Wraps a store. Deletes old audit records and expired sessions every hour until the store is closed. */
export function withRetention(store: Store, { days, clock, log }: RetentionOptions): Store {
  const closing = new AbortController();
  let running: Promise<void> | undefined;
  let cancel = clock.after(firstMs, start);

  function start(): void {
    running = removeOld().finally(() => {
      running = undefined;
      if (!closing.signal.aborted) cancel = clock.after(everyMs, start);
    });
  }

  async function removeOld(): Promise<void> {
    try {
      const now = clock.now();
      await store.sessions.removeExpired(now);
      const removed = await store.auditLog.removeBefore(now - days * dayMs, closing.signal);
      if (removed > 0) log.info(`Deleted ${removed} audit records older than ${days} days.`);
    } catch (error) {
      if (!isServiceError(error, "CANCELLED"))
        log.warn("Cannot delete old audit records; retrying later.", { error });
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

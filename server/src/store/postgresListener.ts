import { Client } from "pg";
import type { Log } from "#platform/log";

export interface PostgresListener {
  close(): Promise<void>;
}

const connectMs = 5_000;
const minRetryMs = 200;
const maxRetryMs = 5_000;

/**
 * Listens to notifications on a connection of its own, and connects again when that is lost. Calls `onConnected` after
 * each connection, because notifications may have been missed before it. `channel` must be an identifier.
 */
export function listenToPostgres(
  url: string,
  channel: string,
  onPayload: (payload: string) => void,
  onConnected: () => void,
  log: Log,
): PostgresListener {
  let client: Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let retryMs = minRetryMs;
  let isClosed = false;
  const retry = () => {
    if (isClosed) return;
    timer = setTimeout(() => void connect(), retryMs);
    timer.unref();
    retryMs = Math.min(maxRetryMs, 2 * retryMs);
  };
  const connect = async () => {
    const next = new Client({
      connectionString: url,
      connectionTimeoutMillis: connectMs,
      application_name: "trawl",
      keepAlive: true,
    });
    client = next;
    let isLost = false;
    const lose = (error?: unknown) => {
      if (isLost) return;
      isLost = true;
      if (!isClosed) log.warn("The connection for notifications of the database was lost.", { error });
      next.end().catch(() => undefined);
      retry();
    };
    next.on("error", lose);
    next.on("end", () => lose());
    next.on("notification", ({ payload }) => onPayload(payload ?? ""));
    try {
      await next.connect();
      await next.query(`listen ${channel}`);
    } catch (error) {
      lose(error);
      return;
    }
    if (isClosed) return;
    retryMs = minRetryMs;
    onConnected();
  };
  const connecting = connect();
  return {
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await connecting;
      await client?.end().catch(() => undefined);
    },
  };
}

/** Connections to PostgreSQL whose session matters: they listen to notifications, or hold a lock. */
import { Client } from "pg";
import type { Log } from "#platform/log";

export interface PostgresSession {
  close(): Promise<void>;
}

interface SessionOptions {
  /** What the session is for, as log messages name it. */
  readonly purpose: string;
  /** Prepares a new session. Called again and again, which also shows whether the connection still works. */
  readonly check: (client: Client) => Promise<void>;
  readonly checkMs: number;
  readonly onLost?: () => void;
  readonly onNotification?: (payload: string) => void;
  readonly log: Log;
}

const connectMs = 5_000;
const queryMs = 5_000;
const minRetryMs = 200;
const maxRetryMs = 5_000;
/** Has the server notice within half a minute that this process is unreachable, and release its lock. */
const sessionOptions = "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3";

/**
 * Listens to notifications, and connects again when the connection is lost. Calls `onConnected` after each connection,
 * because notifications may have been missed before it. `channel` must be an identifier.
 */
export function listenToPostgres(
  url: string,
  channel: string,
  onPayload: (payload: string) => void,
  onConnected: () => void,
  log: Log,
): PostgresSession {
  let isListening = false;
  return openSession(url, {
    purpose: "notifications of",
    checkMs: 5_000,
    async check(client) {
      await client.query(isListening ? "select 1" : `listen ${channel}`);
      if (isListening) return;
      isListening = true;
      onConnected();
    },
    onLost: () => {
      isListening = false;
    },
    onNotification: onPayload,
    log,
  });
}

/**
 * Takes a lock as soon as no other process holds it. Calls `onChange` after the first attempt, when this process has got
 * it, and when it may have lost it. The server releases the lock when the connection ends, also if the process is killed.
 */
export function holdPostgresLock(
  url: string,
  key: number,
  onChange: (isHeld: boolean) => void,
  log: Log,
): PostgresSession {
  let isHeld: boolean | undefined;
  const set = (next: boolean) => {
    if (next === isHeld) return;
    isHeld = next;
    onChange(isHeld);
  };
  return openSession(url, {
    purpose: "a lock in",
    checkMs: 1_000,
    async check(client) {
      const sql = isHeld ? "select true as held" : `select pg_try_advisory_lock(${key}) as held`;
      const { rows } = await client.query<{ readonly held: boolean }>(sql);
      set(rows[0]?.held === true);
    },
    onLost: () => set(false),
    log,
  });
}

/** Keeps a connection of its own open, and replaces it when it is lost or no longer responds. */
function openSession(
  url: string,
  { purpose, check, checkMs, onLost, onNotification, log }: SessionOptions,
): PostgresSession {
  let client: Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let retryMs = minRetryMs;
  let isClosed = false;
  const schedule = (next: () => Promise<void>, delayMs: number) => {
    if (isClosed) return;
    timer = setTimeout(() => void next(), delayMs);
    timer.unref();
  };
  const connect = async () => {
    const next = new Client({
      connectionString: url,
      connectionTimeoutMillis: connectMs,
      query_timeout: queryMs,
      application_name: "trawl",
      keepAlive: true,
      options: sessionOptions,
    });
    client = next;
    let isLost = false;
    const lose = (error?: unknown) => {
      if (isLost) return;
      isLost = true;
      if (!isClosed) log.warn(`The connection for ${purpose} the database was lost.`, { error });
      next.end().catch(() => undefined);
      onLost?.();
      clearTimeout(timer);
      schedule(connect, retryMs);
      retryMs = Math.min(maxRetryMs, 2 * retryMs);
    };
    const checkNow = async () => {
      try {
        await check(next);
      } catch (error) {
        lose(error);
        return;
      }
      if (isLost) return;
      retryMs = minRetryMs;
      schedule(checkNow, checkMs);
    };
    next.on("error", lose);
    next.on("end", () => lose());
    next.on("notification", ({ payload }) => onNotification?.(payload ?? ""));
    try {
      await next.connect();
    } catch (error) {
      lose(error);
      return;
    }
    if (!isClosed) await checkNow();
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

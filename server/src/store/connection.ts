import type { CompiledQuery, DatabaseConnection, Dialect } from "kysely";

/** One of the supported databases. */
export interface DatabaseSource {
  readonly dialect: Dialect;
  /** The name in messages. These may be shown to anyone, so it contains no path and no address. */
  readonly name: string;
  /** Reports whether the database file is missing or empty. Absent for a database that is not a file. */
  readonly missing?: () => "missing" | "empty" | undefined;
  /** SQL that keeps other processes from migrating until the transaction ends, if they can reach the database. */
  readonly migrationLock?: string;
  /** Whether no other process writes the database while it is open. */
  readonly isExclusive: boolean;
  /**
   * Calls `onPayload` for each notification on a channel, and `onConnected` whenever some may have been missed. Absent if
   * the database has no notifications.
   */
  readonly listen?: (
    channel: string,
    onPayload: (payload: string) => void,
    onConnected: () => void,
  ) => { close(): Promise<void> };
  /**
   * Takes a lock as soon as no other process holds it, and calls `onChange` when this process has got it or may have lost
   * it. Absent if no other process can use the database.
   */
  readonly hold?: (key: number, onChange: (isHeld: boolean) => void) => { close(): Promise<void> };
}

/** Creates a connection around `run`, which receives only strings that every database can store. */
export function createConnection(
  run: (sql: string, parameters: readonly unknown[]) => Promise<readonly unknown[]>,
): DatabaseConnection {
  return {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery) {
      return { rows: (await run(sql, parameters.map(toParameter))) as Row[] };
    },
    streamQuery() {
      throw new Error("Streaming queries are not supported.");
    },
  };
}

/** Replaces NUL characters and lone surrogates, which databases cannot store. Also applies to the values of queries. */
export function storableText(text: string): string {
  return /[\0\ud800-\udfff]/.test(text) ? Buffer.from(text.replaceAll("\0", "\ufffd")).toString() : text;
}

function toParameter(value: unknown): unknown {
  return typeof value === "string" ? storableText(value) : value;
}

/** Whether an error means that PostgreSQL is read-only, as a standby is. */
export function isReadOnly(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && cause.code === "25006";
}

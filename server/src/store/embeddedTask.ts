/**
 * The worker's side of the embedded database: SQLite compiled to WebAssembly, and one file.
 *
 * SQLite waits for the disk where it runs, and on the main thread everybody would wait with it. The file belongs to the
 * one process that holds the lock of the data folder, so it is locked for as long as it is open.
 */
import { chmodSync, closeSync, openSync, rmSync } from "node:fs";
import { Database, type Statement } from "node-sqlite3-wasm";
import type { Task } from "#platform/workers";

export type DatabaseCall =
  | { readonly kind: "open"; readonly file: string }
  | { readonly kind: "query"; readonly sql: string; readonly parameters: readonly Parameter[] }
  /** Where there is no transaction any more, because what went wrong has ended it, nothing happens. */
  | { readonly kind: "rollback" }
  | { readonly kind: "close" };

/** What SQLite can store. */
export type Parameter = number | bigint | string | Uint8Array | null;

/** The rows that the query gives; none for the other calls. */
export type DatabaseAnswer = readonly Readonly<Record<string, Parameter>>[];

/**
 * `locking_mode` comes first: without it, what several processes need to share a log would be set up, which this build
 * cannot. With `FULL`, what is committed stays when the power goes. A log that a restore has made long is cut off.
 */
const settings = `
  pragma locking_mode = exclusive;
  pragma journal_mode = wal;
  pragma synchronous = full;
  pragma foreign_keys = on;
  pragma journal_size_limit = 16777216;
`;

/** Preparing a statement costs more than running most of them. There are some forty, and a few that grow with batches. */
const maxStatements = 100;

export function createDatabaseTask(): Task<DatabaseCall, DatabaseAnswer> {
  let database: Database | undefined;
  const statements = new Map<string, Statement>();

  const prepared = (open: Database, sql: string): Statement => {
    const found = statements.get(sql);
    if (found !== undefined) {
      statements.delete(sql);
      statements.set(sql, found);
      return found;
    }
    const statement = open.prepare(sql);
    statements.set(sql, statement);
    const [oldest] = statements.keys();
    if (statements.size > maxStatements && oldest !== undefined) forget(oldest);
    return statement;
  };
  const forget = (sql: string) => {
    const statement = statements.get(sql);
    statements.delete(sql);
    try {
      statement?.finalize();
    } catch {
      // It tells once more what went wrong when it ran.
    }
  };

  return (call) => {
    switch (call.kind) {
      case "open":
        database = open(call.file);
        return [];
      case "close":
        for (const sql of [...statements.keys()]) forget(sql);
        database?.close();
        database = undefined;
        return [];
      case "rollback":
        if (database?.inTransaction) database.exec("rollback");
        return [];
      case "query": {
        if (database === undefined) throw new Error("The database is not open.");
        try {
          return prepared(database, call.sql).all([...call.parameters]) as DatabaseAnswer;
        } catch (error) {
          // One that has failed cannot always be used again.
          forget(call.sql);
          throw error;
        }
      }
    }
  };
}

function open(file: string): Database {
  // What a process that was killed has left: nobody else can have it, because ours holds the data folder.
  rmSync(`${file}.lock`, { recursive: true, force: true });
  closeSync(openSync(file, "a", 0o600));
  chmodSync(file, 0o600);
  const database = new Database(file);
  try {
    database.exec(settings);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

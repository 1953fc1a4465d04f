/**
 * The worker side of the embedded database: SQLite, compiled to WebAssembly, with one file.
 *
 * SQLite blocks its thread while it waits for the disk, so it does not run on the main thread. The file belongs to the
 * process that holds the lock of the data directory, so it stays locked while it is open.
 */
import { chmodSync, closeSync, fstatSync, openSync, readSync, rmSync } from "node:fs";
import { Database, type Statement } from "node-sqlite3-wasm";
import type { Task } from "#platform/serveTask";
import { DamagedDatabase } from "./embeddedFailure";
import { findWalDamage } from "./walCheck";

export type DatabaseCall =
  | { readonly kind: "open"; readonly file: string }
  | { readonly kind: "query"; readonly sql: string; readonly parameters: readonly Parameter[] }
  /** Does nothing if the error has already ended the transaction. */
  | { readonly kind: "rollback" }
  | { readonly kind: "close" };

/** A value that SQLite can store. */
export type Parameter = number | bigint | string | Uint8Array | null;

/** The rows of a query; empty for the other calls. */
export type DatabaseRows = readonly Readonly<Record<string, Parameter>>[];

/**
 * `locking_mode` comes first: otherwise SQLite would set up shared memory for the log, which this build does not
 * support. With `FULL`, committed data survives a power failure. A log that a restore has made long is truncated.
 */
const settings = `
  pragma locking_mode = exclusive;
  pragma journal_mode = wal;
  pragma synchronous = full;
  pragma foreign_keys = on;
  pragma journal_size_limit = 16777216;
`;

/**
 * Maximum number of cached statements. Preparing most of them takes longer than running them. There are about forty,
 * and a few whose length depends on the batch.
 */
const maxStatements = 100;

/** Returns the task of the database thread: one open database, and a cache of prepared statements (LRU). */
export function createDatabaseTask(): Task<DatabaseCall, DatabaseRows> {
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
    if (statements.size > maxStatements && oldest !== undefined) dropStatement(oldest);
    return statement;
  };
  const dropStatement = (sql: string) => {
    const statement = statements.get(sql);
    statements.delete(sql);
    try {
      statement?.finalize();
    } catch {
      // `finalize` repeats the error of the statement's last run.
    }
  };

  return (call) => {
    switch (call.kind) {
      case "open":
        database = open(call.file);
        return [];
      case "close":
        for (const sql of [...statements.keys()]) dropStatement(sql);
        database?.close();
        database = undefined;
        return [];
      case "rollback":
        if (database?.inTransaction) database.exec("rollback");
        return [];
      case "query": {
        if (database === undefined) throw new Error("The database is not open.");
        try {
          return prepared(database, call.sql).all([...call.parameters]) as DatabaseRows;
        } catch (error) {
          // A statement that has failed cannot always be reused.
          dropStatement(call.sql);
          throw error;
        }
      }
    }
  };
}

function open(file: string): Database {
  // A killed process may have left its lock. No other process can own it, because this one holds `owner.lock`.
  rmSync(`${file}.lock`, { recursive: true, force: true });
  checkFile(file);
  const database = new Database(file);
  try {
    database.exec(settings);
    checkTables(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

const magic = "SQLite format 3\0";

/**
 * Creates the file if there is none. Throws `DamagedDatabase` for damage that SQLite would not report: it treats a
 * short file as a new database, and ignores a log, or the end of one, whose checksums are wrong.
 */
function checkFile(file: string): void {
  const descriptor = openSync(file, "a+", 0o600);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw Object.assign(new Error("EISDIR: not a file"), { code: "EISDIR" });
    const head = Buffer.alloc(Math.min(stats.size, magic.length));
    readSync(descriptor, head, 0, head.length, 0);
    if (head.length > 0 && head.toString("latin1") !== magic)
      throw new DamagedDatabase("file is not a database");
  } finally {
    closeSync(descriptor);
  }
  chmodSync(file, 0o600);
  const damage = findWalDamage(`${file}-wal`);
  if (damage !== undefined) throw new DamagedDatabase(damage);
}

/** The tables that access depends on, all of them small. The audit log may be large, and is checked as it is read. */
const checkedTables = ["migration", "organisation", "member", "apiKey", "session"];

/**
 * Compares tables with their indexes, which contain every id, email address and hash a second time. Damage cannot be
 * detected otherwise, because pages have no checksums. Throws `DamagedDatabase`.
 */
function checkTables(database: Database): void {
  const found = new Set(
    database.all("select name from sqlite_master where type = 'table'").map(({ name }) => name),
  );
  for (const table of checkedTables) {
    if (!found.has(table)) continue;
    const [first] = database.all(`pragma integrity_check("${table}")`);
    const result = String(Object.values(first ?? {})[0]);
    if (result !== "ok") throw new DamagedDatabase(result);
  }
}

/** PostgreSQL, which several instances can share. Tested with version 15. */
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type TransactionSettings,
} from "kysely";
import { DatabaseError, Pool, type PoolClient, types } from "pg";
import { ServiceError } from "#base/error";
import type { Log } from "#platform/log";
import { createConnection, type DatabaseSource } from "./connection";
import { databaseNames } from "./lostOrganization";
import { holdPostgresLock, listenToPostgres } from "./postgresSessions";

/** Maximum size of a pool. More connections would only wait for each other. */
const defaultConnections = 8;
/** A reachable server accepts connections sooner. */
const connectMs = 5_000;
/** No query runs this long, but it may wait for a lock. */
const statementMs = 30_000;
/** Longer than `statementMs`, which the server enforces: a connection without a response by then is broken. */
const queryMs = 40_000;

/**
 * Our queries read a few hundred rows. Without statistics, the server expects thousands, and starting parallel workers
 * or the JIT compiler takes ten times as long as the query.
 */
const sessionOptions = "-c max_parallel_workers_per_gather=0 -c jit=off";

/** Maximum number of prepared statements per connection. About forty are used repeatedly. */
const maxPrepared = 100;
const maxPreparedLength = 2000;

/** Takes a lock whose number is arbitrary, but the same in every version. */
const migrationLock = "select pg_advisory_xact_lock(7237968)";

/** Describes the database at `url` (`postgres://…`, as psql accepts it). Connects with the first query. */
export function postgresDatabase(url: string, log: Log, maxConnections = defaultConnections): DatabaseSource {
  const pool = new Pool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    query_timeout: queryMs,
    application_name: "trawl",
    options: sessionOptions,
    keepAlive: true,
    types: { getTypeParser: (type) => (type === types.builtins.INT8 ? toNumber : types.getTypeParser(type)) },
  });
  // An error without a listener would end the process: that of a server that ends as it accepts a connection arrives
  // before the pool has handed it over. The first query reports it.
  pool.on("connect", (client) => client.on("error", () => undefined));
  // Only idle connections are reported here. The next query uses another one.
  pool.on("error", (error) => log.warn("A connection to the database was lost.", { error }));
  return {
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new PostgresPool(pool),
      createIntrospector: (database) => new PostgresIntrospector(database),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    name: databaseNames.postgres,
    migrationLock,
    isExclusive: false,
    listen: (channel, onPayload, onConnected) => listenToPostgres(url, channel, onPayload, onConnected, log),
    hold: (key, onChange) => holdPostgresLock(url, key, onChange, log),
  };
}

/** Connects to the database at `url`, and returns the version of its server. Throws ENGINE_UNAVAILABLE. */
export async function postgresVersion(url: string, log: Log): Promise<string> {
  const driver = postgresDatabase(url, log).dialect.createDriver();
  try {
    const connection = await driver.acquireConnection();
    try {
      const query = CompiledQuery.raw("select current_setting('server_version') as version");
      const { rows } = await connection.executeQuery<{ readonly version: string }>(query);
      return rows[0]?.version ?? "";
    } finally {
      await driver.releaseConnection(connection);
    }
  } finally {
    await driver.destroy();
  }
}

interface Lease {
  readonly client: PoolClient;
  /** Without this listener, a connection that breaks between two queries would end the process. */
  readonly onError: (error: Error) => void;
  isInTransaction: boolean;
  /** Set if the state of the connection is unknown, so that it must not be reused. */
  failure?: Error;
}

type Row = Readonly<Record<string, unknown>>;

class PostgresPool implements Driver {
  readonly #pool: Pool;
  readonly #leases = new WeakMap<DatabaseConnection, Lease>();
  /** Names of prepared statements by their SQL. */
  readonly #names = new Map<string, string>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const lease: Lease = {
      client: await this.#connect(),
      isInTransaction: false,
      onError: (error) => (lease.failure = error),
    };
    lease.client.on("error", lease.onError);
    const connection = createConnection((sql, parameters) => this.#query(lease, sql, [...parameters]));
    this.#leases.set(connection, lease);
    return connection;
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    const lease = this.#leases.get(connection);
    lease?.client.off("error", lease.onError);
    lease?.client.release(lease.failure);
  }

  async beginTransaction(
    connection: DatabaseConnection,
    { isolationLevel = "read committed" }: TransactionSettings,
  ): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`begin isolation level ${isolationLevel}`));
    this.#setInTransaction(connection, true);
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    this.#setInTransaction(connection, false);
    await connection.executeQuery(CompiledQuery.raw("commit"));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    this.#setInTransaction(connection, false);
    await connection.executeQuery(CompiledQuery.raw("rollback"));
  }

  destroy(): Promise<void> {
    return this.#pool.end();
  }

  #setInTransaction(connection: DatabaseConnection, value: boolean): void {
    const lease = this.#leases.get(connection);
    if (lease !== undefined) lease.isInTransaction = value;
  }

  async #query(lease: Lease, sql: string, values: readonly unknown[]): Promise<readonly Row[]> {
    const run = async (name: { readonly name?: string }) =>
      (await lease.client.query<Row>({ ...name, text: sql, values: [...values] })).rows;
    try {
      // The result of `*` changes if a newer version adds a column; within a transaction, it would be too late to retry.
      if (lease.isInTransaction && sql.includes("*")) return await run({});
      return await run(this.#named(sql)).catch((error) => {
        if (lease.isInTransaction || !isOutdated(error)) throw error;
        lease.failure = error;
        return run({});
      });
    } catch (error) {
      if (error instanceof Error && !isConnectionUsable(error)) lease.failure = error;
      throw toServiceError(error);
    }
  }

  /**
   * Names a statement, which keeps it prepared. Long statements get no name, because their text depends on the batch.
   */
  #named(sql: string): { readonly name?: string } {
    const known = this.#names.get(sql);
    if (known !== undefined) return { name: known };
    if (sql.length > maxPreparedLength || this.#names.size >= maxPrepared) return {};
    const name = `trawl${this.#names.size}`;
    this.#names.set(sql, name);
    return { name };
  }

  async #connect(): Promise<PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw toServiceError(error);
    }
  }
}

/** Parses a bigint. Throws a RangeError for an unsafe integer: counts and times are far smaller. */
function toNumber(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError(`The database contains ${text}, which is not a valid count or time.`);
}

/**
 * Whether the server rejected only the query, so that the connection is still usable. It is not if its prepared
 * statements are outdated, because a newer version has changed a table.
 */
function isConnectionUsable(error: Error): boolean {
  return error instanceof DatabaseError && !isOutdated(error);
}

/** Whether the server refuses a prepared statement, before running it, because a table has changed. */
function isOutdated(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && error.code === outdatedPlan;
}

/** SQLSTATE of a statement that was prepared before a table changed. */
const outdatedPlan = "0A000";

/**
 * SQLSTATE classes of a server that cannot be used: connection, authorization, missing database, resources, operator
 * intervention.
 */
const unavailable = new Set(["08", "28", "3D", "53", "57"]);

/** By SQLSTATE: what is wrong with a database that a person has to repair, and how. */
const broken: Readonly<Record<string, string>> = {
  "25006": "it is read-only. Make it writable",
  "28000": "its server does not accept this user from here. Check the user, and pg_hba.conf of the server",
  "28P01": "its server rejects the user or the password. Correct them",
  "3D000": "it does not exist. Create it, or correct its name",
  "42P01":
    'its tables are gone. Restore them with the tools of PostgreSQL, or stop Trawl and run "trawl restore FILE"',
  "53100": "the disk of its server is full. Free some space there",
  "58030": "the disk of its server reports an error",
  XX001: "it is damaged. Repair it with the tools of PostgreSQL",
  XX002: "an index of it is damaged. Repair it with the tools of PostgreSQL",
};

const noPassword = "The database cannot be used: its server requires a password. Set PGPASSWORD.";

function toServiceError(cause: unknown): ServiceError {
  const problem = cause instanceof DatabaseError ? broken[cause.code ?? ""] : undefined;
  if (problem !== undefined)
    return new ServiceError("ENGINE_UNAVAILABLE", `The database cannot be used: ${problem}.`, { cause });
  if (cause instanceof DatabaseError && !unavailable.has(cause.code?.slice(0, 2) ?? "")) {
    return new ServiceError("STORAGE_FAILED", `The database rejected the query: ${cause.message}`, { cause });
  }
  if (cause instanceof Error && cause.message.includes("client password must be"))
    return new ServiceError("ENGINE_UNAVAILABLE", noPassword, { cause });
  // Omits the message, which could reveal users and hosts to the caller.
  const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
  return new ServiceError("ENGINE_UNAVAILABLE", `The database does not respond${code}.`, { cause });
}

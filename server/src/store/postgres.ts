/** A database that several instances can share: PostgreSQL, tested with version 15. */
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
import { connectionOf } from "./connection";
import type { DatabaseSource } from "./openStore";

/** More at once would only wait for each other. */
const connectionsAtMost = 8;
/** A server that can be reached answers sooner. */
const connectMs = 5_000;
/** None of our queries takes so long, but one may wait for a lock. */
const statementMs = 30_000;
/** Who has not heard of the server's own limit by then hears nothing any more. */
const answerMs = 40_000;

/**
 * Every query of ours looks at a few hundred rows. Where the server's statistics are not there yet, it takes them for
 * thousands, and starting processes or a compiler for them takes ten times as long as the answer.
 */
const plainPlans = "-c max_parallel_workers_per_gather=0 -c jit=off";

/** There are some forty statements that are asked again and again. */
const maxPrepared = 100;
const maxPreparedLength = 2000;

/** Any number, the same in every Trawl. */
const migrationLock = "select pg_advisory_xact_lock(7237968)";

/** `url`: `postgres://…`, as psql takes it. Nothing is connected before the first query. */
export function postgresDatabase(url: string, log: Log): DatabaseSource {
  const pool = new Pool({
    connectionString: url,
    max: connectionsAtMost,
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    query_timeout: answerMs,
    application_name: "trawl",
    options: plainPlans,
    keepAlive: true,
    types: { getTypeParser: (type) => (type === types.builtins.INT8 ? toNumber : types.getTypeParser(type)) },
  });
  // It waited for work when it was cut off, and the next query takes another one.
  pool.on("error", (error) => log.warn("A connection to the database was lost.", { error }));
  return {
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new PostgresPool(pool),
      createIntrospector: (database) => new PostgresIntrospector(database),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    migrationLock,
    isOurs: false,
  };
}

interface Lent {
  readonly client: PoolClient;
  /** While nobody listens, a connection that breaks between two queries ends the process. */
  readonly onError: (error: Error) => void;
  /** Set where nobody knows what state it is in: it is not lent again. */
  broken?: Error;
}

class PostgresPool implements Driver {
  readonly #pool: Pool;
  readonly #lent = new WeakMap<DatabaseConnection, Lent>();
  /** By its text, the name under which a statement is prepared once for each connection. */
  readonly #names = new Map<string, string>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const lent: Lent = { client: await this.#connect(), onError: (error) => (lent.broken = error) };
    lent.client.on("error", lent.onError);
    const connection = connectionOf(async (sql, parameters) => {
      try {
        const query = { ...this.#named(sql), text: sql, values: [...parameters] };
        const { rows } = await lent.client.query<Readonly<Record<string, unknown>>>(query);
        return rows;
      } catch (error) {
        if (error instanceof Error && !isAnswer(error)) lent.broken = error;
        throw toServiceError(error);
      }
    });
    this.#lent.set(connection, lent);
    return connection;
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    const lent = this.#lent.get(connection);
    lent?.client.off("error", lent.onError);
    lent?.client.release(lent.broken);
  }

  async beginTransaction(
    connection: DatabaseConnection,
    { isolationLevel = "read committed" }: TransactionSettings,
  ): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`begin isolation level ${isolationLevel}`));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("commit"));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("rollback"));
  }

  destroy(): Promise<void> {
    return this.#pool.end();
  }

  /** Those that grow with what is written are many, and each is long: they are prepared whenever they are needed. */
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

/** Counts and times are far below what a number can hold. */
function toNumber(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError(`The database holds ${text}, which is no count and no time.`);
}

/** Whether the server has looked at the query, and will at the next one: not where a newer Trawl has changed a table. */
function isAnswer(error: Error): boolean {
  return error instanceof DatabaseError && error.code !== outdatedPlan;
}

/** Of a statement that was prepared before a table had another column. */
const outdatedPlan = "0A000";

/**
 * Classes of SQLSTATE in which the server says that it cannot be used: connection, authorisation, no such database,
 * resources, intervention of its operator.
 */
const unavailable = new Set(["08", "28", "3D", "53", "57"]);

function toServiceError(cause: unknown): ServiceError {
  if (cause instanceof DatabaseError && !unavailable.has(cause.code?.slice(0, 2) ?? "")) {
    return new ServiceError("STORAGE_FAILED", `The database refuses: ${cause.message}`, { cause });
  }
  // Its text could name users and machines to whoever asks.
  const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
  return new ServiceError("ENGINE_UNAVAILABLE", `The database does not answer${code}.`, { cause });
}

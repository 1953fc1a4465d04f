/** The embedded database: a file in the data directory, used on a thread of its own. */
import { statSync } from "node:fs";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { isServiceError, ServiceError } from "#base/error";
import { Limiter } from "#base/limiter";
import type { Thread } from "#platform/workerThread";
import { createConnection, type DatabaseSource } from "./connection";
import { embeddedFailure } from "./embeddedFailure";
import type { DatabaseCall, DatabaseRows, Parameter } from "./embeddedTask";
import { databaseNames } from "./lostOrganization";

type DatabaseThread = Thread<DatabaseCall, DatabaseRows>;

/**
 * Describes the database in `file`, an absolute path. The process must hold the lock of its folder. `startThread`
 * starts a thread that runs `createDatabaseTask`.
 */
export function embeddedDatabase(file: string, startThread: () => DatabaseThread): DatabaseSource {
  return {
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new EmbeddedDriver(file, startThread),
      createIntrospector: (database) => new SqliteIntrospector(database),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
    name: databaseNames.embedded,
    missing: () => {
      const size = statSync(file, { throwIfNoEntry: false })?.size;
      return size === undefined ? "missing" : size === 0 ? "empty" : undefined;
    },
    isExclusive: true,
  };
}

/** One connection, used by one transaction at a time. */
class EmbeddedDriver implements Driver {
  readonly #file: string;
  readonly #startThread: () => DatabaseThread;
  readonly #limiter = new Limiter(1);
  /** Absent if the thread has ended unexpectedly; the next connection starts another. */
  #thread: DatabaseThread | undefined;
  #release = () => {};
  #isClosed = false;

  constructor(file: string, startThread: () => DatabaseThread) {
    this.#file = file;
    this.#startThread = startThread;
  }

  init(): Promise<void> {
    return this.#open();
  }

  acquireConnection(): Promise<DatabaseConnection> {
    return new Promise((resolve, reject) => {
      this.#limiter
        .run(async () => {
          if (this.#isClosed) throw closed();
          if (this.#thread === undefined) await this.#open();
          await new Promise<void>((release) => {
            this.#release = release;
            resolve(this.#connection);
          });
        })
        .catch(reject);
    });
  }

  async releaseConnection(): Promise<void> {
    this.#release();
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    // A deferred transaction takes the write lock only at its first write, and could fail there.
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("commit"));
  }

  async rollbackTransaction(): Promise<void> {
    await this.#run({ kind: "rollback" });
  }

  async destroy(): Promise<void> {
    this.#isClosed = true;
    try {
      await this.#run({ kind: "close" });
    } finally {
      // Terminating a thread that has just closed its file could crash the process.
      await this.#thread?.end();
    }
  }

  readonly #connection = createConnection((sql, parameters) =>
    this.#run({ kind: "query", sql, parameters: parameters as readonly Parameter[] }),
  );

  async #open(): Promise<void> {
    const thread = this.#startThread();
    this.#thread = thread;
    try {
      await this.#run({ kind: "open", file: this.#file });
    } catch (error) {
      this.#thread = undefined;
      await thread.end();
      throw error;
    }
  }

  async #run(call: DatabaseCall): Promise<DatabaseRows> {
    const thread = this.#thread;
    if (thread === undefined) throw closed();
    try {
      return await thread.run(call);
    } catch (cause) {
      if (isServiceError(cause, "ENGINE_UNAVAILABLE")) {
        if (this.#thread === thread) this.#thread = undefined;
        throw cause;
      }
      throw embeddedFailure(this.#file, cause);
    }
  }
}

function closed(): ServiceError {
  return new ServiceError("ENGINE_UNAVAILABLE", "The database was closed.");
}

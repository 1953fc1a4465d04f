/** The database in this process's own data folder, on a thread of its own. */
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
import type { Thread } from "#platform/workers";
import { connectionOf } from "./connection";
import type { DatabaseAnswer, DatabaseCall, Parameter } from "./embeddedTask";
import type { DatabaseSource } from "./openStore";

type DatabaseThread = Thread<DatabaseCall, DatabaseAnswer>;

/** `file`: absolute. The process must hold the lock of its folder. `startThread`: one that runs `createDatabaseTask`. */
export function embeddedDatabase(file: string, startThread: () => DatabaseThread): DatabaseSource {
  return {
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new EmbeddedDriver(file, startThread),
      createIntrospector: (database) => new SqliteIntrospector(database),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
    isOurs: true,
  };
}

/** One connection, which everybody takes in turn. */
class EmbeddedDriver implements Driver {
  readonly #file: string;
  readonly #startThread: () => DatabaseThread;
  readonly #turns = new Limiter(1);
  /** Absent where it has ended under us: whoever comes next starts another. */
  #thread: DatabaseThread | undefined;
  #leave = () => {};
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
      this.#turns
        .run(async () => {
          if (this.#isClosed) throw closed();
          if (this.#thread === undefined) await this.#open();
          await new Promise<void>((leave) => {
            this.#leave = leave;
            resolve(this.#connection);
          });
        })
        .catch(reject);
    });
  }

  async releaseConnection(): Promise<void> {
    this.#leave();
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    // One that only becomes a writer with its first change could be refused there.
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
      // Stopped from outside, a thread that has just closed its file could take the process along.
      await this.#thread?.end();
    }
  }

  readonly #connection = connectionOf((sql, parameters) =>
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

  async #run(call: DatabaseCall): Promise<DatabaseAnswer> {
    const thread = this.#thread;
    if (thread === undefined) throw closed();
    try {
      return await thread.run(call);
    } catch (cause) {
      if (isServiceError(cause, "ENGINE_UNAVAILABLE")) {
        if (this.#thread === thread) this.#thread = undefined;
        throw cause;
      }
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new ServiceError("STORAGE_FAILED", `${this.#file}: ${reason}`, { cause });
    }
  }
}

function closed(): ServiceError {
  return new ServiceError("ENGINE_UNAVAILABLE", "The database was closed.");
}

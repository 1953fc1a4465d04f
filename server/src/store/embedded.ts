/** The database in this process's own data folder, on a thread of its own. */
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { ServiceError } from "#base/error";
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
  };
}

/** One connection, which everybody takes in turn. */
class EmbeddedDriver implements Driver {
  readonly #file: string;
  readonly #startThread: () => DatabaseThread;
  readonly #turns = new Limiter(1);
  #thread: DatabaseThread | undefined;
  #leave = () => {};

  constructor(file: string, startThread: () => DatabaseThread) {
    this.#file = file;
    this.#startThread = startThread;
  }

  async init(): Promise<void> {
    this.#thread = this.#startThread();
    await this.#run({ kind: "open", file: this.#file });
  }

  acquireConnection(): Promise<DatabaseConnection> {
    return new Promise((resolve, reject) => {
      this.#turns
        .run(
          () =>
            new Promise<void>((leave) => {
              this.#leave = leave;
              resolve(this.#connection);
            }),
        )
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

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("rollback"));
  }

  async destroy(): Promise<void> {
    try {
      await this.#run({ kind: "close" });
    } finally {
      await this.#thread?.close();
    }
  }

  readonly #connection = connectionOf((sql, parameters) =>
    this.#run({ kind: "query", sql, parameters: parameters as readonly Parameter[] }),
  );

  async #run(call: DatabaseCall): Promise<DatabaseAnswer> {
    if (this.#thread === undefined) throw new Error("The database is not open.");
    try {
      return await this.#thread.run(call);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new ServiceError("STORAGE_FAILED", `${this.#file}: ${reason}`, { cause });
    }
  }
}

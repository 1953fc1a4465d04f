import { Kysely, sql } from "kysely";
import type { Clock } from "#platform/clock";
import { type DatabaseSource, storableText } from "./connection";
import { indexJobs } from "./indexJobs";
import type { IndexQueue, QueueTopic } from "./indexQueue";
import { createQueueTables } from "./indexQueueTables";
import type { Database, DatabaseTransaction, Tables } from "./tables";

/** The channel of PostgreSQL's notifications. */
const channel = "trawl_index";
/** Of the lock that the feeder holds: arbitrary, but the same in every version. */
const feederLock = 7_237_969;
/** Databases limit the number of parameters of a statement. */
const maxNames = 500;

/**
 * Opens the queue of index jobs, and creates its tables if they do not exist. Throws ENGINE_UNAVAILABLE
 * and STORAGE_FAILED.
 */
export async function openIndexQueue(source: DatabaseSource, clock: Clock): Promise<IndexQueue> {
  const database = new Kysely<Tables>({ dialect: source.dialect });
  try {
    await createQueueTables(database, source);
  } catch (error) {
    await database.destroy();
    throw error;
  }
  const wakes = new Map<QueueTopic, Set<() => void>>();
  const wakeAll = () => {
    for (const topic of wakes.keys()) wake(topic);
  };
  const wake = (topic: QueueTopic) => {
    for (const call of wakes.get(topic) ?? []) call();
  };
  const listener = source.listen?.(channel, (payload) => wake(payload as QueueTopic), wakeAll);
  let lock: { close(): Promise<void> } | undefined;
  const notify = async (transaction: DatabaseTransaction, topic: QueueTopic) => {
    if (listener === undefined) setImmediate(() => wake(topic));
    else await sql`select pg_notify(${channel}, ${topic})`.execute(transaction);
  };
  return {
    ...indexJobs(database, { clock, isShared: !source.isExclusive, notify }),
    ...clusterNodes(database, clock, notify),
    ...repositoryIds(database, source),
    becomeFeeder(onChange) {
      if (source.hold === undefined) onChange(true);
      else lock = source.hold(feederLock, onChange);
    },
    subscribe(topic, call) {
      const calls = wakes.get(topic) ?? new Set();
      wakes.set(topic, calls.add(call));
      return () => {
        calls.delete(call);
      };
    },
    async close() {
      await lock?.close();
      await listener?.close();
      await database.destroy();
    },
  };
}

function repositoryIds(database: Database, { migrationLock }: DatabaseSource): Pick<IndexQueue, "idsOf"> {
  const read = (connection: Database, names: readonly string[]) =>
    connection.selectFrom("clusterRepository").selectAll().where("name", "in", names).execute();
  return {
    async idsOf(names) {
      const ids = new Map<string, number>();
      const add = (rows: readonly { readonly id: number; readonly name: string }[]) => {
        for (const { id, name } of rows) ids.set(name, id);
      };
      // Rows contain names as they were stored.
      const stored = [...new Set(names.map(storableText))];
      for (let at = 0; at < stored.length; at += maxNames) {
        const chunk = stored.slice(at, at + maxNames);
        const missing = () => chunk.filter((name) => !ids.has(name));
        add(await read(database, chunk));
        if (missing().length > 0)
          await database.transaction().execute(async (transaction) => {
            if (migrationLock !== undefined) await sql.raw(migrationLock).execute(transaction);
            add(await read(transaction, missing()));
            if (missing().length === 0) return;
            const { last } = await transaction
              .selectFrom("clusterRepository")
              .select(({ fn }) => fn.max("id").as("last"))
              .executeTakeFirstOrThrow();
            const rows = missing().map((name, index) => ({ id: Number(last ?? 0) + 1 + index, name }));
            await transaction.insertInto("clusterRepository").values(rows).execute();
            add(rows);
          });
      }
      return new Map(names.map((name) => [name, ids.get(storableText(name)) as number]));
    },
  };
}

function clusterNodes(
  database: Database,
  clock: Clock,
  notify: (transaction: DatabaseTransaction, topic: QueueTopic) => Promise<void>,
): Pick<IndexQueue, "nodes" | "setDrained" | "recordSeen"> {
  return {
    async nodes() {
      const rows = await database.selectFrom("clusterNode").selectAll().orderBy("name").execute();
      return rows.map(({ name, isDrained, seenAt }) => ({
        name,
        isDrained: isDrained === 1,
        ...(seenAt === null ? {} : { seenAt }),
      }));
    },
    setDrained: (name, isDrained) =>
      database.transaction().execute(async (transaction) => {
        const state = { isDrained: isDrained ? 1 : 0 };
        await transaction
          .insertInto("clusterNode")
          .values({ name, ...state, seenAt: null })
          .onConflict((conflict) => conflict.column("name").doUpdateSet(state))
          .execute();
        await notify(transaction, "nodes");
      }),
    async recordSeen(name) {
      const seenAt = clock.now();
      await database
        .insertInto("clusterNode")
        .values({ name, isDrained: 0, seenAt })
        .onConflict((conflict) => conflict.column("name").doUpdateSet({ seenAt }))
        .execute();
    },
  };
}

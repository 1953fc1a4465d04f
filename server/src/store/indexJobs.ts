/** The queries about index jobs. `indexQueue.ts` describes them. */
import { type ExpressionBuilder, sql } from "kysely";
import type { Clock } from "#platform/clock";
import { newIdentifier } from "./identifier";
import type {
  IndexJob,
  IndexJobReport,
  IndexJobState,
  IndexQueue,
  NodeJobs,
  QueueTopic,
  RevisionCommit,
  WantedIndex,
} from "./indexQueue";
import type { Database, DatabaseTransaction, IndexJobRow, Tables } from "./tables";

type JobQueries = Pick<
  IndexQueue,
  | "want"
  | "unwant"
  | "take"
  | "renew"
  | "complete"
  | "fail"
  | "release"
  | "nextDueAt"
  | "reports"
  | "leaving"
  | "placements"
  | "recover"
  | "backlog"
  | "failures"
  | "counts"
  | "countUnderReplicated"
>;

export interface IndexJobsOptions {
  readonly clock: Clock;
  /** Whether other processes use the database, so that rows must be locked. */
  readonly isShared: boolean;
  /** Tells all processes about a change, once the transaction has been committed. */
  readonly notify: (transaction: DatabaseTransaction, topic: QueueTopic) => Promise<void>;
}

/** Databases limit the number of parameters of a statement. */
const maxRows = 500;
const maxReasonLength = 1000;
const maxShownReason = 300;

export function indexJobs(database: Database, { clock, isShared, notify }: IndexJobsOptions): JobQueries {
  /** Changes the job if this process holds its lease. */
  const changeHeld = (job: IndexJob, change: (version: IsCurrent) => Partial<IndexJobRow>) =>
    database.transaction().execute(async (transaction) => {
      const row = await held(transaction, job, isShared);
      if (row === undefined) return false;
      const isCurrent = row.version === job.version;
      await transaction
        .updateTable("indexJob")
        .set({ lease: null, ...change(isCurrent) })
        .where("repositoryId", "=", job.repositoryId)
        .where("node", "=", job.node)
        .execute();
      await notify(transaction, "reported");
      if (!isCurrent) await notify(transaction, `wanted ${job.node}`);
      return true;
    });
  return {
    async want(wanted, { isForced = false, dueAt = clock.now() } = {}) {
      for (let at = 0; at < wanted.length; at += maxRows) {
        const rows = wanted.slice(at, at + maxRows).map((each) => newRow(each, clock.now(), dueAt));
        await database.transaction().execute(async (transaction) => {
          const changed = await upsert(transaction, rows, isForced);
          for (const node of new Set(changed)) await notify(transaction, `wanted ${node}`);
        });
      }
    },
    unwant: (repositoryId, { exceptNodes = [], dueAt = clock.now() } = {}) =>
      database.transaction().execute(async (transaction) => {
        const jobs = transaction
          .updateTable("indexJob")
          .set(({ ref }) => ({
            wanted: "[]",
            lastError: null,
            attempts: 0,
            wantedAt: clock.now(),
            version: sql<number>`${ref("version")} + 1`,
            state: whileRunning<IndexJobState>(ref("state"), "waiting"),
            dueAt: whileRunning<number | null>(ref("dueAt"), dueAt),
          }))
          .where("repositoryId", "=", repositoryId)
          .where("wanted", "!=", "[]");
        const others = exceptNodes.length === 0 ? jobs : jobs.where("node", "not in", [...exceptNodes]);
        const changed = await others.returning("node").execute();
        for (const { node } of changed) await notify(transaction, `wanted ${node}`);
      }),
    take: (node, leaseMs) =>
      database.transaction().execute(async (transaction) => {
        const now = clock.now();
        const due = transaction
          .selectFrom("indexJob")
          .selectAll()
          .where("node", "=", node)
          .where("dueAt", "<=", now)
          .orderBy("dueAt")
          .orderBy("repositoryId")
          .limit(1);
        const row = await (isShared ? due.forUpdate().skipLocked() : due).executeTakeFirst();
        if (row === undefined) return undefined;
        const taken = { attempts: row.attempts + 1, lease: newIdentifier(now) };
        await transaction
          .updateTable("indexJob")
          .set({ ...taken, state: "running", dueAt: now + leaseMs })
          .where("repositoryId", "=", row.repositoryId)
          .where("node", "=", node)
          .execute();
        return toJob({ ...row, ...taken });
      }),
    renew: async (job, leaseMs) => {
      const row = await database
        .updateTable("indexJob")
        .set({ dueAt: clock.now() + leaseMs })
        .where("repositoryId", "=", job.repositoryId)
        .where("node", "=", job.node)
        .where("lease", "=", job.lease)
        .returning("node")
        .executeTakeFirst();
      return row !== undefined;
    },
    async complete(job) {
      const isDone = await changeHeld(job, (isCurrent) => ({
        indexed: job.revisions.length === 0 ? null : JSON.stringify(job.revisions),
        attempts: 0,
        lastError: null,
        ...(isCurrent
          ? { state: "indexed" as const, dueAt: null }
          : { state: "waiting" as const, dueAt: clock.now() }),
      }));
      if (isDone && job.revisions.length === 0)
        await database
          .deleteFrom("indexJob")
          .where("repositoryId", "=", job.repositoryId)
          .where("node", "=", job.node)
          .where("state", "=", "indexed")
          .where("wanted", "=", "[]")
          .execute();
      return isDone;
    },
    fail: (job, reason, retryAt) =>
      changeHeld(job, (isCurrent) =>
        isCurrent
          ? { state: "failed", dueAt: retryAt, lastError: reason.slice(0, maxReasonLength) }
          : { state: "waiting", dueAt: clock.now() },
      ),
    async release(job) {
      await changeHeld(job, () => ({ state: "waiting", dueAt: clock.now(), attempts: job.attempts - 1 }));
    },
    async nextDueAt(node) {
      const row = await database
        .selectFrom("indexJob")
        .select("dueAt")
        .where("node", "=", node)
        .where("dueAt", "is not", null)
        .orderBy("dueAt")
        .limit(1)
        .executeTakeFirst();
      return row?.dueAt ?? undefined;
    },
    async reports(repositoryIds) {
      if (repositoryIds.length === 0) return [];
      const rows = await database
        .selectFrom("indexJob")
        .selectAll()
        .where("repositoryId", "in", [...repositoryIds])
        .orderBy("repositoryId")
        .orderBy("node")
        .execute();
      return rows.map(toReport);
    },
    leaving: async (nodes) =>
      nodes.length === 0
        ? []
        : await database
            .selectFrom("indexJob")
            .select(["repositoryId", "node"])
            // The index has these columns: all jobs that are not done have a time.
            .where("node", "in", [...nodes])
            .where("dueAt", "is not", null)
            .where("wanted", "=", "[]")
            .execute(),
    placements: () =>
      database
        .selectFrom("indexJob")
        .select(["repositoryId", "node"])
        .where("wanted", "!=", "[]")
        .orderBy("repositoryId")
        .orderBy("node")
        .execute(),
    async recover(node, present) {
      const rows = await database
        .selectFrom("indexJob")
        .select("repositoryId")
        .where("node", "=", node)
        .where("wanted", "!=", "[]")
        .where("indexed", "is not", null)
        .orderBy("repositoryId")
        .execute();
      const lost = rows.map(({ repositoryId }) => repositoryId).filter((id) => !present.has(id));
      for (let at = 0; at < lost.length; at += maxRows)
        await database.transaction().execute(async (transaction) => {
          await transaction
            .updateTable("indexJob")
            .set(({ ref }) => ({
              indexed: null,
              wantedAt: clock.now(),
              version: sql<number>`${ref("version")} + 1`,
              state: whileRunning<IndexJobState>(ref("state"), "waiting"),
              dueAt: whileRunning<number | null>(ref("dueAt"), clock.now()),
            }))
            .where("node", "=", node)
            .where("repositoryId", "in", lost.slice(at, at + maxRows))
            // It may have changed meanwhile.
            .where("wanted", "!=", "[]")
            .execute();
          await notify(transaction, `wanted ${node}`);
        });
      return lost.length;
    },
    async backlog(node) {
      const { count, oldestAt } = await database
        .selectFrom("indexJob")
        .select(({ fn, eb }) => [
          fn
            .countAll<number>()
            .filterWhere(eb("state", "!=", "running"))
            .as("count"),
          fn
            .min("wantedAt")
            .filterWhere(eb("wanted", "!=", "[]"))
            .as("oldestAt"),
        ])
        .where("node", "=", node)
        .where("dueAt", "is not", null)
        .executeTakeFirstOrThrow();
      return { waitingCount: Number(count), ...(oldestAt === null ? {} : { oldestAt: Number(oldestAt) }) };
    },
    async failures(nodes) {
      if (nodes.length === 0) return [];
      const rows = await database
        .selectFrom("indexJob")
        .select(["name", "node", sql<string>`substr("lastError", 1, ${maxShownReason})`.as("lastError")])
        .where("node", "in", [...nodes])
        .where("dueAt", "is not", null)
        .where("lastError", "is not", null)
        .where("wanted", "!=", "[]")
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom("indexJob as other")
                .select("other.node")
                .whereRef("other.repositoryId", "=", "indexJob.repositoryId")
                .where("other.node", "in", [...nodes])
                .where("other.wanted", "!=", "[]")
                .where((eb) => eb.or([eb("other.dueAt", "is", null), eb("other.lastError", "is", null)])),
            ),
          ),
        )
        .execute();
      const key = ({ name, node }: { readonly name: string; readonly node: string }) => `${name} ${node}`;
      return rows.sort((left, right) => (key(left) < key(right) ? -1 : 1));
    },
    counts: () => countJobs(database),
    async countUnderReplicated(replicas) {
      const { count } = await database
        .selectFrom(({ selectFrom }) =>
          selectFrom("indexJob")
            .select("repositoryId")
            .where("wanted", "!=", "[]")
            .groupBy("repositoryId")
            .having((eb) => eb.fn.count<number>("indexJob.indexed"), "<", replicas)
            .as("short"),
        )
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      return Number(count);
    },
  };
}

/** Whether the job wants the same as when it was taken. */
type IsCurrent = boolean;

/** Keeps a value while an indexer holds the job: when that reports, it learns that something else is wanted now. */
function whileRunning<Value>(old: unknown, value: Value) {
  return sql<Value>`case when "indexJob"."state" = 'running' then ${old} else ${value} end`;
}

async function upsert(
  transaction: DatabaseTransaction,
  rows: readonly IndexJobRow[],
  isForced: boolean,
): Promise<string[]> {
  const changed = await transaction
    .insertInto("indexJob")
    .values([...rows])
    .onConflict((conflict) => {
      const update = conflict.columns(["repositoryId", "node"]).doUpdateSet(({ ref }) => ({
        name: ref("excluded.name"),
        source: ref("excluded.source"),
        maxFileBytes: ref("excluded.maxFileBytes"),
        wanted: ref("excluded.wanted"),
        wantedAt: ref("excluded.wantedAt"),
        version: sql<number>`"indexJob"."version" + 1`,
        attempts: 0,
        lastError: null,
        state: whileRunning<IndexJobState>(ref("indexJob.state"), "waiting"),
        dueAt: whileRunning<number | null>(ref("indexJob.dueAt"), rows[0]?.dueAt ?? null),
      }));
      return isForced ? update : update.where(isDifferent);
    })
    .returning("node")
    .execute();
  return changed.map(({ node }) => node);
}

type Upserted = Tables & { readonly excluded: IndexJobRow };

function isDifferent({ or, eb }: ExpressionBuilder<Upserted, "indexJob" | "excluded">) {
  const columns = ["name", "source", "maxFileBytes", "wanted"] as const;
  return or(columns.map((column) => eb(`indexJob.${column}`, "!=", eb.ref(`excluded.${column}`))));
}

function held(
  transaction: DatabaseTransaction,
  { repositoryId, node, lease }: IndexJob,
  isShared: boolean,
): Promise<IndexJobRow | undefined> {
  const query = transaction
    .selectFrom("indexJob")
    .selectAll()
    .where("repositoryId", "=", repositoryId)
    .where("node", "=", node)
    .where("lease", "=", lease);
  return (isShared ? query.forUpdate() : query).executeTakeFirst();
}

async function countJobs(database: Database): Promise<readonly NodeJobs[]> {
  const rows = await database
    .selectFrom("indexJob")
    .select(({ fn }) => ["node", "state", fn.countAll<number>().as("count"), fn.min("wantedAt").as("oldest")])
    .groupBy(["node", "state"])
    .execute();
  const nodes = new Map<string, { counts: Record<IndexJobState, number>; oldestAt?: number }>();
  for (const { node, state, count, oldest } of rows) {
    const known = nodes.get(node) ?? { counts: { waiting: 0, running: 0, failed: 0, indexed: 0 } };
    known.counts[state] = Number(count);
    if (state !== "indexed")
      known.oldestAt = Math.min(known.oldestAt ?? Number.POSITIVE_INFINITY, Number(oldest));
    nodes.set(node, known);
  }
  return [...nodes].map(([node, jobs]) => ({ node, ...jobs }));
}

function newRow(
  { repositoryId, node, name, source, maxFileBytes, revisions }: WantedIndex,
  wantedAt: number,
  dueAt: number,
): IndexJobRow {
  const job = { repositoryId, node, name, source, maxFileBytes, wanted: textOf(revisions) };
  const state = { indexed: null, version: 1, state: "waiting", attempts: 0, lease: null } as const;
  return { ...job, ...state, wantedAt, dueAt, lastError: null };
}

function textOf(revisions: readonly RevisionCommit[]): string {
  return JSON.stringify(revisions.map(({ name, commit }) => ({ name, commit })));
}

function toJob(row: IndexJobRow): IndexJob {
  const { repositoryId, node, name, source, maxFileBytes, attempts, version, lease } = row;
  const revisions = JSON.parse(row.wanted) as RevisionCommit[];
  return {
    ...{ repositoryId, node, name, source, maxFileBytes, revisions, attempts, version },
    lease: lease ?? "",
  };
}

function toReport({ repositoryId, node, state, attempts, ...row }: IndexJobRow): IndexJobReport {
  return {
    repositoryId,
    node,
    state,
    wanted: JSON.parse(row.wanted),
    ...(row.indexed === null ? {} : { indexed: JSON.parse(row.indexed) }),
    attempts,
    ...(row.lastError === null ? {} : { lastError: row.lastError }),
  };
}

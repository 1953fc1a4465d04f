import { throwIfAborted } from "#base/error";
import type { AuditMetadata, AuditRecord, NewAuditRecord } from "#model/audit";
import type { Clock } from "#platform/clock";
import { newIdentifier } from "./identifier";
import type { AuditLogStore } from "./store";
import { type AuditRecordRow, type Database, type DatabaseTransaction, organisationId } from "./tables";
import { count, endOfTime, locate, removeEmptyCounts } from "./timeCounts";

export interface AuditLogOptions {
  readonly clock: Clock;
  /** Of the Trawl that writes. */
  readonly version: string;
}

/** Written, or deleted, in one transaction: some 20 ms of the embedded database. */
export const rowsAtOnce = 500;

/** No name of a file or of a repository is longer; what somebody sends in place of one may be. */
const maxTextLength = 4096;

interface Waiting {
  readonly record: AuditRecord;
  readonly resolve: (record: AuditRecord) => void;
  readonly reject: (error: unknown) => void;
}

/** Writes a record, if there is one, into the transaction of the change that it tells of. */
export type Recorder = (
  transaction: DatabaseTransaction,
  record: NewAuditRecord | undefined,
) => Promise<void>;

export function auditRecorder(options: AuditLogOptions): Recorder {
  return async (transaction, record) => {
    if (record !== undefined) await insertRecords(transaction, [toRow(wholeRecord(record, options))]);
  };
}

export function auditLogStore(database: Database, options: AuditLogOptions): AuditLogStore {
  const waiting: Waiting[] = [];
  let isWriting = false;

  /** Whatever has come while one batch was written is the next one. */
  const write = async () => {
    isWriting = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, rowsAtOnce);
      try {
        const rows = batch.map(({ record }) => toRow(record));
        await database.transaction().execute((transaction) => insertRecords(transaction, rows));
        for (const { record, resolve } of batch) resolve(record);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isWriting = false;
  };

  return {
    append: (record) =>
      new Promise((resolve, reject) => {
        waiting.push({ record: wholeRecord(record, options), resolve, reject });
        if (!isWriting) write().catch(reject);
      }),
    page: ({ since = 0, until = endOfTime - 1, page, perPage }) =>
      database
        .transaction()
        .setIsolationLevel("repeatable read")
        .execute(async (transaction) => {
          const stretch = { start: Math.max(0, since), end: Math.min(until + 1, endOfTime) };
          const { total, place } = await locate(transaction, stretch, (page - 1) * perPage);
          if (place === undefined) return { items: [], total };
          const rows = await transaction
            .selectFrom("auditRecord")
            .selectAll()
            .where("timestamp", ">=", place.start)
            .where("timestamp", "<", place.end)
            .orderBy("timestamp", "desc")
            .orderBy("id", "desc")
            .limit(perPage)
            .offset(place.skip)
            .execute();
          return { items: rows.map(toRecord), total };
        }),
    async removeBefore(time, signal) {
      for (let removed = 0; ; ) {
        throwIfAborted(signal);
        const step = await removeSome(database, time);
        removed += step;
        if (step < rowsAtOnce) return removed;
      }
    },
  };
}

function wholeRecord(record: NewAuditRecord, { clock, version }: AuditLogOptions): AuditRecord {
  const timestamp = clock.now();
  return {
    ...record,
    id: newIdentifier(timestamp),
    timestamp,
    targetId: record.targetId.slice(0, maxTextLength),
    serviceVersion: version,
    orgId: organisationId,
  };
}

/** Writes records, and counts them. */
export async function insertRecords(
  transaction: DatabaseTransaction,
  rows: readonly AuditRecordRow[],
): Promise<void> {
  await transaction.insertInto("auditRecord").values(rows).execute();
  const times = rows.map(({ timestamp }) => timestamp);
  await count(transaction, times, 1);
}

/** Deletes some of the oldest records before `time`; gives how many. */
async function removeSome(database: Database, time: number): Promise<number> {
  return await database.transaction().execute(async (transaction) => {
    const old = await transaction
      .selectFrom("auditRecord")
      .select(["timestamp", "id"])
      .where("timestamp", "<", time)
      .orderBy("timestamp")
      .orderBy("id")
      .limit(rowsAtOnce)
      .execute();
    const last = old.at(-1);
    if (last === undefined) return 0;
    const gone = await transaction
      .deleteFrom("auditRecord")
      .where((row) => row(row.refTuple("timestamp", "id"), "<=", row.tuple(last.timestamp, last.id)))
      .returning("timestamp")
      .execute();
    await count(
      transaction,
      gone.map(({ timestamp }) => timestamp),
      -1,
    );
    await removeEmptyCounts(transaction, last.timestamp);
    return gone.length;
  });
}

function toRow({ orgId, metadata, ...rest }: AuditRecord): AuditRecordRow {
  return {
    ...rest,
    organisationId: orgId,
    metadata: metadata === null ? null : JSON.stringify(metadata),
  };
}

function toRecord(row: AuditRecordRow): AuditRecord {
  const { organisationId: orgId, metadata, ...rest } = row;
  return { ...rest, orgId, metadata: metadata === null ? null : (JSON.parse(metadata) as AuditMetadata) };
}

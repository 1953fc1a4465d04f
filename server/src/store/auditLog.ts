import { throwIfAborted } from "#base/error";
import type { AuditMetadata, AuditRecord, NewAuditRecord } from "#model/audit";
import type { Clock } from "#platform/clock";
import { newIdentifier } from "./identifier";
import type { AuditLogStore } from "./store";
import { type AuditRecordRow, type Database, type DatabaseTransaction, organizationId } from "./tables";
import { addToCounts, endOfTime, findPosition, removeEmptyCounts } from "./timeCounts";

export interface AuditLogOptions {
  readonly clock: Clock;
  /** Trawl's version, which each record contains. */
  readonly version: string;
}

/** Maximum number of rows that one transaction inserts or deletes: about 20 ms in the embedded database. */
export const rowsAtOnce = 500;

/** Maximum length of a target id, in UTF-16 code units. Real names are shorter, but callers may send longer texts. */
const maxTextLength = 4096;

interface PendingRecord {
  readonly record: AuditRecord;
  readonly resolve: (record: AuditRecord) => void;
  readonly reject: (error: unknown) => void;
}

/** Writes a record, if any, in the transaction of the change that it describes. */
export type AuditWriter = (
  transaction: DatabaseTransaction,
  record: NewAuditRecord | undefined,
) => Promise<void>;

export function auditWriter(options: AuditLogOptions): AuditWriter {
  return async (transaction, record) => {
    if (record !== undefined) await insertRecords(transaction, [toRow(completeRecord(record, options))]);
  };
}

export function auditLogStore(database: Database, options: AuditLogOptions): AuditLogStore {
  const pending: PendingRecord[] = [];
  let isWriting = false;

  /** Writes pending records in batches. Those that arrive while a batch is written form the next one. */
  const write = async () => {
    isWriting = true;
    while (pending.length > 0) {
      const batch = pending.splice(0, rowsAtOnce);
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
        pending.push({ record: completeRecord(record, options), resolve, reject });
        if (!isWriting) write().catch(reject);
      }),
    page: ({ since = 0, until = endOfTime - 1, page, perPage }) =>
      database
        .transaction()
        .setIsolationLevel("repeatable read")
        .execute(async (transaction) => {
          const range = { start: Math.max(0, since), end: Math.min(until + 1, endOfTime) };
          const { total, position } = await findPosition(transaction, range, (page - 1) * perPage);
          if (position === undefined) return { items: [], total };
          const rows = await transaction
            .selectFrom("auditRecord")
            .selectAll()
            .where("timestamp", ">=", position.start)
            .where("timestamp", "<", position.end)
            .orderBy("timestamp", "desc")
            .orderBy("id", "desc")
            .limit(perPage)
            .offset(position.skip)
            .execute();
          return { items: rows.map(toRecord), total };
        }),
    async removeBefore(time, signal) {
      for (let removed = 0; ; ) {
        throwIfAborted(signal);
        const step = await removeBatch(database, time);
        removed += step;
        if (step < rowsAtOnce) return removed;
      }
    },
  };
}

function completeRecord(record: NewAuditRecord, { clock, version }: AuditLogOptions): AuditRecord {
  const timestamp = clock.now();
  return {
    ...record,
    id: newIdentifier(timestamp),
    timestamp,
    targetId: record.targetId.slice(0, maxTextLength),
    serviceVersion: version,
    orgId: organizationId,
  };
}

/** Inserts records and updates their counts. */
export async function insertRecords(
  transaction: DatabaseTransaction,
  rows: readonly AuditRecordRow[],
): Promise<void> {
  await transaction.insertInto("auditRecord").values(rows).execute();
  const times = rows.map(({ timestamp }) => timestamp);
  await addToCounts(transaction, times, 1);
}

/** Deletes a batch of the oldest records before `time`. Returns how many were deleted. */
async function removeBatch(database: Database, time: number): Promise<number> {
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
    const deleted = await transaction
      .deleteFrom("auditRecord")
      .where((row) => row(row.refTuple("timestamp", "id"), "<=", row.tuple(last.timestamp, last.id)))
      .returning("timestamp")
      .execute();
    await addToCounts(
      transaction,
      deleted.map(({ timestamp }) => timestamp),
      -1,
    );
    await removeEmptyCounts(transaction, last.timestamp);
    return deleted.length;
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

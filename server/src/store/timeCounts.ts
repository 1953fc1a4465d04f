/**
 * Counts the audit records in a time range and finds the n-th of them, reading at most a few hundred rows however many
 * records there are. Counting a million rows directly would take a tenth of a second.
 *
 * `auditCount` contains a count for each time span with records, on three levels: 65.5 s, 70 min and 75 h. A span
 * contains 64 spans of the level below and starts at a multiple of its length. A range is divided into as few spans as
 * possible: long ones in the middle, shorter ones toward its ends. What remains at both ends is shorter than the
 * shortest span, and its records are counted directly.
 */
import { sql } from "kysely";
import type { Database, DatabaseTransaction } from "./tables";

/** In milliseconds, the shortest first. */
const spans = [2 ** 16, 2 ** 22, 2 ** 28] as const;

/** After the latest possible date, and the end of a span on every level. */
export const endOfTime = Math.ceil(8.64e15 / 2 ** 28) * 2 ** 28;

/** Half-open, in milliseconds since 1970. */
export interface TimeRange {
  readonly start: number;
  readonly end: number;
}

/** Adjacent spans of one level; level -1 means the records themselves. */
interface Piece extends TimeRange {
  readonly level: number;
}

interface CountedPiece extends Piece {
  readonly count: number;
}

/** A range, and how many of its newest records precede the requested one. */
export interface RecordPosition extends TimeRange {
  readonly skip: number;
}

/** Adds `sign` to the counts of the spans that contain each time. */
export async function addToCounts(
  transaction: DatabaseTransaction,
  times: readonly number[],
  sign: 1 | -1,
): Promise<void> {
  const changes = new Map<string, { readonly level: number; readonly start: number; count: number }>();
  for (const time of times) {
    for (const [level, span] of spans.entries()) {
      const start = Math.floor(time / span) * span;
      const change = changes.get(`${level} ${start}`);
      if (change === undefined) changes.set(`${level} ${start}`, { level, start, count: sign });
      else change.count += sign;
    }
  }
  // Always in the same order, so that two processes cannot deadlock.
  const rows = [...changes.values()].sort((a, b) => a.level - b.level || a.start - b.start);
  if (rows.length === 0) return;
  await transaction
    .insertInto("auditCount")
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(["level", "start"]).doUpdateSet((row) => ({
        count: row("auditCount.count", "+", row.ref("excluded.count")),
      })),
    )
    .execute();
}

/** Deletes the counts of empty spans that begin at or before `time`. */
export async function removeEmptyCounts(transaction: DatabaseTransaction, time: number): Promise<void> {
  for (const level of spans.keys()) {
    await transaction
      .deleteFrom("auditCount")
      .where("level", "=", level)
      .where("start", "<=", time)
      .where("count", "<=", 0)
      .execute();
  }
}

/**
 * Returns the number of records in a range, and the position of the one that follows the `offset` newest. The position
 * is undefined if there are fewer.
 */
export async function findPosition(
  database: Database,
  range: TimeRange,
  offset: number,
): Promise<{ readonly total: number; readonly position: RecordPosition | undefined }> {
  let pieces = await countPieces(database, [...divide(range, spans.length - 1)]);
  const total = pieces.reduce((sum, piece) => sum + piece.count, 0);
  let skip = offset;
  for (;;) {
    const found = pieces.find(({ count }) => {
      if (skip < count) return true;
      skip -= count;
      return false;
    });
    if (found === undefined) return { total, position: undefined };
    // Older records of the range follow those of the span.
    if (found.level <= 0) return { total, position: { start: range.start, end: found.end, skip } };
    pieces = await countPieces(database, [{ ...found, level: found.level - 1 }]);
  }
}

/** Divides a range into pieces, newest first, with spans of `level` and shorter ones. */
function* divide({ start, end }: TimeRange, level: number): Generator<Piece> {
  if (start >= end) return;
  const span = spans[level];
  if (span === undefined) {
    yield { level, start, end };
    return;
  }
  const first = Math.ceil(start / span) * span;
  const last = Math.floor(end / span) * span;
  if (first >= last) {
    yield* divide({ start, end }, level - 1);
    return;
  }
  yield* divide({ start: last, end }, level - 1);
  yield { level, start: first, end: last };
  yield* divide({ start, end: first }, level - 1);
}

/**
 * Returns the spans of all pieces with their counts, newest first. In one query, because on a busy database each query
 * waits longer than it runs.
 */
async function countPieces(database: Database, pieces: readonly Piece[]): Promise<CountedPiece[]> {
  const [first, ...others] = pieces.map((piece) => countsOf(database, piece));
  if (first === undefined) return [];
  const rows = await others.reduce((all, each) => all.unionAll(each), first).execute();
  return rows.sort((a, b) => b.start - a.start);
}

function countsOf(database: Database, { level, start, end }: Piece) {
  const span = spans[level];
  if (span === undefined) {
    return database
      .selectFrom("auditRecord")
      .select(({ fn }) => [
        literalOf(level).as("level"),
        literalOf(start).as("start"),
        literalOf(end).as("end"),
        fn.countAll<number>().as("count"),
      ])
      .where("timestamp", ">=", start)
      .where("timestamp", "<", end);
  }
  return database
    .selectFrom("auditCount")
    .select((row) => [
      literalOf(level).as("level"),
      "start",
      row("start", "+", literalOf(span)).as("end"),
      "count",
    ])
    .where("level", "=", level)
    .where("start", ">=", start)
    .where("start", "<", end);
}

/** Casts a number to a bigint, because PostgreSQL treats a selected parameter as text. */
function literalOf(value: number) {
  return sql<number>`cast(${value} as bigint)`;
}

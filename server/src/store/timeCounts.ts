/**
 * How many audit records there are in a stretch of time, and when the n-th of them was: both without looking at more
 * than a few hundred rows, however many records there are. Counting a million takes a tenth of a second.
 *
 * `auditCount` holds a count for each span of time with records in it, on three levels: 65.5 s, 70 min and 75 h. A span
 * of one level has 64 of the one below, and starts at a multiple of its length. A stretch is cut into as few spans as
 * possible: long ones in the middle, shorter ones towards its ends, and at both ends less than the shortest, whose
 * records are counted themselves.
 */
import { sql } from "kysely";
import type { Database, DatabaseTransaction } from "./tables";

/** In milliseconds, the shortest first. */
const spans = [2 ** 16, 2 ** 22, 2 ** 28] as const;

/** After every moment that a date can name, and where a span of each level ends: nothing is cut off there. */
export const endOfTime = Math.ceil(8.64e15 / 2 ** 28) * 2 ** 28;

/** From `start` on, and before `end`; milliseconds since 1970. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** Spans of a level that lie together; level -1 is the records themselves. */
interface Piece extends Stretch {
  readonly level: number;
}

interface CountedPiece extends Piece {
  readonly count: number;
}

/** A stretch in which the records that are looked for begin after the newest `skip`. */
export interface Place extends Stretch {
  readonly skip: number;
}

/** Adds `sign` for each of `times` to the counts of the spans that it lies in. */
export async function count(
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
  // Always in the same order: two processes that each wait for a row of the other would wait for ever.
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

/** Takes away the counts of spans in which nothing is left, of those that begin up to `time`. */
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
 * How many records a stretch has, and where the one lies that `offset` newer ones of it precede: no place where there
 * are not so many.
 */
export async function locate(
  database: Database,
  stretch: Stretch,
  offset: number,
): Promise<{ readonly total: number; readonly place: Place | undefined }> {
  let pieces = await countPieces(database, [...cut(stretch, spans.length - 1)]);
  const total = pieces.reduce((sum, piece) => sum + piece.count, 0);
  let skip = offset;
  for (;;) {
    const found = pieces.find(({ count }) => {
      if (skip < count) return true;
      skip -= count;
      return false;
    });
    if (found === undefined) return { total, place: undefined };
    // Older records of the stretch follow on those of the span.
    if (found.level <= 0) return { total, place: { start: stretch.start, end: found.end, skip } };
    pieces = await countPieces(database, [{ ...found, level: found.level - 1 }]);
  }
}

/** The pieces of a stretch, newest first, of spans of `level` and shorter ones. */
function* cut({ start, end }: Stretch, level: number): Generator<Piece> {
  if (start >= end) return;
  const span = spans[level];
  if (span === undefined) {
    yield { level, start, end };
    return;
  }
  const first = Math.ceil(start / span) * span;
  const last = Math.floor(end / span) * span;
  if (first >= last) {
    yield* cut({ start, end }, level - 1);
    return;
  }
  yield* cut({ start: last, end }, level - 1);
  yield { level, start: first, end: last };
  yield* cut({ start, end: first }, level - 1);
}

/**
 * The spans of all pieces with their counts, newest first. In one question: where the database is busy, each one waits
 * longer than its answer takes.
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
        constant(level).as("level"),
        constant(start).as("start"),
        constant(end).as("end"),
        fn.countAll<number>().as("count"),
      ])
      .where("timestamp", ">=", start)
      .where("timestamp", "<", end);
  }
  return database
    .selectFrom("auditCount")
    .select((row) => [
      constant(level).as("level"),
      "start",
      row("start", "+", constant(span)).as("end"),
      "count",
    ])
    .where("level", "=", level)
    .where("start", ">=", start)
    .where("start", "<", end);
}

/** PostgreSQL takes what is only selected for a text unless it is told. */
function constant(value: number) {
  return sql<number>`cast(${value} as bigint)`;
}

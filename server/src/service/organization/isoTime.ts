/** Formats milliseconds since 1970 as ISO 8601 in UTC, such as `2026-11-22T06:00:00.000Z`; `undefined` becomes null. */
export function isoTime(time: number): string;
export function isoTime(time: number | undefined): string | null;
export function isoTime(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString();
}

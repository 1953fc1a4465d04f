/** Milliseconds since 1970 as ISO 8601, in UTC: `2026-11-22T06:00:00.000Z`. What never was is null. */
export function moment(time: number): string;
export function moment(time: number | undefined): string | null;
export function moment(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString();
}

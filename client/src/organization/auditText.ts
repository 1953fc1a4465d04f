/** Text of audit records: the filter, export formats, and times of input fields. Pure: does not use VS Code. */
import type { AuditRecord } from "#contract/organization";

/** Returns whether `texts` together contain all words of `filter`, ignoring case. An empty filter matches. */
export function matchesFilter(texts: readonly string[], filter: string): boolean {
  const text = texts.join("\n").toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

const columns = [
  "timestamp",
  "action",
  "actorType",
  "actorId",
  "targetType",
  "targetId",
  "metadata",
  "serviceVersion",
  "orgId",
  "id",
] as const;

/** An export format: text before the first record, between records and after the last, and the text of a record. */
export interface AuditFormat {
  readonly start: string;
  readonly separator: string;
  readonly end: string;
  readonly textOf: (record: AuditRecord) => string;
}

/** CSV according to RFC 4180. */
export const csv: AuditFormat = {
  start: `${columns.join(",")}\r\n`,
  separator: "",
  end: "",
  textOf: (record) => `${columns.map((name) => cell(record[name])).join(",")}\r\n`,
};

/** A JSON array, one record per line. */
export const json: AuditFormat = {
  start: "[",
  separator: ",",
  end: "\n]\n",
  textOf: (record) => `\n${JSON.stringify(record)}`,
};

function cell(value: unknown): string {
  const text = value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
  // Records contain untrusted text, such as paths; a spreadsheet would evaluate a formula.
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Parses the value of a `datetime-local` field to milliseconds since 1970; `undefined` if it is not a time. */
export function parseLocalTime(field: string): number | undefined {
  const time = /^\d{4,6}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(field)
    ? new Date(field).getTime()
    : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** Formats milliseconds since 1970 as the value of a `datetime-local` field, to the minute. */
export function formatLocalTime(time: number): string {
  const date = new Date(time);
  const twoDigits = (value: number) => String(value).padStart(2, "0");
  const days = `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
  return `${days}T${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
}

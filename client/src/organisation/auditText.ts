/** Records of the audit log as text: what a filter looks at, and files to keep. Pure: knows no VS Code. */
import type { AuditRecord } from "#contract/organisation";

/** Whether the words of `filter` all stand in one of `texts`. An empty filter finds everything. */
export function isFound(texts: readonly string[], filter: string): boolean {
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

/** A file in parts: what comes before all records, what each is, what stands between two, and what comes last. */
export interface AuditFormat {
  readonly start: string;
  readonly between: string;
  readonly end: string;
  readonly textOf: (record: AuditRecord) => string;
}

/** As RFC 4180 has it. */
export const csv: AuditFormat = {
  start: `${columns.join(",")}\r\n`,
  between: "",
  end: "",
  textOf: (record) => `${columns.map((name) => cell(record[name])).join(",")}\r\n`,
};

/** An array, one record a line. */
export const json: AuditFormat = {
  start: "[",
  between: ",",
  end: "\n]\n",
  textOf: (record) => `\n${JSON.stringify(record)}`,
};

function cell(value: unknown): string {
  const text = value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
  // Somebody chose the path of a file; a spreadsheet would run what looks like a formula.
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Milliseconds since 1970 of a time in the person's own zone, as a field gives it; undefined where there is none. */
export function timeOf(field: string): number | undefined {
  const time = /^\d{4,6}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(field)
    ? new Date(field).getTime()
    : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** The other way round, to the minute. */
export function fieldOf(time: number): string {
  const date = new Date(time);
  const two = (value: number) => String(value).padStart(2, "0");
  const days = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${days}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

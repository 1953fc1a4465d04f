/** Records of the audit log as text: what a filter looks at, and files to keep. Pure: knows no VS Code. */
import type { AuditRecord } from "#contract/organisation";

/** Whether the words of `filter` all stand in who did what to what. An empty filter finds everything. */
export function isFound(record: AuditRecord, filter: string): boolean {
  const { action, actorId, actorType, targetId, targetType } = record;
  const text = [action, actorId, actorType, targetId, targetType].join(" ").toLowerCase();
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

/** As RFC 4180 has it. */
export function toCsv(records: readonly AuditRecord[]): string {
  const lines = records.map((record) => columns.map((name) => cell(record[name])).join(","));
  return `${[columns.join(","), ...lines].join("\r\n")}\r\n`;
}

function cell(value: unknown): string {
  const text = value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
  // Somebody chose the path of a file; a spreadsheet would run what looks like a formula.
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

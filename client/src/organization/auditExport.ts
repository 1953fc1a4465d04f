/** Exports the audit log to a file, page by page: into a temporary file that is renamed once it is complete. */
import { randomBytes } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import type * as vscode from "vscode";
import type { ServiceClient } from "#client/server/serviceClient";
import { auditPages, type TimeRange } from "./auditRecords";
import { type AuditFormat, csv, json } from "./auditText";

export interface ExportOptions {
  readonly service: Pick<ServiceClient, "call">;
  readonly range: TimeRange;
  readonly token: vscode.CancellationToken;
  readonly onProgress: (written: number, total: number) => void;
}

/**
 * Writes CSV, or JSON if `path` ends in `.json`. Returns the number of records; `undefined` if canceled. An existing file
 * is replaced only by a complete export.
 */
export async function exportAudit(path: string, options: ExportOptions): Promise<number | undefined> {
  const temporaryPath = `${path}.${randomBytes(6).toString("hex")}.part`;
  // Readable by its owner only, even in a shared folder.
  const file = await open(temporaryPath, "wx", 0o600);
  try {
    const written = await writeAll(file, path.endsWith(".json") ? json : csv, options);
    await file.close();
    if (written !== undefined) await rename(temporaryPath, path);
    return written;
  } finally {
    await file.close();
    await rm(temporaryPath, { force: true });
  }
}

async function writeAll(
  file: FileHandle,
  { start, separator, end, textOf }: AuditFormat,
  { service, range, token, onProgress }: ExportOptions,
): Promise<number | undefined> {
  let written = 0;
  await file.write(start);
  for await (const { items, total } of auditPages(service, range, token)) {
    if (token.isCancellationRequested) return undefined;
    const text = items.map(textOf).join(separator);
    await file.write(written > 0 && text !== "" ? `${separator}${text}` : text);
    written += items.length;
    onProgress(written, total);
  }
  await file.write(end);
  return written;
}

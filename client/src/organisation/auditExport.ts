/** The audit log as a file, however long it is: written beside its place, which it takes when it is whole. */
import { randomBytes } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import type * as vscode from "vscode";
import type { ServiceClient } from "#client/serviceClient";
import { auditPages, type Span } from "./auditRecords";
import { type AuditFormat, csv, json } from "./auditText";

export interface ExportOptions {
  readonly service: Pick<ServiceClient, "call">;
  readonly span: Span;
  readonly token: vscode.CancellationToken;
  readonly onProgress: (written: number, total: number) => void;
}

/** Gives how many records were written; undefined where it was cancelled. A file that is there stays until then. */
export async function exportAudit(path: string, options: ExportOptions): Promise<number | undefined> {
  const draft = `${path}.${randomBytes(6).toString("hex")}.part`;
  // Who may read the log is not everybody who may read the folder.
  const file = await open(draft, "wx", 0o600);
  try {
    const written = await writeAll(file, path.endsWith(".json") ? json : csv, options);
    await file.close();
    if (written !== undefined) await rename(draft, path);
    return written;
  } finally {
    await file.close();
    await rm(draft, { force: true });
  }
}

async function writeAll(
  file: FileHandle,
  { start, between, end, textOf }: AuditFormat,
  { service, span, token, onProgress }: ExportOptions,
): Promise<number | undefined> {
  let written = 0;
  await file.write(start);
  for await (const { items, total } of auditPages(service, span, token)) {
    if (token.isCancellationRequested) return undefined;
    const text = items.map(textOf).join(between);
    await file.write(written > 0 && text !== "" ? `${between}${text}` : text);
    written += items.length;
    onProgress(written, total);
  }
  await file.write(end);
  return written;
}

import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { ServiceError, throwIfAborted } from "#base/error";
import { diskFiles, type Files, flushRename } from "#platform/files";
import { backupFormat, type Header, type Line, maxPartLength } from "./backupFormat";
import { appliedMigrations } from "./migrate";
import type { BackupCounts, BackupTexts } from "./store";
import type { AuditRecordRow, Database } from "./tables";

export interface BackupOptions {
  /** Absolute path. */
  readonly file: string;
  /** Trawl's version, for the header. */
  readonly version: string;
  readonly now: number;
  readonly signal?: AbortSignal | undefined;
  readonly texts?: BackupTexts | undefined;
  readonly files?: Files;
}

/** Records per query: about 10 ms, during which the embedded database serves no other query. */
const recordsAtOnce = 1000;

/**
 * Writes a backup (`backupFormat.ts`). Throws CANCELLED, and STORAGE_FAILED if the file cannot be written; an existing
 * file is replaced only by a complete backup.
 */
export async function writeBackup(database: Database, options: BackupOptions): Promise<BackupCounts> {
  const { file, signal, files = diskFiles } = options;
  let counts: BackupCounts = { members: 0, apiKeys: 0, auditRecords: 0 };
  async function* lines() {
    for await (const batch of backupLines(database, options)) {
      for (const line of batch) if ("end" in line) counts = line.end;
      yield batch.map((line) => `${JSON.stringify(line)}\n`).join("");
    }
  }
  const draft = `${file}.draft`;
  try {
    const descriptor = files.create(draft);
    try {
      await pipeline(Readable.from(lines()), createGzip(), async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) files.write(descriptor, chunk);
      });
      files.fsync(descriptor);
    } finally {
      files.close(descriptor);
    }
    files.rename(draft, file);
    flushRename(files, file);
    return counts;
  } catch (cause) {
    files.remove(draft);
    throwIfAborted(signal);
    if (cause instanceof ServiceError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ServiceError("STORAGE_FAILED", `Cannot write the backup: ${reason}`, { cause });
  }
}

function* textLines(texts: BackupTexts): Generator<Line> {
  for (const [name, text] of Object.entries(texts)) {
    for (let at = 0; at < text.length; at += maxPartLength) {
      yield { text: { name, part: text.slice(at, at + maxPartLength) } };
    }
  }
}

/**
 * Yields all lines. Reads members and keys in one snapshot, then the records up to that moment page by page, because
 * records never change. The header names the latest migration of the database: a newer version may have added columns,
 * which are in the rows.
 */
async function* backupLines(
  database: Database,
  { version, now, signal, texts = {} }: BackupOptions,
): AsyncGenerator<readonly (Header | Line)[]> {
  const { migrations, organizations, members, apiKeys, newest } = await database
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute(async (transaction) => ({
      migrations: await appliedMigrations(transaction),
      organizations: await transaction
        .selectFrom("organisation")
        .select(["id", "uuid", "name", "license", "latestTime"])
        .execute(),
      members: await transaction.selectFrom("member").selectAll().orderBy("id").execute(),
      apiKeys: await transaction.selectFrom("apiKey").selectAll().orderBy("id").execute(),
      newest: await transaction
        .selectFrom("auditRecord")
        .select(["timestamp", "id"])
        .orderBy("timestamp", "desc")
        .orderBy("id", "desc")
        .limit(1)
        .executeTakeFirst(),
    }));
  yield [{ format: backupFormat, version, migration: migrations.at(-1) ?? "", createdAt: now }];
  for (const line of textLines(texts)) yield [line];
  yield organizations.map((organisation) => ({ organisation }));
  yield members.map((member) => ({ member }));
  yield apiKeys.map((apiKey) => ({ apiKey }));
  let auditRecords = 0;
  let last: Pick<AuditRecordRow, "timestamp" | "id"> | undefined;
  while (newest !== undefined) {
    throwIfAborted(signal);
    const after = last;
    const rows = await database
      .selectFrom("auditRecord")
      .selectAll()
      .where((row) => row(row.refTuple("timestamp", "id"), "<=", row.tuple(newest.timestamp, newest.id)))
      .$if(after !== undefined, (query) =>
        query.where((row) =>
          row(row.refTuple("timestamp", "id"), ">", row.tuple(after?.timestamp ?? 0, after?.id ?? "")),
        ),
      )
      .orderBy("timestamp")
      .orderBy("id")
      .limit(recordsAtOnce)
      .execute();
    yield rows.map((auditRecord) => ({ auditRecord }));
    auditRecords += rows.length;
    last = rows.at(-1);
    if (last === undefined) break;
  }
  yield [{ end: { members: members.length, apiKeys: apiKeys.length, auditRecords } }];
}

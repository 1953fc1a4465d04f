import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import { ServiceError, throwIfAborted } from "#base/error";
import { type AuditWriter, insertRecords, rowsAtOnce } from "./auditLog";
import { Header, Line } from "./backupFormat";
import { latestMigration } from "./migrate";
import type { BackupCounts, BackupTexts, RestoreOptions } from "./store";
import {
  type ApiKeyRow,
  type AuditRecordRow,
  type Database,
  type DatabaseTransaction,
  lockOrganization,
  type MemberRow,
  organizationId,
  recordRemoval,
} from "./tables";

export interface ReadOptions extends RestoreOptions {
  /** Absolute path. */
  readonly file: string;
  readonly now: number;
  readonly write: AuditWriter;
}

/** Longer than any line: a line contains one row, whose target id has at most 4096 characters, or a part of a text. */
const maxLineLength = 1024 * 1024;
/** Far longer than the texts of an instance with 100,000 mirrors. */
const maxTextLength = 256 * 1024 * 1024;

/** Implements `Store.restore`. */
export async function readBackup(database: Database, options: ReadOptions): Promise<BackupCounts> {
  const { file, replace, record, useTexts, now, write, signal } = options;
  return await database.transaction().execute(async (transaction) => {
    await lockOrganization(transaction);
    if (!replace && !(await isNew(transaction))) {
      throw restoreError(
        "There are members, API keys or audit records already, which the backup would replace.",
      );
    }
    const lines = readLines(file);
    const first = await lines.next();
    checkHeader(first.done ? undefined : first.value, file);
    await removeEverything(transaction);
    const rows = new RowsToWrite(transaction);
    const texts = new Texts(file);
    let end: BackupCounts | undefined;
    for await (const line of lines) {
      throwIfAborted(signal);
      const { data } = Line.safeParse(line);
      if (data === undefined || end !== undefined) throw damagedBackup(file);
      if ("end" in data) end = data.end;
      else if ("text" in data) texts.add(data.text);
      else await rows.add(data);
    }
    await rows.write();
    const { counts } = rows;
    const isWhole =
      end?.members === counts.members &&
      end.apiKeys === counts.apiKeys &&
      end.auditRecords === counts.auditRecords;
    if (!isWhole) throw damagedBackup(file);
    await recordRemoval(transaction, now);
    await write(transaction, record?.(counts));
    useTexts?.(texts.all());
    return counts;
  });
}

type RowLine = Exclude<Line, { readonly end: unknown } | { readonly text: unknown }>;

/** Joins the parts of texts. */
class Texts {
  readonly #file: string;
  readonly #parts = new Map<string, string[]>();
  #length = 0;

  constructor(file: string) {
    this.#file = file;
  }

  add({ name, part }: { readonly name: string; readonly part: string }): void {
    this.#length += part.length;
    if (this.#length > maxTextLength) throw damagedBackup(this.#file);
    const parts = this.#parts.get(name) ?? [];
    parts.push(part);
    this.#parts.set(name, parts);
  }

  all(): BackupTexts {
    return Object.fromEntries([...this.#parts].map(([name, parts]) => [name, parts.join("")]));
  }
}

/** Inserts rows in batches. */
class RowsToWrite {
  readonly #transaction: DatabaseTransaction;
  #members: MemberRow[] = [];
  #apiKeys: ApiKeyRow[] = [];
  #auditRecords: AuditRecordRow[] = [];
  #written: BackupCounts = { members: 0, apiKeys: 0, auditRecords: 0 };

  constructor(transaction: DatabaseTransaction) {
    this.#transaction = transaction;
  }

  get counts(): BackupCounts {
    return this.#written;
  }

  async add(line: RowLine): Promise<void> {
    if ("organisation" in line) {
      const { uuid, name, license, latestTime } = line.organisation;
      await this.#transaction
        .updateTable("organisation")
        .set({ name, license, latestTime, ...(uuid === undefined ? {} : { uuid }) })
        .where("id", "=", organizationId)
        .execute();
    } else if ("member" in line) this.#members.push(line.member);
    else if ("apiKey" in line) this.#apiKeys.push(line.apiKey);
    else this.#auditRecords.push(line.auditRecord);
    const pending = this.#members.length + this.#apiKeys.length + this.#auditRecords.length;
    if (pending >= rowsAtOnce) await this.write();
  }

  /** Inserts the pending rows: members first, because keys refer to them. */
  async write(): Promise<void> {
    const [members, apiKeys, auditRecords] = [this.#members, this.#apiKeys, this.#auditRecords];
    [this.#members, this.#apiKeys, this.#auditRecords] = [[], [], []];
    if (members.length > 0) await this.#transaction.insertInto("member").values(members).execute();
    if (apiKeys.length > 0) await this.#transaction.insertInto("apiKey").values(apiKeys).execute();
    if (auditRecords.length > 0) await insertRecords(this.#transaction, auditRecords);
    this.#written = {
      members: this.#written.members + members.length,
      apiKeys: this.#written.apiKeys + apiKeys.length,
      auditRecords: this.#written.auditRecords + auditRecords.length,
    };
  }
}

/** Whether the instance was started, but never used. */
async function isNew(transaction: DatabaseTransaction): Promise<boolean> {
  const members = await transaction.selectFrom("member").select("id").limit(2).execute();
  const key = await transaction.selectFrom("apiKey").select("id").limit(1).executeTakeFirst();
  const record = await transaction.selectFrom("auditRecord").select("id").limit(1).executeTakeFirst();
  return members.length < 2 && key === undefined && record === undefined;
}

async function removeEverything(transaction: DatabaseTransaction): Promise<void> {
  for (const table of ["browserSession", "apiKey", "member", "auditRecord", "auditCount"] as const) {
    await transaction.deleteFrom(table).execute();
  }
}

function checkHeader(line: unknown, file: string): void {
  const { data } = Header.safeParse(line);
  if (data === undefined) throw restoreError(`${file} is not a backup of Trawl.`);
  if (data.migration <= latestMigration) return;
  throw restoreError(
    `${file} was written by Trawl ${data.version}, which is newer: it contains "${data.migration}", but this ` +
      `version supports migrations up to "${latestMigration}".`,
  );
}

/** Parses the lines of a backup. Throws INVALID_REQUEST_BODY if the file is missing or not a backup. */
async function* readLines(file: string): AsyncGenerator<unknown> {
  const source = createReadStream(file);
  const content = source.pipe(createGunzip());
  source.on("error", (error) => content.destroy(error));
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > maxLineLength) throw damagedBackup(file);
      for (const line of lines) yield JSON.parse(line) as unknown;
    }
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw restoreError(`Cannot read ${file} as a backup: ${reason}`, cause);
  } finally {
    source.destroy();
  }
  if (rest !== "") throw damagedBackup(file);
}

function damagedBackup(file: string): ServiceError {
  return restoreError(`${file} is damaged or incomplete. Nothing was restored.`);
}

function restoreError(message: string, cause?: unknown): ServiceError {
  return new ServiceError("INVALID_REQUEST_BODY", message, { cause });
}

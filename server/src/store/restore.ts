import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import { ServiceError, throwIfAborted } from "#base/error";
import { insertRecords, type Recorder, rowsAtOnce } from "./auditLog";
import { Header, Line } from "./backupFormat";
import { latestMigration } from "./migrate";
import type { BackupCounts, RestoreOptions } from "./store";
import {
  type ApiKeyRow,
  type AuditRecordRow,
  type Database,
  type DatabaseTransaction,
  lockOrganisation,
  type MemberRow,
  noteRemoval,
  organisationId,
} from "./tables";

export interface ReadOptions extends RestoreOptions {
  /** Absolute. */
  readonly file: string;
  readonly now: number;
  readonly write: Recorder;
}

/** A line of a backup holds one row, of which the longest text has 4096 characters and some metadata. */
const maxLineLength = 1024 * 1024;

export async function readBackup(database: Database, options: ReadOptions): Promise<BackupCounts> {
  const { file, replace, record, now, write, signal } = options;
  return await database.transaction().execute(async (transaction) => {
    await lockOrganisation(transaction);
    if (!replace && !(await isNew(transaction))) {
      throw refused("There are members, API keys or audit records here already, which it would replace.");
    }
    const lines = linesOf(file);
    const first = await lines.next();
    checkHeader(first.done ? undefined : first.value, file);
    await removeEverything(transaction);
    const rows = new RowsToWrite(transaction);
    let end: BackupCounts | undefined;
    for await (const line of lines) {
      throwIfAborted(signal);
      const { data } = Line.safeParse(line);
      if (data === undefined || end !== undefined) throw damaged(file);
      if ("end" in data) end = data.end;
      else await rows.add(data);
    }
    await rows.write();
    const { counts } = rows;
    const isWhole =
      end?.members === counts.members &&
      end.apiKeys === counts.apiKeys &&
      end.auditRecords === counts.auditRecords;
    if (!isWhole) throw damaged(file);
    await noteRemoval(transaction, now);
    await write(transaction, record?.(counts));
    return counts;
  });
}

type RowLine = Exclude<Line, { readonly end: unknown }>;

/** Rows on their way into the tables, many at once. */
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
      const { name, license, latestTime } = line.organisation;
      await this.#transaction
        .updateTable("organisation")
        .set({ name, license, latestTime })
        .where("id", "=", organisationId)
        .execute();
    } else if ("member" in line) this.#members.push(line.member);
    else if ("apiKey" in line) this.#apiKeys.push(line.apiKey);
    else this.#auditRecords.push(line.auditRecord);
    const waiting = this.#members.length + this.#apiKeys.length + this.#auditRecords.length;
    if (waiting >= rowsAtOnce) await this.write();
  }

  /** Owners first. */
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

/** Whether nobody has done more here than to start it. */
async function isNew(transaction: DatabaseTransaction): Promise<boolean> {
  const members = await transaction.selectFrom("member").select("id").limit(2).execute();
  const key = await transaction.selectFrom("apiKey").select("id").limit(1).executeTakeFirst();
  const record = await transaction.selectFrom("auditRecord").select("id").limit(1).executeTakeFirst();
  return members.length < 2 && key === undefined && record === undefined;
}

async function removeEverything(transaction: DatabaseTransaction): Promise<void> {
  for (const table of ["session", "apiKey", "member", "auditRecord", "auditCount"] as const) {
    await transaction.deleteFrom(table).execute();
  }
}

function checkHeader(line: unknown, file: string): void {
  const { data } = Header.safeParse(line);
  if (data === undefined) throw refused(`${file} is no backup of Trawl.`);
  if (data.migration <= latestMigration) return;
  throw refused(
    `${file} was written by Trawl ${data.version}, which is newer: it has "${data.migration}", and this one knows ` +
      `"${latestMigration}" at most.`,
  );
}

/** What each line of the file says. Throws INVALID_REQUEST_BODY where there is no such file, or it is no such file. */
async function* linesOf(file: string): AsyncGenerator<unknown> {
  const source = createReadStream(file);
  const content = source.pipe(createGunzip());
  source.on("error", (error) => content.destroy(error));
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > maxLineLength) throw damaged(file);
      for (const line of lines) yield JSON.parse(line) as unknown;
    }
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw refused(`${file} cannot be read as a backup: ${reason}`, cause);
  } finally {
    source.destroy();
  }
  if (rest !== "") throw damaged(file);
}

function damaged(file: string): ServiceError {
  return refused(`${file} is damaged or was cut off: nothing of it was taken.`);
}

function refused(message: string, cause?: unknown): ServiceError {
  return new ServiceError("INVALID_REQUEST_BODY", message, { cause });
}

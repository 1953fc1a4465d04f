import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { writeSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Kysely, sql } from "kysely";
import type { AuditRecord } from "#model/audit";
import type { ApiKeyId } from "#model/organization";
import { systemClock } from "#platform/clock";
import { acquireLock } from "#platform/lock";
import { startThread } from "#platform/workerThread";
import { embeddedDatabase } from "#store/embedded";
import { openStore } from "#store/openStore";
import type { Store } from "#store/store";
import { Random } from "#test/support/corpus";
import { embeddedFile } from "#test/support/embeddedFile";
import { projectRoot } from "#test/support/house";
import { temporaryFolder } from "#test/support/repo";
import { auditRecord } from "#test/support/stores";

const rounds = 20;

/** Opens the database as a leader does, on a separate thread; the process holds the lock of the folder. */
function sourceIn(folder: string) {
  return embeddedDatabase(join(folder, "trawl.db"), () =>
    startThread(join(projectRoot(), "dist/server/storeWorker.js")),
  );
}

/** Runs in the process that is killed: writes forever, and reports each acknowledged write. */
async function writeAndReport(folder: string): Promise<void> {
  const lock = await acquireLock(folder);
  assert.equal(lock.kind, "acquired");
  const store = await openStore({ source: sourceIn(folder), version: "1.0.0", clock: systemClock });
  const report = (what: string, id: string) => writeSync(1, `${what} ${id}\n`);
  const record = async () => {
    for (;;) {
      const { id } = await store.auditLog.append({
        action: "user.performed_code_search",
        actorId: "m1",
        actorType: "user",
        targetId: "1",
        targetType: "org",
        metadata: { source: "test" },
      });
      report("record", id);
    }
  };
  const addMembers = async () => {
    for (let at = 0; ; at++) {
      const email = `${process.pid}-${at}@example.com`;
      const addition = await store.members.add(
        { email, role: "MEMBER" },
        { record: auditRecord("org.member_added") },
      );
      if (addition.kind !== "added") continue;
      const memberId = addition.member.id;
      report("member", memberId);
      const hash = `${process.pid}-${at}`;
      const creation = await store.apiKeys.create(
        { memberId, name: "key", hash },
        auditRecord("api_key.created"),
      );
      if (creation.kind !== "created") continue;
      report("key", creation.key.id);
      if (at % 3 === 0) {
        // Until it is acknowledged, the key may or may not exist.
        report("unsure", creation.key.id);
        await store.apiKeys.revoke(creation.key.id, auditRecord("api_key.deleted"));
        report("revoked", creation.key.id);
      }
    }
  };
  await Promise.all([record(), record(), record(), addMembers()]);
}

/** Kills the process after this many lines, and returns the lines that it has reported. */
function killAfter(folder: string, lines: number): Promise<readonly string[]> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, [__filename, "write", folder], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  return new Promise((resolve) => {
    child.stdout.on("data", (text: Buffer) => {
      output += text.toString();
      if (output.split("\n").length > lines) child.kill("SIGKILL");
    });
    // The last line may be incomplete.
    child.once("close", () => resolve(output.split("\n").slice(0, -1)));
  });
}

async function allRecords(store: Store): Promise<ReadonlyMap<string, AuditRecord>> {
  const found = new Map<string, AuditRecord>();
  for (let page = 1; ; page++) {
    const { items, total } = await store.auditLog.page({ page, perPage: 100 });
    for (const record of items) found.set(record.id, record);
    if (items.length > 0) continue;
    assert.equal(found.size, total);
    return found;
  }
}

/** Checks that every change has a record, and every record a change. */
function checkRecorded(
  records: ReadonlyMap<string, AuditRecord>,
  members: ReadonlySet<string>,
  keys: ReadonlySet<string>,
): void {
  const targets = (wanted: string) =>
    [...records.values()].filter(({ action }) => action === wanted).map(({ targetId }) => targetId);
  const deleted = new Set(targets("api_key.deleted"));
  assert.deepEqual(targets("org.member_added").sort(), [...members].sort());
  const remaining = targets("api_key.created").filter((id) => !deleted.has(id));
  assert.deepEqual(remaining.sort(), [...keys].sort());
}

if (process.argv[2] === "write") {
  writeAndReport(process.argv[3] ?? "").catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exitCode = 1;
  });
} else {
  test(`a store that is killed ${rounds} times while writing has every acknowledged write`, async (t) => {
    const folder = temporaryFolder();
    const random = new Random(23);
    const known = { record: new Set<string>(), member: new Set<string>(), key: new Set<string>() };
    const revoked = new Set<ApiKeyId>();
    for (let round = 0; round < rounds; round++) {
      const unsure = new Set<string>();
      for (const line of await killAfter(folder, random.between(1, 300))) {
        const [what = "", id = ""] = line.split(" ");
        if (what === "revoked") revoked.add(id as ApiKeyId);
        else if (what === "unsure") unsure.add(id);
        else known[what as keyof typeof known].add(id);
      }
      const lock = await acquireLock(folder);
      assert.ok(lock.kind === "acquired");
      const store = await openStore({
        source: embeddedFile(join(folder, "trawl.db")),
        version: "1.0.0",
        clock: systemClock,
      });
      const records = await allRecords(store);
      const members = new Set<string>((await store.members.all()).map(({ id }) => id));
      const keys = new Set<string>((await store.apiKeys.all()).map(({ id }) => id));
      await store.close();
      checkRecorded(records, members, keys);
      assert.deepEqual(
        [...known.record].filter((id) => !records.has(id)),
        [],
      );
      assert.deepEqual(
        [...known.member].filter((id) => !members.has(id)),
        [],
      );
      assert.deepEqual(
        [...revoked].filter((id) => keys.has(id)),
        [],
      );
      const lost = [...known.key].filter((id) => !keys.has(id) && !revoked.has(id as ApiKeyId));
      assert.deepEqual(
        lost.filter((id) => !unsure.has(id)),
        [],
      );
      for (const id of lost) revoked.add(id as ApiKeyId);
      lock.release();
    }
    t.diagnostic(`${known.record.size} records, ${known.member.size} members, ${revoked.size} keys revoked`);
    assert.ok(known.record.size > 100 && known.member.size > 0);

    const database = new Kysely<unknown>({ dialect: embeddedFile(join(folder, "trawl.db")).dialect });
    const { rows } = await sql`pragma integrity_check`.execute(database);
    await database.destroy();
    assert.deepEqual(rows, [{ integrity_check: "ok" }]);
  });
}

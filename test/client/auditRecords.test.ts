/** What the page of the audit log holds of it, and what becomes a file, against the real service and its database. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { exportAudit } from "#client/organisation/auditExport";
import { AuditNames } from "#client/organisation/auditNames";
import { AuditRecords } from "#client/organisation/auditRecords";
import type { AuditRecord } from "#contract/organisation";
import type { Caller } from "#contract/service";
import { licenseOf, local, testOrganisation } from "#test/support/organisation";
import { temporaryFolder } from "#test/support/repo";
import { callerOf } from "#test/support/service";

const recordCount = 250;
let caller: Caller;
/** Questions that were asked of the log. */
let asked = 0;
const service = {
  call: (name: never, request: never) => {
    asked++;
    return caller(name, request, local);
  },
} as never;

before(async () => {
  const organisation = testOrganisation();
  caller = callerOf({}, { organisation });
  await organisation.setLicense(licenseOf());
  for (let number = 0; number < recordCount; number++) await act(number);
});

/** Leaves a record that is told from others. */
async function act(number: number): Promise<void> {
  await caller("createKey", { name: `key ${number}` }, local);
}

async function all(): Promise<AuditRecord[]> {
  const records: AuditRecord[] = [];
  // To ask is recorded, too, and would move the pages.
  const until = new Date().toISOString();
  for (let page = 1; ; page++) {
    const { items } = await caller("audit", { page, perPage: 100, until }, local);
    records.push(...items);
    if (items.length < 100) return records.filter(({ action }) => action === "api_key.created");
  }
}

function created(records: readonly AuditRecord[]): readonly string[] {
  return records.filter(({ action }) => action === "api_key.created").map(({ id }) => id);
}

test("pages come one by one, and what is recorded meanwhile moves none of them", async () => {
  const loaded = new AuditRecords(service, {}, Date.now());
  await loaded.loadOlder();
  assert.equal(loaded.records.length, 100);
  assert.ok(loaded.hasOlder);
  await act(1_000);
  while (loaded.hasOlder) await loaded.loadOlder();
  const ids = loaded.records.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(loaded.total, ids.length);
  const wanted = (await all()).map(({ id }) => id).slice(1);
  assert.deepEqual(created(loaded.records), wanted);
});

test("what is new comes first, however much it is, and each record once", async () => {
  const loaded = new AuditRecords(service, {}, Date.now());
  await loaded.loadOlder();
  for (let number = 2_000; number < 2_130; number++) await act(number);
  await loaded.loadNewer();
  await loaded.loadNewer();
  const ids = loaded.records.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(ids, [...ids].sort().reverse());
  assert.deepEqual(created(loaded.records).slice(0, 130), (await all()).map(({ id }) => id).slice(0, 130));
});

test("a span with an end has nothing new, and nobody is asked", async () => {
  const newest = (await all())[0];
  const until = Date.parse(newest?.timestamp ?? "") - 1;
  const loaded = new AuditRecords(service, { since: 0, until }, Date.now());
  await loaded.loadOlder();
  assert.ok(loaded.records.every(({ timestamp }) => Date.parse(timestamp) <= until));
  const before = asked;
  await loaded.loadNewer();
  assert.equal(asked, before);
});

test("an empty span is whole", async () => {
  const loaded = new AuditRecords(service, { since: 0, until: 1 }, Date.now());
  await loaded.loadOlder();
  assert.deepEqual([loaded.total, loaded.hasOlder, loaded.records.length], [0, false, 0]);
});

test("a file has every record; one that is cancelled leaves what was there", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "log.json");
  writeFileSync(path, "what was there");
  const options = { service, span: {}, onProgress: () => {} };
  const cancelled = { isCancellationRequested: true } as never;
  assert.equal(await exportAudit(path, { ...options, token: cancelled }), undefined);
  assert.equal(readFileSync(path, "utf8"), "what was there");
  const token = { isCancellationRequested: false } as never;
  const written = await exportAudit(path, { ...options, token });
  const records: AuditRecord[] = JSON.parse(readFileSync(path, "utf8"));
  assert.equal(records.length, written);
  assert.deepEqual(
    created(records),
    (await all()).map(({ id }) => id),
  );
  assert.deepEqual(readdirSync(folder), ["log.json"]);
});

test("members and keys have their names, and nobody is asked for those that are known", async () => {
  const names = new AuditNames(service);
  const [record] = await all();
  assert.ok(record !== undefined);
  assert.match(names.actorOf(record).text, /^….{12}$/);
  await names.know([record]);
  assert.deepEqual(
    [names.actorOf(record).text, names.targetOf(record).text],
    ["ada@example.com", "key 2129"],
  );
  assert.equal(names.targetOf(record).title, `api_key ${record.targetId}`);
  const before = asked;
  await names.know([record]);
  assert.equal(asked, before);
  await caller("revokeKey", { keyId: record.targetId }, local);
  assert.equal(names.targetOf(record).text, "key 2129");
  const later = new AuditNames(service);
  await later.know([record]);
  assert.equal(later.targetOf(record).text, `…${record.targetId.slice(-12)}`);
});

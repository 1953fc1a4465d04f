/** Loading, naming and exporting audit records, against the real service and its database. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { exportAudit } from "#client/organization/auditExport";
import { AuditNames } from "#client/organization/auditNames";
import { AuditRecords } from "#client/organization/auditRecords";
import type { AuditRecord } from "#contract/organization";
import type { Caller } from "#contract/service";
import { licenseOf, local, testOrganization } from "#test/support/organization";
import { temporaryFolder } from "#test/support/repo";
import { callerOf } from "#test/support/service";

const recordCount = 250;
let caller: Caller;
/** The number of calls so far. */
let requests = 0;
const service = {
  call: (name: never, request: never) => {
    requests++;
    return caller(name, request, local);
  },
} as never;

before(async () => {
  const organization = testOrganization();
  caller = callerOf({}, { organization });
  await organization.setLicense(licenseOf());
  for (let number = 0; number < recordCount; number++) await addRecord(number);
});

/** Adds a record of a new key. */
async function addRecord(number: number): Promise<void> {
  await caller("createKey", { name: `key ${number}` }, local);
}

async function all(): Promise<AuditRecord[]> {
  const records: AuditRecord[] = [];
  // Each request adds a record, which would shift the pages.
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

test("pages are loaded one by one, and new records do not shift them", async () => {
  const loaded = new AuditRecords(service, {}, Date.now());
  await loaded.loadOlder();
  assert.equal(loaded.records.length, 100);
  assert.ok(loaded.hasOlder);
  await addRecord(1_000);
  while (loaded.hasOlder) await loaded.loadOlder();
  const ids = loaded.records.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(loaded.total, ids.length);
  const expected = (await all()).map(({ id }) => id).slice(1);
  assert.deepEqual(created(loaded.records), expected);
});

test("all new records come first, each of them once", async () => {
  const loaded = new AuditRecords(service, {}, Date.now());
  await loaded.loadOlder();
  for (let number = 2_000; number < 2_130; number++) await addRecord(number);
  await loaded.loadNewer();
  await loaded.loadNewer();
  const ids = loaded.records.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(ids, [...ids].sort().reverse());
  assert.deepEqual(created(loaded.records).slice(0, 130), (await all()).map(({ id }) => id).slice(0, 130));
});

test("a range with an end requests no new records", async () => {
  const newest = (await all())[0];
  const until = Date.parse(newest?.timestamp ?? "") - 1;
  const loaded = new AuditRecords(service, { since: 0, until }, Date.now());
  await loaded.loadOlder();
  assert.ok(loaded.records.every(({ timestamp }) => Date.parse(timestamp) <= until));
  const before = requests;
  await loaded.loadNewer();
  assert.equal(requests, before);
});

test("an empty range has no records and no older ones", async () => {
  const loaded = new AuditRecords(service, { since: 0, until: 1 }, Date.now());
  await loaded.loadOlder();
  assert.deepEqual([loaded.total, loaded.hasOlder, loaded.records.length], [0, false, 0]);
});

test("an export contains every record; a canceled one leaves the existing file", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "log.json");
  writeFileSync(path, "what was there");
  const options = { service, range: {}, onProgress: () => {} };
  const canceled = { isCancellationRequested: true } as never;
  assert.equal(await exportAudit(path, { ...options, token: canceled }), undefined);
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

test("members and keys are named, and known ids are not requested again", async () => {
  const names = new AuditNames(service);
  const [record] = await all();
  assert.ok(record !== undefined);
  assert.match(names.actorOf(record).text, /^….{12}$/);
  await names.resolve([record]);
  assert.deepEqual(
    [names.actorOf(record).text, names.targetOf(record).text],
    ["ada@example.com", "key 2129"],
  );
  assert.equal(names.targetOf(record).title, `api_key ${record.targetId}`);
  const before = requests;
  await names.resolve([record]);
  assert.equal(requests, before);
  await caller("revokeKey", { keyId: record.targetId }, local);
  assert.equal(names.targetOf(record).text, "key 2129");
  const later = new AuditNames(service);
  await later.resolve([record]);
  assert.equal(later.targetOf(record).text, `…${record.targetId.slice(-12)}`);
});

import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { ServiceError } from "#base/error";
import { diskFiles } from "#platform/files";
import { latestMigration } from "#store/migrate";
import { openStore } from "#store/openStore";
import type { Store } from "#store/store";
import { manualClock } from "#test/support/clock";
import { embeddedFile } from "#test/support/embeddedFile";
import { temporaryFolder } from "#test/support/repo";
import { onEachDatabase, openTestStore } from "#test/support/stores";

const start = Date.UTC(2026, 0, 1);

/** Adds two members with a key each, a license, and 2,500 records over a month. */
async function fill(store: Store, clock: { time: number }): Promise<void> {
  const oauth = { issuer: "https://login.example.com", subject: "7" };
  for (const [email, role] of [
    ["ada@example.com", "OWNER"],
    ["bob@example.com", "MEMBER"],
  ] as const) {
    const addition = await store.members.add({
      name: "naïve 🎣\n",
      email,
      role,
      ...(role === "OWNER" && { oauth }),
    });
    assert.ok(addition.kind === "added");
    const { id } = addition.member;
    const bounds = role === "OWNER" ? {} : { isReadOnly: true, repositories: ["github.com/a/*"] };
    await store.apiKeys.create({ memberId: id, name: "ci", hash: email, expiresAt: start + 9, ...bounds });
    const [key] = await store.apiKeys.ofMember(id);
    if (key !== undefined) await store.sessions.create({ keyId: key.id, hash: email, expiresAt: start + 9 });
  }
  await store.organization.setLicense("a license");
  await Promise.all(
    Array.from({ length: 2500 }, (_, at) => {
      clock.time = start + at * 1_000_000;
      return store.auditLog.append({
        action: "user.performed_code_search",
        actorId: "m1",
        actorType: "user",
        targetId: `${at}\n`,
        targetType: "org",
        metadata: at % 2 === 0 ? { source: "test", at } : null,
      });
    }),
  );
}

async function everything(store: Store) {
  const members = await store.members.all();
  const pages = await Promise.all(
    Array.from({ length: 26 }, (_, at) => store.auditLog.page({ page: at + 1, perPage: 100 })),
  );
  return {
    organization: await store.organization.get(),
    members,
    identities: await store.members.byOAuth({ issuer: "https://login.example.com", subject: "7" }),
    keys: await store.apiKeys.all(),
    byHash: await store.apiKeys.byHash("ada@example.com"),
    records: pages.flatMap(({ items }) => items),
    week: (await store.auditLog.page({ since: start, until: start + 604_800_000, page: 1, perPage: 1 }))
      .total,
  };
}

onEachDatabase((empty) => {
  test("a backup restores everything except sessions, on either database", async () => {
    const clock = manualClock(start);
    const source = await openTestStore(await empty(), clock);
    await fill(source, clock);
    const expected = await everything(source);
    const file = join(temporaryFolder(), "trawl.backup");
    const counts = { members: 2, apiKeys: 2, auditRecords: 2500 };
    assert.deepEqual(await source.backup(file), counts);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    await source.close();

    const elsewhere = join(temporaryFolder(), "trawl.db");
    for (const database of [await empty(), { source: () => embeddedFile(elsewhere), isShared: false }]) {
      const target = await openTestStore(database, clock);
      await target.members.addFirst({ email: "first@example.com" });
      assert.deepEqual(await target.restore(file, { replace: false }), counts);
      assert.deepEqual(await everything(target), expected);
      assert.equal(await target.sessions.byHash("ada@example.com"), undefined);
      await target.close();
    }
  });

  test("a backup contains texts, which can prevent a restore", async () => {
    const clock = manualClock(start);
    const store = await openTestStore(await empty(), clock);
    await fill(store, clock);
    const expected = await everything(store);
    const file = join(temporaryFolder(), "trawl.backup");
    const texts = { short: "a", long: "\u{1f600}\u0001x".repeat(100_000) };
    await store.backup(file, undefined, texts);
    const refuse = () => {
      throw new ServiceError("INVALID_REQUEST_BODY", "No.");
    };
    await store.members.add({ email: "later@example.com", role: "MEMBER" });
    const changed = await everything(store);
    await assert.rejects(store.restore(file, { replace: true, useTexts: refuse }), { message: "No." });
    assert.deepEqual(await everything(store), changed);
    let received = {};
    const useTexts = (restored: object) => {
      received = restored;
    };
    await store.restore(file, { replace: true, useTexts });
    assert.deepEqual(received, texts);
    assert.deepEqual(await everything(store), expected);
    await store.close();
  });

  test("existing data is replaced only on request", async () => {
    const clock = manualClock(start);
    const store = await openTestStore(await empty(), clock);
    const file = join(temporaryFolder(), "trawl.backup");
    await store.backup(file);
    await fill(store, clock);
    const before = await everything(store);
    await assert.rejects(store.restore(file, { replace: false }), {
      code: "INVALID_REQUEST_BODY",
      message: /would replace/,
    });
    assert.deepEqual(await everything(store), before);
    assert.deepEqual(await store.restore(file, { replace: true }), {
      members: 0,
      apiKeys: 0,
      auditRecords: 0,
    });
    assert.deepEqual(await store.members.all(), []);
    assert.equal((await store.auditLog.page({ page: 1, perPage: 1 })).total, 0);
    await store.close();
  });

  describe("restoring from an invalid file changes nothing", () => {
    const header = { format: "trawl-backup", version: "9.0.0", migration: "0001", createdAt: 0 };
    const end = { members: 0, apiKeys: 0, auditRecords: 0 };
    const lines = (...values: unknown[]) =>
      gzipSync(values.map((value) => `${JSON.stringify(value)}\n`).join(""));
    const bad: Readonly<
      Record<string, readonly [make: (whole: Buffer) => Buffer | undefined, message: RegExp]>
    > = {
      "the file does not exist": [() => undefined, /Cannot read .* as a backup: ENOENT/],
      "the file is empty": [() => Buffer.alloc(0), /Cannot read .* as a backup/],
      "the file has another format": [() => Buffer.from("MZ another format"), /Cannot read .* as a backup/],
      "the file has other JSON": [() => lines({ name: "x" }), /not a backup of Trawl/],
      "half of the file is missing": [(whole) => whole.subarray(0, whole.length >> 1), /Cannot read|damaged/],
      "the last line is missing": [
        (whole) => gzipSync(gunzipSync(whole).toString().split("\n").slice(0, -2).join("\n") + "\n"),
        /incomplete/,
      ],
      "a record is missing": [
        (whole) => gzipSync(gunzipSync(whole).toString().split("\n").toSpliced(100, 1).join("\n")),
        /incomplete/,
      ],
      "a row has an unknown column": [
        () => lines(header, { member: { id: "x", isAdmin: true } }, { end }),
        /damaged/,
      ],
      "a line follows the end": [() => lines(header, { end }, { end }), /damaged/],
      "a line is endless": [
        () => gzipSync(Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), Buffer.alloc(20e6, "x")])),
        /damaged/,
      ],
      "the backup is from a newer version": [
        () => lines({ ...header, migration: "0417" }, { end }),
        new RegExp(
          `Trawl 9\\.0\\.0, which is newer: it contains "0417", but this version supports migrations up to "${latestMigration}"`,
        ),
      ],
    };
    let store: Store;
    let whole: Buffer;
    before(async () => {
      const clock = manualClock(start);
      store = await openTestStore(await empty(), clock);
      await fill(store, clock);
      const file = join(temporaryFolder(), "trawl.backup");
      await store.backup(file);
      whole = readFileSync(file);
    });
    after(() => store.close());

    for (const [name, [make, message]] of Object.entries(bad)) {
      test(name, async () => {
        const broken = join(temporaryFolder(), "broken.backup");
        const content = make(whole);
        if (content !== undefined) writeFileSync(broken, content);
        const expected = await everything(store);
        await assert.rejects(store.restore(broken, { replace: true }), {
          code: "INVALID_REQUEST_BODY",
          message,
        });
        assert.deepEqual(await everything(store), expected);
      });
    }
  });

  test("a failed backup leaves the previous file unchanged", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "trawl.backup");
    const store = await openTestStore(await empty());
    await store.backup(file);
    const written = readFileSync(file);
    const aborted = AbortSignal.abort();
    await store.members.addFirst({ email: "a@x.org" });
    await store.auditLog.append({
      action: "a",
      actorId: "m",
      actorType: "user",
      targetId: "1",
      targetType: "org",
      metadata: null,
    });
    await assert.rejects(store.backup(file, aborted), { code: "CANCELLED" });
    assert.deepEqual(readFileSync(file), written);
    await assert.rejects(store.backup(join(folder, "none", "x")), {
      code: "STORAGE_FAILED",
      message: /ENOENT/,
    });
    assert.deepEqual(readdirSync(folder), ["trawl.backup"]);
    await store.close();
  });
});

test("a backup is complete on a file system that cannot flush folders", async () => {
  const folder = temporaryFolder();
  const database = join(folder, "trawl.db");
  const store = await openStore({
    source: embeddedFile(database),
    version: "1.2.3",
    clock: manualClock(start),
    files: {
      ...diskFiles,
      fsyncFolder() {
        throw new Error("EINVAL: invalid argument, fsync");
      },
    },
  });
  const file = join(folder, "trawl.backup");
  assert.deepEqual(await store.backup(file), { members: 0, apiKeys: 0, auditRecords: 0 });
  assert.deepEqual(await store.restore(file, { replace: true }), { members: 0, apiKeys: 0, auditRecords: 0 });
  await store.close();
});

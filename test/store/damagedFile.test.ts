/** A damaged database file or log is rejected with instructions, and not changed. */
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { embeddedFile } from "#test/support/embeddedFile";
import { temporaryFolder } from "#test/support/repo";
import { withoutPermission } from "#test/support/rights";
import { openTestStore, run } from "#test/support/stores";

const searched = {
  action: "user.performed_code_search",
  actorId: "m1",
  actorType: "user",
  targetId: "1",
  targetType: "org",
  metadata: null,
} as const;

describe("the embedded database", () => {
  const damaged = /^The database trawl\.db is damaged \(.*trawl restore FILE/;
  const notFile = /^trawl\.db in the data directory is not a file/;
  const whole: readonly (readonly [string, (file: string) => void, RegExp])[] = [
    ["has another format", (file) => writeFileSync(file, "This is no database.".repeat(500)), damaged],
    ["is one byte", (file) => writeFileSync(file, "S"), damaged],
    ["is truncated", (file) => truncateSync(file, statSync(file).size >> 1), damaged],
    ["has another header", (file) => overwrite(file, 0, "SQLite format 4"), damaged],
    ["has another page size", (file) => overwrite(file, 16, "\x03"), damaged],
    ["has no first page", (file) => overwrite(file, 100, "\0".repeat(3996)), damaged],
    [
      "has an email in a table that is missing from its index",
      (file) => overwrite(file, readFileSync(file).lastIndexOf("eve@example.com"), "E"),
      damaged,
    ],
  ];
  for (const [name, damage, message] of whole) {
    test(`is rejected and left unchanged if the file ${name}`, async () => {
      const file = join(temporaryFolder(), "trawl.db");
      await (await openFilled(file)).close();
      damage(file);
      const before = readFileSync(file);
      await checkOpening(file, message);
      assert.deepEqual(readFileSync(file), before);
    });
  }

  test("is rejected if it is a folder", async () => {
    const file = join(temporaryFolder(), "trawl.db");
    mkdirSync(file);
    await checkOpening(file, notFile);
  });

  test("is rejected without permission to open it", async () => {
    const file = join(temporaryFolder(), "trawl.db");
    await (await openFilled(file)).close();
    await withoutPermission(file, () => checkOpening(file, /^trawl\.db cannot be opened: permission denied/));
    await checkOpening(file, undefined);
  });

  test("is rejected and left unchanged if it belongs to another program", async () => {
    const file = join(temporaryFolder(), "trawl.db");
    await run(embeddedFile(file), "create table bookmarks (url text)");
    const message = /^trawl\.db is the database of another program: it has the table "bookmarks"/;
    await checkOpening(file, message);
    assert.deepEqual(await run(embeddedFile(file), "select name from sqlite_master"), [
      { name: "bookmarks" },
    ]);
  });

  describe("after its process was killed", () => {
    test("a revoked key stays revoked and a removed member stays removed, even without the log", async () => {
      const [file, copy] = [join(temporaryFolder(), "trawl.db"), join(temporaryFolder(), "trawl.db")];
      const store = await openFilled(file);
      const [ada, bob] = await store.members.all();
      assert(ada !== undefined && bob !== undefined);
      const creation = await store.apiKeys.create({ memberId: ada.id, name: "ci", hash: "1" });
      assert(creation.kind === "created");
      await store.apiKeys.revoke(creation.key.id);
      await store.members.remove(bob.id);
      copyFileSync(file, copy);
      await store.close();
      const without = await openTestStore({ source: () => embeddedFile(copy), isShared: false });
      assert.equal(await without.apiKeys.byHash("1"), undefined);
      assert.equal(await without.members.get(bob.id), undefined);
      assert.equal((await without.members.all()).length, 2);
      await without.close();
    });

    const frameBytes = 24 + 4096;
    const rows: readonly (readonly [string, (wal: Buffer) => Buffer, RegExp | undefined])[] = [
      ["an intact log", (wal) => wal, undefined],
      ["a bit of the header flipped", (wal) => flipped(wal, 9), damaged],
      ["the header removed", (wal) => wal.subarray(32), damaged],
      ["a bit of an earlier transaction's page flipped", (wal) => flipped(wal, 32 + 24 + 2000), damaged],
      [
        "an earlier transaction's frame without its header",
        (wal) => Buffer.from(wal).fill(0, 32, 56),
        damaged,
      ],
      // A power failure leaves these of a transaction whose success was never reported.
      ["its last frame cut off", (wal) => wal.subarray(0, wal.length - 100), undefined],
      ["its last frame torn", (wal) => Buffer.from(wal).fill(0, wal.length - 3000), undefined],
      [
        "frames of an earlier generation at its end",
        (wal) => Buffer.concat([wal, Buffer.alloc(frameBytes, 7)]),
        undefined,
      ],
    ];
    for (const [name, damage, message] of rows) {
      test(`${message === undefined ? "is opened" : "is rejected"} with ${name}`, async () => {
        const file = join(temporaryFolder(), "trawl.db");
        const store = await openFilled(file);
        const log = readFileSync(`${file}-wal`);
        const pages = readFileSync(file);
        await store.close();
        assert(log.length > 3 * frameBytes);
        writeFileSync(file, pages);
        writeFileSync(`${file}-wal`, damage(log));
        await checkOpening(file, message);
      });
    }
  });
});

/** Opens a store with some rows. Its log is not empty until it is closed. */
async function openFilled(file: string) {
  const store = await openTestStore({ source: () => embeddedFile(file), isShared: false });
  for (const name of ["ada", "bob", "eve"])
    await store.members.add({ email: `${name}@example.com`, role: "OWNER" });
  for (let count = 0; count < 3; count++) await store.auditLog.append(searched);
  return store;
}

/** Opens and reads the whole file: this must fail with `message`, or succeed if that is undefined. */
async function checkOpening(file: string, message: RegExp | undefined): Promise<void> {
  const reading = async () => {
    const store = await openTestStore({ source: () => embeddedFile(file), isShared: false });
    try {
      assert.equal((await store.members.all()).length, 3);
      await store.auditLog.page({ page: 1, perPage: 1 });
    } finally {
      await store.close();
    }
  };
  if (message === undefined) await reading();
  else await assert.rejects(reading, { code: "ENGINE_UNAVAILABLE", message });
}

function overwrite(file: string, position: number, text: string): void {
  const bytes = readFileSync(file);
  bytes.write(text, position, "latin1");
  writeFileSync(file, bytes);
}

function flipped(bytes: Buffer, position: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(position) ^ 0x10, position);
  return copy;
}

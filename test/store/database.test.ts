import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Kysely, sql } from "kysely";
import { silentLog } from "#platform/log";
import { startThread, type Thread, thisThread } from "#platform/workers";
import { embeddedDatabase } from "#store/embedded";
import { createDatabaseTask, type DatabaseAnswer, type DatabaseCall } from "#store/embeddedTask";
import type { DatabaseSource } from "#store/openStore";
import { postgresDatabase } from "#store/postgres";
import { setClock } from "#test/support/clock";
import { embeddedFile } from "#test/support/embeddedFile";
import { projectRoot } from "#test/support/house";
import { type PostgresServer, postgresFolder, startPostgres } from "#test/support/postgres";
import { temporaryFolder } from "#test/support/repo";
import { onEachDatabase, openTestStore } from "#test/support/stores";

const searched = {
  action: "user.performed_code_search",
  actorId: "m1",
  actorType: "user",
  targetId: "1",
  targetType: "org",
  metadata: null,
} as const;

async function run(source: DatabaseSource, statement: string): Promise<readonly unknown[]> {
  const database = new Kysely<unknown>({ dialect: source.dialect });
  try {
    return (await sql.raw(statement).execute(database)).rows;
  } finally {
    await database.destroy();
  }
}

onEachDatabase((empty) => {
  test("what was stored is there when the store is opened again", async () => {
    const database = await empty();
    const clock = setClock(1000);
    const first = await openTestStore(database, clock);
    const addition = await first.members.add({ email: "ada@example.com", role: "OWNER" });
    const record = await first.auditLog.append(searched);
    await first.close();
    clock.time = 2000;
    const second = await openTestStore(database, clock);
    assert.ok(addition.kind === "added");
    assert.deepEqual(await second.members.all(), [addition.member]);
    assert.deepEqual(await second.auditLog.page({ page: 1, perPage: 10 }), { items: [record], total: 1 });
    assert.equal((await second.organisation.get()).latestTime, 1000);
    await second.close();
  });

  test("data of a newer Trawl is refused by name, and left as it is", async () => {
    const database = await empty();
    await (await openTestStore(database)).close();
    const later = `insert into "migration" ("name", "appliedAt") values ('0417', 1)`;
    await run(database.source(), later);
    await assert.rejects(openTestStore(database), {
      code: "STORAGE_FAILED",
      message:
        'The database was written by a newer Trawl: it has "0417", and this one knows "0002" at most. ' +
        "Use that one, or another database.",
    });
    assert.deepEqual(await run(database.source(), `select "id" from "member"`), []);
  });

  test("tables that cannot all be made are not made at all", async () => {
    const database = await empty();
    // Somebody else's table with the name of our last one.
    await run(database.source(), `create table "auditCount" ("something" integer)`);
    await assert.rejects(openTestStore(database), { code: "STORAGE_FAILED" });
    await run(database.source(), `create table "organisation" ("id" integer)`);
    await run(database.source(), `create table "migration" ("id" integer)`);
  });

  test("a store that is closed says so", async () => {
    const store = await openTestStore(await empty());
    await store.close();
    await assert.rejects(store.members.all());
  });
});

describe("the embedded database", () => {
  test("is readable by its user alone", async () => {
    const folder = temporaryFolder();
    const store = await openTestStore({
      source: () => embeddedFile(join(folder, "trawl.db")),
      isShared: false,
    });
    await store.organisation.setLicense("secret");
    const files = () => readdirSync(folder).filter((name) => statSync(join(folder, name)).isFile());
    const modes = files().map((name) => [name, statSync(join(folder, name)).mode & 0o077]);
    assert.deepEqual(
      modes.filter(([, mode]) => mode !== 0),
      [],
    );
    await store.close();
    assert.deepEqual(readdirSync(folder), ["trawl.db"]);
  });

  test("says that the disk is full, goes on afterwards, and has lost nothing", async () => {
    const thread = thisThread(createDatabaseTask());
    const source = () => embeddedDatabase(join(temporaryFolder(), "trawl.db"), () => thread);
    const store = await openTestStore({ source, isShared: false });
    const limit = (pages: number) =>
      thread.run({ kind: "query", sql: `pragma max_page_count = ${pages}`, parameters: [] });
    await limit(60);
    let answered = 0;
    await assert.rejects(
      async () => {
        for (;;) {
          await store.auditLog.append(searched);
          answered++;
        }
      },
      { code: "STORAGE_FAILED", message: /trawl\.db: database or disk is full/ },
    );
    assert.ok(answered > 0);
    assert.equal((await store.auditLog.page({ page: 1, perPage: 1 })).total, answered);
    await limit(1_000_000);
    await store.auditLog.append(searched);
    assert.equal((await store.auditLog.page({ page: 1, perPage: 1 })).total, answered + 1);
    await store.close();
  });

  test("comes back with another thread where its own has ended", async () => {
    const threads: Thread<DatabaseCall, DatabaseAnswer>[] = [];
    const file = join(temporaryFolder(), "trawl.db");
    const source = () =>
      embeddedDatabase(file, () => {
        const thread: Thread<DatabaseCall, DatabaseAnswer> = startThread(
          join(projectRoot(), "dist/server/storeWorker.js"),
        );
        threads.push(thread);
        return thread;
      });
    const store = await openTestStore({ source, isShared: false });
    const record = await store.auditLog.append(searched);
    await threads[0]?.close();
    await assert.rejects(store.members.all(), { code: "ENGINE_UNAVAILABLE" });
    assert.deepEqual((await store.auditLog.page({ page: 1, perPage: 1 })).items, [record]);
    assert.equal(threads.length, 2);
    await store.close();
  });

  test("its thread ends by itself, also where it is asked until then", async () => {
    const codes: number[] = [];
    const file = join(temporaryFolder(), "trawl.db");
    const script = join(projectRoot(), "dist/server/storeWorker.js");
    const source = () => embeddedDatabase(file, () => startThread(script, (code) => codes.push(code)));
    for (let round = 0; round < 5; round++) {
      const store = await openTestStore({ source, isShared: false });
      const answers = Promise.allSettled(
        Array.from({ length: 20 }, (_, at) =>
          at % 2 === 0
            ? store.auditLog.append(searched)
            : store.members.add({ email: `${at}`, role: "MEMBER" }),
        ),
      );
      if (round % 2 === 0) await answers;
      await store.close();
      await answers;
    }
    // One that is stopped ends with 1.
    assert.deepEqual(codes, [0, 0, 0, 0, 0]);
    const store = await openTestStore({ source, isShared: false });
    assert.ok((await store.auditLog.page({ page: 1, perPage: 1 })).total >= 30);
    await store.close();
  });

  test("leaves no thread behind where it cannot be opened", async () => {
    const file = join(temporaryFolder(), "trawl.db");
    writeFileSync(file, "This is no database.".repeat(500));
    let open = 0;
    const source = () =>
      embeddedDatabase(file, () => {
        const thread = thisThread(createDatabaseTask());
        open++;
        return { ...thread, end: async () => void open-- };
      });
    await assert.rejects(openTestStore({ source, isShared: false }), { code: "STORAGE_FAILED" });
    assert.equal(open, 0);
  });

  for (const [name, damage] of Object.entries({
    "is something else": (file: string) => writeFileSync(file, "This is no database.".repeat(500)),
    "was cut off": (file: string) => truncateSync(file, statSync(file).size >> 1),
  })) {
    test(`is refused where the file ${name}, and the file stays`, async () => {
      const file = join(temporaryFolder(), "trawl.db");
      const database = { source: () => embeddedFile(file), isShared: false };
      await (await openTestStore(database)).close();
      damage(file);
      const before = readFileSync(file);
      await assert.rejects(
        async () => {
          const store = await openTestStore(database);
          try {
            await store.members.all();
            await store.auditLog.page({ page: 1, perPage: 1 });
          } finally {
            await store.close();
          }
        },
        { code: "STORAGE_FAILED", message: /trawl\.db/ },
      );
      assert.deepEqual(readFileSync(file), before);
    });
  }
});

const binaries = postgresFolder();
if (binaries !== undefined) {
  describe("PostgreSQL", () => {
    let server: PostgresServer;
    before(async () => {
      server = await startPostgres(binaries);
    });
    after(() => server.close());

    test("is made ready once by many that come at once", async () => {
      const url = await server.database();
      const database = { source: () => postgresDatabase(url, silentLog), isShared: true };
      const stores = await Promise.all(Array.from({ length: 6 }, () => openTestStore(database)));
      assert.equal((await stores[5]?.organisation.get())?.id, 1);
      for (const store of stores) await store.close();
    });

    test("one that a newer Trawl has changed is asked anew by those who know it as it was", async () => {
      const url = await server.database();
      const source = () => postgresDatabase(url, silentLog);
      const store = await openTestStore({ source, isShared: true });
      const ask = () => Promise.allSettled(Array.from({ length: 8 }, () => store.members.all()));
      await store.members.addFirst({ email: "ada@example.com" });
      for (let round = 0; round < 3; round++) await ask();
      await run(source(), `alter table "member" add column "since" bigint`);
      // At most the statements that were prepared fail, each once.
      await ask();
      const answers = await ask();
      assert.deepEqual(
        answers.map(({ status }) => status),
        Array.from({ length: 8 }, () => "fulfilled"),
      );
      await store.close();
    });

    test("goes away and comes back, and nothing that was answered is lost", async () => {
      const url = await server.database();
      const store = await openTestStore({ source: () => postgresDatabase(url, silentLog), isShared: true });
      const known: string[] = [];
      let refused: unknown;
      let goesOn = true;
      const writing = (async () => {
        while (goesOn) {
          try {
            const records = await Promise.all(
              Array.from({ length: 20 }, () => store.auditLog.append(searched)),
            );
            known.push(...records.map(({ id }) => id));
          } catch (error) {
            refused = error;
            goesOn = false;
          }
        }
      })();
      while (known.length < 200) await new Promise((resolve) => setImmediate(resolve));
      await server.kill();
      await writing;
      assert.equal((refused as { readonly code?: string }).code, "ENGINE_UNAVAILABLE");
      await assert.rejects(store.members.all(), { code: "ENGINE_UNAVAILABLE", message: /does not answer/ });
      await server.start();
      const found = new Set<string>();
      for (let page = 1; ; page++) {
        const { items, total } = await store.auditLog.page({ page, perPage: 100 });
        for (const { id } of items) found.add(id);
        if (items.length === 0) {
          assert.equal(found.size, total);
          break;
        }
      }
      assert.deepEqual(
        known.filter((id) => !found.has(id)),
        [],
      );
      await store.close();
    });

    test("an address where nobody answers is told, and not its password", async () => {
      const source = postgresDatabase("postgres://trawl:secret@127.0.0.1:1/none", silentLog);
      await assert.rejects(openTestStore({ source: () => source, isShared: true }), (error: Error) => {
        assert.equal(error.message, "The database does not answer (ECONNREFUSED).");
        assert.doesNotMatch(JSON.stringify(error), /secret/);
        return true;
      });
    });
  });
}

import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Kysely, sql } from "kysely";
import { inlineThread } from "#platform/inlineThread";
import { silentLog } from "#platform/log";
import { startThread, type Thread } from "#platform/workerThread";
import { embeddedDatabase } from "#store/embedded";
import { createDatabaseTask, type DatabaseCall, type DatabaseRows } from "#store/embeddedTask";
import { latestMigration } from "#store/migrate";
import { migration0001 } from "#store/migrations/0001";
import { migration0002 } from "#store/migrations/0002";
import { migration0003 } from "#store/migrations/0003";
import { openIndexQueue } from "#store/openIndexQueue";
import { postgresDatabase, postgresVersion } from "#store/postgres";
import { manualClock } from "#test/support/clock";
import { embeddedFile } from "#test/support/embeddedFile";
import { eventually } from "#test/support/eventually";
import { projectRoot } from "#test/support/house";
import { type PostgresServer, postgresFolder, runSql, startPostgres } from "#test/support/postgres";
import { temporaryFolder } from "#test/support/repo";
import { onEachDatabase, openTestStore, run } from "#test/support/stores";

/** A message of PostgreSQL's protocol. */
function message(type: string, body: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(4 + body.length);
  return Buffer.concat([Buffer.from(type), length, Buffer.from(body, "latin1")]);
}

const searched = {
  action: "user.performed_code_search",
  actorId: "m1",
  actorType: "user",
  targetId: "1",
  targetType: "org",
  metadata: null,
} as const;

onEachDatabase((empty) => {
  test("data persists when the store is reopened", async () => {
    const database = await empty();
    const clock = manualClock(1000);
    const first = await openTestStore(database, clock);
    const addition = await first.members.add({ email: "ada@example.com", role: "OWNER" });
    const record = await first.auditLog.append(searched);
    await first.close();
    clock.time = 2000;
    const second = await openTestStore(database, clock);
    assert.ok(addition.kind === "added");
    assert.deepEqual(await second.members.all(), [addition.member]);
    assert.deepEqual(await second.auditLog.page({ page: 1, perPage: 10 }), { items: [record], total: 1 });
    assert.equal((await second.organization.get()).latestTime, 1000);
    await second.close();
  });

  test("data of a newer version is rejected by name, and left unchanged", async () => {
    const database = await empty();
    await (await openTestStore(database)).close();
    const later = `insert into "migration" ("name", "appliedAt") values ('0417', 1)`;
    await run(database.source(), later);
    await assert.rejects(openTestStore(database), {
      code: "ENGINE_UNAVAILABLE",
      message:
        `The database was written by a newer Trawl: it contains "0417", but this version supports migrations up to "${latestMigration}". ` +
        "Use the newer Trawl, or another database.",
    });
    assert.deepEqual(await run(database.source(), `select "id" from "member"`), []);
  });

  test("data of a newer version is used if its migrations support this one", async () => {
    const database = await empty();
    await (await openTestStore(database)).close();
    const apply = (name: string) =>
      run(database.source(), `insert into "migration" ("name", "appliedAt") values ('${name}', 1)`);
    await run(database.source(), `alter table "member" add column "since" bigint not null default 7`);
    await apply(`0417-from-${latestMigration.slice(0, 4)}`);
    const store = await openTestStore(database);
    await store.members.add({ email: "ada@example.com", role: "OWNER" });
    assert.deepEqual(
      (await store.members.all()).map(({ email }) => email),
      ["ada@example.com"],
    );
    // An older version cannot know whether its own tables have all that is in the rows.
    const file = join(temporaryFolder(), "backup");
    await store.backup(file);
    await assert.rejects(store.restore(file, { replace: true }), /newer: it contains "0417-from-\d{4}"/);
    await store.close();
    await apply("0418-from-0417");
    await assert.rejects(
      openTestStore(database),
      /written by a newer Trawl: it contains "0418-from-0417", but/,
    );
  });

  test("sessions of an older version stay valid, and belong to the member of their key", async () => {
    const database = await empty();
    const old = new Kysely<unknown>({ dialect: database.source().dialect });
    await old.transaction().execute(async (transaction) => {
      for (const migrate of [migration0001, migration0002, migration0003]) await migrate(transaction, 1);
      for (const statement of [
        `create table "migration" ("name" text primary key, "appliedAt" bigint not null)`,
        `insert into "migration" values ('0001', 1), ('0002', 1), ('0003', 1)`,
        `insert into "member" ("id", "organisationId", "email", "emailKey", "role", "createdAt", "updatedAt")
          values ('m', 1, 'ada@x.org', 'ada@x.org', 'OWNER', 1, 1)`,
        `insert into "apiKey" ("id", "memberId", "name", "hash", "createdAt") values ('k', 'm', 'ci', 'x', 1)`,
        `insert into "session" ("id", "keyId", "hash", "createdAt", "expiresAt") values ('s', 'k', 'y', 5, 9)`,
      ])
        await sql.raw(statement).execute(transaction);
    });
    await old.destroy();
    const store = await openTestStore(database);
    const { session, key, member } = (await store.sessions.byHash("y")) ?? {};
    const times = { createdAt: 5, lastUsedAt: 5, expiresAt: 9, endsAt: 9 };
    assert.deepEqual(session, { id: "s", memberId: "m", keyId: "k", ...times });
    assert.deepEqual([key?.name, member?.email, member?.groups], ["ci", "ada@x.org", []]);
    await store.close();
  });

  test("a migration that fails creates no table at all", async () => {
    const database = await empty();
    // Another program's table, with the name of the last one that a migration creates.
    await run(database.source(), `create table "auditCount" ("something" integer)`);
    await assert.rejects(openTestStore(database), (error: Error) => /auditCount/.test(error.message));
    await run(database.source(), `create table "organisation" ("id" integer)`);
    await run(database.source(), `create table "migration" ("id" integer)`);
  });

  test("a closed store rejects", async () => {
    const store = await openTestStore(await empty());
    await store.close();
    await assert.rejects(store.members.all());
  });
});

describe("the embedded database", () => {
  test("is readable only by its user", async () => {
    const folder = temporaryFolder();
    const store = await openTestStore({
      source: () => embeddedFile(join(folder, "trawl.db")),
      isShared: false,
    });
    await store.organization.setLicense("secret");
    const files = () => readdirSync(folder).filter((name) => statSync(join(folder, name)).isFile());
    const modes = files().map((name) => [name, statSync(join(folder, name)).mode & 0o077]);
    assert.deepEqual(
      modes.filter(([, mode]) => mode !== 0),
      [],
    );
    await store.close();
    assert.deepEqual(readdirSync(folder), ["trawl.db"]);
  });

  test("reports a full disk, recovers afterwards, and loses nothing", async () => {
    const thread = inlineThread(createDatabaseTask());
    const source = () => embeddedDatabase(join(temporaryFolder(), "trawl.db"), () => thread);
    const store = await openTestStore({ source, isShared: false });
    const limit = (pages: number) =>
      thread.run({ kind: "query", sql: `pragma max_page_count = ${pages}`, parameters: [] });
    await limit(60);
    let writtenCount = 0;
    await assert.rejects(
      async () => {
        for (;;) {
          await store.auditLog.append(searched);
          writtenCount++;
        }
      },
      { code: "ENGINE_UNAVAILABLE", message: /^trawl\.db cannot be written: the disk .* is full/ },
    );
    assert.ok(writtenCount > 0);
    assert.equal((await store.auditLog.page({ page: 1, perPage: 1 })).total, writtenCount);
    await limit(1_000_000);
    await store.auditLog.append(searched);
    assert.equal((await store.auditLog.page({ page: 1, perPage: 1 })).total, writtenCount + 1);
    await store.close();
  });

  test("starts another thread after its thread has exited", async () => {
    const threads: Thread<DatabaseCall, DatabaseRows>[] = [];
    const file = join(temporaryFolder(), "trawl.db");
    const source = () =>
      embeddedDatabase(file, () => {
        const thread: Thread<DatabaseCall, DatabaseRows> = startThread(
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

  test("its thread exits by itself, even while calls are pending", async () => {
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
    // A terminated thread exits with 1.
    assert.deepEqual(codes, [0, 0, 0, 0, 0]);
    const store = await openTestStore({ source, isShared: false });
    assert.ok((await store.auditLog.page({ page: 1, perPage: 1 })).total >= 30);
    await store.close();
  });

  test("leaves no thread running if it cannot be opened", async () => {
    const file = join(temporaryFolder(), "trawl.db");
    writeFileSync(file, "This is no database.".repeat(500));
    let open = 0;
    const source = () =>
      embeddedDatabase(file, () => {
        const thread = inlineThread(createDatabaseTask());
        open++;
        return { ...thread, end: async () => void open-- };
      });
    await assert.rejects(openTestStore({ source, isShared: false }), { code: "ENGINE_UNAVAILABLE" });
    assert.equal(open, 0);
  });
});

const binaries = postgresFolder();
if (binaries !== undefined) {
  describe("PostgreSQL", () => {
    let server: PostgresServer;
    before(async () => {
      server = await startPostgres(binaries);
    });
    after(() => server.close());

    test("can be opened and read while it is read-only, once it has its tables", async () => {
      const url = await server.database();
      const database = { source: () => postgresDatabase(url, silentLog), isShared: true };
      const openQueue = () => openIndexQueue(database.source(), manualClock(0));
      // Also changes it while it is read-only.
      const setReadOnly = (value: "on" | "off") =>
        runSql(
          url,
          "set default_transaction_read_only = off",
          `alter database "${new URL(url).pathname.slice(1)}" set default_transaction_read_only = ${value}`,
        );
      const refusal = { message: "The database cannot be used: it is read-only. Make it writable." };
      await setReadOnly("on");
      await assert.rejects(openTestStore(database), refusal);
      await assert.rejects(openQueue(), refusal);
      await setReadOnly("off");
      const store = await openTestStore(database);
      await store.members.add({ email: "ada@example.com", role: "OWNER" });
      await store.close();
      const queue = await openQueue();
      await queue.setDrained("a", true);
      await queue.close();
      await setReadOnly("on");
      const reading = await openTestStore(database);
      assert.deepEqual(
        (await reading.members.all()).map(({ email }) => email),
        ["ada@example.com"],
      );
      await assert.rejects(reading.members.add({ email: "bob@example.com", role: "OWNER" }), refusal);
      await reading.close();
      const jobs = await openQueue();
      assert.deepEqual(await jobs.nodes(), [{ name: "a", isDrained: true }]);
      await assert.rejects(jobs.setDrained("a", false), refusal);
      await jobs.close();
    });

    test("is migrated once, however many processes open it concurrently", async () => {
      const url = await server.database();
      const database = { source: () => postgresDatabase(url, silentLog), isShared: true };
      const stores = await Promise.all(Array.from({ length: 6 }, () => openTestStore(database)));
      assert.equal((await stores[5]?.organization.get())?.id, 1);
      for (const store of stores) await store.close();
    });

    test("statements are prepared again after a newer version has changed a table", async () => {
      const url = await server.database();
      const source = () => postgresDatabase(url, silentLog);
      const store = await openTestStore({ source, isShared: true });
      const ask = () => Promise.allSettled(Array.from({ length: 8 }, () => store.members.all()));
      await store.members.addFirst({ email: "ada@example.com" });
      for (let round = 0; round < 3; round++) await ask();
      await run(source(), `alter table "member" add column "since" bigint`);
      const answers = await ask();
      assert.deepEqual(
        answers.map(({ status }) => status),
        Array.from({ length: 8 }, () => "fulfilled"),
      );
      await store.close();
    });

    test("no acknowledged write is lost when the server is killed and restarted", async () => {
      const url = await server.database();
      const store = await openTestStore({ source: () => postgresDatabase(url, silentLog), isShared: true });
      const acknowledged: string[] = [];
      let failure: unknown;
      let isRunning = true;
      const writing = (async () => {
        while (isRunning) {
          try {
            const records = await Promise.all(
              Array.from({ length: 20 }, () => store.auditLog.append(searched)),
            );
            acknowledged.push(...records.map(({ id }) => id));
          } catch (error) {
            failure = error;
            isRunning = false;
          }
        }
      })();
      await eventually(() => acknowledged.length >= 200);
      await server.kill();
      await writing;
      assert.equal((failure as { readonly code?: string }).code, "ENGINE_UNAVAILABLE");
      await assert.rejects(store.members.all(), { code: "ENGINE_UNAVAILABLE", message: /does not respond/ });
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
        acknowledged.filter((id) => !found.has(id)),
        [],
      );
      await store.close();
    });

    test("a refused connection is reported with what is wrong", async () => {
      const url = await server.database();
      const file = String((await runSql(url, "show hba_file"))[0]?.["hba_file"]);
      writeFileSync(file, `local all guest scram-sha-256\n${readFileSync(file, "utf8")}`);
      await runSql(url, "create role guest login password 'right'", "select pg_reload_conf()");
      const reasons: readonly (readonly [url: string, message: RegExp])[] = [
        [url.replace("trawl@", "guest:wrong@"), /its server rejects the user or the password/],
        [url.replace("trawl@", "guest@"), /its server requires a password\. Set PGPASSWORD/],
        [url.replace("trawl@", "nobody@"), /its server does not accept this user/],
        [url.replace(/test\d+/, "none"), /it does not exist/],
      ];
      for (const [refused, message] of reasons)
        await eventually(async () => {
          await assert.rejects(postgresVersion(refused, silentLog), { code: "ENGINE_UNAVAILABLE", message });
          return true;
        });
    });

    test("a server that ends as it accepts a connection is reported", async (t) => {
      // A ready server, whose last message arrives together with its first ones.
      const ending = createServer((socket) => {
        const fields = ["SFATAL", "C57P01", "Mterminating connection", "", ""];
        socket.once("data", () =>
          socket.end(
            Buffer.concat([message("R", "\0\0\0\0"), message("Z", "I"), message("E", fields.join("\0"))]),
          ),
        );
      });
      t.after(() => ending.close());
      await once(ending.listen(0, "127.0.0.1"), "listening");
      const { port } = ending.address() as AddressInfo;
      await assert.rejects(postgresVersion(`postgres://trawl@127.0.0.1:${port}/trawl`, silentLog), {
        code: "ENGINE_UNAVAILABLE",
      });
    });

    test("an unreachable server is reported without the password of its URL", async () => {
      const source = postgresDatabase("postgres://trawl:secret@127.0.0.1:1/none", silentLog);
      await assert.rejects(openTestStore({ source: () => source, isShared: true }), (error: Error) => {
        assert.equal(error.message, "The database does not respond (ECONNREFUSED).");
        assert.doesNotMatch(JSON.stringify(error), /secret/);
        return true;
      });
    });
  });
}

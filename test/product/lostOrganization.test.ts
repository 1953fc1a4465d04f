/** A lost, emptied or exchanged database: access is closed, and each error explains why. */
import assert from "node:assert/strict";
import { copyFileSync, cpSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openEditor } from "#test/support/editor";
import { eventually } from "#test/support/eventually";
import { runSql, startPostgres, withPostgres } from "#test/support/postgres";
import { repo, temporaryFolder } from "#test/support/repo";
import { type Served, serve } from "#test/support/served";
import { startTrawl, trawl } from "#test/support/trawl";

const source = repo("= main: First\none.txt\n| needle\n");

interface Instance {
  readonly dataDir: string;
  readonly key: string;
  readonly backup: string;
  run(...args: string[]): ReturnType<typeof trawl>;
  serve(t: TestContext, ...flags: string[]): Promise<Served>;
}

/** Creates an instance with a member, a key and a backup. */
async function createInstance(...flags: string[]): Promise<Instance> {
  const instance = instanceIn(temporaryFolder(), flags);
  const created = await instance.run("keys", "create", "scripts");
  const [key = assert.fail(created.stderr)] = /trwl_\S+/.exec(created.stdout) ?? [];
  assert.equal((await instance.run("backup", instance.backup)).code, 0);
  return { ...instance, key };
}

const original = createInstance();

/** Copies an instance with a member, a key and a backup. All copies are of the same organization. */
async function copyInstance(): Promise<Instance> {
  const { dataDir, key } = await original;
  const folder = temporaryFolder();
  cpSync(join(dataDir, ".."), folder, { recursive: true });
  return { ...instanceIn(folder, []), key };
}

function instanceIn(folder: string, flags: readonly string[]): Omit<Instance, "key"> {
  const dataDir = join(folder, "data");
  return {
    dataDir,
    backup: join(folder, "backup"),
    run: (...args) => trawl([...args, "--data-dir", dataDir, ...flags], folder),
    async serve(t, ...more) {
      const server = await serve(dataDir, [source.path], { flags: [...flags, ...more] });
      t.after(() => server.kill());
      return server;
    },
  };
}

async function ask(server: { readonly url: string }, path: string, key?: string): Promise<string> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const response = await fetch(`${server.url}${path}`, { headers });
  const { message = "" } = (await response.json()) as { readonly message?: string };
  return `${response.status} ${message}`.trim();
}

const accessClosed = (reason: string) =>
  new RegExp(`^503 Access is closed, .*: ${reason}.*trawl restore FILE`);

/** Starts a server and checks that it and a command refuse access with the reason. */
async function checkClosed(t: TestContext, { key, run, serve }: Instance, reason: string): Promise<Served> {
  const server = await serve(t);
  assert.match(await ask(server, "/api/repos", key), accessClosed(reason));
  assert.match(await ask(server, "/api/repos"), accessClosed(reason));
  assert.equal(await ask(server, "/api/health"), "200");
  await checkRefused(run("members", "list"), reason);
  return server;
}

async function checkRefused(command: ReturnType<typeof trawl>, reason: string): Promise<void> {
  const { code, stdout, stderr } = await command;
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, new RegExp(`^trawl: Access is closed, .*: ${reason}`));
}

for (const [name, lose, reason] of [
  ["missing", (file: string) => rmSync(file), "trawl\\.db is missing from the data directory"],
  ["empty", (file: string) => truncateSync(file), "trawl\\.db is empty"],
] as const) {
  test(`a database that is ${name} closes the instance until a backup is restored`, async (t) => {
    const lost = await copyInstance();
    lose(join(lost.dataDir, "trawl.db"));
    const server = await checkClosed(t, lost, reason);
    await checkRefused(lost.run("backup", `${lost.backup}-2`), reason);
    assert(!readdirSync(join(lost.backup, "..")).includes("backup-2"));
    await checkRefused(lost.run("keys", "create", "another"), reason);
    // The local user can still search.
    const found = await lost.run("search", "needle");
    assert.match(found.stdout, /one\.txt:1:needle/, found.stderr);
    const junk = join(lost.dataDir, "..", "junk");
    writeFileSync(junk, "This is not a backup.");
    assert.equal((await lost.run("restore", junk)).code, 1);
    // The failed attempt leaves an empty database.
    await eventually(async () => accessClosed("trawl\\.db is empty").test(await ask(server, "/api/repos")));

    const restored = await lost.run("restore", lost.backup);
    assert.equal(restored.code, 0, restored.stderr);
    assert.equal(await ask(server, "/api/repos", lost.key), "200");
    assert.equal(await ask(server, "/api/repos"), "200");
    const { stderr } = await server.stop();
    assert.match(stderr, new RegExp(`"level":"warn","message":"Access is closed, .*: ${reason}`));
    assert.doesNotMatch(stderr, /"stack"/);
    assert.doesNotMatch(stderr, /can search without a key/);
    const again = await lost.serve(t);
    assert.equal(await ask(again, "/api/repos", lost.key), "200");
    assert.match((await again.stop()).stderr, /can search without a key/);
  });
}

test("a database of another organization is detected", async (t) => {
  const [lost, other] = [await copyInstance(), await createInstance()];
  copyFileSync(join(other.dataDir, "trawl.db"), join(lost.dataDir, "trawl.db"));
  const server = await checkClosed(t, lost, "trawl\\.db belongs to another organization");
  assert.match(await ask(server, "/api/repos", other.key), /^503 /);
  await server.stop();
  const refused = await lost.run("restore", lost.backup);
  assert.match(refused.stderr, /which the backup would replace/);
  assert.equal((await lost.run("restore", "--replace", lost.backup)).code, 0);
  assert.equal(await ask(await lost.serve(t), "/api/repos", lost.key), "200");
});

test("deleting organization.json or the data directory starts a new organization", async (t) => {
  const lost = await copyInstance();
  rmSync(join(lost.dataDir, "trawl.db"));
  const server = await checkClosed(t, lost, "trawl\\.db is missing");
  rmSync(join(lost.dataDir, "organization.json"));
  await eventually(async () => (await ask(server, "/api/repos")) === "200");
  assert.match(await ask(server, "/api/repos", lost.key), /^401 /);
  assert.equal((await lost.run("backup", `${lost.backup}-3`)).code, 0);
  await server.stop();

  const deleted = await copyInstance();
  rmSync(deleted.dataDir, { recursive: true });
  const fresh = await deleted.serve(t);
  assert.equal(await ask(fresh, "/api/repos"), "200");
  assert.match(await ask(fresh, "/api/repos", deleted.key), /^401 /);
});

test("a missing or damaged organization.json is restored from the database", async (t) => {
  const { dataDir, key, ...known } = await copyInstance();
  for (const damage of [
    () => rmSync(join(dataDir, "organization.json")),
    () => writeFileSync(join(dataDir, "organization.json"), "{"),
  ]) {
    damage();
    assert.match((await known.run("keys", "list")).stdout, /scripts/);
    rmSync(join(dataDir, "..", "trawl.db"), { force: true });
    copyFileSync(join(dataDir, "trawl.db"), join(dataDir, "..", "trawl.db"));
    rmSync(join(dataDir, "trawl.db"));
    const server = await known.serve(t);
    assert.match(await ask(server, "/api/repos", key), accessClosed("trawl\\.db is missing"));
    await server.stop();
    copyFileSync(join(dataDir, "..", "trawl.db"), join(dataDir, "trawl.db"));
  }
});

test("after a loss, the endpoint of an editor is closed if there were keys and open otherwise", async (t) => {
  const lost = await copyInstance();
  const fresh = join(temporaryFolder(), "data");
  rmSync(join(lost.dataDir, "trawl.db"));
  for (const [dataDir, expected] of [
    [lost.dataDir, accessClosed("trawl\\.db is missing")],
    [fresh, /^200$/],
  ] as const) {
    const editor = await openEditor(dataDir, { folders: [source.path], args: ["--port", "0"] }, t);
    const { url } = await editor.call<{ url: string }>("instance");
    assert.match(await ask({ url }, "/api/repos"), expected);
    await editor.close();
  }
});

test("a server started with another database reports the previous one", async (t) => {
  const known = await copyInstance();
  const remembered = join(known.dataDir, "organization.json");
  writeFileSync(
    remembered,
    JSON.stringify({ uuid: "x", database: "the PostgreSQL database", hasKeys: true }),
  );
  const server = await known.serve(t);
  assert.match(await ask(server, "/api/repos", known.key), /They were in the PostgreSQL database before/);
});

withPostgres("an emptied PostgreSQL database", (binaries) => {
  test("an emptied PostgreSQL database closes the instance until a backup is restored", async (t) => {
    const postgres = await startPostgres(binaries);
    t.after(() => postgres.close());
    const url = await postgres.database();
    const config = join(temporaryFolder(), "trawl.json");
    writeFileSync(config, JSON.stringify({ database: url }));
    const lost = await createInstance("--config", config);
    const server = await lost.serve(t);
    assert.equal(await ask(server, "/api/repos", lost.key), "200");
    // Requests to the running server are refused too.
    await runSql(url, "drop schema public cascade; create schema public");
    assert.match(
      await ask(server, "/api/repos", lost.key),
      /^503 The database cannot be used: its tables are gone/,
    );
    await server.stop();
    await (await checkClosed(t, lost, "the PostgreSQL database is empty")).stop();
    assert.equal((await lost.run("restore", lost.backup)).code, 0);
    await runSql(url, 'truncate member, "apiKey", "browserSession", organisation cascade');
    const emptied = await checkClosed(t, lost, "the PostgreSQL database is empty");
    assert.equal((await lost.run("restore", "--replace", lost.backup)).code, 0);
    assert.equal(await ask(emptied, "/api/repos", lost.key), "200");
  });
});

test("an instance without members, keys or a license starts over without its database", async (t) => {
  const dataDir = join(temporaryFolder(), "data");
  const run = (...args: string[]) => trawl([...args, "--data-dir", dataDir]);
  assert.equal((await run("members", "list")).code, 0);
  rmSync(join(dataDir, "trawl.db"));
  const server = startTrawl(["serve", "--port", "0", "--data-dir", dataDir, source.path]);
  t.after(() => server.process.kill("SIGKILL"));
  await server.line(/^Ready/);
  assert.equal((await run("members", "list")).code, 0);
});

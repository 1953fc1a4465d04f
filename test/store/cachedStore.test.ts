/** Which results are cached in memory while no other process writes to the database. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { Member } from "#model/organization";
import { inlineThread } from "#platform/inlineThread";
import { embeddedDatabase } from "#store/embedded";
import { createDatabaseTask, type DatabaseCall, type DatabaseRows } from "#store/embeddedTask";
import type { Store } from "#store/store";
import { Random } from "#test/support/corpus";
import { temporaryFolder } from "#test/support/repo";
import { openTestStore } from "#test/support/stores";

const identity = { issuer: "https://issuer.example.com", subject: "ada" };

/** Opens a store with a counter of its queries; each query yields to the event loop once. */
async function openCounted() {
  const counter = { queries: 0 };
  const thread = inlineThread<DatabaseCall, DatabaseRows>(createDatabaseTask());
  const source = () =>
    embeddedDatabase(join(temporaryFolder(), "trawl.db"), () => ({
      ...thread,
      async run(call) {
        counter.queries++;
        const answer = await thread.run(call);
        await new Promise(setImmediate);
        return answer;
      },
    }));
  const store = await openTestStore({ source, isShared: false });
  const ada = await store.members.addFirst({ email: "ada@x.org" });
  assert.ok(ada !== undefined);
  await store.members.linkOAuth(ada.id, identity);
  const creation = await store.apiKeys.create({ memberId: ada.id, name: "ci", hash: "right" });
  assert.ok(creation.kind === "created");
  await store.sessions.create({ keyId: creation.key.id, hash: "session", expiresAt: 1e15 });
  return { store, ada, counter };
}

/** All cached reads. */
const reads: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  "a key's owner": ({ apiKeys }) => apiKeys.byHash("right"),
  "a session": ({ sessions }) => sessions.byHash("session"),
  "an identity's member": ({ members }) => members.byOAuth(identity),
  "whether there are keys": ({ apiKeys }) => apiKeys.hasKeys(),
  "how many members there are": ({ members }) => members.count(),
  "the organization": ({ organization }) => organization.get(),
};

const changes: Readonly<Record<string, (store: Store, ada: Member) => Promise<unknown>>> = {
  "a license": ({ organization }) => organization.setLicense("x"),
  "the time": ({ organization }) => organization.advanceLatestTime(7),
  "a time reset": ({ organization }) => organization.resetLatestTime(3),
  "another member": ({ members }) => members.add({ email: "bob@x.org", role: "OWNER" }),
  "another role": ({ members }, { id }) => members.setRole(id, "MEMBER"),
  "a suspension": ({ members }, { id }) => members.suspend(id),
  "a resumption": ({ members }, { id }) => members.resume(id),
  "another identity": ({ members }, { id }) => members.linkOAuth(id, { ...identity, subject: "eve" }),
  activity: ({ members }, { id }) => members.recordActivity(id, 5),
  "another key": ({ apiKeys }, { id }) => apiKeys.create({ memberId: id, name: "2", hash: "2" }),
  "the use of a key": async ({ apiKeys }) => {
    const [key] = await apiKeys.all();
    await apiKeys.recordUse(key?.id ?? assert.fail(), 9);
  },
  "another session": async ({ sessions, apiKeys }) => {
    const [key] = await apiKeys.all();
    await sessions.create({ keyId: key?.id ?? assert.fail(), hash: "2", expiresAt: 7 });
  },
  "the use of a session": async ({ sessions }) => {
    const found = await sessions.byHash("session");
    await sessions.recordUse(found?.session.id ?? assert.fail(), { time: 9, expiresAt: 1e15 });
  },
  "other groups": ({ members }, { id }) =>
    members.setClaims(id, { groups: ["staff"], codeHostLogins: { work: "ada-l" } }),
  "expired sessions": ({ sessions }) => sessions.removeExpired(8),
  "an ended session": async ({ sessions }) => {
    const found = await sessions.byHash("session");
    await sessions.end(found?.session.id ?? assert.fail());
  },
  "revoked keys": async ({ apiKeys }) => {
    for (const { id } of await apiKeys.all()) await apiKeys.revoke(id);
  },
  "a removed member": ({ members }, { id }) => members.remove(id),
};

test("reads are cached until the next change", async () => {
  const { store, ada, counter } = await openCounted();
  const file = join(temporaryFolder(), "backup");
  await store.backup(file);
  const all: typeof changes = { ...changes, "a restore": () => store.restore(file, { replace: true }) };
  for (const [change, make] of Object.entries(all)) {
    for (const read of Object.values(reads)) await read(store);
    await make(store, ada);
    const fresh = new Map<string, unknown>();
    for (const [name, read] of Object.entries(reads)) {
      const before = counter.queries;
      fresh.set(name, await read(store));
      assert.ok(counter.queries > before, `${name} is still cached after ${change}`);
    }
    const before = counter.queries;
    for (const [name, read] of Object.entries(reads)) {
      const answer = fresh.get(name);
      if (answer !== undefined) assert.deepEqual(await read(store), answer);
    }
    assert.equal(counter.queries, before, `not everything is cached after ${change}`);
  }
  await store.close();
});

test("missing rows are not cached", async () => {
  const { store, counter } = await openCounted();
  for (let round = 0; round < 3; round++) {
    const before = counter.queries;
    assert.equal(await store.apiKeys.byHash("wrong"), undefined);
    assert.ok(counter.queries > before);
  }
  await store.close();
});

test("a read after a change never returns the state before it, however many reads are in flight", async () => {
  const { store, ada } = await openCounted();
  const random = new Random(5);
  let isDone = false;
  const readers = Array.from({ length: 4 }, async () => {
    while (!isDone) {
      await Promise.all(Object.values(reads).map((read) => read(store)));
      for (let turns = random.between(0, 3); turns > 0; turns--) await new Promise(setImmediate);
    }
  });
  for (let round = 0; round < 30; round++) {
    const creation = await store.apiKeys.create({ memberId: ada.id, name: "r", hash: `r${round}` });
    assert.ok(creation.kind === "created");
    assert.equal((await store.apiKeys.byHash(`r${round}`))?.key.id, creation.key.id);
    const during = store.apiKeys.byHash(`r${round}`);
    await store.apiKeys.revoke(creation.key.id);
    assert.equal(await store.apiKeys.byHash(`r${round}`), undefined);
    await during;
    assert.equal(await store.apiKeys.byHash(`r${round}`), undefined);
    await store.members.recordActivity(ada.id, round + 1);
    assert.equal((await store.members.byOAuth(identity))?.lastActivityAt, round + 1);
  }
  isDone = true;
  await Promise.all(readers);
  await store.close();
});

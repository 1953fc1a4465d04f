/** What is kept in memory of a database that nobody else writes. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { Member } from "#model/organisation";
import { thisThread } from "#platform/workers";
import { embeddedDatabase } from "#store/embedded";
import { createDatabaseTask, type DatabaseAnswer, type DatabaseCall } from "#store/embeddedTask";
import type { Store } from "#store/store";
import { Random } from "#test/support/corpus";
import { temporaryFolder } from "#test/support/repo";
import { openTestStore } from "#test/support/stores";

const identity = { issuer: "https://issuer.example.com", subject: "ada" };

/** A store that counts what its database is asked, and takes its time to answer. */
async function counted() {
  const counter = { queries: 0 };
  const thread = thisThread<DatabaseCall, DatabaseAnswer>(createDatabaseTask());
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

/** Everything that is kept. */
const questions: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  "whose a key is": ({ apiKeys }) => apiKeys.byHash("right"),
  "who is signed in": ({ sessions }) => sessions.byHash("session"),
  "who an identity is": ({ members }) => members.byOAuth(identity),
  "whether there are keys": ({ apiKeys }) => apiKeys.exist(),
  "how many members there are": ({ members }) => members.count(),
  "the organisation": ({ organisation }) => organisation.get(),
};

const changes: Readonly<Record<string, (store: Store, ada: Member) => Promise<unknown>>> = {
  "a licence": ({ organisation }) => organisation.setLicense("x"),
  "the time": ({ organisation }) => organisation.noteTime(7),
  "the time, reset": ({ organisation }) => organisation.resetTime(3),
  "another member": ({ members }) => members.add({ email: "bob@x.org", role: "OWNER" }),
  "another role": ({ members }, { id }) => members.setRole(id, "MEMBER"),
  "a suspension": ({ members }, { id }) => members.suspend(id),
  "its end": ({ members }, { id }) => members.resume(id),
  "another identity": ({ members }, { id }) => members.linkOAuth(id, { ...identity, subject: "eve" }),
  activity: ({ members }, { id }) => members.noteActivity(id, 5),
  "another key": ({ apiKeys }, { id }) => apiKeys.create({ memberId: id, name: "2", hash: "2" }),
  "the use of a key": async ({ apiKeys }) => {
    const [key] = await apiKeys.all();
    await apiKeys.noteUse(key?.id ?? assert.fail(), 9);
  },
  "another session": async ({ sessions, apiKeys }) => {
    const [key] = await apiKeys.all();
    await sessions.create({ keyId: key?.id ?? assert.fail(), hash: "2", expiresAt: 7 });
  },
  "the end of sessions": ({ sessions }) => sessions.removeExpired(8),
  "no session any more": async ({ sessions }) => {
    const found = await sessions.byHash("session");
    await sessions.end(found?.session.id ?? assert.fail());
  },
  "no key any more": async ({ apiKeys }) => {
    for (const { id } of await apiKeys.all()) await apiKeys.revoke(id);
  },
  "no member any more": ({ members }, { id }) => members.remove(id),
};

test("what every call asks for is asked once, and again after each change", async () => {
  const { store, ada, counter } = await counted();
  const file = join(temporaryFolder(), "backup");
  await store.backup(file);
  const all: typeof changes = { ...changes, "a restore": () => store.restore(file, { replace: true }) };
  for (const [change, make] of Object.entries(all)) {
    for (const ask of Object.values(questions)) await ask(store);
    await make(store, ada);
    const fresh = new Map<string, unknown>();
    for (const [name, ask] of Object.entries(questions)) {
      const before = counter.queries;
      fresh.set(name, await ask(store));
      assert.ok(counter.queries > before, `${name} is remembered after ${change}`);
    }
    const before = counter.queries;
    for (const [name, ask] of Object.entries(questions)) {
      const answer = fresh.get(name);
      if (answer !== undefined) assert.deepEqual(await ask(store), answer);
    }
    assert.equal(counter.queries, before, `everything is asked again after ${change}`);
  }
  await store.close();
});

test("what there is not is asked for every time", async () => {
  const { store, counter } = await counted();
  for (let round = 0; round < 3; round++) {
    const before = counter.queries;
    assert.equal(await store.apiKeys.byHash("wrong"), undefined);
    assert.ok(counter.queries > before);
  }
  await store.close();
});

test("with questions under way all the time, none is answered by what was before a change", async () => {
  const { store, ada } = await counted();
  const random = new Random(5);
  let isOver = false;
  const asking = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      await Promise.all(Object.values(questions).map((ask) => ask(store)));
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
    await store.members.noteActivity(ada.id, round + 1);
    assert.equal((await store.members.byOAuth(identity))?.lastActivityAt, round + 1);
  }
  isOver = true;
  await Promise.all(asking);
  await store.close();
});

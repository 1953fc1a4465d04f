import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { NewAuditRecord } from "#model/audit";
import type { Member } from "#model/organisation";
import type { Store } from "#store/store";
import { setClock } from "#test/support/clock";
import { temporaryFolder } from "#test/support/repo";
import { onEachDatabase, openTestStore } from "#test/support/stores";

const start = Date.UTC(2026, 0, 1);

/** What is recorded of what happens to something. */
function told(action: NewAuditRecord["action"]) {
  return ({ id }: { readonly id: string | number }): NewAuditRecord => ({
    action,
    actorId: "somebody",
    actorType: "user",
    targetId: String(id),
    targetType: "user",
    metadata: null,
  });
}

function fails(): never {
  throw new Error("No record can be made of it.");
}

async function added(store: Store, email: string, role: Member["role"] = "MEMBER"): Promise<Member> {
  const addition = await store.members.add({ email, role }, { record: told("added") });
  return addition.kind === "added" ? addition.member : assert.fail(addition.kind);
}

/** Oldest first. */
async function records(store: Store): Promise<string[]> {
  const { items } = await store.auditLog.page({ page: 1, perPage: 100 });
  return items.map(({ action, targetId }) => `${action} ${targetId}`).reverse();
}

onEachDatabase((empty) => {
  const withStore = async (work: (store: Store) => Promise<void>) => {
    const store = await openTestStore(await empty(), setClock(start));
    try {
      await work(store);
    } finally {
      await store.close();
    }
  };

  test("each change is recorded, and what changes nothing is not", () =>
    withStore(async (store) => {
      const ada = await added(store, "ada@x.org", "OWNER");
      const bob = await added(store, "bob@x.org");
      const again = await store.members.add({ email: "BOB@x.org", role: "OWNER" }, { record: fails });
      const full = await store.members.add({ email: "c@x.org", role: "MEMBER" }, { seats: 2, record: fails });
      assert.deepEqual([again.kind, full.kind], ["emailTaken", "full"]);
      await store.members.setRole(bob.id, "OWNER", told("promoted"));
      const same = await store.members.setRole(bob.id, "OWNER", fails);
      assert.equal(same.kind, "changed");
      const key = { memberId: bob.id, name: "ci", hash: "1" };
      const creation = await store.apiKeys.create(key, told("created"));
      assert.ok(creation.kind === "created");
      assert.equal((await store.apiKeys.create({ ...key, hash: "2" }, fails)).kind, "nameTaken");
      await store.apiKeys.revoke(creation.key.id, told("revoked"));
      assert.equal(await store.apiKeys.revoke(creation.key.id, fails), undefined);
      await store.members.remove(bob.id, told("removed"));
      assert.equal((await store.members.remove(bob.id, fails)).kind, "unknown");
      assert.equal((await store.members.remove(ada.id, fails)).kind, "lastOwner");
      await store.organisation.setLicense("a", told("licensed"));
      await store.organisation.resetTime(start, told("reset"));
      assert.deepEqual(await records(store), [
        `added ${ada.id}`,
        `added ${bob.id}`,
        `promoted ${bob.id}`,
        `created ${creation.key.id}`,
        `revoked ${creation.key.id}`,
        `removed ${bob.id}`,
        "licensed 1",
        "reset 1",
      ]);
    }));

  test("what cannot be recorded is not done", () =>
    withStore(async (store) => {
      const ada = await added(store, "ada@x.org", "OWNER");
      const bob = await added(store, "bob@x.org", "OWNER");
      const creation = await store.apiKeys.create({ memberId: ada.id, name: "ci", hash: "1" });
      assert.ok(creation.kind === "created");
      const before = await records(store);
      const { members, apiKeys, organisation } = store;
      for (const change of [
        () => members.add({ email: "eve@x.org", role: "MEMBER" }, { record: fails }),
        () => members.setRole(bob.id, "MEMBER", fails),
        () => members.remove(bob.id, fails),
        () => apiKeys.create({ memberId: bob.id, name: "ci", hash: "2" }, fails),
        () => apiKeys.revoke(creation.key.id, fails),
        () => organisation.setLicense("a", fails),
        () => organisation.resetTime(start + 1, fails),
      ]) {
        await assert.rejects(change(), { message: "No record can be made of it." });
      }
      assert.deepEqual(await members.all(), [ada, bob]);
      assert.deepEqual(await apiKeys.all(), [creation.key]);
      assert.deepEqual(await organisation.get(), { id: 1, name: "Trawl", latestTime: start });
      assert.deepEqual(await records(store), before);
    }));

  test("a restore is recorded behind what it has brought", () =>
    withStore(async (store) => {
      const ada = await added(store, "ada@x.org", "OWNER");
      const file = join(temporaryFolder(), "backup");
      await store.backup(file);
      const bob = await added(store, "bob@x.org");
      await assert.rejects(store.restore(file, { replace: true, record: fails }));
      assert.deepEqual(await store.members.all(), [ada, bob]);
      await store.restore(file, { replace: true, record: () => told("restored")({ id: 1 }) });
      assert.deepEqual(await records(store), [`added ${ada.id}`, "restored 1"]);
    }));

  test("who was vouched for before somebody was removed is not added, whichever process removed them", async () => {
    const clock = setClock(start);
    const database = await empty();
    const one = await openTestStore(database, clock);
    const other = database.isShared ? await openTestStore(database, clock) : one;
    const join = (email: string, vouchedAt: number) =>
      other.members.add({ email, role: "MEMBER" }, { vouchedAt });
    assert.equal((await join("ada@x.org", start - 1000)).kind, "added");
    const bob = await added(one, "bob@x.org");
    clock.time += 5000;
    await one.members.remove(bob.id);
    for (const vouchedAt of [start, start + 5000]) {
      assert.equal((await join("bob@x.org", vouchedAt)).kind, "outdated");
    }
    // By somebody here, and by whoever knew of the removal.
    assert.equal((await one.members.add({ email: "carol@x.org", role: "MEMBER" })).kind, "added");
    assert.equal((await join("bob@x.org", start + 5001)).kind, "added");
    // A clock that was set back undoes nothing.
    clock.time -= 3000;
    await one.members.remove((await other.members.byEmail("carol@x.org"))?.id ?? bob.id);
    assert.equal((await join("carol@x.org", start + 5000)).kind, "outdated");
    await one.close();
    if (other !== one) await other.close();
    const later = await openTestStore(database, clock);
    const again = await later.members.add({ email: "carol@x.org", role: "MEMBER" }, { vouchedAt: start });
    assert.equal(again.kind, "outdated");
    await later.close();
  });
});

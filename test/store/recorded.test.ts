import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { Member } from "#model/organization";
import type { Store } from "#store/store";
import { manualClock } from "#test/support/clock";
import { temporaryFolder } from "#test/support/repo";
import { auditRecord, onEachDatabase, openTestStore } from "#test/support/stores";

const start = Date.UTC(2026, 0, 1);

function cannotRecord(): never {
  throw new Error("Cannot create the record.");
}

async function added(store: Store, email: string, role: Member["role"] = "MEMBER"): Promise<Member> {
  const addition = await store.members.add({ email, role }, { record: auditRecord("added") });
  return addition.kind === "added" ? addition.member : assert.fail(addition.kind);
}

/** Oldest first. */
async function records(store: Store): Promise<string[]> {
  const { items } = await store.auditLog.page({ page: 1, perPage: 100 });
  return items.map(({ action, targetId }) => `${action} ${targetId}`).reverse();
}

onEachDatabase((empty) => {
  const withStore = async (work: (store: Store) => Promise<void>) => {
    const store = await openTestStore(await empty(), manualClock(start));
    try {
      await work(store);
    } finally {
      await store.close();
    }
  };

  test("each change is recorded, and calls that change nothing are not", () =>
    withStore(async (store) => {
      const ada = await added(store, "ada@x.org", "OWNER");
      const bob = await added(store, "bob@x.org");
      const again = await store.members.add({ email: "BOB@x.org", role: "OWNER" }, { record: cannotRecord });
      const full = await store.members.add(
        { email: "c@x.org", role: "MEMBER" },
        { seats: 2, record: cannotRecord },
      );
      assert.deepEqual([again.kind, full.kind], ["emailTaken", "full"]);
      await store.members.setRole(bob.id, "OWNER", auditRecord("promoted"));
      const same = await store.members.setRole(bob.id, "OWNER", cannotRecord);
      assert.equal(same.kind, "changed");
      const key = { memberId: bob.id, name: "ci", hash: "1" };
      const creation = await store.apiKeys.create(key, auditRecord("created"));
      assert.ok(creation.kind === "created");
      assert.equal((await store.apiKeys.create({ ...key, hash: "2" }, cannotRecord)).kind, "nameTaken");
      await store.apiKeys.revoke(creation.key.id, auditRecord("revoked"));
      assert.equal(await store.apiKeys.revoke(creation.key.id, cannotRecord), undefined);
      await store.members.remove(bob.id, auditRecord("removed"));
      assert.equal((await store.members.remove(bob.id, cannotRecord)).kind, "unknown");
      assert.equal((await store.members.remove(ada.id, cannotRecord)).kind, "lastOwner");
      await store.organization.setLicense("a", auditRecord("licensed"));
      await store.organization.resetLatestTime(start, auditRecord("reset"));
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

  test("a change that cannot be recorded is not made", () =>
    withStore(async (store) => {
      const ada = await added(store, "ada@x.org", "OWNER");
      const bob = await added(store, "bob@x.org", "OWNER");
      const creation = await store.apiKeys.create({ memberId: ada.id, name: "ci", hash: "1" });
      assert.ok(creation.kind === "created");
      const before = await records(store);
      const { members, apiKeys, organization } = store;
      for (const change of [
        () => members.add({ email: "eve@x.org", role: "MEMBER" }, { record: cannotRecord }),
        () => members.setRole(bob.id, "MEMBER", cannotRecord),
        () => members.remove(bob.id, cannotRecord),
        () => apiKeys.create({ memberId: bob.id, name: "ci", hash: "2" }, cannotRecord),
        () => apiKeys.revoke(creation.key.id, cannotRecord),
        () => organization.setLicense("a", cannotRecord),
        () => organization.resetLatestTime(start + 1, cannotRecord),
      ]) {
        await assert.rejects(change(), { message: "Cannot create the record." });
      }
      assert.deepEqual(await members.all(), [ada, bob]);
      assert.deepEqual(await apiKeys.all(), [creation.key]);
      const { uuid } = await organization.get();
      assert.deepEqual(await organization.get(), { id: 1, uuid, name: "Trawl", latestTime: start });
      assert.deepEqual(await records(store), before);
    }));

  test("a restore is recorded after the records that it restores", () =>
    withStore(async (store) => {
      const ada = await added(store, "ada@x.org", "OWNER");
      const file = join(temporaryFolder(), "backup");
      await store.backup(file);
      const bob = await added(store, "bob@x.org");
      await assert.rejects(store.restore(file, { replace: true, record: cannotRecord }));
      assert.deepEqual(await store.members.all(), [ada, bob]);
      await store.restore(file, { replace: true, record: () => auditRecord("restored")({ id: 1 }) });
      assert.deepEqual(await records(store), [`added ${ada.id}`, "restored 1"]);
    }));

  test("an identity verified before a removal is not added, whichever process removed the member", async () => {
    const clock = manualClock(start);
    const database = await empty();
    const one = await openTestStore(database, clock);
    const other = database.isShared ? await openTestStore(database, clock) : one;
    const join = (email: string, verifiedAt: number) =>
      other.members.add({ email, role: "MEMBER" }, { verifiedAt: verifiedAt });
    assert.equal((await join("ada@x.org", start - 1000)).kind, "added");
    const bob = await added(one, "bob@x.org");
    clock.time += 5000;
    await one.members.remove(bob.id);
    for (const verifiedAt of [start, start + 5000]) {
      assert.equal((await join("bob@x.org", verifiedAt)).kind, "outdated");
    }
    // An owner may add members, and so may an identity verified after the removal.
    assert.equal((await one.members.add({ email: "carol@x.org", role: "MEMBER" })).kind, "added");
    assert.equal((await join("bob@x.org", start + 5001)).kind, "added");
    // Setting the clock back does not undo a removal.
    clock.time -= 3000;
    await one.members.remove((await other.members.byEmail("carol@x.org"))?.id ?? bob.id);
    assert.equal((await join("carol@x.org", start + 5000)).kind, "outdated");
    await one.close();
    if (other !== one) await other.close();
    const later = await openTestStore(database, clock);
    const again = await later.members.add({ email: "carol@x.org", role: "MEMBER" }, { verifiedAt: start });
    assert.equal(again.kind, "outdated");
    await later.close();
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ApiKey, Member } from "#model/organization";
import type { MemberChange, Store } from "#store/store";
import { manualClock } from "#test/support/clock";
import { onEachDatabase, openTestStore, type TestDatabase } from "#test/support/stores";

const start = Date.UTC(2026, 0, 1);
const hash = (digit: string) => digit.repeat(64);

async function added(store: Store, email: string, role: Member["role"] = "MEMBER"): Promise<Member> {
  const addition = await store.members.add({ email, role });
  assert.equal(addition.kind, "added");
  return addition.kind === "added" ? addition.member : assert.fail();
}

async function keyOf(store: Store, memberId: Member["id"], digit: string): Promise<ApiKey> {
  const creation = await store.apiKeys.create({ memberId, name: `key ${digit}`, hash: hash(digit) });
  return creation.kind === "created" ? creation.key : assert.fail(creation.kind);
}

onEachDatabase((empty) => {
  /** Opens two stores on one database if it can be shared, otherwise the same store twice. */
  const withStores = async (work: (one: Store, other: Store, clock: { time: number }) => Promise<void>) => {
    const clock = manualClock(start);
    const database: TestDatabase = await empty();
    const one = await openTestStore(database, clock);
    const other = database.isShared ? await openTestStore(database, clock) : one;
    try {
      await work(one, other, clock);
    } finally {
      await one.close();
      if (other !== one) await other.close();
    }
  };

  test("a new instance has an organization without members", () =>
    withStores(async (store) => {
      const { uuid } = await store.organization.get();
      assert.deepEqual(await store.organization.get(), { id: 1, uuid, name: "Trawl", latestTime: start });
      assert.deepEqual(await store.members.all(), []);
      assert.deepEqual(await store.apiKeys.all(), []);
      assert.equal(await store.apiKeys.hasKeys(), false);
    }));

  test("the license can be replaced and removed", () =>
    withStores(async (store, other) => {
      await store.organization.setLicense("one");
      await store.organization.setLicense("two");
      assert.equal((await other.organization.get()).license, "two");
      await store.organization.setLicense(undefined);
      assert.equal((await other.organization.get()).license, undefined);
    }));

  test("the latest time never goes back", () =>
    withStores(async (store) => {
      for (const time of [start + 5, start + 9, start + 7]) await store.organization.advanceLatestTime(time);
      assert.equal((await store.organization.get()).latestTime, start + 9);
    }));

  describe("members", () => {
    test("are found by id, email and identity", () =>
      withStores(async (store, other, clock) => {
        const oauth = { issuer: "https://login.example.com", subject: "42" };
        const ada = await store.members.add({ name: "Ada", email: "Ada@Example.com", role: "OWNER" });
        clock.time = start + 1000;
        const bob = await store.members.add({ email: "bob@example.com", role: "MEMBER", oauth });
        assert.ok(ada.kind === "added" && bob.kind === "added");
        const { id } = ada.member;
        const times = { createdAt: start, updatedAt: start };
        const fields = {
          name: "Ada",
          email: "Ada@Example.com",
          role: "OWNER",
          groups: [],
          codeHostLogins: {},
        };
        assert.deepEqual(ada.member, { id, ...fields, ...times });
        assert.deepEqual(await other.members.all(), [ada.member, bob.member]);
        assert.deepEqual(await other.members.get(id), ada.member);
        assert.deepEqual(await other.members.byEmail("aDA@example.COM"), ada.member);
        assert.deepEqual(await other.members.byOAuth(oauth), bob.member);
        assert.equal(await other.members.byOAuth({ ...oauth, issuer: "https://elsewhere" }), undefined);
        assert.equal(await other.members.byEmail("carol@example.com"), undefined);
      }));

    test("have unique emails, ignoring case", () =>
      withStores(async (store) => {
        const ada = await added(store, "ada@example.com");
        assert.deepEqual(await store.members.add({ email: "ADA@example.com", role: "OWNER" }), {
          kind: "emailTaken",
          member: ada,
        });
        assert.deepEqual(await store.members.all(), [ada]);
      }));

    test("concurrent additions with the same email add one", () =>
      withStores(async (one, other) => {
        const additions = await Promise.all(
          Array.from({ length: 12 }, (_, at) =>
            (at % 2 === 0 ? one : other).members.add({ email: "ada@example.com", role: "MEMBER" }),
          ),
        );
        assert.equal(additions.filter(({ kind }) => kind === "added").length, 1);
        assert.equal((await one.members.all()).length, 1);
      }));

    test("concurrent additions never exceed the seats", () =>
      withStores(async (one, other) => {
        const suspended = await added(one, "away@example.com");
        await added(one, "owner@example.com", "OWNER");
        await one.members.suspend(suspended.id);
        const additions = await Promise.all(
          Array.from({ length: 10 }, (_, at) =>
            (at % 2 === 0 ? one : other).members.add(
              { email: `m${at}@example.com`, role: "MEMBER" },
              { seats: 4 },
            ),
          ),
        );
        assert.equal(additions.filter(({ kind }) => kind === "added").length, 3);
        assert.deepEqual(
          additions.find(({ kind }) => kind === "full"),
          { kind: "full", count: 4 },
        );
        assert.equal(await one.members.count(), 4);
      }));

    test("only one first member is added, as an owner", () =>
      withStores(async (one, other) => {
        const firsts = await Promise.all(
          [one, other, one, other].map((store, at) => store.members.addFirst({ email: `m${at}@x.org` })),
        );
        const [first, ...more] = firsts.filter((member) => member !== undefined);
        assert.deepEqual([first?.role, more.length], ["OWNER", 0]);
      }));

    test("can be linked to another identity", () =>
      withStores(async (store) => {
        const ada = await added(store, "ada@example.com");
        const identity = { issuer: "https://login.example.com", subject: "1" };
        await store.members.linkOAuth(ada.id, identity);
        await store.members.linkOAuth(ada.id, { ...identity, subject: "2" });
        assert.equal(await store.members.byOAuth(identity), undefined);
        assert.equal((await store.members.byOAuth({ ...identity, subject: "2" }))?.id, ada.id);
      }));

    test("can be promoted, suspended and resumed", () =>
      withStores(async (store, _, clock) => {
        await added(store, "owner@example.com", "OWNER");
        const bob = await added(store, "bob@example.com");
        clock.time = start + 50;
        const promoted = { ...bob, role: "OWNER", updatedAt: start + 50 };
        assert.deepEqual(await store.members.setRole(bob.id, "OWNER"), { kind: "changed", member: promoted });
        clock.time = start + 60;
        const away = { ...promoted, suspendedAt: start + 60, updatedAt: start + 60 };
        assert.deepEqual(await store.members.suspend(bob.id), { kind: "changed", member: away });
        clock.time = start + 70;
        await store.members.suspend(bob.id);
        assert.equal((await store.members.get(bob.id))?.suspendedAt, start + 60);
        await store.members.resume(bob.id);
        assert.deepEqual(await store.members.get(bob.id), { ...promoted, updatedAt: start + 70 });
        assert.deepEqual(await store.members.setRole("none" as Member["id"], "OWNER"), { kind: "unknown" });
      }));

    test("a person is only resumed if there is a free seat, a service account always", () =>
      withStores(async (store) => {
        await added(store, "owner@example.com", "OWNER");
        const bob = await added(store, "bob@example.com");
        const service = await store.members.add({ email: "service:ci", role: "MEMBER", isService: true });
        assert.ok(service.kind === "added");
        for (const { id } of [bob, service.member]) await store.members.suspend(id);
        assert.deepEqual(await store.members.resume(bob.id, { seats: 1 }), { kind: "full", count: 1 });
        assert.equal((await store.members.get(bob.id))?.suspendedAt, start);
        for (const { id } of [bob, service.member])
          assert.equal((await store.members.resume(id, { seats: 2 })).kind, "changed");
        assert.equal((await store.members.resume(bob.id, { seats: 1 })).kind, "changed", "already active");
      }));

    test("only later activity is recorded", () =>
      withStores(async (store) => {
        const { id } = await added(store, "ada@example.com");
        for (const time of [start + 5, start + 9, start + 7]) await store.members.recordActivity(id, time);
        assert.equal((await store.members.get(id))?.lastActivityAt, start + 9);
      }));
  });

  describe("the last owner", () => {
    const ways: Readonly<Record<string, (store: Store, id: Member["id"]) => Promise<MemberChange>>> = {
      "is not removed": (store, id) => store.members.remove(id),
      "is not demoted": (store, id) => store.members.setRole(id, "MEMBER"),
      "is not suspended": (store, id) => store.members.suspend(id),
    };
    for (const [name, way] of Object.entries(ways)) {
      test(name, () =>
        withStores(async (store) => {
          const owner = await added(store, "owner@example.com", "OWNER");
          await added(store, "member@example.com");
          const away = await added(store, "away@example.com", "OWNER");
          await store.members.suspend(away.id);
          assert.deepEqual(await way(store, owner.id), { kind: "lastOwner", member: owner });
          assert.deepEqual(await store.members.get(owner.id), owner);
        }),
      );

      test(`${name} by concurrent changes of all owners`, () =>
        withStores(async (one, other) => {
          const owners = await Promise.all(
            Array.from({ length: 6 }, (_, at) => added(one, `o${at}@x.org`, "OWNER")),
          );
          const changes = await Promise.all(owners.map(({ id }, at) => way(at % 2 === 0 ? one : other, id)));
          assert.equal(changes.filter(({ kind }) => kind === "lastOwner").length, 1);
          const left = await one.members.all();
          assert.equal(left.filter((m) => m.role === "OWNER" && m.suspendedAt === undefined).length, 1);
        }));
    }
  });

  describe("API keys", () => {
    test("keep their bounds, also for their sessions", () =>
      withStores(async (store, other) => {
        const { id } = await added(store, "ada@example.com");
        const bounds = { isReadOnly: true, repositories: ["github.com/a/*", "b"] } as const;
        const creation = await store.apiKeys.create({ memberId: id, name: "ci", hash: hash("a"), ...bounds });
        assert.ok(creation.kind === "created");
        const { key } = creation;
        assert.deepEqual([key.isReadOnly, key.repositories], [true, bounds.repositories]);
        assert.deepEqual((await other.apiKeys.byHash(hash("a")))?.key, key);
        assert.deepEqual(await other.apiKeys.all(), [key]);
        await store.sessions.create({ keyId: key.id, hash: hash("b"), expiresAt: start + 1 });
        assert.deepEqual((await other.sessions.byHash(hash("b")))?.key, key);
      }));

    test("are found by hash, with the current state of their owner", () =>
      withStores(async (store, other, clock) => {
        const ada = await added(store, "ada@example.com");
        clock.time = start + 10;
        const expiresAt = start + 1000;
        const creation = await store.apiKeys.create({
          memberId: ada.id,
          name: "ci",
          hash: hash("a"),
          expiresAt,
        });
        assert.ok(creation.kind === "created");
        const { id } = creation.key;
        assert.deepEqual(creation.key, {
          id,
          memberId: ada.id,
          name: "ci",
          createdAt: start + 10,
          expiresAt,
        });
        const promoted = await store.members.setRole(ada.id, "OWNER");
        assert.ok(promoted.kind === "changed");
        const found = { key: creation.key, member: promoted.member };
        assert.deepEqual(await other.apiKeys.byHash(hash("a")), found);
        assert.equal(await other.apiKeys.byHash(hash("b")), undefined);
        assert.equal(await other.apiKeys.hasKeys(), true);
        for (const time of [start + 5, start + 9, start + 7]) await store.apiKeys.recordUse(id, time);
        assert.equal((await other.apiKeys.byHash(hash("a")))?.key.lastUsedAt, start + 9);
      }));

    test("have names that are unique per member", () =>
      withStores(async (store) => {
        const [ada, bob] = [await added(store, "ada@x.org"), await added(store, "bob@x.org")];
        const create = (memberId: Member["id"], name: string, digit: string) =>
          store.apiKeys.create({ memberId, name, hash: hash(digit) });
        const kinds = await Promise.all([
          create(ada.id, "ci", "1"),
          create(bob.id, "ci", "2"),
          create(ada.id, "ci", "3"),
          create(ada.id, "laptop", "4"),
          create("none" as Member["id"], "ci", "5"),
        ]);
        assert.deepEqual(kinds.map(({ kind }) => kind).sort(), [
          "created",
          "created",
          "created",
          "nameTaken",
          "unknownMember",
        ]);
        const names = (await store.apiKeys.ofMember(ada.id)).map(({ name }) => name);
        assert.deepEqual(names.sort(), ["ci", "laptop"]);
        assert.equal((await store.apiKeys.all()).length, 3);
      }));

    test("are invalid as soon as they are revoked", () =>
      withStores(async (store, other) => {
        const ada = await added(store, "ada@x.org");
        const creation = await store.apiKeys.create({ memberId: ada.id, name: "ci", hash: hash("a") });
        assert.ok(creation.kind === "created");
        assert.deepEqual(await store.apiKeys.revoke(creation.key.id), creation.key);
        assert.equal(await other.apiKeys.byHash(hash("a")), undefined);
        assert.equal(await store.apiKeys.revoke(creation.key.id), undefined);
      }));
  });

  test("sessions expire, and can be ended", () =>
    withStores(async (store, other) => {
      const ada = await added(store, "ada@x.org");
      const key = await keyOf(store, ada.id, "9");
      const create = (digit: string, expiresAt: number) =>
        store.sessions.create({ keyId: key.id, hash: hash(digit), expiresAt });
      const [short, long] = [await create("1", start + 10), await create("2", start + 20)];
      assert.ok(short !== undefined && long !== undefined);
      assert.deepEqual(await other.sessions.byHash(hash("1")), { session: short, key, member: ada });
      await store.sessions.removeExpired(start + 10);
      assert.equal(await other.sessions.byHash(hash("1")), undefined);
      assert.deepEqual((await other.sessions.byHash(hash("2")))?.session, long);
      await store.sessions.end(long.id);
      await store.sessions.end(long.id);
      assert.equal(await other.sessions.byHash(hash("2")), undefined);
      const none = "none" as ApiKey["id"];
      assert.equal(
        await store.sessions.create({ keyId: none, hash: hash("3"), expiresAt: start }),
        undefined,
      );
    }));

  test("a login starts one session, which replaces another one and ends with its member", () =>
    withStores(async (store, other) => {
      await added(store, "owner@x.org", "OWNER");
      const { id: memberId } = await added(store, "ada@x.org");
      const create = (digit: string, loginHash: string, replacedHash?: string) =>
        store.sessions.create({
          memberId,
          hash: hash(digit),
          expiresAt: start + 10,
          endsAt: start + 20,
          loginHash,
          idToken: "a.b.c",
          userAgent: "Browser",
          replacedHash,
        });
      const first = await create("1", "one");
      assert.ok(first);
      assert.equal(await create("2", "one"), undefined);
      assert.deepEqual(first, {
        id: first.id,
        memberId,
        createdAt: start,
        lastUsedAt: start,
        expiresAt: start + 10,
        endsAt: start + 20,
        idToken: "a.b.c",
        userAgent: "Browser",
      });
      await other.sessions.recordUse(first.id, { time: start + 5, expiresAt: start + 15 });
      assert.deepEqual(await store.sessions.ofMember(memberId), [
        { ...first, lastUsedAt: start + 5, expiresAt: start + 15 },
      ]);
      const second = await create("3", "two", hash("1"));
      assert.deepEqual(await other.sessions.all(), [second]);
      const none = "none" as Member["id"];
      const session = { memberId: none, hash: hash("4"), expiresAt: start, loginHash: "three" };
      assert.equal(await store.sessions.create(session), undefined);
      assert.equal((await store.members.remove(memberId)).kind, "changed");
      assert.deepEqual(await other.sessions.all(), []);
    }));

  test("groups and names on code hosts are stored, and groups may change the role of anyone but the last owner", () =>
    withStores(async (store, other) => {
      const [ada, bob] = [await added(store, "ada@x.org", "OWNER"), await added(store, "bob@x.org")];
      const after = async (id: Member["id"], groups: readonly string[], role?: Member["role"]) => {
        const codeHostLogins = { work: `${groups.length} groups` };
        await store.members.setClaims(id, { groups, role, codeHostLogins });
        const member = await other.members.get(id);
        assert.deepEqual(member?.codeHostLogins, codeHostLogins);
        return [member?.role, ...(member?.groups ?? [])];
      };
      assert.deepEqual(await after(bob.id, ["a", "'b\""]), ["MEMBER", "a", "'b\""]);
      assert.deepEqual(await after(ada.id, ["c"], "MEMBER"), ["OWNER", "c"]);
      assert.deepEqual(await after(bob.id, ["d"], "OWNER"), ["OWNER", "d"]);
      assert.deepEqual(await after(ada.id, [], "MEMBER"), ["MEMBER"]);
    }));

  test("a service account takes no seat, and is never the last owner", () =>
    withStores(async (store, other) => {
      const ada = await added(store, "ada@x.org", "OWNER");
      const fields = {
        email: "service:nightly",
        role: "OWNER",
        isService: true,
        groups: ["builds"],
      } as const;
      const addition = await store.members.add(fields, { seats: 1 });
      assert.ok(addition.kind === "added");
      const { id } = addition.member;
      const { isService, groups, role } = (await other.members.get(id)) ?? {};
      assert.deepEqual({ isService, groups, role }, { isService: true, groups: ["builds"], role: "OWNER" });
      assert.equal((await store.members.add(fields)).kind, "emailTaken");
      assert.equal(await other.members.count(), 1);
      assert.equal((await store.members.setRole(ada.id, "MEMBER")).kind, "lastOwner");
      assert.equal((await store.members.setRole(id, "MEMBER")).kind, "changed");
    }));

  test("revoking a key ends its sessions, and removing a member removes keys and sessions", () =>
    withStores(async (store, other) => {
      await added(store, "owner@x.org", "OWNER");
      const [ada, bob] = [await added(store, "ada@x.org"), await added(store, "bob@x.org")];
      for (const [{ id }, digit] of [
        [ada, "1"],
        [ada, "3"],
        [bob, "2"],
      ] as const) {
        const key = await keyOf(store, id, digit);
        await store.sessions.create({ keyId: key.id, hash: hash(digit), expiresAt: start + 1000 });
      }
      const third = (await store.apiKeys.byHash(hash("3")))?.key;
      await store.apiKeys.revoke(third?.id ?? assert.fail());
      assert.equal(await other.sessions.byHash(hash("3")), undefined);
      assert.equal((await other.sessions.byHash(hash("1")))?.member.id, ada.id);
      assert.deepEqual(await store.members.remove(ada.id), { kind: "changed", member: ada });
      assert.equal(await other.apiKeys.byHash(hash("1")), undefined);
      assert.equal(await other.sessions.byHash(hash("1")), undefined);
      assert.equal(await other.members.get(ada.id), undefined);
      assert.equal((await other.apiKeys.byHash(hash("2")))?.member.id, bob.id);
      assert.equal((await other.sessions.byHash(hash("2")))?.member.id, bob.id);
      assert.deepEqual(await store.members.remove(ada.id), { kind: "unknown" });
    }));

  test("NUL and lone surrogates in names are replaced, and lookups still match", () =>
    withStores(async (store) => {
      const name = "it's \0 \ud800 naïve 🎣; --";
      const ada = await store.members.add({ name, email: "a\0@x.org", role: "MEMBER" });
      assert.ok(ada.kind === "added");
      const stored = await store.members.byEmail("A\0@x.org");
      assert.equal(stored?.id, ada.member.id);
      assert.equal(stored?.name, "it's \ufffd \ufffd naïve 🎣; --");
    }));
});

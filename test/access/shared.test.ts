/** Several processes on one database: a revocation through one of them takes effect in all of them. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client } from "pg";
import { silentLog } from "#platform/log";
import { postgresDatabase } from "#store/postgres";
import { audience, type Issuer, startIssuer } from "#test/support/issuer";
import { licenseOf, type OffsetClock, offsetClock, testOrganization } from "#test/support/organization";
import { type PostgresServer, startPostgres, withPostgres } from "#test/support/postgres";
import { callerOf, openListener } from "#test/support/service";

const people = Object.fromEntries(
  ["bob", "carol"].map((name) => [name, { email: `${name}@example.com`, email_verified: true, name }]),
);

withPostgres("PostgreSQL", (binaries) => {
  let server: PostgresServer;
  let issuer: Issuer;
  before(async () => {
    [server, issuer] = await Promise.all([startPostgres(binaries), startIssuer(people)]);
  });
  after(() => Promise.all([server.close(), issuer.close()]));

  /** The state of one process, with its own port. */
  const processOn = async (url: string, clock: OffsetClock, timeLimitMs = 10_000) => {
    const oauth = { issuer: issuer.url, audience, createsMembers: true };
    const organization = testOrganization({ oauth, clock, source: postgresDatabase(url, silentLog) });
    const caller = callerOf({}, { organization, timeLimitMs });
    const listener = await openListener(caller, { anonymous: "off" });
    const status = async (token: string, path = "/api/repos", method = "GET") => {
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`${listener.url}${path}`, {
        method,
        headers: method === "POST" ? { ...headers, "content-type": "application/json" } : headers,
        ...(method === "POST" ? { body: JSON.stringify({ query: "found" }) } : {}),
      });
      await response.text();
      return response.status;
    };
    return {
      ...organization,
      status,
      async close() {
        await listener.close();
        await organization.organization.close();
      },
    };
  };

  test("removals, demotions, suspensions and revoked keys take effect in the other process", async () => {
    const url = await server.database();
    const clock = offsetClock();
    const [one, other] = [await processOn(url, clock), await processOn(url, clock)];
    await one.setLicense(licenseOf());
    const owner = await one.member("owner@example.com", "OWNER");
    for (let round = 0; round < 5; round++) {
      const { id, key } = await one.member(`m${round}@example.com`);
      assert.deepEqual([await one.status(key), await other.status(key)], [200, 200]);
      let isRemoved = false;
      const responses = Array.from({ length: 4 }, async () => {
        for (let turn = 0; turn < 10; turn++) {
          const wasRemoved = isRemoved;
          const result = await other.status(key);
          if (wasRemoved) assert.equal(result, 401);
        }
      });
      assert.equal(await one.status(owner.key, `/api/ee/user?userId=${id}`, "DELETE"), 200);
      isRemoved = true;
      assert.equal(await other.status(key), 401);
      await Promise.all(responses);
    }
    const second = await other.member("second@example.com", "OWNER");
    assert.equal(await one.status(second.key, "/api/ee/users"), 200);
    const { members, apiKeys } = await other.organization.store();
    await members.setRole(second.id, "MEMBER");
    assert.equal(await one.status(second.key, "/api/ee/users"), 403);
    await members.suspend(second.id);
    assert.equal(await one.status(second.key), 401);
    await members.resume(second.id);
    assert.equal(await one.status(second.key), 200);
    for (const { id } of await apiKeys.ofMember(second.id)) await apiKeys.revoke(id);
    assert.equal(await one.status(second.key), 401);
    await Promise.all([one.close(), other.close()]);
  });

  test("installing or removing the license takes effect in the other process", async () => {
    const url = await server.database();
    const clock = offsetClock();
    const [one, other] = [await processOn(url, clock), await processOn(url, clock)];
    const { key } = await one.member("owner@example.com", "OWNER");
    assert.equal(await other.status(key, "/api/ee/users"), 403);
    await one.setLicense(licenseOf());
    assert.equal(await other.status(key, "/api/ee/users"), 200);
    await one.setLicense(undefined);
    assert.equal(await other.status(key, "/api/ee/users"), 403);
    await Promise.all([one.close(), other.close()]);
  });

  test("a removed member's token is refused, even by a process that starts later and creates members", async () => {
    const url = await server.database();
    const clock = offsetClock();
    const [one, other] = [await processOn(url, clock), await processOn(url, clock)];
    await one.setLicense(licenseOf());
    const token = await issuer.token("bob");
    assert.deepEqual([await one.status(token), await other.status(token)], [200, 200]);
    const { members } = await one.organization.store();
    const [bob] = (await members.all()).filter(({ email }) => email === "bob@example.com");
    await members.remove(bob?.id ?? assert.fail());
    assert.deepEqual([await other.status(token), await one.status(token)], [401, 401]);
    const later = await processOn(url, clock);
    assert.equal(await later.status(token), 401);
    // An unknown person may be the removed member, until their token is certainly newer than the removal.
    const carols = await issuer.token("carol");
    assert.equal(await other.status(carols), 401);
    await Promise.all([one.close(), other.close(), later.close()]);
  });

  test("while a table is locked, calls fail at their deadline, but a change is completed", async () => {
    const url = await server.database();
    const instance = await processOn(url, offsetClock(), 2000);
    const database = new Client({ connectionString: url });
    after(() => database.end());
    await database.connect();
    const locked = async (table: string, work: () => Promise<void>) => {
      await database.query(`begin; lock table "${table}" in access exclusive mode`);
      try {
        await work();
      } finally {
        await database.query("rollback");
      }
    };
    await instance.setLicense(licenseOf());
    const { key } = await instance.member("owner@example.com", "OWNER");
    const { id } = await instance.member("member@example.com");
    const calls = {
      users: ["/api/ee/users"],
      audit: ["/api/ee/audit"],
      "sign-in": ["/session", "POST"],
      search: ["/api/search", "POST"],
    } as const;
    const statuses = async () => {
      const asked = Object.entries(calls).map(async ([name, [path, method]]) => {
        return [name, await instance.status(key, path, method)];
      });
      return Object.fromEntries(await Promise.all(asked));
    };
    const all = { users: 200, audit: 200, "sign-in": 200, search: 200 };
    assert.deepEqual(await statuses(), all);
    const late = { users: 504, audit: 504, "sign-in": 504, search: 504 };
    await locked("apiKey", async () => assert.deepEqual(await statuses(), late, "no key can be checked"));
    await locked("auditRecord", async () => assert.deepEqual(await statuses(), late, "nothing is recorded"));
    await locked("browserSession", async () =>
      assert.deepEqual(await statuses(), { ...all, "sign-in": 504 }),
    );
    let removal: Promise<number> | undefined;
    await locked("browserSession", async () => {
      removal = instance.status(key, `/api/ee/user?userId=${id}`, "DELETE");
      assert.deepEqual(await statuses(), { ...all, "sign-in": 504 });
    });
    assert.equal(await removal, 200);
    assert.deepEqual(await statuses(), all);
    const { members } = await instance.organization.store();
    assert.equal(await members.get(id), undefined);
    await instance.close();
  });
});

/** Several processes on one database: what is taken from somebody through one of them is gone in all of them. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { silentLog } from "#platform/log";
import { postgresDatabase } from "#store/postgres";
import { audience, type Issuer, startIssuer } from "#test/support/issuer";
import { licenseOf, type MovedClock, movedClock, testOrganisation } from "#test/support/organisation";
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

  /** What one process knows, with its own port. */
  const processOn = async (url: string, clock: MovedClock) => {
    const oauth = { issuer: issuer.url, audience, createsMembers: true };
    const organisation = testOrganisation({ oauth, clock, source: postgresDatabase(url, silentLog) });
    const caller = callerOf({}, { organisation });
    const listener = await openListener(caller, { anonymous: "off" });
    const status = async (token: string, path = "/api/repos", method = "GET") => {
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`${listener.url}${path}`, { method, headers });
      await response.text();
      return response.status;
    };
    return {
      ...organisation,
      status,
      async close() {
        await listener.close();
        await organisation.organisation.close();
      },
    };
  };

  test("keys, members and roles", async () => {
    const url = await server.database();
    const clock = movedClock();
    const [one, other] = [await processOn(url, clock), await processOn(url, clock)];
    await one.setLicense(licenseOf());
    const owner = await one.member("owner@example.com", "OWNER");
    for (let round = 0; round < 5; round++) {
      const { id, key } = await one.member(`m${round}@example.com`);
      assert.deepEqual([await one.status(key), await other.status(key)], [200, 200]);
      let isGone = false;
      const asking = Array.from({ length: 4 }, async () => {
        for (let turn = 0; turn < 10; turn++) {
          const wasGone = isGone;
          const answer = await other.status(key);
          if (wasGone) assert.equal(answer, 401);
        }
      });
      assert.equal(await one.status(owner.key, `/api/ee/user?userId=${id}`, "DELETE"), 200);
      isGone = true;
      assert.equal(await other.status(key), 401);
      await Promise.all(asking);
    }
    const second = await other.member("second@example.com", "OWNER");
    assert.equal(await one.status(second.key, "/api/ee/users"), 200);
    const { members, apiKeys } = await other.organisation.store();
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

  test("the licence", async () => {
    const url = await server.database();
    const clock = movedClock();
    const [one, other] = [await processOn(url, clock), await processOn(url, clock)];
    const { key } = await one.member("owner@example.com", "OWNER");
    assert.equal(await other.status(key, "/api/ee/users"), 403);
    await one.setLicense(licenseOf());
    assert.equal(await other.status(key, "/api/ee/users"), 200);
    await one.setLicense(undefined);
    assert.equal(await other.status(key, "/api/ee/users"), 403);
    await Promise.all([one.close(), other.close()]);
  });

  test("a removed member's token, also in a process that starts later and makes members", async () => {
    const url = await server.database();
    const clock = movedClock();
    const [one, other] = [await processOn(url, clock), await processOn(url, clock)];
    await one.setLicense(licenseOf());
    const token = await issuer.token("bob");
    assert.deepEqual([await one.status(token), await other.status(token)], [200, 200]);
    const { members } = await one.organisation.store();
    const [bob] = (await members.all()).filter(({ email }) => email === "bob@example.com");
    await members.remove(bob?.id ?? assert.fail());
    assert.deepEqual([await other.status(token), await one.status(token)], [401, 401]);
    const later = await processOn(url, clock);
    assert.equal(await later.status(token), 401);
    // Somebody whom nobody knows could be anybody, too, until their token is surely newer.
    const carols = await issuer.token("carol");
    assert.equal(await other.status(carols), 401);
    await Promise.all([one.close(), other.close(), later.close()]);
  });
});

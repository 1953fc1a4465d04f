/** The times of a key's last use and a member's last activity, to the minute. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { local, testOrganization } from "#test/support/organization";
import { callerOf, openListener } from "#test/support/service";

test("a request with a key updates both times at most once a minute; a refused request updates neither", async (t) => {
  const organization = testOrganization();
  const { clock } = organization;
  const caller = callerOf({}, { organization });
  const listener = await openListener(caller, { anonymous: "off" });
  t.after(() => listener.close());
  const { id, key } = await organization.member("bob@example.com");
  const ask = async (value: string) =>
    (await fetch(`${listener.url}/api/repos`, { headers: { "x-service-api-key": value } })).status;
  const times = async () => {
    const member = (await caller("members", {}, local)).find((each) => each.id === id);
    const [used] = (await caller("keys", {}, local)).filter(({ userId }) => userId === id);
    return [member?.lastActivityAt, used?.lastUsedAt];
  };
  assert.deepEqual(await times(), [null, null]);
  assert.equal(await ask(`${key.slice(0, -1)}_`), 401);
  assert.deepEqual(await times(), [null, null]);

  const before = clock.now();
  assert.equal(await ask(key), 200);
  const first = await times();
  assert(first.every((time) => Date.parse(time ?? "") >= before && Date.parse(time ?? "") <= clock.now()));
  clock.addedMs += 50_000;
  assert.equal(await ask(key), 200);
  assert.deepEqual(await times(), first);
  clock.addedMs += 11_000;
  assert.equal(await ask(key), 200);
  const later = await times();
  assert(later.every((time, at) => Date.parse(time ?? "") >= Date.parse(first[at] ?? "") + 60_000));
});

test("a time recorded while the clock was ahead is corrected by the next request", async (t) => {
  const organization = testOrganization();
  const { clock } = organization;
  const caller = callerOf({}, { organization });
  const listener = await openListener(caller, { anonymous: "off" });
  t.after(() => listener.close());
  const { id, key } = await organization.member("bob@example.com");
  const lastTimes = async () => {
    const { status } = await fetch(`${listener.url}/api/repos`, { headers: { "x-service-api-key": key } });
    assert.equal(status, 200);
    const member = (await caller("members", {}, local)).find((each) => each.id === id);
    const [used] = (await caller("keys", {}, local)).filter(({ userId }) => userId === id);
    return [member?.lastActivityAt, used?.lastUsedAt].map((time) => Date.parse(time ?? ""));
  };
  clock.wrongMs = 24 * 60 * 60 * 1000;
  assert((await lastTimes()).every((time) => time > Date.now() + 1000));
  clock.wrongMs = 0;
  assert((await lastTimes()).every((time) => time <= Date.now()));
});

test("the body of a DELETE is ignored", async (t) => {
  const organization = testOrganization();
  const listener = await openListener(callerOf({}, { organization }));
  t.after(() => listener.close());
  const { key } = await organization.member("bob@example.com", "OWNER");
  for (const body of ["", "{", "x".repeat(2_000_000)]) {
    for (const type of ["application/json", "text/plain"]) {
      const response = await fetch(`${listener.url}/api/ee/user?userId=nobody`, {
        method: "DELETE",
        headers: { "x-service-api-key": key, "content-type": type },
        body,
      });
      const { errorCode } = (await response.json()) as { readonly errorCode: string };
      assert.equal(`${response.status} ${errorCode}`, "403 LICENSE_REQUIRED");
    }
  }
});

/** When a key was used and a member active, to the minute. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { local, testOrganisation } from "#test/support/organisation";
import { callerOf, openListener } from "#test/support/service";

test("a call with a key moves both times, at most once a minute; a refused one moves nothing", async (t) => {
  const organisation = testOrganisation();
  const { clock } = organisation;
  const caller = callerOf({}, { organisation });
  const listener = await openListener(caller, { anonymous: "off" });
  t.after(() => listener.close());
  const { id, key } = await organisation.member("bob@example.com");
  const ask = async (shown: string) =>
    (await fetch(`${listener.url}/api/repos`, { headers: { "x-service-api-key": shown } })).status;
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

test("a DELETE may bring a body, which nobody reads", async (t) => {
  const organisation = testOrganisation();
  const listener = await openListener(callerOf({}, { organisation }));
  t.after(() => listener.close());
  const { key } = await organisation.member("bob@example.com", "OWNER");
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

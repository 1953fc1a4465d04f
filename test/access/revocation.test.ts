/** What was taken from somebody is gone for the very next call. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Caller } from "#contract/service";
import { licenseOf, local, type TestOrganisation, testOrganisation } from "#test/support/organisation";
import { until } from "#test/support/served";
import { callerOf, engineOf, engineResult, openListener, type TestListener } from "#test/support/service";

let organisation: TestOrganisation;
let caller: Caller;
let listener: TestListener;
/** Lets searches that are under way come to their end. */
let finish: () => void = () => {};
let running = 0;

before(async () => {
  organisation = testOrganisation();
  const engine = engineOf(async () => {
    running++;
    await new Promise<void>((resolve) => {
      const before = finish;
      finish = () => {
        before();
        resolve();
      };
    });
    return engineResult([]);
  });
  caller = callerOf({ engine }, { organisation });
  listener = await openListener(caller, { anonymous: "off" });
  await organisation.setLicense(licenseOf());
});
after(() => listener.close());

async function status(key: string, path: string, method = "GET"): Promise<string> {
  const response = await fetch(`${listener.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}` },
  });
  const { errorCode } = (await response.json()) as { readonly errorCode?: string };
  return `${response.status} ${errorCode ?? ""}`.trim();
}

async function search(key: string): Promise<number> {
  const response = await fetch(`${listener.url}/api/search`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ query: "found" }),
  });
  return response.status;
}

test("a removed member's next call is refused, also while calls of theirs are under way", async () => {
  const owner = await organisation.member("owner@example.com", "OWNER");
  const member = await organisation.member("member@example.com");
  const started = running + 4;
  const searches = Array.from({ length: 4 }, () => search(member.key));
  await until("All searches are under way", () => running >= started);
  const response = await fetch(`${listener.url}/api/ee/user?userId=${member.id}`, {
    method: "DELETE",
    headers: { "x-service-api-key": owner.key },
  });
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), {
    success: true,
    message: "member@example.com has been removed from the organisation.",
  });
  const next = await Promise.all(Array.from({ length: 8 }, () => status(member.key, "/api/repos")));
  assert.deepEqual(new Set(next), new Set(["401 NOT_AUTHENTICATED"]));
  finish();
  assert.deepEqual(await Promise.all(searches), [200, 200, 200, 200]);
  assert.equal(await status(owner.key, `/api/ee/user?userId=${member.id}`, "DELETE"), "404 NOT_FOUND");
});

test("with removals and calls in any order nobody gets in afterwards", async () => {
  const owner = await organisation.member("chief@example.com", "OWNER");
  for (let round = 0; round < 10; round++) {
    const { id, key } = await organisation.member(`round${round}@example.com`);
    let isGone = false;
    const asking = Array.from({ length: 6 }, async () => {
      for (let turn = 0; turn < 6; turn++) {
        const wasGone = isGone;
        const answer = await status(key, "/api/repos");
        if (wasGone) assert.equal(answer, "401 NOT_AUTHENTICATED");
      }
    });
    assert.equal(await status(owner.key, `/api/ee/user?userId=${id}`, "DELETE"), "200");
    isGone = true;
    await Promise.all(asking);
  }
});

test("a revoked key, a suspended member and a lost role count for the next call", async () => {
  const { id, key } = await organisation.member("second@example.com", "OWNER");
  assert.equal(await status(key, "/api/ee/users"), "200");
  await caller("changeRole", { userId: id, role: "MEMBER" }, local);
  assert.equal(await status(key, "/api/ee/users"), "403 INSUFFICIENT_PERMISSIONS");
  const { members } = await organisation.organisation.store();
  await members.suspend(id);
  assert.equal(await status(key, "/api/repos"), "401 NOT_AUTHENTICATED");
  await members.resume(id);
  assert.equal(await status(key, "/api/repos"), "200");
  const mine = (await caller("keys", {}, local)).find(({ userId }) => userId === id);
  await caller("revokeKey", { keyId: mine?.id }, local);
  assert.equal(await status(key, "/api/repos"), "401 NOT_AUTHENTICATED");
});

test("an owner who removes themselves is told so, and is gone", async () => {
  const { id, key } = await organisation.member("leaving@example.com", "OWNER");
  assert.equal(await status(key, `/api/ee/user?userId=${id}`, "DELETE"), "200");
  assert.equal(await status(key, "/api/ee/users"), "401 NOT_AUTHENTICATED");
  const { items } = await caller("audit", { perPage: 1 }, local);
  assert.deepEqual(
    items.map(({ action, targetId, metadata }) => [action, targetId, metadata]),
    [["user.delete", id, { userId: id }]],
  );
});

test("the last owner stays, whoever tries", async () => {
  const alone = testOrganisation();
  await alone.setLicense(licenseOf());
  const ask = callerOf({}, { organisation: alone });
  const [ada] = await ask("members", {}, local);
  const userId = ada?.id ?? "";
  await alone.member("bob@example.com");
  const lastOwner = { code: "LAST_OWNER_CANNOT_BE_REMOVED" };
  await assert.rejects(ask("removeUser", { userId }, local), lastOwner);
  await assert.rejects(ask("removeMember", { userId }, local), lastOwner);
  await assert.rejects(ask("changeRole", { userId, role: "MEMBER" }, local), lastOwner);
  const { id } = await alone.member("eve@example.com", "OWNER");
  const both = await Promise.allSettled([
    ask("removeUser", { userId }, local),
    ask("removeUser", { userId: id }, local),
  ]);
  assert.equal(both.filter(({ status }) => status === "fulfilled").length, 1);
});

test("where an editor listens, the first key ends anonymous access", async () => {
  const editors = testOrganisation();
  const ask = callerOf({}, { organisation: editors });
  const port = await openListener(ask, { anonymous: "untilKeys" });
  const anonymous = async () => (await fetch(`${port.url}/api/repos`)).status;
  assert.equal(await anonymous(), 200);
  const { id, key } = await ask("createKey", { name: "first" }, local);
  assert.equal(await anonymous(), 401);
  const shown = await fetch(`${port.url}/api/repos`, { headers: { "x-service-api-key": key } });
  assert.equal(shown.status, 200);
  await ask("revokeKey", { keyId: id }, local);
  assert.equal(await anonymous(), 200);
  await port.close();
});

/** A removal, suspension or demotion takes effect on the next request. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Caller } from "#contract/service";
import { eventually } from "#test/support/eventually";
import { licenseOf, local, type TestOrganization, testOrganization } from "#test/support/organization";
import { callerOf, engineOf, engineResult, openListener, type TestListener } from "#test/support/service";

let organization: TestOrganization;
let caller: Caller;
let listener: TestListener;
/** Completes the running searches. */
let finish: () => void = () => {};
let running = 0;

before(async () => {
  organization = testOrganization();
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
  caller = callerOf({ engine }, { organization });
  listener = await openListener(caller, { anonymous: "off" });
  await organization.setLicense(licenseOf());
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

test("a removed member's next request is refused, even while earlier ones are running", async () => {
  const owner = await organization.member("owner@example.com", "OWNER");
  const member = await organization.member("member@example.com");
  const started = running + 4;
  const searches = Array.from({ length: 4 }, () => search(member.key));
  await eventually(() => running >= started);
  const response = await fetch(`${listener.url}/api/ee/user?userId=${member.id}`, {
    method: "DELETE",
    headers: { "x-service-api-key": owner.key },
  });
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), {
    success: true,
    message: "member@example.com has been removed from the organization.",
  });
  const next = await Promise.all(Array.from({ length: 8 }, () => status(member.key, "/api/repos")));
  assert.deepEqual(new Set(next), new Set(["401 NOT_AUTHENTICATED"]));
  finish();
  assert.deepEqual(await Promise.all(searches), [200, 200, 200, 200]);
  assert.equal(await status(owner.key, `/api/ee/user?userId=${member.id}`, "DELETE"), "404 NOT_FOUND");
});

test("no request that starts after a removal succeeds, whatever the interleaving", async () => {
  const owner = await organization.member("chief@example.com", "OWNER");
  for (let round = 0; round < 10; round++) {
    const { id, key } = await organization.member(`round${round}@example.com`);
    let isRemoved = false;
    const responses = Array.from({ length: 6 }, async () => {
      for (let turn = 0; turn < 6; turn++) {
        const wasRemoved = isRemoved;
        const result = await status(key, "/api/repos");
        if (wasRemoved) assert.equal(result, "401 NOT_AUTHENTICATED");
      }
    });
    assert.equal(await status(owner.key, `/api/ee/user?userId=${id}`, "DELETE"), "200");
    isRemoved = true;
    await Promise.all(responses);
  }
});

test("a demotion, a suspension and a revoked key take effect on the next request", async () => {
  const { id, key } = await organization.member("second@example.com", "OWNER");
  assert.equal(await status(key, "/api/ee/users"), "200");
  await caller("changeRole", { userId: id, role: "MEMBER" }, local);
  assert.equal(await status(key, "/api/ee/users"), "403 INSUFFICIENT_PERMISSIONS");
  const { members } = await organization.organization.store();
  await members.suspend(id);
  assert.equal(await status(key, "/api/repos"), "401 NOT_AUTHENTICATED");
  await members.resume(id);
  assert.equal(await status(key, "/api/repos"), "200");
  const mine = (await caller("keys", {}, local)).find(({ userId }) => userId === id);
  await caller("revokeKey", { keyId: mine?.id }, local);
  assert.equal(await status(key, "/api/repos"), "401 NOT_AUTHENTICATED");
});

test("an owner can remove themselves, and is then refused", async () => {
  const { id, key } = await organization.member("leaving@example.com", "OWNER");
  assert.equal(await status(key, `/api/ee/user?userId=${id}`, "DELETE"), "200");
  assert.equal(await status(key, "/api/ee/users"), "401 NOT_AUTHENTICATED");
  const { items } = await caller("audit", { perPage: 1 }, local);
  assert.deepEqual(
    items.map(({ action, targetId, metadata }) => [action, targetId, metadata]),
    [["user.delete", id, { userId: id }]],
  );
});

test("no operation removes or demotes the last owner", async () => {
  const alone = testOrganization();
  await alone.setLicense(licenseOf());
  const ask = callerOf({}, { organization: alone });
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

test("on an editor's port, the first key ends anonymous access", async () => {
  const editors = testOrganization();
  const ask = callerOf({}, { organization: editors });
  const port = await openListener(ask, { anonymous: "untilKeys" });
  const anonymous = async () => (await fetch(`${port.url}/api/repos`)).status;
  assert.equal(await anonymous(), 200);
  const { id, key } = await ask("createKey", { name: "first" }, local);
  assert.equal(await anonymous(), 401);
  const authenticated = await fetch(`${port.url}/api/repos`, { headers: { "x-service-api-key": key } });
  assert.equal(authenticated.status, 200);
  await ask("revokeKey", { keyId: id }, local);
  assert.equal(await anonymous(), 200);
  await port.close();
});

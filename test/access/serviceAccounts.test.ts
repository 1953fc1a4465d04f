/** Members without a person: what they may do, who sees them, and how they end. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { RepositoryRules } from "#contract/access";
import type { Member } from "#contract/organization";
import type { Caller } from "#contract/service";
import { licenseOf, local, type TestOrganization, testOrganization } from "#test/support/organization";
import { callerOf, openListener, repository, type TestListener, viewOf } from "#test/support/service";

const repositoryRules: RepositoryRules = [
  { names: ["docs"], roles: ["member"] },
  { names: ["builds"], groups: ["builders"] },
  { names: ["named"], members: ["service:nightly"] },
];
let organization: TestOrganization;
let caller: Caller;
let listener: TestListener;
let account: Member;
let key: string;

before(async () => {
  organization = testOrganization();
  const names = ["docs", "builds", "named", "secret"];
  const repositories = viewOf(names.map((name, at) => repository(at + 1, name)));
  caller = callerOf({ repositories }, { organization });
  listener = await openListener(caller, { anonymous: "off", repositoryRules });
  await organization.setLicense(licenseOf({ seats: 1 }, undefined, organization.clock.now()));
  account = await caller("addService", { service: "nightly", groups: ["builders"] }, local);
  ({ key } = await caller("createKey", { name: "ci", userId: account.id }, local));
});
after(() => listener.close());

const ask = async (path: string, bearer = key, method = "GET") => {
  const response = await fetch(`${listener.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
    ...(method === "POST" ? { body: "{}" } : {}),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
};

test("it takes no seat, and sees what rules grant to its name, its groups and its role", async () => {
  const { body } = await ask("/api/repos");
  assert.deepEqual(
    body.map(({ repoName }: { repoName: string }) => repoName),
    ["builds", "docs", "named"],
  );
});

test("owners see it among the members, marked, and in the audit log", async () => {
  const owner = await caller("createKey", { name: "owner" }, local);
  const { body } = await ask("/api/ee/users", owner.key);
  const listed = body.find(({ id }: Member) => id === account.id);
  assert.deepEqual([listed.email, listed.isService, listed.role], ["service:nightly", true, "MEMBER"]);
  const { items } = await caller("audit", {}, local);
  const added = items.find(
    ({ action, targetId }) => action === "org.member_added" && targetId === account.id,
  );
  assert.deepEqual(added?.metadata, { service: "nightly" });
});

test("it cannot log in in a browser, nor manage anything", async () => {
  const { status, body } = await ask("/session", key, "POST");
  assert.deepEqual([status, body.errorCode], [403, "INSUFFICIENT_PERMISSIONS"]);
  assert.equal((await ask("/api/ee/users")).status, 403);
});

test("disabling it refuses its keys on the next request, and is recorded", async () => {
  await caller("setSuspended", { userId: account.id, isSuspended: true }, local);
  assert.equal((await ask("/api/repos")).status, 401);
  await caller("setSuspended", { userId: account.id, isSuspended: false }, local);
  assert.equal((await ask("/api/repos")).status, 200);
  const { items } = await caller("audit", {}, local);
  const actions = items.filter(({ targetId }) => targetId === account.id).map(({ action }) => action);
  assert.deepEqual(actions.slice(0, 2), ["org.member_resumed", "org.member_suspended"]);
});

test("an owner account does not replace the last owner who is a person", async () => {
  await caller("addService", { service: "admin", role: "OWNER" }, local);
  const owner = (await caller("members", {}, local)).find(({ email }) => email === "ada@example.com");
  await assert.rejects(caller("setSuspended", { userId: owner?.id ?? "", isSuspended: true }, local), {
    code: "LAST_OWNER_CANNOT_BE_REMOVED",
  });
});

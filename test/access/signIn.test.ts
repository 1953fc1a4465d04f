/** Signing in with a browser: a cookie replaces the key, for pages only. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Caller } from "#contract/service";
import { licenseOf, local, type TestOrganization, testOrganization } from "#test/support/organization";
import { repo } from "#test/support/repo";
import { callerOf, openListener, repository, type TestListener, viewOf } from "#test/support/service";

const past = repo("= main: One\na.txt\n| found\n");
const page = "/browse/r/-/blob/a.txt";

let organization: TestOrganization;
let caller: Caller;
let listener: TestListener;

before(async () => {
  organization = testOrganization();
  const repositories = viewOf([repository(1, "r", { path: past.path, revisions: [] })]);
  caller = callerOf({ repositories }, { organization });
  listener = await openListener(caller, { anonymous: "off" });
  await organization.setLicense(licenseOf());
});
after(() => listener.close());

async function ask(path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") {
  const isPost = method === "POST";
  const response = await fetch(`${listener.url}${path}`, {
    method,
    headers: isPost ? { "content-type": "application/json", ...headers } : headers,
    ...(isPost ? { body: "{}" } : {}),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The cookie as a browser sends it back. */
async function signIn(key: string): Promise<string> {
  const { status, headers, text } = await ask(
    "/session",
    {
      authorization: `Bearer ${key}`,
      "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
    },
    "POST",
  );
  assert.equal(status, 200, text);
  const cookie = headers.get("set-cookie") ?? "";
  assert.match(
    cookie,
    /^trawl_session_\d+=[\w-]{43}; Path=\/; Max-Age=60\d{4}; HttpOnly; SameSite=Lax$/,
    "scripts cannot read it, and other sites cannot send it with requests that change something",
  );
  assert.doesNotMatch(text, new RegExp(cookie.split(/[=;]/)[1] ?? ""));
  return cookie.split(";")[0] ?? "";
}

test("a page shows the sign-in form until the browser has signed in", async () => {
  const { key } = await organization.member("ada@x.org");
  const refused = await ask(page);
  assert.equal(refused.status, 401);
  assert.match(refused.text, /Log in to see this page.*<form id="sign-in">/s);
  assert.doesNotMatch(refused.text, /found/);
  const cookie = await signIn(key);
  const signedIn = await ask(page, { cookie: `other=1; ${cookie}` });
  assert.equal(signedIn.status, 200);
  assert.match(signedIn.text, /found/);
  assert.match(signedIn.text, /id="sign-out"/);
  const sessions = await ask("/sessions", { cookie });
  assert.match(sessions.text, /Firefox on Linux.*With an API key\. Started.*This one/s);
  assert.match(signedIn.headers.get("content-security-policy") ?? "", /connect-src 'self'; /);
});

test("outside pages, the cookie is accepted only from pages of this server", async () => {
  const { key } = await organization.member("owner@x.org", "OWNER");
  const cookie = await signIn(key);
  for (const path of ["/api/repos", "/api/source?repo=r&path=a.txt", "/api/ee/users"]) {
    assert.equal((await ask(path, { cookie })).status, 401, path);
  }
  for (const origin of [{ origin: listener.url }, { "sec-fetch-site": "same-origin" }]) {
    assert.equal((await ask("/api/repos", { cookie, ...origin })).status, 200);
  }
  assert.equal((await ask("/api/repos", { cookie, "sec-fetch-site": "none" })).status, 401);
  for (const site of ["same-site", "cross-site"]) {
    assert.equal((await ask("/api/repos", { cookie, "sec-fetch-site": site })).status, 403, site);
  }
  assert.equal((await ask("/session", { cookie }, "POST")).status, 401);
  // Its value is not accepted as a key either.
  const token = cookie.split("=")[1] ?? "";
  assert.equal((await ask("/api/repos", { authorization: `Bearer ${token}` })).status, 401);
});

test("signing out ends the session, and signing in and out are recorded", async () => {
  const { id, key } = await organization.member("bob@x.org");
  const cookie = await signIn(key);
  const { status, headers } = await ask("/logout", { cookie, origin: listener.url }, "POST");
  assert.equal(status, 200);
  assert.match(headers.get("set-cookie") ?? "", /^trawl_session_\d+=; .*Max-Age=0/);
  const { items } = await caller("audit", { perPage: 2 }, local);
  assert.deepEqual(
    items.map(({ action, targetId, metadata }) => [action, targetId, metadata]),
    [
      ["user.signed_out", id, { userId: id }],
      ["user.signed_in", id, { userId: id }],
    ],
  );
  const after = await ask(page, { cookie });
  assert.equal(after.status, 401);
  assert.match(after.headers.get("set-cookie") ?? "", /Max-Age=0/);
  const again = await ask("/logout", { cookie, origin: listener.url }, "POST");
  assert.deepEqual([again.status, again.text], [200, "{}"]);
});

test("a suspension, a revoked key or a removal ends the session on the next page", async () => {
  const owner = await organization.member("chief@x.org", "OWNER");
  const { id, key } = await organization.member("carol@x.org");
  const cookie = await signIn(key);
  const { members, apiKeys } = await organization.organization.store();
  const status = async (of: string) => (await ask(page, { cookie: of })).status;
  assert.equal(await status(cookie), 200);
  await members.suspend(id);
  assert.equal(await status(cookie), 401);
  await members.resume(id);
  assert.equal(await status(cookie), 200);
  const [found] = await apiKeys.ofMember(id);
  await caller("revokeKey", { keyId: found?.id }, local);
  assert.equal(await status(cookie), 401);
  const other = await organization.member("dora@x.org");
  const second = await signIn(other.key);
  const removal = await ask(`/api/ee/user?userId=${other.id}`, { "x-service-api-key": owner.key }, "DELETE");
  assert.equal(removal.status, 200);
  assert.equal(await status(second), 401);
});

test("a session expires after a week, or earlier with its key", async () => {
  const { key } = await organization.member("eve@x.org");
  const cookie = await signIn(key);
  const day = 24 * 60 * 60 * 1000;
  organization.clock.addedMs = 7 * day - 60_000;
  assert.equal((await ask(page, { cookie })).status, 200);
  organization.clock.addedMs = 7 * day + 1000;
  assert.equal((await ask(page, { cookie })).status, 401);
  organization.clock.addedMs = 0;
  const expiresAt = new Date(Date.now() + day).toISOString();
  const created = await caller("createKey", { name: "short", expiresAt }, local);
  const short = await signIn(created.key);
  assert.equal((await ask(page, { cookie: short })).status, 200);
  organization.clock.addedMs = day + 1000;
  assert.equal((await ask(page, { cookie: short })).status, 401);
  organization.clock.addedMs = 0;
});

test("only a key signs in", async () => {
  for (const headers of [{}, { authorization: "Bearer wrong" }, { authorization: "Basic abc" }]) {
    assert.equal((await ask("/session", headers, "POST")).status, 401);
  }
  const { key } = await organization.member("frank@x.org");
  const authorization = `Bearer ${key}`;
  const form = { authorization, "content-type": "application/x-www-form-urlencoded" };
  assert.equal((await ask("/session", form, "POST")).status, 415);
  const foreign = { authorization, origin: "https://elsewhere.example.com" };
  assert.equal((await ask("/session", foreign, "POST")).status, 403);
  await assert.rejects(caller("signIn", {}, local), { code: "INVALID_REQUEST_BODY" });
  const name = `trawl_session_${new URL(listener.url).port}`;
  for (const cookie of [`${name}=`, `${name}=x`, `${name}=${"a".repeat(43)}`, ";;=", "="]) {
    assert.equal((await ask(page, { cookie })).status, 401, cookie);
  }
});

/** Logging in to the pages at a real OpenID provider, with a browser that follows redirects. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import type { Session } from "#contract/organization";
import type { Caller } from "#contract/service";
import type { OAuthSettings } from "#instance/accessControl";
import { TestBrowser, type Visit } from "#test/support/browser";
import { type Claims, client, type Issuer, startIssuer } from "#test/support/issuer";
import { licenseOf, local, type TestOrganization, testOrganization } from "#test/support/organization";
import { repo, temporaryFolder } from "#test/support/repo";
import { callerOf, openListener, repository, type TestListener, viewOf } from "#test/support/service";

const past = repo("= main: One\na.txt\n| found\n");
const page = "/browse/r/-/blob/a.txt";
const hourMs = 60 * 60 * 1000;
const secretFile = join(temporaryFolder(), "secret");
writeFileSync(secretFile, `${client.secret}\n`, { mode: 0o600 });

const people: Record<string, Claims> = {
  bob: { email: "bob@example.com", email_verified: true, name: "Bob <b>" },
  carol: { email: "carol@example.com", email_verified: true, groups: ["staff"] },
  dan: { email: "dan@example.com", email_verified: true, groups: ["staff"] },
  eve: { email: "eve@example.com", email_verified: false },
  nobody: {},
};

interface Site {
  readonly issuer: Issuer;
  readonly organization: TestOrganization;
  readonly caller: Caller;
  readonly listener: TestListener;
  readonly url: string;
  close(): Promise<void>;
}

/** An instance with a login at an issuer of its own. */
async function open(settings: Partial<OAuthSettings> = {}, isThin = false): Promise<Site> {
  const issuer = await startIssuer(people);
  const oauth: OAuthSettings = {
    issuer: issuer.url,
    createsMembers: true,
    clientId: client.id,
    clientSecret: { file: secretFile },
    ...settings,
  };
  const organization = testOrganization({ oauth });
  const repositories = viewOf([repository(1, "r", { path: past.path, revisions: [] })]);
  const caller = callerOf({ repositories }, { organization });
  const listener = await openListener(caller, { anonymous: "off", hasLogin: true });
  await issuer.allowLogin(listener.url, { isThin });
  issuer.person = "bob";
  const close = async () => {
    await Promise.all([listener.close(), issuer.close()]);
  };
  return { issuer, organization, caller, listener, url: listener.url, close };
}

async function openFor(t: TestContext, settings: Partial<OAuthSettings> = {}, isThin = false): Promise<Site> {
  const site = await open(settings, isThin);
  t.after(() => site.close());
  return site;
}

let site: Site;
before(async () => {
  site = await open();
});
after(() => site.close());

async function loggedIn({ url, issuer }: Site, person = "bob"): Promise<TestBrowser> {
  issuer.person = person;
  const browser = new TestBrowser();
  const visit = await browser.open(`${url}${page}`);
  assert.equal(visit.status, 200, contentOf(visit));
  return browser;
}

/** Begins a login, and returns the URL with which the issuer sends the browser back. */
async function callbackOf({ url }: Site, browser: TestBrowser, path = "/login"): Promise<string> {
  return (await browser.open(`${url}${path}`, /\/login\/callback/)).url;
}

async function memberOf({ organization }: Site, email: string) {
  const { members } = await organization.organization.store();
  const member = await members.byEmail(email);
  return member ?? assert.fail(`${email} is not a member.`);
}

/** Returns the newest record of an action. */
async function lastRecord({ organization }: Site, wanted: string) {
  const { auditLog } = await organization.organization.store();
  const { items } = await auditLog.page({ page: 1, perPage: 100 });
  const { actorId, metadata } = items.find(({ action }) => action === wanted) ?? assert.fail(wanted);
  return { actorId, metadata };
}

const sessionCookieOf = ({ cookies }: TestBrowser) =>
  [...cookies].find(([name]) => name.includes("trawl_session"))?.[1];

test("a page leads to the login and back, and shows who is logged in", async () => {
  site.issuer.person = "bob";
  const browser = new TestBrowser();
  const first = await browser.request(`${site.url}${page}?x=%2F`);
  assert.equal(first.status, 302);
  assert.equal(
    first.headers.get("location"),
    `${site.url}/login?return=${encodeURIComponent(`${page}?x=%2F`)}`,
  );
  const login = await browser.request(first.headers.get("location") ?? "");
  const target = new URL(login.headers.get("location") ?? "");
  assert.equal(target.origin, site.issuer.url);
  const { searchParams } = target;
  assert.deepEqual(
    ["response_type", "client_id", "scope", "code_challenge_method"].map((name) => searchParams.get(name)),
    ["code", "trawl", "openid email profile", "S256"],
  );
  for (const name of ["state", "nonce", "code_challenge"])
    assert.match(searchParams.get(name) ?? "", /^[\w-]{43}$/);
  assert.match(
    login.headers.get("set-cookie") ?? "",
    /^trawl_login_\d+_[\w-]{8}=[\w.-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
  );
  const returned = await browser.open(target.href, new RegExp(`^${site.url}/browse`));
  assert.equal(returned.url, `${site.url}${page}?x=%2F`);
  const cookies = returned.headers.getSetCookie();
  assert.match(
    cookies[0] ?? "",
    /^trawl_session_\d+=[\w-]{43}; Path=\/; Max-Age=60\d{4}; HttpOnly; SameSite=Lax$/,
  );
  assert.match(cookies[1] ?? "", /^trawl_login_.*=; .*Max-Age=0/);
  const shown = await browser.request(returned.url);
  assert.equal(shown.status, 200);
  assert.match(shown.text, /found/);
  assert.match(shown.text, /title="Your sessions"><bdi>Bob &lt;b&gt;</);
  assert.match(shown.text, /id="sign-out">Log out</);
  const { id } = await memberOf(site, "bob@example.com");
  assert.deepEqual(await lastRecord(site, "user.signed_in"), { actorId: id, metadata: { method: "login" } });
});

test("probes need no login, and scripts and programs get 401 instead of a redirect", async () => {
  const browser = new TestBrowser();
  for (const path of ["/livez", "/readyz"])
    assert.equal((await browser.request(site.url + path)).status, 200);
  const scripts: readonly Record<string, string>[] = [
    { "x-requested-with": "script" },
    { "sec-fetch-mode": "cors", "sec-fetch-site": "same-origin" },
    { accept: "*/*" },
  ];
  for (const headers of scripts)
    assert.equal((await browser.request(`${site.url}/repositories`, { headers })).status, 401);
  assert.equal((await browser.request(`${site.url}/api/repos`)).status, 401);
  const wrongKey = { authorization: "Bearer wrong" };
  assert.equal((await browser.request(`${site.url}/`, { headers: wrongKey })).status, 401);
});

test("where pages need no login, they offer it", async (t) => {
  const open = await openListener(site.caller, { anonymous: "on", hasLogin: true });
  t.after(() => open.close());
  const { text } = await new TestBrowser().request(`${open.url}${page}`);
  assert.match(text, /<a href="http:\/\/[\d.:]+\/login\?return=%2Fbrowse[^"]*">Log in</);
});

/** Where each path leads after a login. */
const returnPaths: readonly (readonly [string, string])[] = [
  ["/repositories?filter=a", "/repositories?filter=a"],
  ["/?q=a+b%20c", "/?q=a+b%20c"],
  ["//evil.example", "/"],
  ["///evil.example", "/"],
  ["/\\evil.example", "/"],
  ["\\\\evil.example", "/"],
  ["/a\\..\\\\evil.example", "/"],
  ["/\t/evil.example", "/"],
  ["/\n/evil.example", "/"],
  ["/%09/evil.example", "/%09/evil.example"],
  ["/%2Fevil.example", "/%2Fevil.example"],
  ["/%5Cevil.example", "/%5Cevil.example"],
  ["/..//evil.example", "/"],
  ["/.//evil.example", "/"],
  ["https://evil.example/", "/"],
  ["http:evil.example", "/"],
  ["javascript:alert(1)", "/"],
  ["data:text/html,x", "/"],
  ["/a\r\nset-cookie: x=1", "/"],
  ["/a%0d%0aset-cookie:%20x=1", "/a%0d%0aset-cookie:%20x=1"],
  ["@evil.example", "/"],
  [".evil.example", "/"],
  ["", "/"],
  ["/login", "/"],
  ["/login/callback?code=x", "/"],
  ["/logout", "/"],
  [`/${"a".repeat(2000)}`, "/"],
  ["/ä", "/%C3%A4"],
];

test("a login returns only to pages of this server", async () => {
  site.issuer.person = "bob";
  const browser = new TestBrowser();
  for (const [path, expected] of returnPaths) {
    const callback = await callbackOf(site, browser, `/login?return=${encodeURIComponent(path)}`);
    const { status, headers } = await browser.request(callback);
    assert.equal(status, 302, path);
    assert.equal(headers.get("location"), site.url + expected, path);
  }
});

/** The page without its style and script. */
const contentOf = ({ text }: Visit) => text.replace(/<(style|script)>.*?<\/\1>/gs, "");

function refusedWith(visit: Visit, status: number, message: RegExp): void {
  assert.equal(visit.status, status, contentOf(visit));
  assert.match(contentOf(visit), message);
  assert.doesNotMatch(visit.headers.get("set-cookie") ?? "", /trawl_session_\d+=\w/);
}

const stale = /This login has expired, or was not started in this browser/;

test("a response of the issuer is accepted only once, in the browser that began the login, and soon", async (t) => {
  const site = await openFor(t);
  const [browser, victim] = [new TestBrowser(), new TestBrowser()];
  const callback = await callbackOf(site, browser);
  // Login CSRF: an attacker sends the victim a callback link with the code of the attacker's own login.
  await callbackOf(site, victim);
  refusedWith(await victim.request(callback), 401, stale);
  refusedWith(await new TestBrowser().request(callback), 401, stale);
  const changed = new URL(callback);
  changed.searchParams.set("state", `${changed.searchParams.get("state")?.slice(0, 42)}!`);
  refusedWith(await browser.request(changed.href), 401, stale);
  const copied = new TestBrowser();
  for (const [name, value] of await cookiesBefore(site, browser)) copied.cookies.set(name, value);
  const again = await callbackOf(site, browser);
  for (const [name, value] of browser.cookies) copied.cookies.set(name, value);
  assert.equal((await browser.request(again)).status, 302);
  // The browser has deleted the cookie, and the issuer refuses to accept the code again.
  refusedWith(await browser.request(again), 401, stale);
  refusedWith(await copied.request(again), 401, /no longer accepts this login/);
  const late = await callbackOf(site, browser);
  site.organization.clock.addedMs = 10 * 60 * 1000 + 1000;
  refusedWith(await browser.request(late), 401, stale);
  site.organization.clock.addedMs = 0;
});

async function cookiesBefore(site: Site, browser: TestBrowser): Promise<ReadonlyMap<string, string>> {
  await callbackOf(site, browser);
  return new Map(browser.cookies);
}

test("several tabs can log in at once, but not so many that their cookies fill the headers", async () => {
  site.issuer.person = "bob";
  const browser = new TestBrowser();
  const callbacks: string[] = [];
  for (let count = 0; count < 3; count++) callbacks.push(await callbackOf(site, browser));
  for (const callback of callbacks) {
    const visit = await browser.request(callback);
    assert.equal(visit.status, 302, contentOf(visit));
  }
  for (let count = 0; count < 12; count++) await browser.request(`${site.url}/login`);
  const logins = [...browser.cookies.keys()].filter((name) => name.includes("_login_"));
  assert.ok(logins.length > 0 && logins.length <= 4, String(logins.length));
});

test("parameters of a response are checked", async () => {
  site.issuer.person = "bob";
  const browser = new TestBrowser();
  const respond = async (change: (parameters: URLSearchParams) => void) => {
    const callback = new URL(await callbackOf(site, browser));
    change(callback.searchParams);
    return await browser.request(callback.href);
  };
  refusedWith(await respond((all) => all.set("iss", "https://other.example")), 401, /another login server/);
  refusedWith(await respond((all) => all.delete("iss")), 401, /another login server/);
  refusedWith(await respond((all) => all.delete("code")), 401, /without a code/);
  refusedWith(await respond((all) => all.set("code", "wrong")), 401, /no longer accepts this login/);
  refusedWith(await respond((all) => all.append("state", "x")), 400, /given more than once/);
  refusedWith(await respond((all) => all.set("state", "x".repeat(9000))), 400, /state/);
  const markup = await respond((all) => {
    all.delete("code");
    all.set("error", "<img src=x>");
    all.set("error_description", "Call +1 234");
  });
  refusedWith(markup, 401, /The login server ended the login\./);
  assert.doesNotMatch(markup.text, /<img|Call/);
  site.issuer.person = undefined;
  refusedWith(await new TestBrowser().open(`${site.url}/login`), 401, /did not let you in.*Log in again/s);
});

test("tokens of other logins, clients and keys are refused", async (t) => {
  const site = await openFor(t);
  const { issuer } = site;
  const browser = new TestBrowser();
  const tokens: string[] = [];
  const attempt = async (change: (token: string) => unknown) => {
    const callback = await callbackOf(site, browser);
    issuer.tamper = (body) => {
      tokens.push(String(body["id_token"]));
      return { ...body, id_token: change(String(body["id_token"])) };
    };
    const visit = await browser.request(callback);
    issuer.tamper = undefined;
    return visit;
  };
  assert.equal((await attempt((token) => token)).status, 302);
  const reply = /The response of the login server is not valid/;
  refusedWith(await attempt(() => tokens[0]), 401, reply);
  refusedWith(await attempt(() => undefined), 401, reply);
  refusedWith(await attempt(() => "a.b.c"), 401, reply);
  refusedWith(await attempt((token) => `${token.slice(0, -8)}AAAAAAAA`), 401, reply);
  const unsigned = Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url");
  refusedWith(await attempt((token) => `${unsigned}.${token.split(".")[1]}.`), 401, reply);
  const accessToken = await issuer.token("bob", client.id).catch(() => "x.y.z");
  refusedWith(await attempt(() => accessToken), 401, reply);
});

test("a login replaces the session of the browser, and cannot be given one", async () => {
  const browser = await loggedIn(site);
  const before = sessionCookieOf(browser);
  const old = new TestBrowser();
  for (const [name, value] of browser.cookies) if (name.startsWith("trawl")) old.cookies.set(name, value);
  await browser.open(`${site.url}/login`);
  assert.notEqual(sessionCookieOf(browser), before);
  assert.equal((await browser.request(`${site.url}${page}`)).status, 200);
  assert.equal((await old.request(`${site.url}${page}`)).status, 302);
  // A token that an attacker has chosen is not adopted.
  const fixed = new TestBrowser();
  const name = `trawl_session_${site.listener.port}`;
  fixed.cookies.set(name, "a".repeat(43));
  assert.equal((await fixed.open(`${site.url}${page}`)).status, 200);
  assert.notEqual(fixed.cookies.get(name), "a".repeat(43));
});

test("the cookie is accepted only from pages of this server", async () => {
  const browser = await loggedIn(site);
  const ask = async (path: string, headers: Record<string, string>, method = "GET") => {
    const isPost = method === "POST";
    const type: Record<string, string> = isPost ? { "content-type": "application/json" } : {};
    return browser.request(site.url + path, {
      method,
      headers: { ...type, ...headers },
      ...(isPost ? { body: "{}" } : {}),
    });
  };
  const own = { origin: site.url, "sec-fetch-site": "same-origin" };
  const [session] = JSON.parse((await ask("/api/sessions", own)).text) as Session[];
  assert.equal(session?.userAgent, "TestBrowser/1.0");
  const foreign: readonly (readonly [Record<string, string>, number])[] = [
    [{}, 401],
    [{ "sec-fetch-site": "none" }, 401],
    [{ origin: "https://evil.example", "sec-fetch-site": "cross-site" }, 403],
    [{ origin: site.url.replace("127.0.0.1", "localhost"), "sec-fetch-site": "cross-site" }, 403],
    [{ origin: `${site.url}1`, "sec-fetch-site": "same-site" }, 403],
    [{ "sec-fetch-site": "same-site", "sec-fetch-mode": "cors" }, 403],
  ];
  for (const [headers, status] of foreign) {
    assert.equal((await ask("/api/repos", headers)).status, status, JSON.stringify(headers));
    assert.equal((await ask(`/api/session?sessionId=${session?.id}`, headers, "DELETE")).status, status);
    assert.equal((await ask("/logout", headers, "POST")).status, 403);
  }
  const form = { ...own, "content-type": "application/x-www-form-urlencoded" };
  assert.equal((await ask("/logout", form, "POST")).status, 415);
  // A page of another site that makes the browser return from an invented login does not log it out.
  refusedWith(await browser.request(`${site.url}/login/callback?state=x&error=y`), 401, stale);
  assert.equal((await ask("/api/repos", own)).status, 200);
});

test("logging out ends the session here and at the issuer", async () => {
  const browser = await loggedIn(site);
  const before = new Map(browser.cookies);
  const { id } = await memberOf(site, "bob@example.com");
  const headers = { origin: site.url, "content-type": "application/json" };
  const response = await browser.request(`${site.url}/logout`, { method: "POST", headers, body: "{}" });
  assert.equal(response.status, 200);
  const { url } = JSON.parse(response.text) as { readonly url: string };
  const target = new URL(url);
  assert.equal(target.origin, site.issuer.url);
  assert.equal(target.searchParams.get("post_logout_redirect_uri"), `${site.url}/logout`);
  assert.match(target.searchParams.get("id_token_hint") ?? "", /^ey.*\..*\./);
  // The issuer asks whether to log out.
  const question = await browser.open(url);
  const xsrf = /name="xsrf" value="(\w+)"/.exec(question.text)?.[1] ?? "";
  const confirmation = await browser.request(`${site.issuer.url}/session/end/confirm`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: `${new URLSearchParams({ xsrf, logout: "yes" })}`,
  });
  const end = await browser.open(confirmation.headers.get("location") ?? "");
  assert.match(end.url === "" ? "" : end.text, /You are logged out/);
  const copied = new TestBrowser();
  for (const [name, value] of before) copied.cookies.set(name, value);
  assert.equal((await copied.request(`${site.url}${page}`)).status, 302);
  assert.equal((await lastRecord(site, "user.signed_out")).actorId, id);
  // The issuer has ended its session, too.
  site.issuer.person = undefined;
  assert.equal((await browser.open(`${site.url}${page}`)).status, 401);
});

test("who may log in: members, and with createsMembers whoever has a verified address", async (t) => {
  const closed = await openFor(t, { createsMembers: false });
  const refused = async (person: string, message: RegExp, at = closed) => {
    at.issuer.person = person;
    refusedWith(await new TestBrowser().open(`${at.url}${page}`), 403, message);
  };
  await refused("bob", /bob@example\.com is not a member of this organization\. Ask an owner/);
  assert.deepEqual(await lastRecord(closed, "user.sign_in_refused"), {
    actorId: "unknown",
    metadata: { reason: "unknown", subject: "bob", email: "bob@example.com" },
  });
  const { id } = await closed.organization.member("BOB@example.com");
  await loggedIn(closed, "bob");
  const { members } = await closed.organization.organization.store();
  await members.suspend(id);
  await refused("bob", /bob@example\.com is disabled/);
  assert.equal((await lastRecord(closed, "user.sign_in_refused")).actorId, id);
  await members.resume(id);
  await closed.organization.member("eve@example.com");
  await refused("eve", /eve is not a member/);
  await refused("eve", /has not verified your email address/, site);
  await refused("nobody", /has not verified your email address/, site);
  const trusting = await openFor(t, { trustsEmail: true });
  people["frank"] = { email: "frank@example.com" };
  await loggedIn(trusting, "frank");
  await refused("eve", /has not verified/, trusting);
});

test("the license limits how many members a login creates", async (t) => {
  const site = await openFor(t);
  await site.organization.setLicense(licenseOf({ seats: 1 }));
  refusedWith(await new TestBrowser().open(`${site.url}${page}`), 403, /All seats of the license are taken/);
});

test("groups decide the role at each login, and who may log in", async (t) => {
  const site = await openFor(t, {
    groupsClaim: "groups",
    scopes: ["openid", "email", "groups"],
    roles: { admins: "OWNER", staff: "MEMBER" },
  });
  const { organization, url } = site;
  people["carol"] = { ...people["carol"], groups: ["staff", "admins"] };
  await loggedIn(site, "carol");
  const owner = await memberOf(site, "carol@example.com");
  assert.deepEqual([owner.role, owner.groups], ["OWNER", ["admins", "staff"]]);
  const browser = await loggedIn(site, "carol");
  const own = { headers: { "sec-fetch-site": "same-origin" } };
  await organization.setLicense(licenseOf());
  assert.equal((await browser.request(`${url}/api/ee/users`, own)).status, 200);
  await organization.setLicense(undefined);
  assert.equal((await browser.request(`${url}/api/ee/users`, own)).status, 403);
  await organization.setLicense(licenseOf());

  const hostile = [
    "staff",
    "staff",
    "__proto__",
    "constructor",
    "",
    "a\u0000b",
    "\ud800",
    "x".repeat(257),
    7,
    null,
    ["admins"],
    { admins: true },
    ...Array.from({ length: 3000 }, (_, at) => `a${at}`),
  ];
  people["carol"] = { ...people["carol"], groups: hostile };
  await loggedIn(site, "carol");
  const demoted = await memberOf(site, "carol@example.com");
  assert.equal(demoted.role, "MEMBER");
  assert.equal(demoted.groups.length, 1000);
  assert.ok(demoted.groups.includes("staff"));
  assert.ok(!demoted.groups.some((name) => name === "" || name === "admins" || name.includes("\u0000")));
  // The session before the demotion has the present role.
  assert.equal((await browser.request(`${url}/api/ee/users`, own)).status, 403);
  assert.deepEqual(await lastRecord(site, "org.owner_demoted_to_member"), {
    actorId: demoted.id,
    metadata: { reason: "groups" },
  });

  assert.equal((await browser.request(`${url}${page}`)).status, 200);
  for (const groups of [[], "others", undefined, 1]) {
    people["carol"] = { ...people["carol"], groups };
    site.issuer.person = "carol";
    refusedWith(await new TestBrowser().open(`${url}${page}`), 403, /in none of the groups/);
  }
  // A refused login ends the sessions of earlier ones.
  assert.equal((await browser.request(`${url}${page}`)).status, 302);
  people["carol"] = { ...people["carol"], groups: "staff" };
  await loggedIn(site, "carol");
  assert.deepEqual((await memberOf(site, "carol@example.com")).groups, ["staff"]);
  // The last owner stays one.
  const { members } = await organization.organization.store();
  const ada = await memberOf(site, "ada@example.com");
  people["ada"] = { email: "ada@example.com", email_verified: true, groups: ["staff"] };
  await site.issuer.rotate();
  organization.clock.addedMs = 15_000;
  await loggedIn(site, "ada");
  assert.equal((await members.get(ada.id))?.role, "OWNER");
});

test("claims may come from the userinfo endpoint", async (t) => {
  const site = await openFor(t, { groupsClaim: "groups", scopes: ["email", "groups"] }, true);
  await loggedIn(site, "dan");
  assert.deepEqual((await memberOf(site, "dan@example.com")).groups, ["staff"]);
});

test("a session ends after a day without use, after a week with use, and with its member", async (t) => {
  const site = await openFor(t);
  const { clock } = site.organization;
  const browser = await loggedIn(site);
  const status = async () => {
    const { status } = await browser.request(`${site.url}${page}`, {
      headers: { "x-requested-with": "script" },
    });
    // The time of use is stored after the response.
    await site.caller("sessions", {}, local);
    return status;
  };
  clock.addedMs = 23 * hourMs;
  assert.equal(await status(), 200);
  const times = await site.caller("sessions", {}, local);
  assert.ok(Date.parse(times[0]?.expiresAt ?? "") > Date.now() + 46 * hourMs);
  clock.addedMs = 46 * hourMs;
  assert.equal(await status(), 200);
  clock.addedMs = 71 * hourMs;
  assert.equal(await status(), 401);
  clock.addedMs = 0;
  const used = await loggedIn(site);
  for (let day = 1; day <= 7; day++) {
    clock.addedMs = day * 23.9 * hourMs;
    assert.equal((await used.request(`${site.url}${page}`)).status, 200, `day ${day}`);
    await site.caller("sessions", {}, local);
  }
  clock.addedMs = 7 * 24 * hourMs + 1000;
  assert.equal((await used.request(`${site.url}${page}`)).status, 302);
  clock.addedMs = 0;
  const other = await loggedIn(site);
  const { id } = await memberOf(site, "bob@example.com");
  const { members } = await site.organization.organization.store();
  await members.suspend(id);
  assert.equal((await other.request(`${site.url}${page}`)).status, 302);
  await members.resume(id);
  const third = await loggedIn(site);
  await site.caller("removeMember", { userId: id }, local);
  assert.equal((await third.request(`${site.url}${page}`)).status, 302);
});

test("members list and revoke their own sessions, owners all", async (t) => {
  const site = await openFor(t);
  const own = { "sec-fetch-site": "same-origin" };
  const [bob, dan] = [await loggedIn(site, "bob"), await loggedIn(site, "dan")];
  const list = async (browser: TestBrowser) =>
    JSON.parse((await browser.request(`${site.url}/api/sessions`, { headers: own })).text) as Session[];
  const revoke = async (browser: TestBrowser, id = "") =>
    (await browser.request(`${site.url}/api/session?sessionId=${id}`, { method: "DELETE", headers: own }))
      .status;
  const [dans] = await list(dan);
  assert.equal(dans?.isCurrent, true);
  assert.equal((await list(bob)).length, 1);
  assert.equal(await revoke(bob, dans?.id), 404);
  assert.equal((await site.caller("sessions", {}, local)).length, 2);
  const second = await loggedIn(site, "dan");
  assert.equal((await list(second)).filter(({ isCurrent }) => isCurrent).length, 1);
  assert.equal(await revoke(second, dans?.id), 200);
  assert.equal((await dan.request(`${site.url}${page}`)).status, 302);
  assert.equal((await second.request(`${site.url}${page}`)).status, 200);
  const { id } = await memberOf(site, "dan@example.com");
  assert.deepEqual(await lastRecord(site, "user.session_revoked"), {
    actorId: id,
    metadata: { session: dans?.id },
  });
  const [bobs] = await list(bob);
  await site.caller("revokeSession", { sessionId: bobs?.id }, local);
  assert.equal((await bob.request(`${site.url}${page}`)).status, 302);
});

test("keys that the issuer has replaced are fetched", async (t) => {
  const site = await openFor(t);
  await loggedIn(site);
  await site.issuer.rotate();
  site.organization.clock.addedMs = 15_000;
  await loggedIn(site);
});

test("an issuer that is down is reported with 503, and sessions go on", async (t) => {
  const site = await openFor(t);
  const browser = await loggedIn(site);
  const callback = await callbackOf(site, new TestBrowser());
  await site.issuer.close();
  site.organization.clock.addedMs = 15_000;
  const down = await new TestBrowser().open(`${site.url}${page}`);
  assert.equal(down.status, 503);
  assert.match(down.text, /The login server http:\/\/[\d.:]+ does not respond\. Try again later\./);
  assert.match(down.text, new RegExp(`href="${site.url}/login\\?return=%2Fbrowse[^"]*">Try again<`));
  assert.match(down.text, /<form id="sign-in">/);
  assert.equal((await new TestBrowser().request(callback)).status, 401);
  assert.equal((await browser.request(`${site.url}${page}`)).status, 200);
  const headers = { origin: site.url, "content-type": "application/json" };
  const logout = await browser.request(`${site.url}/logout`, { method: "POST", headers, body: "{}" });
  assert.deepEqual(JSON.parse(logout.text), { url: `${site.url}/logout` });
});

test("a wrong or missing client secret is reported to the operator, not shown", async (t) => {
  const wrong = join(temporaryFolder(), "wrong");
  writeFileSync(wrong, "wrong-secret\n");
  const site = await openFor(t, { clientSecret: { file: wrong } });
  const setUp = /The login of this server is not set up correctly/;
  const refused = await new TestBrowser().open(`${site.url}${page}`);
  refusedWith(refused, 503, setUp);
  assert.doesNotMatch(refused.text, /wrong-secret/);
  const missing = await openFor(t, { clientSecret: { env: "TRAWL_TEST_NO_SUCH_VARIABLE" } });
  refusedWith(await new TestBrowser().open(`${missing.url}${page}`), 503, setUp);
});

test("over HTTPS, cookies are bound to the host", async (t) => {
  const proxied = await openListener(site.caller, {
    hasLogin: true,
    anonymous: "off",
    publicUrl: "https://search.example.com",
  });
  t.after(() => proxied.close());
  const browser = new TestBrowser();
  const headers = { host: "search.example.com" };
  const first = await browser.request(`${proxied.url}${page}`);
  assert.equal(
    first.headers.get("location"),
    `https://search.example.com/login?return=${encodeURIComponent(page)}`,
  );
  const login = await browser.request(`${proxied.url}/login`, { headers });
  assert.match(
    login.headers.get("set-cookie") ?? "",
    /^__Host-trawl_login_[^;]*; Path=\/; .*HttpOnly; SameSite=Lax; Secure$/,
  );
  const redirectUri = new URL(login.headers.get("location") ?? "").searchParams.get("redirect_uri");
  assert.equal(redirectUri, "https://search.example.com/login/callback");
  // Another host of the domain can set a cookie without the prefix, which is therefore ignored.
  const other = await loggedIn(site);
  const token = sessionCookieOf(other) ?? "";
  const ask = async (name: string) => {
    const sent = await new TestBrowser().request(`${proxied.url}${page}`, {
      headers: { cookie: `${name}=${token}` },
    });
    return sent.status;
  };
  const port = `_${proxied.port}`;
  assert.equal(await ask(`trawl_session${port}`), 302);
  assert.equal(await ask(`__Host-trawl_session${port}`), 200);
});

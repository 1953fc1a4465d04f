/** The page on which users see and end their own sessions, and revoke the keys of their editors. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Caller } from "#contract/service";
import { TestBrowser } from "#test/support/browser";
import { client, type Issuer, startIssuer } from "#test/support/issuer";
import { local, type TestOrganization, testOrganization } from "#test/support/organization";
import { repo, temporaryFolder } from "#test/support/repo";
import { callerOf, openListener, repository, type TestListener, viewOf } from "#test/support/service";

const past = repo("= main: One\na.txt\n| found\n");
const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";
const edge =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0";
let issuer: Issuer;
let organization: TestOrganization;
let caller: Caller;
let listener: TestListener;

before(async () => {
  const person = (name: string) => ({ email: `${name}@example.com`, email_verified: true });
  issuer = await startIssuer({ ann: person("ann"), bob: person("bob"), owner: person("owner") });
  const secret = join(temporaryFolder(), "secret");
  writeFileSync(secret, client.secret, { mode: 0o600 });
  organization = testOrganization({
    oauth: { issuer: issuer.url, createsMembers: true, clientId: client.id, clientSecret: { file: secret } },
  });
  const repositories = viewOf([repository(1, "r", { path: past.path, revisions: [] })]);
  caller = callerOf({ repositories }, { organization });
  listener = await openListener(caller, { anonymous: "off", hasLogin: true });
  await issuer.allowLogin(listener.url);
  await organization.member("owner@example.com", "OWNER");
});
after(() => Promise.all([listener.close(), issuer.close()]));

async function loggedIn(person: string, userAgent: string): Promise<TestBrowser> {
  issuer.person = person;
  const browser = new TestBrowser(userAgent);
  assert.equal((await browser.open(`${listener.url}/repositories`)).status, 200);
  return browser;
}

const pageOf = async (browser: TestBrowser) => await browser.request(`${listener.url}/sessions`);

/** Presses a button of the page, whose address it contains. */
async function press(browser: TestBrowser, address: string, headers: Record<string, string> = ownPage()) {
  const url = new URL(address.replaceAll("&amp;", "&"), listener.url).href;
  return await browser.request(url, { method: "POST", headers });
}

const ownPage = () => ({ origin: listener.url, "content-type": "application/x-www-form-urlencoded" });
const buttons = (text: string) =>
  [...text.matchAll(/formaction="([^"]+)"/g)].flatMap(([, address]) => address ?? []);

/** Lets an editor in, and returns its key. */
async function editorKey(browser: TestBrowser): Promise<string> {
  const codeVerifier = randomBytes(32).toString("base64url");
  const parameters = new URLSearchParams({
    redirect_uri: "http://127.0.0.1:4321/done",
    state: randomBytes(16).toString("hex"),
    code_challenge: createHash("sha256").update(codeVerifier).digest("base64url"),
    name: "Code on <laptop>",
  });
  const allowed = await press(browser, `/editor?${parameters}`);
  const code = /[?&]code=([^&"]+)/.exec(allowed.headers.get("refresh") ?? "")?.[1] ?? assert.fail();
  const response = await fetch(`${listener.url}/editor/key`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code, codeVerifier }),
  });
  return ((await response.json()) as { readonly key: string }).key;
}

test("it lists the user's own browsers, and ends one without script", async () => {
  const here = await loggedIn("ann", firefox);
  const there = await loggedIn("ann", edge);
  const owner = await loggedIn("owner", edge);
  const { text, status } = await pageOf(here);
  assert.equal(status, 200);
  assert.match(text, /Firefox on Linux.*Started .* UTC.*This one/s);
  assert.match(text, /Edge on Windows/);
  assert.match(text, /title="Your sessions"><bdi>ann@example\.com</);
  // Owners see those of others over REST, not here.
  assert.doesNotMatch((await pageOf(owner)).text, /Firefox/);
  const [end] = buttons(text).filter((address) => !address.includes("others"));
  const pressed = await press(here, end ?? assert.fail(text));
  assert.deepEqual([pressed.status, pressed.headers.get("location")], [303, `${listener.url}/sessions`]);
  assert.doesNotMatch((await pageOf(here)).text, /Edge|End all other/);
  assert.notEqual((await pageOf(there)).status, 200);
  assert.equal((await pageOf(owner)).status, 200);
});

test("all others end at once, and only those of the user", async () => {
  const [here, second, third] = [
    await loggedIn("bob", firefox),
    await loggedIn("bob", edge),
    await loggedIn("bob", edge),
  ];
  const ann = await loggedIn("ann", edge);
  await press(here, buttons((await pageOf(here)).text).find((each) => each.endsWith("end=others")) ?? "");
  assert.deepEqual(
    await Promise.all([here, second, third, ann].map(async (each) => (await pageOf(each)).status === 200)),
    [true, false, false, true],
  );
});

test("the id of somebody else's session ends nothing, also for an owner", async () => {
  const ann = await loggedIn("ann", firefox);
  const owner = await loggedIn("owner", edge);
  for (const { id } of await caller("sessions", {}, local)) await press(owner, `/sessions?end=${id}`);
  assert.equal((await pageOf(ann)).status, 200);
});

test("the keys of editors are listed and revoked, and no other keys", async () => {
  const ann = await loggedIn("ann", firefox);
  const key = await editorKey(ann);
  const reads = async () =>
    (await fetch(`${listener.url}/api/repos`, { headers: { authorization: `Bearer ${key}` } })).status;
  assert.equal(await reads(), 200);
  const userId = (await caller("members", {}, local)).find(({ email }) => email === "ann@example.com")?.id;
  const other = await caller("createKey", { name: "nightly build", userId }, local);
  const { text } = await pageOf(ann);
  assert.match(text, /<bdi>Code on &lt;laptop&gt;<\/bdi>.*Connected .*expires /s);
  assert.doesNotMatch(text, /nightly/);
  await press(ann, `/sessions?revoke=${other.id}`);
  await press(ann, buttons(text).find((each) => each.includes("revoke=")) ?? assert.fail(text));
  assert.equal(await reads(), 401);
  assert.match((await pageOf(ann)).text, /No editor has logged in/);
  assert.ok((await caller("keys", {}, local)).some(({ id }) => id === other.id));
});

test("only a page of this server ends sessions, and only for those who are logged in", async () => {
  const ann = await loggedIn("ann", firefox);
  const other = await loggedIn("ann", edge);
  const foreign: readonly Record<string, string>[] = [
    {},
    { origin: "http://evil.example" },
    { "sec-fetch-site": "cross-site", origin: listener.url },
  ];
  for (const headers of foreign)
    assert.equal((await press(ann, "/sessions?end=others", headers)).status, 403);
  assert.equal((await pageOf(other)).status, 200);
  assert.equal((await press(new TestBrowser(), "/sessions?end=others")).status, 302, "to the login");
});

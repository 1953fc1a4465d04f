/** Letting an editor in, with a browser that has logged in and an editor that waits on a port. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { TestBrowser, type Visit } from "#test/support/browser";
import { client, type Issuer, startIssuer } from "#test/support/issuer";
import { type TestOrganization, testOrganization } from "#test/support/organization";
import { repo, temporaryFolder } from "#test/support/repo";
import { callerOf, openListener, repository, type TestListener, viewOf } from "#test/support/service";

const past = repo("= main: One\na.txt\n| found\n");
let issuer: Issuer;
let organization: TestOrganization;
let listener: TestListener;

before(async () => {
  issuer = await startIssuer({ bob: { email: "bob@example.com", email_verified: true } });
  const secret = join(temporaryFolder(), "secret");
  writeFileSync(secret, client.secret, { mode: 0o600 });
  organization = testOrganization({
    oauth: { issuer: issuer.url, createsMembers: true, clientId: client.id, clientSecret: { file: secret } },
  });
  const repositories = viewOf([repository(1, "r", { path: past.path, revisions: [] })]);
  listener = await openListener(callerOf({ repositories }, { organization }), {
    anonymous: "off",
    hasLogin: true,
  });
  await issuer.allowLogin(listener.url);
  issuer.person = "bob";
});

after(() => Promise.all([listener.close(), issuer.close()]));

/** An editor's request to be let in. */
function ask(redirectUri = "http://127.0.0.1:4321/done") {
  const verifier = randomBytes(32).toString("base64url");
  const parameters = {
    redirect_uri: redirectUri,
    state: randomBytes(16).toString("hex"),
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    name: "Visual Studio Code on <laptop>",
  };
  return { verifier, parameters, url: urlOf(parameters) };
}

const urlOf = (parameters: Record<string, string>) =>
  `${listener.url}/editor?${new URLSearchParams(parameters)}`;

async function loggedIn(): Promise<TestBrowser> {
  const browser = new TestBrowser();
  assert.equal((await browser.open(`${listener.url}/repositories`)).status, 200);
  return browser;
}

const ownPage = () => ({ origin: listener.url, "content-type": "application/x-www-form-urlencoded" });

async function allow(browser: TestBrowser, url: string): Promise<URL> {
  const visit = await browser.request(url, { method: "POST", headers: ownPage() });
  assert.equal(visit.status, 200, visit.text);
  return new URL(/^0; url=(.*)$/.exec(visit.headers.get("refresh") ?? "")?.[1] ?? assert.fail(visit.text));
}

async function connect(
  code: string,
  codeVerifier: string,
): Promise<{ status: number; key: string; text: string }> {
  const response = await fetch(`${listener.url}/editor/key`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code, codeVerifier }),
  });
  const text = await response.text();
  return { status: response.status, key: JSON.parse(text).key ?? "", text };
}

const readsWith = async (key: string) =>
  (await fetch(`${listener.url}/api/repos`, { headers: { authorization: `Bearer ${key}` } })).status;

test("a member lets an editor in, which gets a key that can only read", async (t) => {
  const editor = createServer((_request, response) => response.end("You can close this page."));
  await once(editor.listen(0, "127.0.0.1"), "listening");
  t.after(() => editor.close());
  const { port } = editor.address() as AddressInfo;
  const { verifier, parameters, url } = ask(`http://127.0.0.1:${port}/done`);
  const browser = new TestBrowser();
  // The page leads to the login, and back.
  const asked = await browser.open(url);
  assert.equal(asked.status, 200);
  assert.match(asked.text, /Visual Studio Code on &lt;laptop&gt;.*bob@example\.com/s);
  const received = once(editor, "request");
  const target = await allow(browser, url);
  await browser.request(target.href);
  const [{ url: arrived }] = await received;
  const sent = new URL(arrived, target).searchParams;
  assert.equal(sent.get("state"), parameters.state);
  const { status, key, text } = await connect(sent.get("code") ?? "", verifier);
  assert.equal(status, 200, text);
  assert.equal(await readsWith(key), 200);
  const { apiKeys, members, auditLog } = await organization.organization.store();
  const bob = (await members.byEmail("bob@example.com")) ?? assert.fail();
  const [stored] = await apiKeys.ofMember(bob.id);
  assert.match(stored?.name ?? "", /^Visual Studio Code on <laptop>, 20/);
  assert.equal(stored?.isReadOnly, true);
  const { items } = await auditLog.page({ page: 1, perPage: 10 });
  const created = items.find(({ action }) => action === "api_key.created");
  assert.deepEqual([created?.actorId, created?.targetId], [bob.id, stored?.id]);
});

test("a code works once, only with its verifier, and not for long", async () => {
  const browser = await loggedIn();
  const first = ask();
  const code = (await allow(browser, first.url)).searchParams.get("code") ?? "";
  assert.equal((await connect(code, first.verifier)).status, 200);
  assert.equal((await connect(code, first.verifier)).status, 401);
  const second = ask();
  const stolen = (await allow(browser, second.url)).searchParams.get("code") ?? "";
  assert.equal((await connect(stolen, randomBytes(32).toString("base64url"))).status, 401);
  // Whoever tried it has used it.
  assert.equal((await connect(stolen, second.verifier)).status, 401);
  const third = ask();
  const late = (await allow(browser, third.url)).searchParams.get("code") ?? "";
  organization.clock.addedMs += 61_000;
  assert.equal((await connect(late, third.verifier)).status, 401);
});

test("only the page of this server lets an editor in, and only to a port of the computer", async () => {
  const browser = await loggedIn();
  const { url, parameters } = ask();
  const foreign: readonly Record<string, string>[] = [
    {},
    { origin: "http://evil.example" },
    { "sec-fetch-site": "cross-site", origin: listener.url },
  ];
  for (const headers of foreign) {
    const visit = await browser.request(url, { method: "POST", headers });
    assert.equal(visit.status, 403, JSON.stringify(headers));
    assert.equal(visit.headers.get("refresh"), null);
  }
  const targets = [
    "https://evil.example/",
    "http://127.0.0.1.evil.example:80/",
    "http://127.0.0.1:80@evil.example/",
    "http://127.0.0.1:99999/",
    "http://127.0.0.1/",
    "http://localhost:80/",
    "http://127.0.0.1:80/\r\nx:y",
    "javascript:alert(1)",
    "vscode://x/y",
    "",
  ];
  for (const target of targets) {
    const wrong = urlOf({ ...parameters, redirect_uri: target });
    const visits: Visit[] = [
      await browser.request(wrong),
      await browser.request(wrong, { method: "POST", headers: ownPage() }),
    ];
    for (const visit of visits) {
      assert.equal(visit.status, 400, target);
      assert.match(visit.text, /redirectUri/);
    }
  }
});

test("a session that acts as a key, and a key, let no editor in", async () => {
  const browser = await loggedIn();
  const { key } = await connectNew(browser);
  const { url } = ask();
  const headers = { authorization: `Bearer ${key}`, ...ownPage() };
  assert.equal((await new TestBrowser().request(url, { method: "POST", headers })).status, 403);
  const other = new TestBrowser();
  const signIn = { method: "POST", body: "{}", headers: { ...headers, "content-type": "application/json" } };
  assert.equal((await other.request(`${listener.url}/session`, signIn)).status, 200);
  assert.equal((await other.request(url, { method: "POST", headers: ownPage() })).status, 403);
});

async function connectNew(browser: TestBrowser) {
  const { url, verifier } = ask();
  return await connect((await allow(browser, url)).searchParams.get("code") ?? "", verifier);
}

test("a member who was disabled meanwhile gets no key for the editor", async () => {
  const { verifier, url } = ask();
  const target = await allow(await loggedIn(), url);
  const { apiKeys, members } = await organization.organization.store();
  const { id } = (await members.byEmail("bob@example.com")) ?? assert.fail();
  const before = await apiKeys.ofMember(id);
  await members.suspend(id);
  const { status, text } = await connect(target.searchParams.get("code") ?? "", verifier);
  assert.deepEqual([status, await apiKeys.ofMember(id)], [401, before]);
  assert.match(text, /disabled/);
  await members.resume(id);
});

/**
 * People who log in to their team's server in the browser, and their editors: real processes, and a real OpenID provider,
 * whose claims name them on a code host that decides which repositories they see.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { CancellationTokenSource } from "vscode-languageserver/node";
import { connectServerMethod, logInToServerMethod } from "#contract/notifications";
import type { ServerConnectionState, ServerLogin } from "#contract/team";
import { dialectOf } from "#test/hosts/dialects";
import { FakeHost } from "#test/hosts/fakeHost";
import { TestBrowser } from "#test/support/browser";
import { type Editor, openEditor } from "#test/support/editor";
import { eventuallyEqual } from "#test/support/eventually";
import { client, type Issuer, startIssuer } from "#test/support/issuer";
import { repo, temporaryFolder } from "#test/support/repo";
import { type Served, serve } from "#test/support/served";

const shop = repo("= main: One\na.txt\n| found\n");
const people: Record<string, Record<string, unknown>> = {
  ada: { email: "ada@x.org", email_verified: true, git_login: "Ada-L" },
  ben: { email: "ben@x.org", email_verified: true, git_login: "ben-b" },
  eve: { email: "eve@x.org", email_verified: true },
};
let issuer: Issuer;
let codeHost: FakeHost;
let team: Served;
let editor: Editor;
/** What the user does with the page that the editor opens. */
let onPage: (uri: string) => Promise<void>;

before(async () => {
  issuer = await startIssuer(people);
  const folder = temporaryFolder();
  codeHost = await new FakeHost(dialectOf("github"), [
    { id: 1, path: "acme/secret", isPrivate: true, readers: ["ada-l"], guests: ["ben-b"] },
    { id: 2, path: "acme/plans", isPrivate: true, readers: ["ben-b"], guests: ["ada-l"] },
  ]).start();
  codeHost.token = "right";
  const clones = ["secret", "plans"].map((name) =>
    repo(`= main: One\n${name}.txt\n| found\n`, {
      path: join(folder, name),
      origin: `${codeHost.url}/acme/${name}.git`,
    }),
  );
  const secret = join(folder, "client-secret");
  writeFileSync(secret, client.secret, { mode: 0o600 });
  const config = join(folder, "config.json");
  const oauth = {
    issuer: issuer.url,
    clientId: client.id,
    clientSecret: { file: secret },
    createsMembers: true,
    codeHostClaims: { work: "git_login" },
  };
  const work = {
    type: "github",
    url: codeHost.url,
    allowHttp: true,
    token: { env: "TOKEN" },
    include: { orgs: ["acme"] },
    access: { visibleTo: "codeHost" },
  };
  writeFileSync(config, JSON.stringify({ oauth, connections: { work } }), { mode: 0o600 });
  const flags = ["--config", config, "--anonymous", "off"];
  const paths = [shop, ...clones].map(({ path }) => path);
  team = await serve(join(folder, "data"), paths, { flags, env: { TOKEN: codeHost.token } });
  await team.ready();
  await issuer.allowLogin(team.url);
  issuer.person = "ada";
  editor = await openEditor(join(folder, "own"));
  editor.client.onRequest("window/showDocument", ({ uri, external }: { uri: string; external: boolean }) => {
    assert.equal(external, true);
    void onPage(uri);
    return { success: true };
  });
});

after(async () => {
  await editor?.close();
  await team?.kill();
  await issuer?.close();
  await codeHost?.close();
});

/** Logs a person in, and returns what they see: over REST, on the search page, and whether a page of a file exists. */
async function personAt(person: string) {
  issuer.person = person;
  const browser = new TestBrowser();
  assert.equal((await browser.open(`${team.url}/`)).status, 200);
  const headers = { "sec-fetch-site": "same-origin" };
  const name = (each: string) => `${new URL(codeHost.url).host}/acme/${each}`;
  return async () => {
    const listed = await browser.request(`${team.url}/api/repos`, { headers });
    const repositories = JSON.parse(listed.text) as { readonly repoName: string }[];
    const page = (await browser.open(`${team.url}/?q=found`)).text;
    const files = ["a", "secret", "plans"].filter((each) => page.includes(`${each}.txt`));
    const opened: number[] = [];
    for (const each of ["secret", "plans"])
      opened.push((await browser.open(`${team.url}/browse/${name(each)}/-/blob/${each}.txt`)).status);
    return [repositories.map(({ repoName }) => repoName.split("/").at(-1)).sort(), files, opened];
  };
}

test("members see what the code host lets the person read whom the claim of their last login names", async () => {
  const shopName = shop.path.split("/").at(-1);
  const adas = [["secret", shopName].sort(), ["a", "secret"], [200, 404]];
  const bens = [["plans", shopName].sort(), ["a", "plans"], [404, 200]];
  const [ada, ben, eve] = [await personAt("ada"), await personAt("ben"), await personAt("eve")];
  await eventuallyEqual(ada, adas);
  await eventuallyEqual(ben, bens);
  assert.deepEqual(await eve(), [[shopName], ["a"], [404, 404]]);
  people["ben"] = { ...people["ben"], git_login: "ada-l" };
  assert.deepEqual(await ben(), bens);
  const again = await personAt("ben");
  await eventuallyEqual(again, adas);
  issuer.person = "ada";
});

const logIn = () =>
  editor.client.sendRequest<ServerLogin>(logInToServerMethod, { url: team.url, name: "Code on <laptop>" });

/** Logs in, allows the editor, and returns the browser and where it is sent then. */
async function allow(uri: string): Promise<{ readonly browser: TestBrowser; readonly target: URL }> {
  const browser = new TestBrowser();
  assert.match((await browser.open(uri)).text, /Code on &lt;laptop&gt;/);
  const allowed = await browser.request(uri, { method: "POST", headers: { origin: team.url } });
  return { browser, target: new URL(allowed.headers.get("refresh")?.slice("0; url=".length) ?? "") };
}

test("an editor gets a key after a login in the browser", async () => {
  let message = "";
  onPage = async (uri) => {
    const { browser, target } = await allow(uri);
    // Anyone on this computer may send a request to the port.
    const foreign = new URL(target);
    foreign.searchParams.set("state", "x".repeat(32));
    assert.equal((await browser.request(foreign.href)).status, 404);
    assert.equal((await browser.request(`${target.origin}//`)).status, 404);
    message = (await browser.request(target.href)).text;
  };
  const { key } = await logIn();
  assert.match(message, /You can close this page/);
  const state = await editor.client.sendRequest<ServerConnectionState>(connectServerMethod, {
    url: team.url,
    key,
  });
  assert.deepEqual([state.state, state.repositories], ["connected", 2]);
});

test("a code that the server does not know gives no key", async () => {
  onPage = async (uri) => {
    const { browser, target } = await allow(uri);
    target.searchParams.set("code", "y".repeat(43));
    await browser.request(target.href);
  };
  await assert.rejects(logIn(), /did not accept the login/);
});

test("a login that is canceled leaves no port open", async () => {
  let port = "";
  const opened = new Promise<void>((resolve) => {
    onPage = async (uri) => {
      port = new URL(new URL(uri).searchParams.get("redirect_uri") ?? "").port;
      resolve();
    };
  });
  const source = new CancellationTokenSource();
  const request = editor.client.sendRequest(
    logInToServerMethod,
    { url: team.url, name: "Code" },
    source.token,
  );
  await opened;
  source.cancel();
  await assert.rejects(request);
  await assert.rejects(fetch(`http://127.0.0.1:${port}/`));
});

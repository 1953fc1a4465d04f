/** An editor that logs in to its team's server in the browser: real processes, and a real OpenID provider. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { CancellationTokenSource } from "vscode-languageserver/node";
import { connectServerMethod, logInToServerMethod } from "#contract/notifications";
import type { ServerConnectionState, ServerLogin } from "#contract/team";
import { TestBrowser } from "#test/support/browser";
import { type Editor, openEditor } from "#test/support/editor";
import { client, type Issuer, startIssuer } from "#test/support/issuer";
import { repo, temporaryFolder } from "#test/support/repo";
import { type Served, serve } from "#test/support/served";

const shop = repo("= main: One\na.txt\n| found\n");
let issuer: Issuer;
let team: Served;
let editor: Editor;
/** What the user does with the page that the editor opens. */
let onPage: (uri: string) => Promise<void>;

before(async () => {
  issuer = await startIssuer({ ada: { email: "ada@x.org", email_verified: true } });
  const folder = temporaryFolder();
  const secret = join(folder, "secret");
  writeFileSync(secret, client.secret, { mode: 0o600 });
  const config = join(folder, "config.json");
  const oauth = {
    issuer: issuer.url,
    clientId: client.id,
    clientSecret: { file: secret },
    createsMembers: true,
  };
  writeFileSync(config, JSON.stringify({ oauth }), { mode: 0o600 });
  const flags = ["--config", config, "--anonymous", "off"];
  team = await serve(join(folder, "data"), [shop.path], { flags });
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
  assert.deepEqual([state.state, state.repositories], ["connected", 1]);
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

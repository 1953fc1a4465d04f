/** The company login in a browser: logging in, a session that ends while the page is open, and logging out. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, Page } from "playwright-core";
import { launchBrowser, shotPath } from "#e2e/driver/window";
import { client, type Issuer, startIssuer } from "#test/support/issuer";
import { repo, temporaryFolder } from "#test/support/repo";
import { type Served, serve } from "#test/support/served";
import { trawl } from "#test/support/trawl";

describe("login", () => {
  const dataDir = temporaryFolder();
  const config = `${temporaryFolder()}/trawl.json`;
  let issuer: Issuer;
  let server: Served;
  let browser: Browser;
  let page: Page;
  const problems: string[] = [];

  before(async () => {
    const folder = temporaryFolder();
    repo("= main: One\nvalues.ts\n| export const value1 = 1;\n", { path: `${folder}/shop` });
    const secret = `${temporaryFolder()}/secret`;
    writeFileSync(secret, client.secret);
    issuer = await startIssuer({ ada: { email: "ada@x.org", email_verified: true, name: "Ada" } });
    const oauth = { issuer: issuer.url, clientId: client.id, clientSecret: { file: secret } };
    writeFileSync(config, JSON.stringify({ oauth: { ...oauth, createsMembers: true } }), { mode: 0o600 });
    server = await serve(dataDir, [folder], { flags: ["--config", config, "--anonymous", "off"] });
    await server.ready();
    await issuer.allowLogin(server.url);
    issuer.person = "ada";
    browser = await launchBrowser();
    page = await (await browser.newContext({ viewport: { width: 1200, height: 700 } })).newPage();
    page.on("pageerror", ({ message }) => problems.push(message));
    page.on("console", (message) => {
      if (/Content Security Policy|Refused to/.test(message.text())) problems.push(message.text());
    });
  });

  afterEach(() => assert.deepEqual(problems, []));

  after(async () => {
    await browser?.close();
    await server?.stop();
    await issuer?.close();
  });

  it("leads to the issuer and back to the search", async () => {
    await page.goto(`${server.url}/?q=value1`);
    assert.equal(page.url(), `${server.url}/?q=value1`);
    await page.locator("#results .hit").first().waitFor();
    await page.getByRole("link", { name: "Ada" }).waitFor();
    const cookies = await page.context().cookies(server.url);
    const session = cookies.find(({ name }) => name.startsWith("trawl_session"));
    assert.deepEqual([session?.httpOnly, session?.sameSite], [true, "Lax"]);
    assert.equal(
      cookies.some(({ name }) => name.startsWith("trawl_login")),
      false,
    );
    const { violations } = await new AxeBuilder({ page }).analyze();
    assert.deepEqual(violations, []);
  });

  it("offers to log in again when the session has ended, and keeps the query", async () => {
    const ended = await trawl(["sessions", "revoke", "ada@x.org", "--data-dir", dataDir, "--config", config]);
    assert.equal(ended.stdout, "Ended 1 session.\n");
    await page.getByRole("combobox").fill("value");
    const again = page.getByRole("link", { name: "Log in again" });
    await again.waitFor();
    assert.match(await page.locator("#message").innerText(), /^Your session has ended\./);
    await again.click();
    await page.waitForURL(`${server.url}/?q=value`);
    await page.locator("#results .hit").first().waitFor();
    await page.getByRole("combobox").fill("value1");
    await page.waitForURL(`${server.url}/?q=value1`);
  });

  it("lets an editor in, which waits on a port of this computer", async () => {
    const editor = createServer((_request, response) => response.end("You can close this page."));
    await once(editor.listen(0, "127.0.0.1"), "listening");
    const { port } = editor.address() as AddressInfo;
    const received = once(editor, "request");
    const verifier = "v".repeat(43);
    const parameters = new URLSearchParams({
      redirect_uri: `http://127.0.0.1:${port}/done`,
      state: "s".repeat(16),
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      name: "Visual Studio Code on laptop",
    });
    const other = await page.context().newPage();
    await other.goto(`${server.url}/editor?${parameters}`);
    await other.screenshot({ path: shotPath("pageEditor") });
    await other.getByRole("button", { name: "Allow" }).click();
    const [{ url }] = await received;
    await other.getByText("You can close this page.").waitFor();
    await other.close();
    editor.close();
    const code = new URL(url, server.url).searchParams.get("code");
    const response = await fetch(`${server.url}/editor/key`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code, codeVerifier: verifier }),
    });
    const { key } = (await response.json()) as { readonly key: string };
    const headers = { authorization: `Bearer ${key}` };
    assert.equal((await fetch(`${server.url}/api/repos`, { headers })).status, 200);
  });

  it("logs out here and at the issuer", async () => {
    await page.getByRole("button", { name: "Log out" }).click();
    await page.waitForURL(`${issuer.url}/session/end**`);
    await page.getByRole("button", { name: /yes/i }).click();
    await page.getByText("You are logged out.").waitFor();
    assert.equal(page.url().split("?")[0], `${server.url}/logout`);
    issuer.person = undefined;
    await page.getByRole("link", { name: "Log in again" }).click();
    await page.getByText("The login server did not let you in.").waitFor();
  });

  it("accepts an API key when the login fails", async () => {
    const args = ["keys", "create", "browser", "--data-dir", dataDir, "--config", config];
    const key = (await trawl(args)).stdout.trim();
    await page.getByLabel("API key").fill(key);
    await page.getByRole("button", { name: "Log in" }).click();
    await page.waitForURL(`${server.url}/`);
    await page.goto(`${server.url}/sessions`);
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByText("The login server did not let you in.").waitFor();
  });
});

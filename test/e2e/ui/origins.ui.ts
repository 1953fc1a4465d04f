/** Pages of other origins, in a real browser: which requests they can send to `trawl serve`, and what they can read. */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "#e2e/driver/window";
import { repo, temporaryFolder } from "#test/support/repo";
import { type Served, serve } from "#test/support/served";

const secret = "aSecretOfThisRepository";
/** A host name of the attacker that resolves to this computer (DNS rebinding). */
const reboundHost = "rebound.example";

interface PageResponse {
  readonly status?: number;
  readonly text?: string;
  readonly error?: string;
}

describe("pages of other origins", () => {
  let browser: Browser;
  let served: Served;
  let otherServer: Server;
  let page: Page;

  before(async () => {
    served = await serve(temporaryFolder(), [repo(`= main: First\na.txt\n| ${secret}\n`).path]);
    await served.ready();
    otherServer = createServer((_, response) => {
      response.setHeader("content-type", "text/html");
      response.end("<!doctype html><title>Elsewhere</title><form></form>");
    });
    await new Promise<void>((resolve) => otherServer.listen(0, "127.0.0.1", resolve));
    browser = await launchBrowser([`--host-resolver-rules=MAP ${reboundHost} 127.0.0.1`]);
    page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(otherServer.address() as AddressInfo).port}/`);
  });

  after(async () => {
    await browser?.close();
    otherServer?.close();
    await served?.stop();
  });

  /** Calls `fetch` in a script of the page, and returns what the script can read. */
  async function fetchFromPage(url: string, init: RequestInit = {}): Promise<PageResponse> {
    return await page.evaluate(
      async ([address, options]) => {
        try {
          const response = await fetch(address, options);
          return { status: response.status, text: await response.text() };
        } catch (error) {
          return { error: String(error) };
        }
      },
      [url, init] as const,
    );
  }

  const search = (type: string): RequestInit => ({
    method: "POST",
    headers: { "content-type": type },
    body: JSON.stringify({ query: secret }),
  });

  it("cannot read anything with requests of their scripts", async () => {
    for (const init of [search("application/json"), search("text/plain"), {}]) {
      const path = init.method === "POST" ? "/api/search" : "/api/repos";
      const { status = 0, text = "" } = await fetchFromPage(served.url + path, init);
      assert.notEqual(status, 200, `${path} returned ${text}`);
      assert.equal(text.includes(secret), false);
    }
    const opaque = await fetchFromPage(`${served.url}/api/repos`, { mode: "no-cors" });
    assert.equal(opaque.text ?? "", "");
  });

  it("cannot search by submitting a form", async () => {
    const responded = page.waitForResponse((response) => response.url() === `${served.url}/api/search`);
    await page.evaluate(
      ([action, query]) => {
        const form = document.forms[0];
        if (form === undefined) throw new Error("There is no form.");
        // With these names and values, the form submits text that looks like JSON.
        const field = document.createElement("input");
        field.name = `{"query": "${query}", "a": "`;
        field.value = '"}';
        form.append(field);
        Object.assign(form, { method: "post", enctype: "text/plain", action });
        form.submit();
      },
      [`${served.url}/api/search`, secret] as const,
    );
    const response = await responded;
    assert.ok([403, 415].includes(response.status()), String(response.status()));
    assert.equal((await response.text()).includes(secret), false);
    await page.goBack();
  });

  it("cannot read anything under a host name that resolves to this computer", async () => {
    const url = `http://${reboundHost}:${new URL(served.url).port}`;
    const other = await browser.newPage();
    const response = await other.goto(`${url}/api/repos`);
    assert.equal(response?.status(), 403);
    assert.match(await other.locator("body").innerText(), /rebound\.example/);
    assert.equal((await other.locator("body").innerText()).includes("repoName"), false);
    await other.close();
    const { status, text = "" } = await fetchFromPage(`${url}/api/search`, search("application/json"));
    assert.notEqual(status, 200, text);
    assert.equal(text.includes(secret), false);
  });

  it("may send requests if their origin is allowed", async () => {
    const origin = new URL(page.url()).origin;
    const open = await serve(temporaryFolder(), [], { flags: ["--allowed-origin", origin] });
    try {
      const { status, text } = await fetchFromPage(`${open.url}/api/search`, search("application/json"));
      assert.equal(status, 200, text);
    } finally {
      await open.stop();
    }
  });
});

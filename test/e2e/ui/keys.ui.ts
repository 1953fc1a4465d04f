import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Browser, Locator } from "playwright-core";
import { type CodeServer, changeSettings, startCodeServer, trawlServers } from "#e2e/driver/codeServer";
import { portsOf, processesOf, until } from "#e2e/driver/processes";
import { shootThemes, themes } from "#e2e/driver/themes";
import { beGitUser, runTrawl } from "#e2e/driver/trawlProgram";
import { launchBrowser, Window } from "#e2e/driver/window";

const keyForm = /^trwl_[\w-]{43}$/;

describe("the local endpoint and its keys", () => {
  let browser: Browser;
  let server: CodeServer;
  let window: Window;
  let url = "";
  const keys: Record<string, string> = {};

  before(async () => {
    server = await startCodeServer({
      hasVsix: true,
      settings: { "workbench.colorTheme": themes.dark[0], "trawl.trace.server": "verbose" },
    });
    beGitUser(server, "Ann", "ann@acme.example");
    browser = await launchBrowser();
    window = await Window.open(browser, server, {
      prepare: (page) => page.context().grantPermissions(["clipboard-read", "clipboard-write"]),
    });
    await window.openTrawl();
    for (const view of ["Search", "Results", "Repositories"]) await window.header(view).click();
    await window.expand("API & Agents");
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  function row(name: RegExp): Locator {
    return window.pane("API & Agents").getByRole("treeitem", { name }).first();
  }

  function ports(): readonly number[] {
    const pids = trawlServers(server);
    return portsOf(processesOf(server.root).filter(({ pid }) => pids.includes(pid)));
  }

  const dialog = (): Locator => window.page.locator(".monaco-dialog-box");

  async function answer(button: string): Promise<void> {
    await dialog().getByRole("button", { name: button }).click();
    await dialog().waitFor({ state: "detached" });
  }

  async function status(key?: string): Promise<number> {
    const body = JSON.stringify({ query: "retryWithBackoff", matches: 10 });
    const headers = {
      "Content-Type": "application/json",
      ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
    };
    return (await fetch(`${url}/api/search`, { method: "POST", headers, body })).status;
  }

  /** Leaves the dialog with the key open. */
  async function create(name: string, expiry: string): Promise<void> {
    await window.runCommand("Trawl: Create API Key...");
    await window.quickInput.fill(name);
    await window.page.keyboard.press("Enter");
    await window.quickRows.filter({ hasText: expiry }).waitFor();
    await window.pick(expiry);
    await dialog().getByText(`The API key ${name}`).waitFor();
  }

  /** The key that the dialog shows, when it is in the clipboard. */
  async function copied(): Promise<string> {
    const shown = /trwl_[\w-]{43}/.exec((await dialog().textContent()) ?? "")?.[0] ?? "";
    assert.match(shown, keyForm);
    await answer("Copy Key");
    await until("the key is in the clipboard", async () => (await clipboard()) === shown);
    return shown;
  }

  const clipboard = (): Promise<string> => window.page.evaluate(() => navigator.clipboard.readText());

  /** Acts on a row by the button beside it. */
  async function press(on: RegExp, button: string): Promise<void> {
    await window.settled("API & Agents");
    await row(on).hover();
    await row(on).getByRole("button", { name: button }).click();
  }

  it("is stopped until somebody starts it", async () => {
    await row(/^Local endpoint, stopped$/).waitFor();
    assert.deepEqual(ports(), []);
    await shootThemes(window, server, "keys/1-stopped");
  });

  it("asks before it starts, and listens to this computer alone", async () => {
    await press(/^Local endpoint, stopped$/, "Start Local Endpoint");
    const question =
      "Every program on this computer will be able to search and read every indexed repository.";
    await dialog().getByText(question).waitFor();
    await window.shot("keys/2-start");
    await answer("Cancel");
    assert.deepEqual(ports(), []);
    await press(/^Local endpoint, stopped$/, "Start Local Endpoint");
    await answer("Start");
    await row(/^Local endpoint, running/).waitFor();
    await until("it listens", () => ports().length === 1);
    url = `http://127.0.0.1:${ports()[0]}`;
    await row(new RegExp(`^${url}/api`)).waitFor();
    assert.equal(await status(), 200);
  });

  it("copies its address", async () => {
    await window.settled("API & Agents");
    await row(/^http/).click();
    await until("the address is in the clipboard", async () => (await clipboard()) === `${url}/api`);
  });

  it("shows a key once, and copies it", async () => {
    await create("laptop scripts", "Never");
    const text = (await dialog().textContent()) ?? "";
    assert.match(text, /shown only this once/);
    assert.match(text, /answers only programs that show a key/);
    await window.shot("keys/3-created");
    keys["laptop"] = await copied();
    await dialog().waitFor({ state: "detached" });
    assert.equal(await window.page.getByText(keys["laptop"]).count(), 0);
  });

  it("lets in who has a key, and nobody else from then on", async () => {
    await until("the row is there", async () => (await row(/^API keys/).count()) > 0);
    assert.equal(await status(), 401);
    assert.equal(await status(keys["laptop"]), 200);
    assert.equal(await status(`trwl_${"x".repeat(43)}`), 401);
  });

  it("refuses a name that is taken, and one that is empty", async () => {
    await window.runCommand("Trawl: Create API Key...");
    for (const [name, reason] of [
      ["laptop scripts", "There is a key with this name already."],
      ["  ", "A key needs a name."],
    ] as const) {
      await window.quickInput.fill(name);
      await window.page.locator(".quick-input-message").filter({ hasText: reason }).waitFor();
    }
    await window.page.keyboard.press("Escape");
  });

  it("lists keys with their last use and their end", async () => {
    await create("ci export", "30 days");
    keys["ci"] = await copied();
    await row(/^API keys/).click();
    await row(/^laptop scripts, last used just now$/).waitFor();
    const inMonth = new Date(Date.now() + 30 * 24 * 60 * 60 * 1000);
    const day = inMonth.toLocaleDateString("en-US", { day: "numeric", month: "short" });
    await row(new RegExp(`^ci export, never used · expires ${day}`)).waitFor();
    await row(/^API keys, 2$/).waitFor();
    await shootThemes(window, server, "keys/4-listed");
    await window.resizeSideBar(200);
    await window.shot("keys/4-listed-narrow");
    await window.resizeSideBar(300);
  });

  it("says of a key that it has expired, and refuses it", async () => {
    const end = new Date(Date.now() + 2_000).toISOString();
    const made = JSON.parse(await runTrawl(server, ["keys", "create", "short", "--expires", end, "--json"]));
    await until("it is refused", async () => (await status(made.key)) === 401);
    await window.header("API & Agents").hover();
    await window.pane("API & Agents").getByRole("button", { name: "Refresh API Keys" }).click();
    await row(/^short, .*expired$/).waitFor();
  });

  it("asks before it revokes a key, which is refused from then on", async () => {
    await press(/^laptop scripts/, "Revoke API Key...");
    await dialog().getByText("Revoke the API key laptop scripts?").waitFor();
    await window.shot("keys/5-revoke");
    await answer("Cancel");
    assert.equal(await status(keys["laptop"]), 200);
    await press(/^laptop scripts/, "Revoke API Key...");
    await answer("Revoke");
    await row(/^laptop scripts/).waitFor({ state: "detached" });
    assert.equal(await status(keys["laptop"]), 401);
    assert.equal(await status(keys["ci"]), 200);
  });

  it("is nowhere on disk, in no log and in no trace", async () => {
    const secrets = Object.values(keys).map((key) => Buffer.from(key));
    assert.equal(secrets.length, 2);
    const files = readdirSync(server.root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    const traces = files.filter((path) => /Trawl Trace\.log$/.test(path));
    assert.equal(traces.length, 1, files.filter((path) => path.includes("Trawl")).join("\n"));
    assert.match(readFileSync(traces[0] ?? "", "utf8"), /trawl\/createKey/);
    const told = files.filter((path) => secrets.some((secret) => readFileSync(path).includes(secret)));
    assert.deepEqual(told, []);
  });

  it("stops", async () => {
    await press(/^Local endpoint, running/, "Stop Local Endpoint");
    await row(/^Local endpoint, stopped$/).waitFor();
    await until("nothing listens", () => ports().length === 0);
  });

  it("takes the next port where its usual one is taken, and says so", async () => {
    const holder = createServer();
    // Where somebody else holds it, it is taken as well.
    holder.on("error", () => {});
    holder.listen(4878, "127.0.0.1");
    try {
      await press(/^Local endpoint, stopped$/, "Start Local Endpoint");
      await answer("Start");
      await row(/^Local endpoint, running, not on port 4878$/).waitFor();
      assert.ok(!ports().includes(4878));
      await press(/^Local endpoint, running/, "Stop Local Endpoint");
      await row(/^Local endpoint, stopped$/).waitFor();
    } finally {
      holder.close();
    }
  });

  it("starts by itself only where the person has set it so", async () => {
    changeSettings(server, { "trawl.api.enabled": true });
    await until("it listens", () => ports().length === 1);
    changeSettings(server, { "trawl.api.enabled": false });
    await until("nothing listens", () => ports().length === 0);
  });

  it("had no notification", async () => {
    assert.deepEqual(await window.notifications(), []);
  });
});

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Browser, Locator } from "playwright-core";
import { type CodeServer, changeSettings, startCodeServer, trawlServers } from "#e2e/driver/codeServer";
import { portsOf, processesOf } from "#e2e/driver/processes";
import { shootThemes, themes } from "#e2e/driver/themes";
import { runTrawl, setGitUser } from "#e2e/driver/trawlProgram";
import { launchBrowser, Window } from "#e2e/driver/window";
import { eventually } from "#test/support/eventually";

const keyForm = /^trwl_[\w-]{43}$/;

describe("the local endpoint and its API keys", () => {
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
    setGitUser(server, "Ann", "ann@acme.example");
    browser = await launchBrowser();
    window = await Window.open(browser, server, {
      prepare: (page) => page.context().grantPermissions(["clipboard-read", "clipboard-write"]),
    });
    await window.openTrawl();
    for (const view of ["Search", "Results"]) await window.collapse(view);
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

  async function clickDialogButton(button: string): Promise<void> {
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

  /** Creates a key and leaves the dialog that shows it open. */
  async function create(name: string, expiry: string): Promise<void> {
    await window.runCommand("Trawl: Create API Key...");
    await window.quickInput.fill(name);
    await window.page.keyboard.press("Enter");
    await window.quickRows.filter({ hasText: expiry }).waitFor();
    await window.pick(expiry);
    await dialog().getByText(`API key ${name}`).waitFor();
  }

  /** Copies the key that the dialog shows, and returns it. */
  async function copied(): Promise<string> {
    const shown = /trwl_[\w-]{43}/.exec((await dialog().textContent()) ?? "")?.[0] ?? "";
    assert.match(shown, keyForm);
    await clickDialogButton("Copy Key");
    await eventually(async () => (await clipboard()) === shown);
    return shown;
  }

  const clipboard = (): Promise<string> => window.page.evaluate(() => navigator.clipboard.readText());

  /** Clicks an inline button of a row. */
  async function press(on: RegExp, button: string): Promise<void> {
    await window.settled("API & Agents");
    await row(on).hover();
    await row(on).getByRole("button", { name: button }).click();
  }

  it("is stopped until the user starts it", async () => {
    await row(/^Local endpoint, stopped$/).waitFor();
    assert.deepEqual(ports(), []);
    await shootThemes(window, server, "keys/1-stopped");
  });

  it("asks for confirmation before it starts, and then accepts requests without a key", async () => {
    await press(/^Local endpoint, stopped$/, "Start Local Endpoint");
    await dialog().getByText("Start the local endpoint?").waitFor();
    const detail = "Every program on this computer will be able to search and read every indexed repository.";
    await dialog().getByText(detail).waitFor();
    await window.shot("keys/2-start");
    await clickDialogButton("Cancel");
    assert.deepEqual(ports(), []);
    await press(/^Local endpoint, stopped$/, "Start Local Endpoint");
    await clickDialogButton("Start");
    await row(/^Local endpoint, running/).waitFor();
    await eventually(() => ports().length === 1);
    url = `http://127.0.0.1:${ports()[0]}`;
    await row(new RegExp(`^${url}/api`)).waitFor();
    assert.equal(await status(), 200);
  });

  it("copies its URL", async () => {
    await window.settled("API & Agents");
    await row(/^http/).click();
    await eventually(async () => (await clipboard()) === `${url}/api`);
  });

  it("shows a key once, and copies it", async () => {
    await create("laptop scripts", "Never");
    const text = (await dialog().textContent()) ?? "";
    assert.match(text, /Copy it now; it won't be shown again/);
    assert.match(text, /now requires an API key/);
    await window.shot("keys/3-created");
    keys["laptop"] = await copied();
    await dialog().waitFor({ state: "detached" });
    assert.equal(await window.page.getByText(keys["laptop"]).count(), 0);
  });

  it("accepts only requests with a key once there is one", async () => {
    await eventually(async () => (await row(/^API keys/).count()) > 0);
    assert.equal(await status(), 401);
    assert.equal(await status(keys["laptop"]), 200);
    assert.equal(await status(`trwl_${"x".repeat(43)}`), 401);
  });

  it("rejects a key name that is taken or empty", async () => {
    await window.runCommand("Trawl: Create API Key...");
    for (const [name, reason] of [
      ["laptop scripts", "A key with this name already exists."],
      ["  ", "Enter a name."],
    ] as const) {
      await window.quickInput.fill(name);
      await window.page.locator(".quick-input-message").filter({ hasText: reason }).waitFor();
    }
    await window.page.keyboard.press("Escape");
  });

  it("lists keys with their last use and expiry", async () => {
    await create("ci export", "30 days");
    keys["ci"] = await copied();
    await row(/^API keys/).click();
    await row(/^laptop scripts, last used (?:just now|\d+ min ago)$/).waitFor();
    const inMonth = new Date(Date.now() + 30 * 24 * 60 * 60 * 1000);
    const day = inMonth.toLocaleDateString("en-US", { day: "numeric", month: "short" });
    await row(new RegExp(`^ci export, never used · expires ${day}`)).waitFor();
    await row(/^API keys, 2$/).waitFor();
    await shootThemes(window, server, "keys/4-listed");
    await window.resizeSideBar(200);
    await window.shot("keys/4-listed-narrow");
    await window.resizeSideBar(300);
  });

  it("marks an expired key, and rejects it", async () => {
    // Longer than the command takes on a busy machine.
    const end = new Date(Date.now() + 10_000).toISOString();
    const made = JSON.parse(await runTrawl(server, ["keys", "create", "short", "--expires", end, "--json"]));
    await eventually(async () => (await status(made.key)) === 401);
    await window.header("API & Agents").hover();
    await window.pane("API & Agents").getByRole("button", { name: "Refresh API Keys" }).click();
    await row(/^short, .*expired$/).waitFor();
  });

  it("asks for confirmation before it revokes a key, which is then rejected", async () => {
    await press(/^laptop scripts/, "Revoke API Key...");
    await dialog().getByText("Revoke the API key laptop scripts?").waitFor();
    await window.shot("keys/5-revoke");
    await clickDialogButton("Cancel");
    assert.equal(await status(keys["laptop"]), 200);
    await press(/^laptop scripts/, "Revoke API Key...");
    await clickDialogButton("Revoke");
    await row(/^laptop scripts/).waitFor({ state: "detached" });
    assert.equal(await status(keys["laptop"]), 401);
    assert.equal(await status(keys["ci"]), 200);
  });

  it("writes no key to disk, neither to a log nor to a trace", async () => {
    const secrets = Object.values(keys).map((key) => Buffer.from(key));
    assert.equal(secrets.length, 2);
    const files = readdirSync(server.root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    const traces = files.filter((path) => /Trawl Trace\.log$/.test(path));
    assert.equal(traces.length, 1, files.filter((path) => path.includes("Trawl")).join("\n"));
    assert.match(readFileSync(traces[0] ?? "", "utf8"), /trawl\/createKey/);
    const leaks = files.filter((path) => secrets.some((secret) => readFileSync(path).includes(secret)));
    assert.deepEqual(leaks, []);
  });

  it("stops", async () => {
    await press(/^Local endpoint, running/, "Stop Local Endpoint");
    await row(/^Local endpoint, stopped$/).waitFor();
    await eventually(() => ports().length === 0);
  });

  it("uses the next port if its usual one is taken, and shows that", async () => {
    const holder = createServer();
    // If another program already listens there, the port is taken, too.
    holder.on("error", () => {});
    holder.listen(4878, "127.0.0.1");
    try {
      await press(/^Local endpoint, stopped$/, "Start Local Endpoint");
      await clickDialogButton("Start");
      await row(/^Local endpoint, running, not on port 4878$/).waitFor();
      assert.ok(!ports().includes(4878));
      await press(/^Local endpoint, running/, "Stop Local Endpoint");
      await row(/^Local endpoint, stopped$/).waitFor();
    } finally {
      holder.close();
    }
  });

  it("starts automatically only if the setting says so", async () => {
    changeSettings(server, { "trawl.api.enabled": true });
    await eventually(() => ports().length === 1);
    changeSettings(server, { "trawl.api.enabled": false });
    await eventually(() => ports().length === 0);
  });

  it("shows no notifications", async () => {
    assert.deepEqual(await window.notifications(), []);
  });
});

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import type { Browser, Locator } from "playwright-core";
import { type CodeServer, startCodeServer } from "#e2e/driver/codeServer";
import { portsOf, processesOf } from "#e2e/driver/processes";
import { kill } from "#e2e/driver/signals";
import { launchBrowser, Window } from "#e2e/driver/window";
import { eventually } from "#test/support/eventually";

describe("repositories", () => {
  let browser: Browser;
  let server: CodeServer;
  let window: Window;

  before(async () => {
    server = await startCodeServer({ hasVsix: true, isFirstRun: true });
    browser = await launchBrowser();
    window = await Window.open(browser, server);
    await window.openTrawl();
    for (const view of ["Search", "Results"]) await window.collapse(view);
    await window.expand("Repositories");
    await row(/^orders-api, main · ready/).waitFor();
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  /** Finds a row by its accessible name: its label and description. */
  function row(name: RegExp, view = "Repositories"): Locator {
    return window.pane(view).getByRole("treeitem", { name }).first();
  }

  async function open(name: RegExp): Promise<void> {
    const found = row(name);
    await window.settled("Repositories");
    await found.click();
    await window.page.keyboard.press("ArrowRight");
    await eventually(async () => (await found.getAttribute("aria-expanded")) === "true");
  }

  async function confirm(button: string): Promise<void> {
    await window.page.locator(".monaco-dialog-box").getByRole("button", { name: button }).click();
  }

  function servers(): readonly number[] {
    return processesOf(server.root)
      .filter(({ command }) => command.includes("dist/server/trawl.js"))
      .map(({ pid }) => pid);
  }

  function ports(): readonly number[] {
    const all = processesOf(server.root);
    return portsOf(all.filter(({ pid }) => servers().includes(pid)));
  }

  it("show their branches and tags", async () => {
    await open(/^orders-api, main/);
    await row(/^Branches, \d/).waitFor();
    await row(/^Content, \d+ documents · /).waitFor();
    await window.shot("repositories");
  });

  it("next to the open one are indexed after one click", async () => {
    await open(/^Not indexed, \d/);
    await window.settled("Repositories");
    await row(/^payments, .* · click to index$/).click();
    await row(/^payments, \w+ · ready/).waitFor();
    assert.deepEqual(await window.notifications(), []);
  });

  it("are removed after confirmation, and their clones stay", async () => {
    const { path } = server.organization.repositories.payments;
    await row(/^payments, \w+ · ready/).click({ button: "right" });
    await window.choose("Remove from Index...");
    await confirm("Remove from Index");
    await row(/^payments, \w+ · ready/).waitFor({ state: "detached" });
    assert.ok(existsSync(path));
  });

  it("show in the status bar that indexing is paused", async () => {
    await window.runCommand("Trawl: Pause Indexing");
    await window.page.locator(".statusbar-item .codicon-debug-pause").waitFor();
    await window.runCommand("Trawl: Resume Indexing");
    await window.page.locator(".statusbar-item .codicon-debug-pause").waitFor({ state: "detached" });
  });

  it("are served over REST once the user starts the endpoint and confirms", async () => {
    await window.expand("API & Agents");
    await row(/^Local endpoint, stopped/, "API & Agents").waitFor();
    assert.deepEqual(ports(), []);
    await window.runCommand("Trawl: Start Local Endpoint");
    await confirm("Start");
    await row(/^Local endpoint, running/, "API & Agents").waitFor();
    const response = await fetch(`http://127.0.0.1:${ports()[0]}/api/health`);
    assert.equal(response.status, 200);
    await window.shot("endpoint");
    await window.runCommand("Trawl: Stop Local Endpoint");
    await row(/^Local endpoint, stopped/, "API & Agents").waitFor();
    await eventually(() => ports().length === 0);
  });

  it("are introduced by a walkthrough", async () => {
    await window.runCommand("Trawl: Open Walkthrough");
    await window.page.getByText("Five steps, two minutes.").waitFor();
    await window.shot("walkthrough");
    await window.page.keyboard.press("Control+F4");
  });

  it("disappear when the server has crashed too often, and return when it is restarted", async () => {
    for (let crash = 1; crash <= 5; crash++) {
      const [pid] = await eventually(() => servers().length === 1 && servers());
      kill(pid ?? 0, "SIGKILL");
      await eventually(() => !servers().includes(pid ?? 0));
    }
    await window.page.locator(".statusbar-item .codicon-error").filter({ visible: true }).last().waitFor();
    await window.pane("Repositories").getByText("The search server is not running.").waitFor();
    await window.shot("serverFailed");
    await window.pane("Repositories").getByRole("button", { name: "Restart Server" }).click();
    await row(/^orders-api, main · ready/).waitFor();
    assert.deepEqual(await window.notifications(), []);
  });

  it("are deleted with all data after confirmation, and the open one is indexed again", async () => {
    const [before] = servers();
    await window.runCommand("Trawl: Delete All Data...");
    await confirm("Delete All Data");
    await eventually(() => servers().length === 1 && servers()[0] !== before);
    await row(/^orders-api, main · ready · (?:just now|\d+ min ago)/).waitFor();
    assert.deepEqual(await window.notifications(), []);
  });
});

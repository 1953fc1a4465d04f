import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import type { Browser, Locator } from "playwright-core";
import { type CodeServer, startCodeServer } from "#e2e/driver/codeServer";
import { portsOf, processesOf, until } from "#e2e/driver/processes";
import { kill } from "#e2e/driver/signals";
import { launchBrowser, Window } from "#e2e/driver/window";

describe("the repositories", () => {
  let browser: Browser;
  let server: CodeServer;
  let window: Window;

  before(async () => {
    server = await startCodeServer({ hasVsix: true, isFirstRun: true });
    browser = await launchBrowser();
    window = await Window.open(browser, server);
    await window.openTrawl();
    for (const view of ["Search", "Results"]) await window.header(view).click();
    await row(/^orders-api, main · ready/).waitFor();
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  /** By its name for a screen reader: what the row says, and what stands behind it. */
  function row(name: RegExp, view = "Repositories"): Locator {
    return window.pane(view).getByRole("treeitem", { name }).first();
  }

  async function open(name: RegExp): Promise<void> {
    const found = row(name);
    await window.settled("Repositories");
    await found.click();
    await window.page.keyboard.press("ArrowRight");
    await until(`${name} is open`, async () => (await found.getAttribute("aria-expanded")) === "true");
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

  it("tell their branches and tags", async () => {
    await open(/^orders-api, main/);
    await row(/^Branches, \d/).waitFor();
    await row(/^Content, \d+ documents · /).waitFor();
    await window.shot("repositories");
  });

  it("beside the open one are indexed after one click", async () => {
    await open(/^Not indexed, \d/);
    await window.settled("Repositories");
    await row(/^payments, .* · click to index$/).click();
    await row(/^payments, \w+ · ready/).waitFor();
    assert.deepEqual(await window.notifications(), []);
  });

  it("are removed after a question, and their clones stay", async () => {
    const { path } = server.organisation.repositories.payments;
    await row(/^payments, \w+ · ready/).click({ button: "right" });
    await window.choose("Remove From Index...");
    await confirm("Remove From Index");
    await row(/^payments, \w+ · ready/).waitFor({ state: "detached" });
    assert.ok(existsSync(path));
  });

  it("rest while indexing is paused", async () => {
    await window.runCommand("Trawl: Pause Indexing");
    await window.page.locator(".statusbar-item .codicon-debug-pause").waitFor();
    await window.runCommand("Trawl: Resume Indexing");
    await window.page.locator(".statusbar-item .codicon-debug-pause").waitFor({ state: "detached" });
  });

  it("are served to scripts when somebody starts the endpoint, and agrees", async () => {
    await window.expand("API & Agents");
    await row(/^Local endpoint, stopped/, "API & Agents").waitFor();
    assert.deepEqual(ports(), []);
    await window.runCommand("Trawl: Start Local Endpoint");
    await confirm("Start");
    await row(/^Local endpoint, running/, "API & Agents").waitFor();
    const answer = await fetch(`http://127.0.0.1:${ports()[0]}/api/health`);
    assert.equal(answer.status, 200);
    await window.shot("endpoint");
    await window.runCommand("Trawl: Stop Local Endpoint");
    await row(/^Local endpoint, stopped/, "API & Agents").waitFor();
    await until("nothing listens", () => ports().length === 0);
  });

  it("are introduced by a walkthrough with pictures", async () => {
    await window.runCommand("Trawl: Open Walkthrough");
    await window.page.getByText("Four steps, one minute.").waitFor();
    await window.shot("walkthrough");
    await window.page.keyboard.press("Control+F4");
  });

  it("are gone while the server is left alone, and come back with it", async () => {
    for (let crash = 1; crash <= 5; crash++) {
      const [pid] = await until("one server runs", () => servers().length === 1 && servers());
      kill(pid ?? 0, "SIGKILL");
      await until("it has ended", () => !servers().includes(pid ?? 0));
    }
    await window.page.locator(".statusbar-item .codicon-error").filter({ visible: true }).last().waitFor();
    await window.pane("Repositories").getByText("The search server is not running.").waitFor();
    await window.shot("serverFailed");
    await window.pane("Repositories").getByRole("button", { name: "Restart Server" }).click();
    await row(/^orders-api, main · ready/).waitFor();
    assert.deepEqual(await window.notifications(), []);
  });

  it("are forgotten with all data after a question, and the open one is indexed again", async () => {
    const [before] = servers();
    await window.runCommand("Trawl: Delete All Data...");
    await confirm("Delete All Data");
    await until("another server runs", () => servers().length === 1 && servers()[0] !== before);
    await row(/^orders-api, main · ready · just now/).waitFor();
    assert.deepEqual(await window.notifications(), []);
  });
});

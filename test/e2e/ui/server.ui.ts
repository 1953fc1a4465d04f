import assert from "node:assert/strict";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { type CodeServer, changeSettings, startCodeServer, trawlServers } from "#e2e/driver/codeServer";
import { portsOf, processesOf } from "#e2e/driver/processes";
import { kill } from "#e2e/driver/signals";
import { launchBrowser, Window } from "#e2e/driver/window";
import { note } from "#e2e/report";
import { eventually } from "#test/support/eventually";
import { repo } from "#test/support/repo";

/** Enough that a search of a revision that is not indexed takes some seconds. */
const fileCount = 12_000;

describe("the server in the workbench", () => {
  let browser: Browser;
  let server: CodeServer;
  let window: Window;
  let largeFolder: string;
  let old: string;

  before(async () => {
    server = await startCodeServer({ hasVsix: true });
    const line = "| it goes on and on and on, and there is nothing to be found in it at all\n";
    const files = Array.from(
      { length: fileCount },
      (_, index) => `f${index}.txt\n| ${index}\n${line.repeat(100)}`,
    );
    largeFolder = join(server.organization.folder, "large");
    const large = repo(`= main: Much\n${files.join("")}`, { path: largeFolder });
    old = large.git("rev-parse", "HEAD");
    large.more(`= main: Little\n${files.map((_, index) => `- f${index}.txt\n`).join("")}few.txt\n| few\n`);
    browser = await launchBrowser();
    window = await Window.open(browser, server);
    await window.openTrawl();
    await window.box.searchUntil("repo:large few", /1 repository/, 60_000);
    await window.box.searchUntil("chargeCard", /2 repositories/);
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  function ports(): readonly number[] {
    const servers = trawlServers(server);
    return portsOf(processesOf(server.root).filter(({ pid }) => servers.includes(pid)));
  }

  const gitProcesses = () => processesOf(largeFolder).filter(({ command }) => /(?:^|\/)git /.test(command));

  it("leaves no git process running after a canceled search", async () => {
    await window.box.input.fill(`repo:large rev:${old} nothingLikeThis`);
    await window.box.input.press("Enter");
    const running = await eventually(() => {
      const found = gitProcesses();
      return found.length > 0 && found;
    });
    // A stopped process cannot finish by itself: only if it is killed does it go away.
    for (const { pid } of running) kill(pid, "SIGSTOP");
    const began = performance.now();
    await window.box.input.press("Escape");
    await eventually(() => gitProcesses().length === 0);
    note(`no git process ${(performance.now() - began).toFixed(0)} ms after Escape`);
    await window.box.status.getByText("canceled").waitFor();
  });

  it("is not delayed by a canceled search", async () => {
    assert.match(await window.box.search("chargeCard"), /2 repositories/);
  });

  it("listens on no port until the user confirms it", async () => {
    assert.deepEqual(ports(), []);
    // Unlike on the desktop, editors in this browser are pages of an origin, which has to be allowed.
    changeSettings(server, { "trawl.api.allowedOrigins": [new URL(server.url).origin] });
    await window.runCommand("Trawl: Start Local Endpoint");
    const dialog = window.page.locator(".monaco-dialog-box");
    await dialog.waitFor();
    assert.deepEqual(ports(), []);
    await window.shot("endpoint-question");
    await dialog.getByRole("button", { name: "Start" }).click();
    const [port] = await eventually(() => ports().length > 0 && ports());
    const response = await fetch(`http://127.0.0.1:${port}/api/health`);
    assert.equal(response.status, 200);
    await window.expand("API & Agents");
    await window
      .rows("API & Agents")
      .filter({ hasText: `127.0.0.1:${port}/api` })
      .waitFor();
    await window.shot("endpoint-running");
    await window.runCommand("Simple Browser: Show");
    await window.quickInput.fill(`http://127.0.0.1:${port}/`);
    await window.page.keyboard.press("Enter");
    const page = window.editorPage.frameLocator("iframe");
    await page.getByLabel("Search code").fill("chargeCard");
    await page.getByRole("link", { name: "src/charge.ts" }).click();
    await page.getByRole("button", { name: "Copy" }).click();
    await page.getByText("Copied.").waitFor();
    await window.shot("simple-browser");
    // Keys in the page do not reach the workbench.
    await window.editorTab("Simple Browser").click();
    await window.runCommand("Trawl: Stop Local Endpoint");
    await eventually(() => ports().length === 0);
  });

  it("is restarted without a notification when it is killed", async () => {
    const [pid = 0] = trawlServers(server);
    kill(pid, "SIGKILL");
    assert.match(await window.box.search("ORDER_TIMEOUT_MS"), /5 repositories/);
    assert.notDeepEqual(trawlServers(server), [pid]);
  });

  it("is reported as stopped in the search view after five crashes", async () => {
    const failure = window.box.status.getByText("The search server is not running.");
    await eventually(async () => {
      for (const pid of trawlServers(server)) kill(pid, "SIGKILL");
      return (await failure.count()) > 0;
    }, 90_000);
    await window.page.locator(".statusbar-item.error-kind").waitFor();
    await window.shot("server-failed");
    await window.box.status.getByRole("button", { name: "Restart Server" }).click();
    await eventually(() => trawlServers(server).length === 1);
    await window.box.searchUntil("chargeCard", /2 repositories/);
  });

  it("shows no notifications", async () => {
    assert.deepEqual(await window.notifications(), []);
  });
});

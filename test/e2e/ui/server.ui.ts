import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import { type CodeServer, startCodeServer, trawlServers } from "#e2e/driver/codeServer";
import { portsOf, processesOf, until } from "#e2e/driver/processes";
import { kill } from "#e2e/driver/signals";
import { launchBrowser, Window } from "#e2e/driver/window";

describe("the server, as it is seen", () => {
  let browser: Browser;
  let server: CodeServer;
  let window: Window;

  before(async () => {
    server = await startCodeServer({ hasVsix: true });
    browser = await launchBrowser();
    window = await Window.open(browser, server);
    await window.openTrawl();
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

  it("listens on no port until somebody says so, after one question", async () => {
    assert.deepEqual(ports(), []);
    await window.runCommand("Trawl: Start Local Endpoint");
    const dialog = window.page.locator(".monaco-dialog-box");
    await dialog.waitFor();
    assert.deepEqual(ports(), []);
    await window.shot("endpoint-question");
    await dialog.getByRole("button", { name: "Start" }).click();
    const [port] = await until("it listens", () => ports().length > 0 && ports());
    const answer = await fetch(`http://127.0.0.1:${port}/api/health`);
    assert.equal(answer.status, 200);
    await window.expand("API & Agents");
    await window
      .rows("API & Agents")
      .filter({ hasText: `127.0.0.1:${port}/api` })
      .waitFor();
    await window.shot("endpoint-running");
    await window.runCommand("Trawl: Stop Local Endpoint");
    await until("it listens no more", () => ports().length === 0);
  });

  it("comes back without a word when it is killed", async () => {
    const [pid = 0] = trawlServers(server);
    kill(pid, "SIGKILL");
    assert.match(await window.box.search("ORDER_TIMEOUT_MS"), /5 repositories/);
    assert.notDeepEqual(trawlServers(server), [pid]);
  });

  it("is told of where one looks for it when it has crashed five times", async () => {
    const note = window.box.status.getByText("The search server is not running.");
    await until(
      "it is given up",
      async () => {
        for (const pid of trawlServers(server)) kill(pid, "SIGKILL");
        return (await note.count()) > 0;
      },
      30_000,
    );
    await window.page.locator(".statusbar-item.error-kind").waitFor();
    await window.shot("server-failed");
    await window.box.status.getByRole("button", { name: "Restart Server" }).click();
    await until("it runs", () => trawlServers(server).length === 1);
    await window.box.searchUntil("chargeCard", /2 repositories/);
  });

  it("never shows a notification", async () => {
    assert.deepEqual(await window.notifications(), []);
  });
});

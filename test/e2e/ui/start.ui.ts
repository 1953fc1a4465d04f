import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import { type CodeServer, startCodeServer } from "#e2e/driver/codeServer";
import { launchBrowser, Window } from "#e2e/driver/window";

describe("the workbench", () => {
  let browser: Browser;
  let server: CodeServer;
  let window: Window;

  before(async () => {
    server = await startCodeServer({ hasVsix: true });
    browser = await launchBrowser();
    window = await Window.open(browser, server);
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  it("shows Trawl's views", async () => {
    await window.openTrawl();
    for (const view of ["Search", "Results", "Saved & Recent", "Repositories"]) {
      await window.header(view).waitFor();
    }
    await window.shot("start");
    assert.deepEqual(await window.notifications(), []);
  });
});

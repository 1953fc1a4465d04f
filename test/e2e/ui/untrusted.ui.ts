import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import { type CodeServer, startCodeServer } from "#e2e/driver/codeServer";
import { launchBrowser, Window } from "#e2e/driver/window";

describe("an untrusted folder", () => {
  let browser: Browser;
  let server: CodeServer;
  let window: Window;

  before(async () => {
    server = await startCodeServer({ hasVsix: true, isFirstRun: true, asksForTrust: true });
    // Settings of a folder that name programs or data directories must not apply before it is trusted.
    const settings = { "trawl.server.path": "/nowhere/trawl.js", "trawl.index.location": "/nowhere" };
    server.organization.repositories["orders-api"].write(".vscode/settings.json", JSON.stringify(settings));
    browser = await launchBrowser();
    window = await Window.open(browser, server);
    await window.openTrawl();
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  it("is not indexed", async () => {
    assert.match(await window.box.search("PlaceOrder"), /^No repositories are indexed yet\./);
    await window.shot("untrusted");
  });

  it("is indexed once it is trusted", async () => {
    server.organization.repositories["orders-api"].remove(".vscode");
    await window.runCommand("Workspaces: Manage Workspace Trust");
    await window.page
      .getByRole("button", { name: /^Trust/ })
      .first()
      .click();
    await window.box.searchUntil("PlaceOrder", /2 matches · 1 file · 1 repository/);
    assert.deepEqual(await window.notifications(), []);
  });
});

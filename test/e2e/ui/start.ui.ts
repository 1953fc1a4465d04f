import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import { type CodeServer, startCodeServer } from "#e2e/driver/codeServer";
import { launchBrowser, Window } from "#e2e/driver/window";
import { note } from "#e2e/report";
import { eventually } from "#test/support/eventually";

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

  it("needs no other file for the styles of the search box, and keeps the box when it is hidden", async () => {
    await window.box.input.waitFor();
    const owners = await window.box.input.evaluate((input) =>
      [...input.ownerDocument.styleSheets].map(({ ownerNode }) => ownerNode?.nodeName),
    );
    assert.ok(owners.length > 0 && owners.every((name) => name === "STYLE"), owners.join());
    await window.box.input.evaluate((input) => input.setAttribute("data-seen", ""));
    await window.page.keyboard.press("Control+Shift+E");
    await window.box.input.waitFor({ state: "hidden" });
    const start = performance.now();
    await window.trawlTab.click();
    await window.box.frame.locator("#query[data-seen]").waitFor();
    note(`the search box was shown again after ${(performance.now() - start).toFixed(0)} ms`);
  });

  it("has a Match Case button with two states", async () => {
    const button = window.box.button("Match Case (Alt+C)");
    const states: (string | null)[] = [];
    for (let clicks = 0; clicks < 3; clicks++) {
      states.push(await button.getAttribute("aria-pressed"));
      await button.click();
    }
    assert.deepEqual(states, ["false", "true", "false"]);
    await button.click();
  });

  it("searches for the editor's selection with the key that focuses the box", async () => {
    await window.runCommand("Go to File...");
    await window.quickInput.fill("client.go");
    await window.pick("client.go");
    await window.editorTab(/client\.go/).waitFor();
    await window.page.locator(".view-line").getByText("retryWithBackoff").first().dblclick();
    await window.page.keyboard.press("Control+Alt+Shift+F");
    await eventually(async () => (await window.box.input.inputValue()) === "retryWithBackoff");
    await eventually(() => window.box.input.evaluate((input) => input === input.ownerDocument.activeElement));
  });
});

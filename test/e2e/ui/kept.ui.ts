/** Searching without the view, and searches that come back: quick search, saved ones, history with its results. */
import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import { type CodeServer, startCodeServer } from "#e2e/driver/codeServer";
import { until } from "#e2e/driver/processes";
import { launchBrowser, Window } from "#e2e/driver/window";

describe("searches", () => {
  let browser: Browser;
  let server: CodeServer;
  let window: Window;

  before(async () => {
    server = await startCodeServer({ hasVsix: true, settings: { "trawl.search.onType": false } });
    browser = await launchBrowser();
    window = await Window.open(browser, server);
    await window.openTrawl();
    await window.box.searchUntil("retryWithBackoff", /^13 matches · 10 files · 6 repositories/);
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  const press = async (...keys: readonly string[]) => {
    for (const key of keys) await window.page.keyboard.press(key);
  };
  const quickRow = (text: string) => window.quickRows.filter({ hasText: text }).first();
  const saved = (text: string) => window.rows("Saved & Recent").filter({ hasText: text }).first();

  it("are made from a quick pick, which opens what was found on its line", async () => {
    await window.runCommand("Trawl: Quick Search");
    await window.quickInput.fill('content:"func retryWithBackoff"');
    await quickRow("func retryWithBackoff").waitFor();
    await quickRow("Show all in view").waitFor();
    await window.shot("quick-search");
    await press("Enter");
    await window.editorTab(/retry\.go/).waitFor();
    await until("the cursor is on the line", async () => (await window.cursorLine()) === 10);
  });

  it("have their filters completed with Tab, and keep their text", async () => {
    await window.runCommand("Trawl: Quick Search");
    await until(
      "the text is there again",
      async () => (await window.quickInput.inputValue()) === 'content:"func retryWithBackoff"',
    );
    await window.quickInput.fill("retryWithBackoff la");
    await press("Tab");
    await until(
      "it is completed",
      async () => (await window.quickInput.inputValue()) === "retryWithBackoff lang:",
    );
    await window.quickInput.fill(">charge.ts");
    await quickRow("charge.ts").waitFor();
    await press("Escape");
  });

  it("are listed when they were run, and come back with what they found", async () => {
    await window.box.searchUntil("lang:go retryWithBackoff", /\d+ matches/);
    await window.expand("Saved & Recent");
    await saved("lang:go retryWithBackoff").waitFor();
    await window.settled("Saved & Recent");
    await saved("retryWithBackoff13 matches").click();
    await until(
      "the query is back",
      async () => (await window.box.input.inputValue()) === "retryWithBackoff",
    );
    await window.rows("Results").filter({ hasText: "retry.go" }).first().waitFor();
    assert.match(await window.box.counts(), /^13 matches · 10 files · 6 repositories/);
  });

  it("are saved under a name, and told apart from those that were only run", async () => {
    await window.runCommand("Trawl: Save Search");
    await quickRow("For Me").click();
    await window.page.locator(".quick-input-message", { hasText: "Name of the search" }).waitFor();
    await window.quickInput.fill("Who retries");
    await press("Enter");
    await saved("Who retries").waitFor();
    await window.shot("saved");
    await window.box.search("nothingOfThatKind");
    await saved("nothingOfThatKind").waitFor();
    await window.settled("Saved & Recent");
    await saved("Who retries").click();
    await until(
      "the query is back",
      async () => (await window.box.input.inputValue()) === "retryWithBackoff",
    );
    assert.match(await window.box.counts(), /^13 matches/);
  });

  it("say nothing in notifications", async () => {
    assert.deepEqual(await window.notifications(), []);
  });
});

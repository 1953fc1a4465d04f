/** The rows of results: nested in folders, and selected together. */
import assert from "node:assert/strict";
import type { Browser, Locator } from "playwright-core";
import { type CodeServer, startCodeServer } from "#e2e/driver/codeServer";
import { launchBrowser, Window } from "#e2e/driver/window";
import { eventually } from "#test/support/eventually";

describe("rows of results", () => {
  let browser: Browser;
  let server: CodeServer;
  let window: Window;

  before(async () => {
    server = await startCodeServer({ hasVsix: true, settings: { "trawl.search.onType": false } });
    browser = await launchBrowser();
    // Tall enough for every row, because rows that are scrolled out of view are not rendered.
    window = await Window.open(browser, server, { height: 1500 });
    await window.openTrawl();
    await window.box.searchWithSymbols("retryWithBackoff", /^13 matches · 10 files · 6 repositories/);
    await row("func retryWithBackoff").waitFor();
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  const row = (text: string): Locator => window.rows("Results").filter({ hasText: text }).first();
  const folder = (name: string): Locator =>
    window.pane("Results").getByRole("treeitem", { name: new RegExp(`^${name}, \\d+ match`) });
  const texts = async () => await window.rows("Results").allTextContents();

  async function clickTitle(name: string): Promise<void> {
    await window.header("Results").hover();
    await window.pane("Results").getByRole("button", { name, exact: true }).click();
  }

  it("are nested in folders as a tree, which the workspace remembers", async () => {
    await window.settled("Results");
    const before = await texts();
    await clickTitle("View as Tree");
    await folder("retry").first().waitFor();
    await window.shot("rows/tree");
    assert.ok(!(await texts()).some((text) => /limits\.go.*retry/.test(text)));
    await window.page.reload();
    await window.openTrawl();
    await window.box.searchUntil("retryWithBackoff", /^13 matches/);
    await folder("retry").first().waitFor();
    await clickTitle("View as List");
    await folder("retry").first().waitFor({ state: "detached" });
    await eventually(async () => `${await texts()}` === `${before}`);
  });

  it("are collapsed and expanded together", async () => {
    await window.settled("Results");
    const before = await window.rows("Results").count();
    await clickTitle("Collapse All");
    await eventually(async () => (await window.rows("Results").count()) < before);
    await window.settled("Results");
    assert.ok((await texts()).every((text) => !text.includes("retryWithBackoff")));
    await clickTitle("Expand All");
    await eventually(async () => (await window.rows("Results").count()) === before);
    await clickTitle("Collapse All");
    await row("go-kit").click();
    await window.page.keyboard.press("ArrowRight");
    await clickTitle("Collapse All");
    await clickTitle("Expand All");
    await eventually(async () => (await window.rows("Results").count()) === before);
  });

  it("are selected one after the other with Shift and an arrow key", async () => {
    await window.settled("Results");
    await row("func retryWithBackoff").click();
    const selected = window.pane("Results").locator(".monaco-list-row.selected");
    await eventually(async () => (await selected.count()) === 1);
    await window.page.keyboard.press("Shift+ArrowDown");
    await eventually(async () => (await selected.count()) === 2);
    // Another arrow key selects only the row that it reaches.
    await window.page.keyboard.press("ArrowUp");
    await eventually(async () => (await selected.count()) === 1);
    assert.match((await selected.textContent()) ?? "", /func retryWithBackoff/);
  });

  it("stay selected and focused when they are refreshed", async () => {
    await window.settled("Results");
    await row("func retryWithBackoff").click();
    await clickTitle("View as Tree");
    await folder("retry").first().waitFor();
    const selected = window.pane("Results").locator(".monaco-list-row.selected.focused");
    await eventually(async () => (await selected.allTextContents())[0]?.includes("func retryWithBackoff"));
    await clickTitle("View as List");
    await folder("retry").first().waitFor({ state: "detached" });
    await eventually(async () => (await selected.allTextContents())[0]?.includes("func retryWithBackoff"));
  });

  it("open in the editor that they are dragged to, at the line of the match", async () => {
    await window.settled("Results");
    const [from, to] = await Promise.all([
      row("func retryWithBackoff").boundingBox(),
      window.page.locator(".part.editor").boundingBox(),
    ]);
    assert.ok(from !== null && to !== null);
    const { mouse } = window.page;
    await mouse.move(from.x + 60, from.y + 10);
    await mouse.down();
    await mouse.move(from.x + 90, from.y + 12, { steps: 3 });
    await mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 10 });
    // The target is shown once VS Code would take what is dragged.
    await window.page.locator(".editor-group-overlay-indicator, .overlay-move-transition").first().waitFor();
    await mouse.up();
    await window.editorTab(/retry\.go/).waitFor();
    await eventually(async () => (await window.cursorLine()) === 10);
  });

  it("are dismissed together when several are selected", async () => {
    await window.settled("Results");
    const lines = [row("func retryWithBackoff"), row("waits between two tries")];
    await lines[0]?.click();
    await lines[1]?.click({ modifiers: ["Control"] });
    const selected = window.pane("Results").locator(".monaco-list-row.selected");
    await eventually(async () => (await selected.count()) === 2);
    await window.shot("rows/selected");
    await lines[1]?.click({ button: "right" });
    await window.choose("Dismiss");
    for (const line of lines) await line.waitFor({ state: "detached" });
    await eventually(async () => (await selected.count()) === 1);
    await window.box.search("retryWithBackoff");
    await row("func retryWithBackoff").waitFor();
  });

  it("can be dismissed and excluded by folder", async () => {
    await clickTitle("View as Tree");
    await folder("retry").first().waitFor();
    await window.settled("Results");
    await folder("retry").first().hover();
    await folder("retry").first().getByRole("button", { name: "Dismiss" }).click();
    await row("func retryWithBackoff").waitFor({ state: "detached" });
    await window.box.search("retryWithBackoff");
    await folder("retry").first().waitFor();
    await window.settled("Results");
    await folder("retry").first().click({ button: "right" });
    await window.page.getByRole("menuitem", { name: "Exclude" }).hover();
    await window.choose("This Folder");
    await row("func retryWithBackoff").waitFor({ state: "detached" });
    assert.equal(await window.box.input.inputValue(), "retryWithBackoff -file:^retry/");
    await clickTitle("View as List");
    await window.box.search("retryWithBackoff");
    await row("func retryWithBackoff").waitFor();
  });
});

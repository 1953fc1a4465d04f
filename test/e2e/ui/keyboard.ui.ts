/** A search from beginning to end without a mouse. */
import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import { type CodeServer, startCodeServer } from "#e2e/driver/codeServer";
import { until } from "#e2e/driver/processes";
import { launchBrowser, Window } from "#e2e/driver/window";

describe("with the keyboard alone", () => {
  let browser: Browser;
  let server: CodeServer;
  let window: Window;

  before(async () => {
    server = await startCodeServer({ hasVsix: true });
    browser = await launchBrowser();
    window = await Window.open(browser, server);
    await window.ready();
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  const press = (key: string) => window.page.keyboard.press(key);
  const hasBox = () => window.box.frame.locator("#query:focus").count();
  const hasTree = () => window.pane("Results").locator(".monaco-list:focus").count();
  const hasEditor = () => window.page.locator(".editor-instance .monaco-editor.focused").count();

  async function focusBox(): Promise<void> {
    await press("Control+Alt+Shift+F");
    await until("the box has the keyboard", async () => (await hasBox()) === 1);
  }

  it("one comes to the box and searches", async () => {
    await window.runCommand("Trawl: Focus on Search View");
    await until("the box has the keyboard", async () => (await hasBox()) === 1);
    await window.box.searchWithSymbols("chargeCard", /2 repositories/);
  });

  it("one goes down to the results, and looks at one after the other", async () => {
    await press("Control+ArrowDown");
    await until("the tree has the keyboard", async () => (await hasTree()) === 1);
    // Past the repository and the file, to the first line.
    const selected = window.pane("Results").locator(".monaco-list-row.selected");
    for (const text of ["payments", "charge.ts", "export async function chargeCard"]) {
      await press("ArrowDown");
      await until(`"${text}" is selected`, async () => {
        if (await selected.filter({ hasText: text }).isVisible()) return true;
        await window.page.waitForTimeout(500);
        // A key that comes while rows are still being drawn finds none to go to.
        if ((await selected.count()) === 0) await press("ArrowDown");
        return false;
      });
    }
    await until("a result is shown", async () => (await window.page.locator(".tab").count()) === 1);
    assert.equal(await hasTree(), 1);
  });

  it("one opens it, and goes on to the next and back", async () => {
    await press("Enter");
    await until("the editor has the keyboard", async () => (await hasEditor()) === 1);
    const line = await window.cursorLine();
    await press("F4");
    await until("another line", async () => (await window.cursorLine()) !== line);
    await press("Shift+F4");
    await until("the line before", async () => (await window.cursorLine()) === line);
  });

  it("one switches what counts", async () => {
    await focusBox();
    const regex = window.box.frame.locator("#regex");
    await press("Alt+R");
    await until("expressions count", async () => (await regex.getAttribute("aria-pressed")) === "true");
    await press("Alt+R");
    await until("words count", async () => (await regex.getAttribute("aria-pressed")) === "false");
  });

  it("one removes a filter", async () => {
    await window.box.search("chargeCard lang:typescript");
    await until("a chip", async () => (await window.box.frame.locator(".chip").count()) === 1);
    await press("F6");
    await until(
      "it has the keyboard",
      async () => (await window.box.frame.locator(".chip :focus").count()) === 1,
    );
    await press("Delete");
    await until(
      "it is gone from the text",
      async () => (await window.box.input.inputValue()).trim() === "chargeCard",
    );
  });

  it("one gets a query back, and leaves", async () => {
    await focusBox();
    await window.box.search("ORDER_TIMEOUT_MS");
    await press("ArrowUp");
    await until("an earlier query", async () => (await window.box.input.inputValue()).includes("chargeCard"));
    // The first one may give up the search for what came back.
    await until("an empty box", async () => {
      if ((await window.box.input.inputValue()) === "") return true;
      await press("Escape");
      return false;
    });
    await press("Escape");
    await until("the editor has the keyboard", async () => (await hasEditor()) === 1);
  });

  it("one sees no notification", async () => {
    assert.deepEqual(await window.notifications(), []);
  });
});

/** From a name to where it is defined and used, by the keys that people know from elsewhere. */
import assert from "node:assert/strict";
import type { Browser, Locator } from "playwright-core";
import { type CodeServer, startCodeServer } from "#e2e/driver/codeServer";
import { until } from "#e2e/driver/processes";
import { launchBrowser, Window } from "#e2e/driver/window";

describe("navigation", () => {
  let browser: Browser;
  let server: CodeServer;
  let window: Window;

  before(async () => {
    server = await startCodeServer({ hasVsix: true });
    browser = await launchBrowser();
    window = await Window.open(browser, server);
    await window.openTrawl();
    await window.box.searchUntil("retryWithBackoff", /6 repositories/);
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  async function openAt(file: string, line: number, column: number): Promise<void> {
    await window.page.keyboard.press("Control+P");
    await window.quickInput.fill(file);
    await window.quickRows.filter({ hasText: file }).first().waitFor();
    await window.page.keyboard.press("Enter");
    await until(`${file} is in front`, () => isInFront(file));
    await window.page.keyboard.press("Control+G");
    await window.quickInput.fill(`:${line}:${column}`);
    await window.page.keyboard.press("Enter");
    await isAt(file, line);
  }

  async function isInFront(file: string): Promise<boolean> {
    const tab = await window.page.locator(".tab.active").first().textContent();
    return tab?.includes(file) === true;
  }

  async function isAt(file: string, line: number): Promise<void> {
    const isThere = async () => (await isInFront(file)) && (await window.cursorLine()) === line;
    await until(`the cursor is on line ${line} of ${file}`, isThere);
  }

  function reference(name: RegExp): Locator {
    return window.page.locator(".sidebar").getByRole("treeitem", { name }).first();
  }

  it("leads by F12 to a definition in a repository that is not open", async () => {
    await openAt("client.go", 11, 14);
    await window.page.keyboard.press("F12");
    await isAt("retry.go", 10);
    await window.shot("navigation/definition");
  });

  it("lists references by how sure they are, and goes to one", async () => {
    await isAt("retry.go", 10);
    await window.runCommand("Trawl: Find References in All Repositories");
    await reference(/^Same (Repository|Name Only)|^Exact|^Matched by/).waitFor();
    await window.shot("navigation/references");
    await reference(/client\.go/).waitFor();
    await reference(/return retryWithBackoff\(ctx, c\.once\)/).click();
    await isAt("client.go", 11);
    assert.deepEqual(await window.notifications(), []);
  });

  it("finds a symbol by some of its letters", async () => {
    await window.runCommand("Trawl: Go to Symbol in All Repositories...");
    await window.quickInput.fill("chgcrd");
    await window.quickRows.filter({ hasText: "chargeCard" }).first().waitFor();
    await window.shot("navigation/symbol");
    await window.page.keyboard.press("Enter");
    await isAt("charge.ts", 9);
  });

  it("finds a file by parts of its path, with a line", async () => {
    await window.runCommand("Trawl: Go to File in All Repositories...");
    await window.quickInput.fill("billing invoice:6");
    await window.quickRows.filter({ hasText: "Invoice.java" }).first().waitFor();
    await window.shot("navigation/file");
    await window.page.keyboard.press("Enter");
    await isAt("Invoice.java", 6);
    assert.deepEqual(await window.notifications(), []);
  });
});

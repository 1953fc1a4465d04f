/** Results as a person uses them: by keyboard in the tree, as badges while files change, and as a document. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Locator } from "playwright-core";
import { type CodeServer, startCodeServer } from "#e2e/driver/codeServer";
import { until } from "#e2e/driver/processes";
import { launchBrowser, Window } from "#e2e/driver/window";

describe("results", () => {
  let browser: Browser;
  let server: CodeServer;
  let window: Window;

  before(async () => {
    server = await startCodeServer({ hasVsix: true, settings: { "trawl.search.onType": false } });
    browser = await launchBrowser();
    // High enough for every row: those that are scrolled away are not drawn.
    window = await Window.open(browser, server, { height: 1300 });
    await window.openTrawl();
    await window.box.searchWithSymbols("retryWithBackoff", /^13 matches · 10 files · 6 repositories/);
    await row("func retryWithBackoff").waitFor();
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  const row = (text: string): Locator => window.rows("Results").filter({ hasText: text }).first();
  const texts = async () => await window.rows("Results").allTextContents();
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) await window.page.keyboard.press(key);
  };

  async function selected(text: string): Promise<void> {
    await until(`"${text}" is the one selected row`, async () => {
      const rows = await window.pane("Results").locator(".monaco-list-row.selected").allTextContents();
      return rows.length === 1 && rows[0]?.includes(text);
    });
  }

  const isTreeFocused = async () => await window.pane("Results").locator(".monaco-list:focus").isVisible();

  it("are one row where a file is the same in two repositories", async () => {
    await row("× 2 identical").waitFor();
    await row("Identical in orders-api-review").waitFor();
    assert.equal((await texts()).filter((text) => text.startsWith("client.go")).length, 1);
  });

  it("say to a screen reader what they show", async () => {
    const label = await row("return retryWithBackoff").getAttribute("aria-label");
    assert.match(label ?? "", /^line 11, return retryWithBackoff\(ctx, c\.once\), 1 match/);
  });

  it("open as arrows pass, and keep the keyboard until Enter", async () => {
    await window.box.input.press("Control+ArrowDown");
    await until("the tree has the keyboard", isTreeFocused);
    await press("ArrowDown", "ArrowDown", "ArrowDown");
    await selected("// retryWithBackoff calls work");
    await window.editorTab(/retry\.go/).waitFor();
    assert.equal(await isTreeFocused(), true);
    await press("Enter");
    await window.page.locator(".editor-instance .monaco-editor.focused").waitFor();
    await until("the cursor is on the line", async () => (await window.cursorLine()) === 9);
  });

  it("go on with F4, which selects its row", async () => {
    await press("F4", "F4");
    await selected("MaxWait");
    await press("Shift+F4");
    await selected("func retryWithBackoff");
  });

  it("mark what moved, what is unsaved and what is gone", async () => {
    await window.settled("Results");
    await row("func retryWithBackoff").dblclick();
    await until("the file has the keyboard", async () => (await window.cursorLine()) === 10);
    await window.page.locator(".editor-instance .monaco-editor.focused").waitFor();
    await press("Control+Home");
    await window.page.keyboard.type("\n\n");
    await row("10, now 12").waitFor();
    await row("retry.go").locator(".monaco-icon-label.explorer-item, .monaco-icon-label").first().waitFor();
    assert.match((await row("retry.go").getAttribute("aria-label")) ?? "", /unsaved/);
    await window.shot("results/moved");
    await window.goToLine(12);
    await press("Control+Shift+K");
    await row("10 · gone").waitFor();
    await window.shot("results/gone");
    await window.runCommand("File: Revert File");
    await until("all is as it was", async () => !(await texts()).some((text) => /gone|now \d/.test(text)));
  });

  it("open as they were indexed, and from there the file of the clone", async () => {
    await row("MaxWait").click({ button: "right" });
    await window.choose("Open Snapshot at Indexed Commit");
    await window.editorTab(/limits\.go @ [0-9a-f]{7} · go-kit/).waitFor();
    await window.shot("results/snapshot");
    await window.page.getByRole("button", { name: "Open Local File" }).click();
    await window.editorTab(/^limits\.go(?! @)/).waitFor();
    await until("the cursor is on the line", async () => (await window.cursorLine()) === 5);
  });

  it("go when they are dismissed, and the next one is selected", async () => {
    await window.settled("Results");
    await row("return retryWithBackoff").click();
    await press("Delete");
    await selected("billing");
    assert.equal(await isTreeFocused(), true);
    await window.header("Search").hover();
    await window.pane("Search").getByRole("button", { name: "Refresh Results" }).click();
    await row("return retryWithBackoff").waitFor();
  });

  it("stay when they are pinned, up to the moment they are removed", async () => {
    await window.header("Results").hover();
    await window.pane("Results").getByRole("button", { name: "Pin Result Set" }).click();
    await row("· 13").waitFor();
    await window.box.search("NOTHING_IS_CALLED_THIS");
    await row("All branches").waitFor();
    await window.shot("results/none");
    await row("· 13").hover();
    await row("· 13").getByRole("button", { name: "Remove Pinned Result Set" }).click();
    await row("· 13").waitFor({ state: "detached" });
  });

  it("narrow the query by what is excluded, keeping what it says", async () => {
    await window.box.search("retryWithBackoff");
    await row("MaxWait").click({ button: "right" });
    await window.page.getByRole("menuitem", { name: "Exclude" }).hover();
    await window.choose("This File");
    await row("MaxWait").waitFor({ state: "detached" });
    assert.equal(await window.box.input.inputValue(), "retryWithBackoff -file:^retry/limits\\.go$");
  });

  it("are a document that is saved, run again in place, and leads to files", async () => {
    await window.box.search("retryWithBackoff lang:go");
    await window.header("Search").hover();
    await window.pane("Search").getByRole("button", { name: "Open Results in Editor" }).click();
    await window.page.locator(".view-line").filter({ hasText: "Query:" }).waitFor();
    await window.page.locator(".detected-link").first().waitFor();
    await window.shot("results/document");
    const path = join(
      server.organisation.repositories["orders-api"].path,
      "retryWithBackoff-lang-go.trawl-results",
    );
    await press("Control+s");
    await until("the document is saved", () => existsSync(path) && readFileSync(path, "utf8") !== "");
    const before = readFileSync(path, "utf8");
    const limits = join(server.organisation.repositories["go-kit"].path, "retry/limits.go");
    const text = readFileSync(limits, "utf8");
    writeFileSync(limits, `${text}// retryWithBackoff again\n`);
    const again = window.page.locator(".codelens-decoration").getByRole("button", { name: "Run Again" });
    await until("the document has the new line", async () => {
      await again.click();
      return readFileSync(path, "utf8").includes("// retryWithBackoff again");
    });
    assert.equal(readFileSync(path, "utf8").includes("retryWithBackoff-lang-go"), false, "finds itself");
    assert.equal(before.split("\n")[0], readFileSync(path, "utf8").split("\n")[0]);
    writeFileSync(limits, text);
    await window.page
      .locator(".detected-link")
      .filter({ hasText: "retry.go" })
      .click({ modifiers: ["Control"] });
    await window.editorTab(/^retry\.go/).waitFor();
  });

  it("have shown no notification", async () => {
    assert.deepEqual(await window.notifications(), []);
  });
});

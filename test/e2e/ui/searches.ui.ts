/** Quick searches, saved searches, and the search history with its results. */
import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import { type CodeServer, startCodeServer } from "#e2e/driver/codeServer";
import { launchBrowser, Window } from "#e2e/driver/window";
import { eventually } from "#test/support/eventually";

describe("searches", () => {
  let browser: Browser;
  let server: CodeServer;
  let window: Window;

  before(async () => {
    server = await startCodeServer({ hasVsix: true, settings: { "trawl.search.onType": false } });
    browser = await launchBrowser();
    window = await Window.open(browser, server, {
      prepare: (page) => page.context().grantPermissions(["clipboard-read", "clipboard-write"]),
    });
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
  const file = (list: "include" | "exclude") => window.box.frame.locator(`#${list}`);
  const query = async (text: string) =>
    await eventually(async () => (await window.box.input.inputValue()) === text);
  const saved = (text: string) => window.rows("Saved & Recent").filter({ hasText: text }).first();

  it("run in Quick Search, which opens a result at its line", async () => {
    await window.runCommand("Trawl: Quick Search");
    await window.quickInput.fill('content:"func retryWithBackoff"');
    await quickRow("func retryWithBackoff").waitFor();
    await quickRow("Show All in Search View").waitFor();
    await window.shot("quick-search");
    await press("Enter");
    await window.editorTab(/retry\.go/).waitFor();
    await eventually(async () => (await window.cursorLine()) === 10);
  });

  it("complete filters with Tab in Quick Search, which keeps its text", async () => {
    await window.runCommand("Trawl: Quick Search");
    await eventually(
      async () => (await window.quickInput.inputValue()) === 'content:"func retryWithBackoff"',
    );
    await window.quickInput.fill("retryWithBackoff la");
    await press("Tab");
    await eventually(async () => (await window.quickInput.inputValue()) === "retryWithBackoff lang:");
    await window.quickInput.fill(">charge.ts");
    await quickRow("charge.ts").waitFor();
    await press("Escape");
  });

  it("are listed after they run, and restore their results", async () => {
    await window.box.searchUntil("lang:go retryWithBackoff", /\d+ matches/);
    await window.expand("Saved & Recent");
    await saved("lang:go retryWithBackoff").waitFor();
    await window.settled("Saved & Recent");
    await saved("retryWithBackoff13 matches").click();
    await eventually(async () => (await window.box.input.inputValue()) === "retryWithBackoff");
    await window.rows("Results").filter({ hasText: "retry.go" }).first().waitFor();
    await eventually(async () => /^13 matches · 10 files · 6 repositories/.test(await window.box.counts()));
  });

  it("are saved under a name, separate from recent ones", async () => {
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
    await eventually(async () => (await window.box.input.inputValue()) === "retryWithBackoff");
    await eventually(async () => /^13 matches/.test(await window.box.counts()));
  });

  it("are narrowed, and count what remains", async () => {
    await window.box.searchUntil("retryWithBackoff", /^13 matches · 10 files · 6 repositories/);
    await window.box.button("+ Narrow").click();
    await window.box.frame.locator("#narrow-query").fill("MaxWait");
    await window.page.keyboard.press("Enter");
    await eventually(async () =>
      /^3 matches · 1 of 10 files · 1 of 6 repositories/.test(await window.box.counts()),
    );
    const files = () => window.rows("Results").filter({ hasText: ".go" }).allTextContents();
    await eventually(async () => (await files()).every((text) => text.includes("limits.go")));
    await window.shot("narrowed");
    await window.box.button("Remove narrowed: MaxWait").click();
    await eventually(async () => /^13 matches · 10 files/.test(await window.box.counts()));
  });

  it("find exactly the lines that are pasted into the box, which quotes them", async () => {
    const lines = "\treturn retryWithBackoff(ctx, c.once)\n}\n\nfunc (c *Client) once(";
    await window.page.evaluate((text) => navigator.clipboard.writeText(text), `${lines}\n`);
    await window.box.input.fill("lang:go");
    await window.box.input.press("Control+V");
    await eventually(async () => (await window.box.input.inputValue()) === `lang:go "${lines.trim()}"`);
    await window.box.input.press("Enter");
    await eventually(async () => /^2 matches · 2 files · 2 repositories/.test(await window.box.counts()));
    await window.shot("pasted");
    await window.runCommand("Trawl: Open Results in Editor");
    await window.page
      .locator(".view-line")
      .filter({ hasText: /^#\|\s+func/ })
      .waitFor();
  });

  it("are pasted even if the text in the box changes in the same moment", async () => {
    await window.box.input.fill("");
    await window.box.input.evaluate((input) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", "one\ntwo");
      input.focus();
      input.dispatchEvent(new ClipboardEvent("paste", { clipboardData, cancelable: true }));
      input.ownerDocument.execCommand("insertText", false, "typed");
    });
    await eventually(async () => (await window.box.input.inputValue()) === 'typed "one\ntwo"');
  });

  it("are restricted to files to include and to exclude, which are filters of the query", async () => {
    await window.box.searchUntil("retryWithBackoff", /^13 matches · 10 files/);
    await window.box.button("Toggle Search Details").click();
    await file("include").fill("*.go, charge.ts");
    await file("include").press("Enter");
    await query("retryWithBackoff file:**/{*.go,charge.ts,charge.ts/**}");
    await file("exclude").fill("*_test.go");
    await file("exclude").press("Enter");
    await query("retryWithBackoff file:**/{*.go,charge.ts,charge.ts/**} -file:*_test.go");
    await eventually(async () => {
      const names = (await window.rows("Results").allTextContents()).join("\n");
      return /charge\.ts/.test(names) && !/retry_test\.go|retry\.ts/.test(names);
    });
    await window.shot("files");
    const isInView = (list: "include" | "exclude") =>
      file(list).evaluate((input) => {
        const { top, bottom } = input.getBoundingClientRect();
        return top >= 0 && bottom <= input.ownerDocument.documentElement.clientHeight;
      });
    assert.deepEqual([await isInView("include"), await isInView("exclude")], [true, true]);
    // The lists show what chips would.
    const chip = window.box.button("Remove file: **/{*.go,charge.ts,charge.ts/**}");
    assert.equal(await chip.isVisible(), false);
    await window.box.button("Toggle Search Details").click();
    await chip.click();
    await window.box.button("Toggle Search Details").click();
    await eventually(async () => (await file("include").inputValue()) === "");
    assert.equal(await file("exclude").inputValue(), "*_test.go");
  });

  it("say so if filters cannot be shown as a list, and leave the list out for F6", async () => {
    await window.box.search("retryWithBackoff (file:client.go or file:*.ts)");
    await eventually(async () => await file("include").isDisabled());
    assert.match((await file("include").getAttribute("title")) ?? "", /^The file: filters of this query/);
    await window.box.frame.locator("#scope").focus();
    await press("F6");
    await eventually(
      async () => (await window.box.frame.locator(":focus").getAttribute("id")) === "open-editors",
    );
  });

  it("cover only the open editors, if the user wants that", async () => {
    await window.box.search("retryWithBackoff");
    const toggle = window.box.button("Search Only in Open Editors");
    await toggle.click();
    await eventually(async () => /^2 matches · 1 file · 1 repository/.test(await window.box.counts()));
    await eventually(async () => (await toggle.getAttribute("aria-pressed")) === "true");
    await window.shot("open-editors");
    await toggle.click();
    await eventually(async () => /^13 matches/.test(await window.box.counts()));
    await query("retryWithBackoff");
    await window.box.search("retryWithBackoff -file:*_test.go");
  });

  it("go on in VS Code's own search, which can replace", async () => {
    await file("include").fill("*.go");
    await file("include").press("Enter");
    await query("retryWithBackoff -file:*_test.go file:*.go");
    // When the search ends, the actions of the view change, which closes their menu.
    await eventually(async () => (await window.box.counts()).startsWith("5 matches"));
    await window.header("Search").hover();
    await window.pane("Search").getByRole("button", { name: "More Actions" }).click();
    await window.choose("Open in VS Code Search");
    const view = window.page.locator(".search-view");
    const expected = { search: "retryWithBackoff", includes: "*.go", excludes: "*_test.go" };
    for (const [part, text] of Object.entries(expected)) {
      const input = view.locator(part === "search" ? ".search-container" : `.file-types.${part}`);
      await eventually(async () => (await input.locator("textarea, input").first().inputValue()) === text);
    }
    await view.getByRole("textbox", { name: "Replace" }).first().waitFor();
    await view.locator(".monaco-list-row", { hasText: "client.go" }).first().waitFor();
    await window.shot("vscode-search");
  });

  it("show no notifications", async () => {
    assert.deepEqual(await window.notifications(), []);
  });
});

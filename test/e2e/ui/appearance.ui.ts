/** Takes screenshots of every view in every kind of theme for review, and checks accessibility rules. */
import assert from "node:assert/strict";
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser } from "playwright-core";
import { type CodeServer, startCodeServer } from "#e2e/driver/codeServer";
import { folderOf } from "#e2e/driver/organization";
import { applyTheme, type Theme, themeNames, themes } from "#e2e/driver/themes";
import { launchBrowser, Window } from "#e2e/driver/window";
import { eventually } from "#test/support/eventually";

describe("appearance", () => {
  let browser: Browser;
  let server: CodeServer;
  let window: Window;

  async function open(isFirstRun: boolean): Promise<void> {
    server = await startCodeServer({
      hasVsix: true,
      isFirstRun,
      settings: { "workbench.colorTheme": themes.light[0] },
    });
    browser = await launchBrowser();
    window = await Window.open(browser, server);
    await window.openTrawl();
  }

  async function close(): Promise<void> {
    await browser?.close();
    await server?.stop();
  }

  async function shootThemes(scene: string, each?: (theme: Theme) => Promise<void>): Promise<void> {
    for (const theme of themeNames) {
      await applyTheme(window, server, theme, window.box.frame);
      await window.shot(`${scene}-${theme}`);
      await each?.(theme);
    }
    await applyTheme(window, server, "light", window.box.frame);
  }

  /** Drags the upper edge of a view. */
  async function dragUp(view: string, pixels: number): Promise<void> {
    const box = await window.header(view).boundingBox();
    assert.ok(box !== null);
    await window.page.mouse.move(box.x + box.width / 2, box.y);
    await window.page.mouse.down();
    await window.page.mouse.move(box.x + box.width / 2, box.y - pixels, { steps: 5 });
    await window.page.mouse.up();
    await window.page.mouse.move(700, 400);
  }

  async function checkBox(theme: Theme): Promise<void> {
    // The page has no background of its own, and axe cannot see the side bar's.
    await window.box.frame.locator("html").evaluate((element) => {
      element.style.background = "var(--vscode-sideBar-background)";
    });
    const axe = new AxeBuilder({ page: window.page }).include([
      'iframe.webview.ready[src*="purpose=webviewView"]',
      "#active-frame",
      "main",
    ]);
    // The themes differ only in their colors.
    if (theme !== themeNames[0]) axe.withRules("color-contrast");
    const { violations } = await axe.analyze();
    const serious = violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) => nodes.map((node) => ({ id, ...node })))
      // The suggestions scroll with keys pressed in the box, which keeps the focus.
      .filter(({ id, html }) => !(id === "scrollable-region-focusable" && html.includes('id="proposals"')))
      .map(({ id, html, failureSummary }) => `${theme}: ${id}: ${html}\n${failureSummary}`);
    assert.deepEqual(serious, []);
  }

  describe("on the first run", () => {
    before(() => open(true));
    after(close);

    it("shows examples, and offers to index the clones nearby without scrolling", async () => {
      const tour = window.rows("Results").filter({ hasText: "Take the Tour" });
      await tour.waitFor();
      // The other rows are the examples.
      await eventually(async () => (await window.rows("Results").count()) > 1);
      const offer = await window.box.welcome.getByRole("button", { name: "Index Them" }).boundingBox();
      const view = await window.pane("Search").boundingBox();
      assert.ok(offer !== null && view !== null && offer.y + offer.height <= view.y + view.height);
      await shootThemes("first-run", checkBox);
    });

    it("fits a narrow side bar", async () => {
      await window.resizeSideBar(220);
      await shootThemes("first-run-narrow");
      await window.resizeSideBar(300);
    });
  });

  describe("with an index", () => {
    before(async () => {
      await open(false);
      await window.box.searchUntil("retryWithBackoff", /6 repositories/);
    });
    after(close);

    it("shows results", async () => {
      await window.box.search("retryWithBackoff -file:test lang:typescript or lang:go");
      await shootThemes("results", checkBox);
    });

    it("fits a narrow side bar", async () => {
      await window.resizeSideBar(200);
      await shootThemes("results-narrow");
      await window.resizeSideBar(300);
    });

    it("shows an error with a quick fix", async () => {
      await window.box.input.fill("lang:pyton retryWithBackoff");
      await window.box.input.press("Enter");
      await window.box.problems.getByRole("button").first().waitFor();
      await shootThemes("problem", checkBox);
    });

    it("shows that nothing was found", async () => {
      await window.box.search("nothingIsCalledThisWay");
      await shootThemes("no-results", checkBox);
    });

    it("shows suggestions", async () => {
      await window.box.input.fill("");
      await window.box.input.pressSequentially("lang:", { delay: 30 });
      await window.box.suggestions.getByRole("option").first().waitFor();
      await shootThemes("proposals", checkBox);
      await window.box.input.press("Escape");
    });

    it("shows a repository with its branches, tags and skipped files", async () => {
      await window.collapse("Results");
      await window.expand("Repositories");
      await dragUp("Results", 350);
      const row = window.rows("Repositories").filter({ hasText: "orders-api" }).first();
      await window.settled("Repositories");
      await row.click();
      await window.page.keyboard.press("ArrowRight");
      await window
        .rows("Repositories")
        .filter({ hasText: /Branches/ })
        .first()
        .waitFor();
      await shootThemes("repositories");
      await window.collapse("Repositories");
      await window.expand("Results");
    });

    it("shows saved and recent searches, and the endpoint", async () => {
      await window.expand("Saved & Recent");
      await window.expand("API & Agents");
      await window.rows("Saved & Recent").first().waitFor();
      await window.rows("API & Agents").first().waitFor();
      await shootThemes("saved-and-endpoint");
      await window.collapse("Saved & Recent");
      await window.collapse("API & Agents");
    });

    it("shows a quick search", async () => {
      await window.runCommand("Trawl: Quick Search...");
      await window.quickInput.fill("chargeCard");
      await window.quickRows.filter({ hasText: "charge.ts" }).first().waitFor();
      await shootThemes("quick-search");
      await window.page.keyboard.press("Escape");
    });

    it("shows a results document", async () => {
      await window.box.search("retryWithBackoff");
      await window.runCommand("Trawl: Open Results in Editor");
      await window.page.locator(".view-line").filter({ hasText: "Query:" }).first().waitFor();
      await shootThemes("results-document");
    });

    it("shows a snapshot", async () => {
      await window.box.search(`CREATE TABLE file:ledger`);
      const row = window.rows("Results").filter({ hasText: "CREATE TABLE" }).first();
      await window.settled("Results");
      await row.dblclick();
      await window.editorTab(/ledger\.sql/).waitFor();
      await window.page.locator(".view-line").filter({ hasText: "ledger" }).first().waitFor();
      await shootThemes("snapshot");
      assert.equal(folderOf("legacy-ledger"), "legacy-ledger.git");
    });

    it("shows the menu of the status bar item", async () => {
      await window.runCommand("Trawl: Show Status");
      await eventually(async () => (await window.quickRows.count()) > 4);
      await shootThemes("status-menu");
      await window.page.keyboard.press("Escape");
    });

    it("shows the query syntax", async () => {
      await window.box.input.fill("");
      await window.box.input.press("?");
      await window.editorTab(/Query Syntax/).waitFor();
      await window.editorPage.getByRole("heading", { level: 1 }).waitFor();
      await shootThemes("query-syntax");
    });

    it("shows the walkthrough", async () => {
      await window.runCommand("Trawl: Open Walkthrough");
      await window.page.locator(".getting-started-step").first().waitFor();
      await shootThemes("walkthrough");
    });

    it("shows no notifications", async () => {
      assert.deepEqual(await window.notifications(), []);
    });
  });
});

/** Pictures of every view in every kind of theme, to be looked at; and what a machine can say about them. */
import assert from "node:assert/strict";
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser } from "playwright-core";
import { type CodeServer, changeSettings, startCodeServer } from "#e2e/driver/codeServer";
import { folderOf } from "#e2e/driver/organisation";
import { until } from "#e2e/driver/processes";
import { themes } from "#e2e/driver/themes";
import { launchBrowser, Window } from "#e2e/driver/window";

type Theme = keyof typeof themes;
const names = Object.keys(themes) as Theme[];

describe("what is seen", () => {
  let browser: Browser;
  let server: CodeServer;
  let window: Window;

  async function open(isFirstRun: boolean): Promise<void> {
    server = await startCodeServer({
      hasVsix: true,
      isFirstRun,
      settings: { "workbench.colorTheme": themes.light[0], "workbench.reduceMotion": "on" },
    });
    browser = await launchBrowser();
    window = await Window.open(browser, server);
    await window.openTrawl();
  }

  async function close(): Promise<void> {
    await browser?.close();
    await server?.stop();
  }

  async function wear(theme: Theme): Promise<void> {
    const [name, kind] = themes[theme];
    changeSettings(server, { "workbench.colorTheme": name });
    await window.page.locator(`.monaco-workbench.${kind}`).waitFor();
    // The colours of webviews follow a moment later.
    const body = window.box.frame.locator(`body[data-vscode-theme-kind$="${webviewKinds[kind]}"]`);
    await body.waitFor({ state: "attached" });
  }

  async function shots(scene: string, each?: (theme: Theme) => Promise<void>): Promise<void> {
    for (const theme of names) {
      await wear(theme);
      await window.shot(`${scene}-${theme}`);
      await each?.(theme);
    }
    await wear("light");
  }

  async function checkBox(theme: Theme): Promise<void> {
    // The page lets the side bar shine through, which axe cannot see.
    await window.box.frame.locator("html").evaluate((element) => {
      element.style.background = "var(--vscode-sideBar-background)";
    });
    const { violations } = await new AxeBuilder({ page: window.page })
      .include(['iframe.webview.ready[src*="purpose=webviewView"]', "#active-frame", "main"])
      .analyze();
    const bad = violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) => nodes.map((node) => ({ id, ...node })))
      // The list of proposals is scrolled with the keys of the box, which keeps the keyboard.
      .filter(({ id, html }) => !(id === "scrollable-region-focusable" && html.includes('id="proposals"')))
      .map(({ id, html, failureSummary }) => `${theme}: ${id}: ${html}\n${failureSummary}`);
    assert.deepEqual(bad, []);
  }

  describe("the first time", () => {
    before(() => open(true));
    after(close);

    it("is a box with examples and neighbours", async () => {
      await window.box.welcome.getByRole("button", { name: "Index Them" }).waitFor();
      await shots("first-run", checkBox);
    });

    it("fits a narrow side bar", async () => {
      await window.resizeSideBar(220);
      await shots("first-run-narrow");
      await window.resizeSideBar(300);
    });
  });

  describe("with an index", () => {
    before(async () => {
      await open(false);
      await window.box.searchUntil("retryWithBackoff", /6 repositories/);
    });
    after(close);

    it("is a box with results", async () => {
      await window.box.search("retryWithBackoff -file:test lang:typescript or lang:go");
      await window.box.frame.locator("#facets summary").click();
      await shots("results", checkBox);
      await window.box.frame.locator("#facets summary").click();
    });

    it("is narrow", async () => {
      await window.resizeSideBar(200);
      await shots("results-narrow");
      await window.resizeSideBar(300);
    });

    it("is an error with a way to mend it", async () => {
      await window.box.input.fill("lang:pyton retryWithBackoff");
      await window.box.input.press("Enter");
      await window.box.problems.getByRole("button").first().waitFor();
      await shots("problem", checkBox);
    });

    it("is nothing found", async () => {
      await window.box.search("nothingIsCalledThisWay");
      await shots("no-results", checkBox);
    });

    it("is a list of proposals", async () => {
      await window.box.input.fill("");
      await window.box.input.pressSequentially("lang:", { delay: 30 });
      await window.box.proposals.getByRole("option").first().waitFor();
      await shots("proposals", checkBox);
      await window.box.input.press("Escape");
    });

    it("is a repository with its branches, tags and skipped files", async () => {
      await window.header("Results").click();
      const row = window.rows("Repositories").filter({ hasText: "orders-api" }).first();
      await window.settled("Repositories");
      await row.click();
      await window.page.keyboard.press("ArrowRight");
      await window
        .rows("Repositories")
        .filter({ hasText: /Branches/ })
        .first()
        .waitFor();
      await shots("repositories");
      await window.header("Results").click();
    });

    it("is what was searched before, and the endpoint", async () => {
      await window.header("Repositories").click();
      await window.expand("Saved & Recent");
      await window.expand("API & Agents");
      await window.rows("Saved & Recent").first().waitFor();
      await window.rows("API & Agents").first().waitFor();
      await shots("saved-and-endpoint");
      await window.header("Saved & Recent").click();
      await window.header("API & Agents").click();
      await window.header("Repositories").click();
    });

    it("is a quick search", async () => {
      await window.runCommand("Trawl: Quick Search...");
      await window.quickInput.fill("chargeCard");
      await window.quickRows.filter({ hasText: "charge.ts" }).first().waitFor();
      await shots("quick-search");
      await window.page.keyboard.press("Escape");
    });

    it("is a document of results", async () => {
      await window.box.search("retryWithBackoff");
      await window.runCommand("Trawl: Open Results in Editor");
      await window.page.locator(".view-line").filter({ hasText: "Query:" }).first().waitFor();
      await shots("results-document");
    });

    it("is a snapshot", async () => {
      await window.box.search(`CREATE TABLE file:ledger`);
      const row = window.rows("Results").filter({ hasText: "CREATE TABLE" }).first();
      await window.settled("Results");
      await row.dblclick();
      await window.editorTab(/ledger\.sql/).waitFor();
      await window.page.locator(".view-line").filter({ hasText: "ledger" }).first().waitFor();
      await shots("snapshot");
      assert.equal(folderOf("legacy-ledger"), "legacy-ledger.git");
    });

    it("is a menu of the status item", async () => {
      await window.runCommand("Trawl: Show Status");
      await until("the menu is open", async () => (await window.quickRows.count()) > 4);
      await shots("status-menu");
      await window.page.keyboard.press("Escape");
    });

    it("is the syntax of queries", async () => {
      await window.page.keyboard.press("Control+Shift+Alt+F");
      await window.box.input.fill("");
      await window.box.input.press("?");
      await until("a tab opens", async () => (await window.page.locator(".tab").count()) > 2);
      await window.page.waitForTimeout(1_000);
      await shots("query-syntax");
    });

    it("is a walkthrough", async () => {
      await window.runCommand("Trawl: Open Walkthrough");
      await window.page.locator(".getting-started-step").first().waitFor();
      await shots("walkthrough");
    });

    it("had no notification", async () => {
      assert.deepEqual(await window.notifications(), []);
    });
  });
});

/** Ends of what VS Code calls the kinds of themes in webviews. */
const webviewKinds = {
  vs: "light",
  "vs-dark": "dark",
  "hc-black": "high-contrast",
  "hc-light": "high-contrast-light",
} as const;

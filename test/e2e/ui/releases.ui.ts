/** Starts at a file at a tag, in a repository that is not open, goes back through its history, and compares two releases. */
import assert from "node:assert/strict";
import type { Browser, Locator } from "playwright-core";
import { type CodeServer, startCodeServer } from "#e2e/driver/codeServer";
import { type DrawnLine, drawnLines } from "#e2e/driver/drawnLines";
import { themes } from "#e2e/driver/themes";
import { launchBrowser, Window } from "#e2e/driver/window";
import { eventually } from "#test/support/eventually";

/** The first commit changes a line of `retry.ts`; the second renames the file and changes another line. */
const releases = `
  = main: Wait a little at first
  src/retry.ts
  | /** Tries again, waiting twice as long each time. */
  | export async function retryWithBackoff<T>(work: () => Promise<T>, tries: number): Promise<T> {
  |   for (let wait = 10; ; wait *= 2) {
  |     try {
  |       return await work();
  |     } catch (error) {
  |       if (--tries === 0) throw error;
  |       await new Promise((resolve) => setTimeout(resolve, wait));
  |     }
  |   }
  | }
  tag v3.3.0
  = main: Give up sooner
  - src/retry.ts
  src/backoff.ts
  | /** Tries again, waiting twice as long each time. */
  | export async function retryWithBackoff<T>(work: () => Promise<T>, tries: number): Promise<T> {
  |   for (let wait = 10; ; wait *= 2) {
  |     try {
  |       return await work();
  |     } catch (error) {
  |       if (--tries <= 0) throw error;
  |       await new Promise((resolve) => setTimeout(resolve, wait));
  |     }
  |   }
  | }
  tag v4.0.0
`;

describe("releases of a repository that is not open", () => {
  let browser: Browser;
  let server: CodeServer;
  let window: Window;

  before(async () => {
    server = await startCodeServer({
      hasVsix: true,
      settings: { "workbench.colorTheme": themes.dark[0] },
    });
    server.organization.repositories.payments.more(releases);
    browser = await launchBrowser();
    window = await Window.open(browser, server, { width: 1500, height: 1000 });
    await window.openTrawl();
    for (const view of ["Search", "Results"]) await window.collapse(view);
    await window.expand("Repositories");
    await row(/^payments, main · ready/).waitFor();
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  function row(name: RegExp, view = "Repositories"): Locator {
    return window.pane(view).getByRole("treeitem", { name }).first();
  }

  async function expand(name: RegExp, view?: string): Promise<void> {
    await window.settled(view ?? "Repositories");
    await row(name, view).click();
    await eventually(async () => (await row(name, view).getAttribute("aria-expanded")) === "true");
  }

  async function lineWith(part: string): Promise<DrawnLine> {
    return await eventually(async () =>
      (await drawnLines(window)).find(({ text }) => text.replaceAll("\u00a0", " ").includes(part)),
    );
  }

  async function waitForBlame(part: string, expected: RegExp): Promise<void> {
    await eventually(async () => expected.test((await lineWith(part)).before));
  }

  it("can be browsed to a file at a tag", async () => {
    await expand(/^payments, main · ready/);
    await expand(/^Tags, 3/);
    await expand(/^v4\.0\.0/);
    await expand(/^src$/);
    await window.settled("Repositories");
    await row(/^backoff\.ts$/).dblclick();
    await window.editorTab(/backoff\.ts @ v4\.0\.0 · payments/).waitFor();
    await lineWith("--tries <= 0");
  });

  it("have blame that follows the rename of a file", async () => {
    await window.page.locator('.editor-actions [aria-label^="Toggle File Blame"]').click();
    await waitForBlame("Tries again", /^Ann Author\s.*\sCharge$/);
    await waitForBlame("let wait = 10", /^Ann Author\s.*\sWait a little/);
    await waitForBlame("--tries <= 0", /^Ann Author\s.*\sGive up sooner$/);
    await window.shot("releases-1-blame");
  });

  it("can be stepped back through from a line", async () => {
    await window.goToLine(3);
    await window.page.locator('.editor-actions [aria-label^="Blame Before This Change"]').click();
    await window.editorTab(/retry\.ts @ v4\.0\.0 › [0-9a-f]{7} · payments/).waitFor();
    await waitForBlame("Tries again", /^Ann Author\s.*\sCharge$/);
    await lineWith("let wait = 50");
    assert.equal(await window.cursorLine(), 3);
    await window.shot("releases-2-before");
  });

  it("lead from a line to its commit", async () => {
    const { left, top } = await lineWith("Tries again");
    await window.page.mouse.move(left + 60, top);
    const link = window.page.locator(".monaco-hover a").filter({ hasText: "Open Commit" }).first();
    await link.click();
    await row(/^Charge, [0-9a-f]{7}$/, "Commit").waitFor();
    await row(/^retry\.ts, added, \+11 −0$/, "Commit").waitFor();
    await window.page.mouse.move(5, 5);
    await window.shot("releases-3-commit");
  });

  it("can be compared by commits and by files", async () => {
    await window.runCommand("Trawl: Compare Revisions");
    await window.pick("payments");
    await window.pick("v3.2.0", "Compare From");
    await window.pick("v4.0.0", "Compare v3.2.0 To");
    await row(/^Ahead, 2$/, "Compare").waitFor();
    await row(/^Behind, 0$/, "Compare").waitFor();
    await row(/^Changed Files, 1 file · \+2 −2$/, "Compare").waitFor();
    await expand(/^Ahead, 2$/, "Compare");
    await row(/^Give up sooner, Ann Author/, "Compare").waitFor();
    await row(/^Wait a little at first, Ann Author/, "Compare").waitFor();
    await window.settled("Compare");
    await row(/^backoff\.ts, renamed, \+2 −2, was src\/retry\.ts$/, "Compare").click();
    await window.editorTab(/backoff\.ts \([0-9a-f]{7} ↔ [0-9a-f]{7}\)/).waitFor();
    await window.page.mouse.move(5, 5);
    await window.shot("releases-4-compare");
  });

  it("can be compared in the opposite direction", async () => {
    await window.header("Compare").hover();
    await window.header("Compare").getByRole("button", { name: "Swap Revisions" }).click();
    await row(/^Behind, 2$/, "Compare").waitFor();
    await row(/^Ahead, 0$/, "Compare").waitFor();
    assert.deepEqual(await window.notifications(), []);
  });
});

/** What somebody does in the first minutes, on a machine that has never seen Trawl. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { type CodeServer, startCodeServer } from "#e2e/driver/codeServer";
import { until } from "#e2e/driver/processes";
import { launchBrowser, Window } from "#e2e/driver/window";
import { note } from "#e2e/report";

describe("the first five minutes", () => {
  let browser: Browser;
  let server: CodeServer;
  let window: Window;

  before(async () => {
    server = await startCodeServer({ hasVsix: true, isFirstRun: true });
    browser = await launchBrowser();
    // High enough for every row: where definitions are known, they come first.
    window = await Window.open(browser, server, { height: 1300 });
    await window.ready();
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  async function timed<Value>(what: string, work: () => Promise<Value>): Promise<Value> {
    const began = performance.now();
    const value = await work();
    note(`${what}: ${(performance.now() - began).toFixed(0)} ms`);
    return value;
  }

  it("open the view with a click", async () => {
    await timed("click to search box", async () => {
      await window.trawlTab.click();
      await window.box.input.waitFor();
    });
    await timed("search box to what is searched", () => window.box.welcome.waitFor());
  });

  it("offer the neighbours by number and size", async () => {
    const offer = window.box.welcome.getByText(/^8 more found next to it \([\d.]+ [kM]B\b/);
    await timed("to the number and size of the neighbours", () => offer.waitFor());
    await window.shot("five-minutes/1-first-run");
  });

  it("find a word in the open folder, and in the neighbours after one click", async () => {
    await window.box.welcome.getByRole("button", { name: "Index Them" }).click();
    const counts = await timed("Enter to first results", () => window.box.search("retryWithBackoff"));
    assert.match(counts, /\d match/);
    await timed("to results of all neighbours", () =>
      window.box.searchUntil("retryWithBackoff", /^13 matches · 10 files · 6 repositories/),
    );
    await window.shot("five-minutes/2-all-repositories");
  });

  it("see results stay where they are while definitions are still being found", async () => {
    const files = () => window.pane("Results").getByRole("treeitem", { level: 2 }).allTextContents();
    await window.settled("Results");
    const before = await files();
    await until("all are parsed", () => isParsed(server));
    await window.settled("Results");
    assert.deepEqual(await files(), before);
  });

  it("open a result as the editable file, on its line", async () => {
    const row = window.rows("Results").filter({ hasText: "retryWithBackoff(ctx, c.once)" });
    await row.waitFor();
    await window.settled("Results");
    await timed("Enter to open file", async () => {
      await row.click();
      await window.editorTab(/client\.go/).waitFor();
      await until("the cursor is on the line", async () => (await window.cursorLine()) === 11);
    });
    await window.page.keyboard.press("Enter");
    await window.page.locator(".editor-instance .monaco-editor.focused").waitFor();
    await window.page.keyboard.type("// ");
    await window.page.locator(".tab.active.dirty").waitFor();
    await window.page.keyboard.press("Control+Z");
    await window.page.keyboard.press("Control+Z");
    await window.resizeSideBar(420);
    await window.shot("five-minutes/3-opened");
  });

  it("go from a name to where another repository defines it, and to where it is used", async () => {
    await window.goToLine(11, 14);
    await timed("F12 to the definition in another repository", async () => {
      await window.page.keyboard.press("F12");
      await window.editorTab(/retry\.go/).waitFor();
      await until("the cursor is on the line", async () => (await window.cursorLine()) === 10);
    });
    await timed("Shift+F12 to its uses", async () => {
      await window.page.keyboard.press("Shift+F12");
      await window.page
        .locator(".peekview-widget")
        .getByRole("treeitem", { name: /client\.go/ })
        .first()
        .waitFor();
    });
    await window.shot("five-minutes/4-uses");
    await window.page.keyboard.press("Escape");
  });

  it("find what a release has that is not on the default branch", async () => {
    const counts = await timed("Enter to results of a tag", () =>
      window.box.searchUntil("rev:v1.0.0 PlaceOrder", /2 repositories/),
    );
    assert.match(counts, /^\d match/);
  });

  it("pass without a notification", async () => {
    assert.deepEqual(await window.notifications(), []);
  });
});

/** Whether every shard has a companion with its symbols. */
function isParsed({ dataFolder }: CodeServer): boolean {
  const names = readdirSync(join(dataFolder, "shards"));
  const parsed = new Set(names.map((name) => /\.of(\d+)\.v\d+\.symbols$/.exec(name)?.[1]));
  const shards = names.map((name) => /^(\d+)\.shard$/.exec(name)?.[1]).filter((each) => each !== undefined);
  return shards.length > 0 && shards.every((each) => parsed.has(each));
}

/** The first minutes of a new user, on a machine without any Trawl data. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { type CodeServer, startCodeServer } from "#e2e/driver/codeServer";
import { launchBrowser, Window } from "#e2e/driver/window";
import { note } from "#e2e/report";
import { eventually } from "#test/support/eventually";

describe("a new user", () => {
  let browser: Browser;
  let server: CodeServer;
  let window: Window;

  before(async () => {
    server = await startCodeServer({ hasVsix: true, isFirstRun: true });
    browser = await launchBrowser();
    // Tall enough for every row, because rows that are scrolled out of view are not rendered.
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

  it("opens the view with a click", async () => {
    await timed("click to search box", async () => {
      await window.trawlTab.click();
      await window.box.input.waitFor();
    });
    await timed("search box to welcome text", () => window.box.welcome.waitFor());
  });

  it("is offered to index sibling clones, with their number and size", async () => {
    const offer = window.box.welcome.getByText(/^8 more in the same folder \([\d.]+ [kM]B\b/);
    await timed("to the number and size of the sibling clones", () => offer.waitFor());
    await window.shot("five-minutes/1-first-run");
  });

  it("still gets the offer after a search, and can choose which clones to index", async () => {
    await window.box.searchUntil("retryWithBackoff", /^\d+ match/);
    await window.box.status.getByText(/^8 more in the same folder/).waitFor();
    // Nothing of the offer needs scrolling.
    const dismiss = window.box.status.getByRole("button", { name: "Dismiss" });
    const bottom = await window.box.frame.locator("body").evaluate(({ ownerDocument }) => {
      return ownerDocument.defaultView?.innerHeight ?? 0;
    });
    const place = await dismiss.evaluate((element) => element.getBoundingClientRect().bottom);
    assert.ok(place <= bottom, `${place} > ${bottom}`);
    await window.shot("five-minutes/1-offered-after-search");
    await window.box.status.getByRole("button", { name: "Choose..." }).click();
    await window.page.locator(".quick-input-count", { hasText: "8 Selected" }).waitFor();
    await window.shot("five-minutes/1-choose");
    await window.page.locator(".quick-input-header").getByRole("checkbox").first().click();
    await window.page.locator(".quick-input-count", { hasText: "0 Selected" }).waitFor();
    await window.page.locator(".quick-input-widget").getByRole("button", { name: "OK" }).click();
    await window.page
      .getByPlaceholder("Nothing is selected. Select at least one, or press Escape.")
      .waitFor();
    await window.page.keyboard.press("Escape");
    await window.box.status.getByText(/^8 more in the same folder/).waitFor();
  });

  it("finds a word in the open folder, and in sibling clones after one click", async () => {
    await window.box.status.getByRole("button", { name: "Index Them" }).click();
    await window.box.status.getByText(/more in the same folder/).waitFor({ state: "detached" });
    // The search runs again by itself, because the user has just added repositories to search in.
    const counts = window.header("Results").locator(".description");
    await timed("to results of all sibling clones", () =>
      eventually(
        async () => /^13 matches · 10 files · 6 repositories/.test((await counts.textContent()) ?? ""),
        60_000,
      ),
    );
    await window.shot("five-minutes/2-all-repositories");
  });

  it("sees results stay in place while definitions are being indexed", async () => {
    const files = () => window.pane("Results").getByRole("treeitem", { level: 2 }).allTextContents();
    await window.settled("Results");
    const before = await files();
    await eventually(() => isParsed(server));
    await window.settled("Results");
    assert.deepEqual(await files(), before);
  });

  it("opens a result as the editable file, at its line", async () => {
    const row = window.rows("Results").filter({ hasText: "retryWithBackoff(ctx, c.once)" });
    await row.waitFor();
    await window.settled("Results");
    await timed("Enter to open file", async () => {
      await row.click();
      await window.editorTab(/client\.go/).waitFor();
      await eventually(async () => (await window.cursorLine()) === 11);
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

  it("goes from a name to its definition in another repository, and to its references", async () => {
    await window.goToLine(11, 14);
    await timed("F12 to the definition in another repository", async () => {
      await window.page.keyboard.press("F12");
      await window.editorTab(/retry\.go/).waitFor();
      await eventually(async () => (await window.cursorLine()) === 10);
    });
    await timed("Shift+F12 to its references", async () => {
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

  it("finds text at a tag", async () => {
    const counts = await timed("Enter to results of a tag", () =>
      window.box.searchUntil("rev:v1.0.0 PlaceOrder", /2 repositories/),
    );
    assert.match(counts, /^\d match/);
  });

  it("sees no notifications", async () => {
    assert.deepEqual(await window.notifications(), []);
  });
});

/** Reports whether every shard has a symbol file. */
function isParsed({ dataDirectory }: CodeServer): boolean {
  const names = readdirSync(join(dataDirectory, "shards"));
  const parsed = new Set(names.map((name) => /\.of(\d+)\.v\d+\.symbols$/.exec(name)?.[1]));
  const shards = names.map((name) => /^(\d+)\.shard$/.exec(name)?.[1]).filter((each) => each !== undefined);
  return shards.length > 0 && shards.every((each) => parsed.has(each));
}

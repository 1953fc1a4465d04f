/** History as a person sees it: commits by day, one commit and what it changed, two revisions side by side. */
import assert from "node:assert/strict";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Locator } from "playwright-core";
import { type CodeServer, changeSettings, startCodeServer } from "#e2e/driver/codeServer";
import { launchBrowser, Window } from "#e2e/driver/window";
import { runGit } from "#test/support/repo";

const themes = {
  dark: ["Default Dark Modern", "vs-dark"],
  light: ["Default Light Modern", "vs"],
  "high-contrast": ["Default High Contrast", "hc-black"],
} as const;

describe("history", () => {
  let browser: Browser;
  let server: CodeServer;
  let window: Window;

  before(async () => {
    server = await startCodeServer({ hasVsix: true, settings: { "workbench.colorTheme": themes.dark[0] } });
    addHistory(server.organisation.repositories["orders-api"].path);
    browser = await launchBrowser();
    window = await Window.open(browser, server, { width: 1400, height: 1700 });
    await window.ready();
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  /** A row of a view in the panel. */
  function row(text: string | RegExp, view?: string): Locator {
    const place = view === undefined ? window.page.locator(".part.panel") : window.pane(view);
    return place.getByRole("treeitem").filter({ hasText: text }).first();
  }

  async function pick(text: string): Promise<void> {
    await window.quickRows.filter({ hasText: text }).first().click();
  }

  it("lists the commits of a repository by day", async () => {
    await window.runCommand("Trawl: Show Repository History");
    await pick("orders-api");
    await row("Name things as people do").waitFor({ timeout: 60_000 });
    await row("Today").waitFor();
    await row("Take orders").waitFor();
    assert.match((await row("Wait no longer").textContent()) ?? "", /⟨v2\.0\.0⟩/);
  });

  it("describes a commit, with what it changed by folder", async () => {
    await row("Name things as people do").click();
    await row("Ada Lovelace <ada@example.com>").waitFor();
    await row("Say an order.").waitFor();
    await row("4 files").waitFor();
    const renamed = (await row("order.go").textContent()) ?? "";
    assert.match(renamed, /R · .+was internal\/orders\/orders\.go/);
    assert.match((await row("README.md").textContent()) ?? "", /D · \+0 −3/);
    assert.match((await row("logo.bin").textContent()) ?? "", /A · binary/);
    for (const [name, [theme, kind]] of Object.entries(themes)) {
      changeSettings(server, { "workbench.colorTheme": theme });
      await window.page.locator(`.monaco-workbench.${kind}`).waitFor();
      await window.shot(`history-${name}`);
    }
    changeSettings(server, { "workbench.colorTheme": themes.dark[0] });
  });

  it("tells what contains a commit when it is asked", async () => {
    await row("Contained in").click();
    await row(/^main/).waitFor();
  });

  it("opens what changed in a file, also where it was not there before", async () => {
    await row("order.go").click();
    await window.editorTab(/order\.go \([0-9a-f]{7} ↔ [0-9a-f]{7}\)/).waitFor();
    await row("README.md").click();
    await window.editorTab(/README\.md \([0-9a-f]{7}\)/).waitFor();
    await window.page.locator(".view-line").filter({ hasText: "Takes" }).first().waitFor();
    await window.shot("history-diff");
  });

  it("opens all that a commit changed in one editor", async () => {
    await row("Changed Files").hover();
    await row("Changed Files").getByRole("button", { name: "Open All Changes" }).click();
    await window.editorTab(/Name things as people do/).waitFor();
    await window.page.locator(".multiDiffEntry").first().waitFor();
    await window.shot("history-all-changes");
  });

  it("goes from a commit to its parent", async () => {
    await row("Parent").click();
    await row("Wait no longer than is bearable", "Commit").waitFor();
    await row("default.yaml", "Commit").waitFor();
  });

  it("shows only commits that are wanted, and all of them again", async () => {
    await window.runCommand("Trawl: Search Commits");
    await pick("orders-api");
    await window.quickInput.fill("author:ada");
    await window.page.keyboard.press("Enter");
    await row("Take orders").waitFor({ state: "hidden" });
    await row("Name things as people do").waitFor();
    await window.page.locator(".part.panel").getByText("author:ada").first().waitFor();
    await window.shot("history-filtered");
    await window.page.locator(".part.panel").getByRole("button", { name: "Remove All Filters" }).click();
    await row("Take orders").waitFor();
  });

  it("compares two tags", async () => {
    await window.runCommand("Trawl: Compare Revisions");
    await pick("orders-api");
    await pick("v1.0.0");
    await pick("v2.0.0");
    await row("1 file", "Compare").waitFor();
    await row("default.yaml", "Compare").click();
    await window.editorTab(/default\.yaml/).waitFor();
    await window.shot("history-compare");
  });

  it("says nothing in notifications", async () => {
    assert.deepEqual(await window.notifications(), []);
  });
});

/** A commit with a rename, a deletion, and a file that is no text. */
function addHistory(path: string): void {
  renameSync(join(path, "internal/orders/orders.go"), join(path, "internal/orders/order.go"));
  rmSync(join(path, "README.md"));
  mkdirSync(join(path, "media"));
  writeFileSync(join(path, "media/logo.bin"), new Uint8Array([0, 1, 2, 0]));
  writeFileSync(join(path, "config/limits.yaml"), "limits:\n  orders: 20\n");
  const author = ["--author", "Ada Lovelace <ada@example.com>", "--date", new Date().toISOString()];
  const message = "Name things as people do\n\nSay an order.\nNo more, no less.";
  runGit(path, ["add", "-A"]);
  runGit(path, ["commit", "-q", ...author, "-m", message]);
}

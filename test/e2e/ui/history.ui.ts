/** History as a person sees it: commits by day, one commit and what it changed, two revisions side by side. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Locator } from "playwright-core";
import { type CodeServer, startCodeServer } from "#e2e/driver/codeServer";
import { until } from "#e2e/driver/processes";
import { shootThemes, themes } from "#e2e/driver/themes";
import { launchBrowser, Window } from "#e2e/driver/window";
import { runGit } from "#test/support/repo";

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

  async function openFile(path: string): Promise<void> {
    await window.runCommand("Go to File...");
    await window.quickInput.fill(path);
    await window.pick(path.slice(path.lastIndexOf("/") + 1));
    await window.editorTab(/client\.go/).waitFor();
    await until("the file is shown", async () => (await window.cursorLine()) === 1);
  }

  async function statusBarHas(text: string): Promise<void> {
    await window.page.locator(".statusbar-item").filter({ hasText: text }).first().waitFor();
  }

  it("lists the commits of a repository by day", async () => {
    await window.runCommand("Trawl: Show Repository History");
    await window.pick("orders-api");
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
    assert.match(renamed, /R · was internal\/orders\/orders\.go/);
    assert.match((await row("README.md").textContent()) ?? "", /D · \+0 −3/);
    assert.match((await row("logo.bin").textContent()) ?? "", /A · binary/);
    await shootThemes(window, server, "history");
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
    await row("Be polite", "Commit").waitFor();
    await row("client.go", "Commit").waitFor();
  });

  it("shows only commits that are wanted, and all of them again", async () => {
    await window.runCommand("Trawl: Search Commits");
    await window.pick("orders-api");
    await window.quickInput.fill("author:ada");
    await window.quickRows.filter({ hasText: "author:ada" }).first().waitFor();
    await window.page.keyboard.press("Enter");
    await row("Take orders").waitFor({ state: "hidden" });
    await row("Name things as people do").waitFor();
    await window.page.locator(".part.panel").getByText("author:ada").first().waitFor();
    await window.shot("history-filtered");
    await window.page.locator(".part.panel").getByRole("button", { name: "Remove All Filters" }).click();
    await row("Take orders").waitFor();
  });

  it("tells who wrote commits, how many and when last, and lists those of one of them", async () => {
    await window.openTrawl();
    await row(/^orders-apimain/, "Repositories").click({ button: "right" });
    await window.choose("Show Authors");
    await row(/^Ann Author2 commits · last 1\/1\/2020$/, "Authors").waitFor();
    await row(/^Ada Lovelace1 commit · last just now$/, "Authors").waitFor();
    await row(/^Grace Hopper1 commit/, "Authors").click();
    await row("Take orders", "Commits").waitFor({ state: "detached" });
    await row("Be polite", "Commits").waitFor();
    await window.page
      .locator(".part.panel")
      .getByText('author:"Grace Hopper <grace@example')
      .first()
      .waitFor();
    await window.shot("history-authors");
  });

  it("follows lines of a text that is not saved", async () => {
    await openFile("internal/http/client.go");
    await window.page.keyboard.press("Control+Home");
    await window.page.keyboard.type("// mine\n// mine\n");
    await window.goToLine(7);
    await window.page.keyboard.press("Shift+End");
    await window.runCommand("Trawl: Show Line History");
    await row("Take orders", "Commits").waitFor();
    await row("Be polite", "Commits").waitFor();
    await row("Name things as people do", "Commits").waitFor({ state: "detached" });
    await window.page.locator(".part.panel").getByText("lines:5").first().waitFor();
  });

  it("says of lines that are new that nobody has committed them", async () => {
    await window.goToLine(1);
    await window.page.keyboard.press("Shift+End");
    await window.runCommand("Trawl: Show Line History");
    await statusBarHas("These lines are not committed.");
    await row("Be polite", "Commits").waitFor();
    await window.runCommand("File: Revert File");
  });

  it("compares two branches: what each has, since they parted, and in one folder", async () => {
    await window.runCommand("Trawl: Compare Revisions");
    await window.pick("orders-api");
    await window.pick("feature/async-orders", "Compare From");
    await window.pick("main", "Compare feature/async-orders To");
    await row(/^Ahead2$/, "Compare").waitFor();
    await row(/^Behind1$/, "Compare").waitFor();
    await row(/^Changed Files6 files/, "Compare").waitFor();
    await row(/^All differences/, "Compare").click();
    // What a row says under the mouse would lie over the next one.
    await window.page.mouse.move(700, 300);
    await row(/^Changes since the two parted/, "Compare").waitFor();
    await row(/^Changed Files5 files/, "Compare").waitFor();
    await window.settled("Compare");
    await row(/^All files/, "Compare").click();
    await window.pick("config");
    await row(/^config.*only$/, "Compare").waitFor();
    await row(/^Changed Files1 file/, "Compare").waitFor();
    await row(/^Ahead1$/, "Compare").waitFor();
    await row(/^Behind0$/, "Compare").waitFor();
  });

  it("goes on from the commits of a comparison", async () => {
    await window.settled("Compare");
    await row(/^Ahead1$/, "Compare").click();
    await row("Name things as people do", "Compare").click({ button: "right" });
    await window.choose("Copy as API Call");
    await statusBarHas("Copied as a call of the REST interface.");
    await row("Name things as people do", "Compare").click({ button: "right" });
    await window.choose("Compare With HEAD");
    await row(/^[0-9a-f]{7}From$/, "Compare").waitFor();
    await row(/^HEADTo$/, "Compare").waitFor();
  });

  it("compares two tags, and opens all that differs", async () => {
    // A tree that is drawn anew while it has the keyboard takes it back, also from what is asked just then.
    await window.settled("Compare");
    await window.runCommand("Trawl: Compare Revisions");
    await window.pick("orders-api");
    await window.pick("v1.0.0", "Compare From");
    await window.pick("v2.0.0", "Compare v1.0.0 To");
    await row("1 file", "Compare").waitFor();
    await row(/^Ahead1$/, "Compare").waitFor();
    await row("default.yaml", "Compare").click();
    await window.editorTab(/default\.yaml/).waitFor();
    await window.settled("Compare");
    await row("Changed Files", "Compare").hover();
    await row("Changed Files", "Compare").getByRole("button", { name: "Open All Differences" }).click();
    await window.editorTab(/orders-api · v1\.0\.0\.\.v2\.0\.0/).waitFor();
    await shootThemes(window, server, "history-compare");
  });

  it("is searched for words of messages", async () => {
    await window.openTrawl();
    await window.box.searchUntil("type:commit polite", /^1 commit · /);
    await row(/^Be polite/, "Results").click();
    await row(/^Be polite/, "Commit").waitFor();
    await window.settled("Results");
    await row(/^Be polite/, "Results").click({ button: "right" });
    await window.choose("Compare With HEAD");
    await row(/^HEADTo$/, "Compare").waitFor();
    await window.shot("history-search");
  });

  it("gives found commits away, and says why not as a document", async () => {
    await window.runCommand("Trawl: Copy Results As...");
    await window.pick("one for each commit");
    await statusBarHas("Copied 1 commit.");
    await window.runCommand("Trawl: Open Results in Editor");
    await statusBarHas("A document lists lines of files.");
  });

  it("says nothing in notifications", async () => {
    assert.deepEqual(await window.notifications(), []);
  });
});

/** One line of a file, and then a commit with a rename, a deletion, and a file that is no text. */
function addHistory(path: string): void {
  const client = join(path, "internal/http/client.go");
  writeFileSync(
    client,
    readFileSync(client, "utf8").replace("talks to payments", "talks to payments politely"),
  );
  const grace = ["--author", "Grace Hopper <grace@example.com>", "--date", "2024-05-01T10:00:00+02:00"];
  runGit(path, ["commit", "-qa", ...grace, "-m", "Be polite"]);
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

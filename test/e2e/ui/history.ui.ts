/** History in the workbench: commits, one commit with its changes, and comparisons of two revisions. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Locator } from "playwright-core";
import { type CodeServer, startCodeServer } from "#e2e/driver/codeServer";
import { shootThemes, themes } from "#e2e/driver/themes";
import { launchBrowser, Window } from "#e2e/driver/window";
import { eventually } from "#test/support/eventually";
import { runGit } from "#test/support/repo";

describe("history", () => {
  let browser: Browser;
  let server: CodeServer;
  let window: Window;

  before(async () => {
    server = await startCodeServer({ hasVsix: true, settings: { "workbench.colorTheme": themes.dark[0] } });
    addHistory(server.organization.repositories["orders-api"].path);
    browser = await launchBrowser();
    window = await Window.open(browser, server, { width: 1400, height: 1700 });
    await window.ready();
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  /** Finds a row in a view of the panel. */
  function row(text: string | RegExp, view?: string): Locator {
    const container = view === undefined ? window.page.locator(".part.panel") : window.pane(view);
    return container.getByRole("treeitem").filter({ hasText: text }).first();
  }

  async function openFile(path: string): Promise<void> {
    await window.runCommand("Go to File...");
    await window.quickInput.fill(path);
    await window.pick(path.slice(path.lastIndexOf("/") + 1));
    await window.editorTab(/client\.go/).waitFor();
    await eventually(async () => (await window.cursorLine()) === 1);
  }

  async function statusBarHas(text: string): Promise<void> {
    await window.page.locator(".statusbar-item").filter({ hasText: text }).first().waitFor();
  }

  it("lists commits of a repository, without days of one commit", async () => {
    await window.runCommand("Trawl: Show Repository History");
    await window.pick("orders-api");
    await row("Name things as people do").waitFor({ timeout: 60_000 });
    await row("Take orders").waitFor();
    // With few commits a day, rows of days would save nothing.
    assert.equal(await row("Today").count(), 0);
    assert.match((await row("Wait no longer").textContent()) ?? "", /⟨v2\.0\.0⟩/);
  });

  it("keeps the age of a commit up to date", async () => {
    const { path } = server.organization.repositories["orders-api"];
    const almostOneMinuteAgo = new Date(Date.now() - 45_000).toISOString();
    const message = ["--allow-empty", "-m", "Pass a minute"];
    runGit(path, ["commit", "-q", "--date", almostOneMinuteAgo, ...message]);
    // The only view of the panel has no header of its own.
    const refresh = window.page.locator(".part.panel").getByRole("button", { name: "Refresh Commits" });
    await refresh.click();
    await row("Pass a minute").waitFor();
    await row(/^Pass a minute.* · \d+ min ago/).waitFor({ timeout: 90_000 });
    runGit(path, ["reset", "-q", "--soft", "HEAD~1"]);
    await refresh.click();
    await row("Pass a minute").waitFor({ state: "detached" });
  });

  it("describes a commit, with its changed files by folder", async () => {
    await row("Name things as people do").click();
    await row("Ada Lovelace <ada@example.com>").waitFor();
    await row("Say an order.").waitFor();
    // The line between them is blank: without a label, it would hide all lines.
    await row("No more, no less.").waitFor();
    assert.equal(await window.page.getByRole("treeitem", { name: "blank line" }).count(), 1);
    await row("4 files").waitFor();
    const renamed = (await row("order.go").textContent()) ?? "";
    assert.match(renamed, /R · was internal\/orders\/orders\.go/);
    assert.match((await row("README.md").textContent()) ?? "", /D · \+0 −3/);
    assert.match((await row("logo.bin").textContent()) ?? "", /A · binary/);
    await shootThemes(window, server, "history");
  });

  it("shows the refs that contain a commit on request", async () => {
    await row("Contained in").click();
    await row(/^main/).waitFor();
  });

  it("opens the changes of a file, including an added one", async () => {
    await row("order.go").click();
    await window.editorTab(/order\.go \([0-9a-f]{7} ↔ [0-9a-f]{7}\)/).waitFor();
    await row("README.md").click();
    await window.editorTab(/README\.md \([0-9a-f]{7}\)/).waitFor();
    await window.page.locator(".view-line").filter({ hasText: "Takes" }).first().waitFor();
    // Not the repository and the commit: the tab has them.
    const crumbs = window.page.locator(".breadcrumbs-control .monaco-breadcrumb-item");
    assert.deepEqual(await crumbs.allTextContents(), ["README.md"]);
    await window.shot("history-diff");
  });

  it("opens all changes of a commit in one editor", async () => {
    await row("Changed Files").hover();
    await row("Changed Files").getByRole("button", { name: "Open All Changes" }).click();
    await window.editorTab(/Name things as people do/).waitFor();
    await window.page.locator(".multiDiffEntry").first().waitFor();
    const header = window.page.locator(".multiDiffEntry .header").filter({ hasText: "order.go" }).first();
    assert.match(
      (await header.textContent()) ?? "",
      /order\.go\s*internal\/orders @ [0-9a-f]{7} · orders-api/,
    );
    await window.shot("history-all-changes");
  });

  it("goes from a commit to its parent", async () => {
    await row("Parent").click();
    await row("Be polite", "Commit").waitFor();
    await row("client.go", "Commit").waitFor();
  });

  it("filters commits, and clears the filter", async () => {
    await window.runCommand("Trawl: Search Commits");
    await window.pick("orders-api");
    // The list of repositories is shown until this input replaces it.
    await window.page.getByPlaceholder("Message text, or filters").fill("author:ada");
    await window.quickRows.filter({ hasText: "author:ada" }).first().waitFor();
    await window.page.keyboard.press("Enter");
    await row("Take orders").waitFor({ state: "hidden" });
    await row("Name things as people do").waitFor();
    await window.page.locator(".part.panel").getByText("author:ada").first().waitFor();
    await window.shot("history-filtered");
    await window.page.locator(".part.panel").getByRole("button", { name: "Remove All Filters" }).click();
    await row("Take orders").waitFor();
  });

  it("shows authors with their commit count and last commit, and lists the commits of one", async () => {
    await window.openTrawl();
    await window.expand("Repositories");
    await row(/^orders-apimain/, "Repositories").click({ button: "right" });
    await window.choose("Show Authors");
    await row(/^Ann Author2 commits · last 1\/1\/2020$/, "Authors").waitFor();
    await row(/^Ada Lovelace1 commit · last (?:just now|\d+ min ago)$/, "Authors").waitFor();
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

  it("follows lines of an unsaved document", async () => {
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

  it("reports that new lines are uncommitted", async () => {
    await window.goToLine(1);
    await window.page.keyboard.press("Shift+End");
    await window.runCommand("Trawl: Show Line History");
    await statusBarHas("These lines are not committed.");
    await row("Be polite", "Commits").waitFor();
    await window.runCommand("File: Revert File");
  });

  it("compares two branches: the commits of each, since the common ancestor, and in one folder", async () => {
    await window.runCommand("Trawl: Compare Revisions");
    await window.pick("orders-api");
    await window.pick("feature/async-orders", "Compare From");
    await window.pick("main", "Compare feature/async-orders To");
    await row(/^Ahead2$/, "Compare").waitFor();
    await row(/^Behind1$/, "Compare").waitFor();
    await row(/^Changed Files6 files/, "Compare").waitFor();
    // The commands are in the title.
    const rows = window.pane("Compare").getByRole("treeitem", { level: 1 });
    assert.equal(await rows.count(), 5, "only the revisions and what differs");
  });

  it("opens the commit of a side, and compares with a remote branch", async () => {
    await window.settled("Compare");
    await row(/^mainTo$/, "Compare").click();
    await row("Name things as people do", "Commit").waitFor();
    await window.settled("Compare");
    await row(/^mainTo$/, "Compare").hover();
    await row(/^mainTo$/, "Compare")
      .getByRole("button", { name: "Choose Another Revision" })
      .click();
    await window.pick("origin/review", "Compare feature/async-orders To");
    await row(/^origin\/reviewTo$/, "Compare").waitFor();
    await row(/^Ahead0$/, "Compare").waitFor();
    await row(/^origin\/reviewTo$/, "Compare").hover();
    await row(/^origin\/reviewTo$/, "Compare")
      .getByRole("button", { name: "Choose Another Revision" })
      .click();
    await window.pick("main", "Compare feature/async-orders To");
    await row(/^Ahead2$/, "Compare").waitFor();
  });

  it("offers actions on the commits of a comparison", async () => {
    await window.settled("Compare");
    await row(/^Ahead2$/, "Compare").click();
    await row("Name things as people do", "Compare").click({ button: "right" });
    await window.choose("Copy as API Call");
    await statusBarHas("Copied as a curl command for the REST interface.");
    await row("Name things as people do", "Compare").click({ button: "right" });
    await window.choose("Compare with HEAD");
    await row(/^[0-9a-f]{7}From$/, "Compare").waitFor();
    await row(/^HEADTo$/, "Compare").waitFor();
  });

  it("compares two tags, and opens all differences", async () => {
    // A focused tree takes the focus back when it is redrawn, even from a quick input that has just opened.
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

  it("finds commits by words in their messages", async () => {
    await window.openTrawl();
    await window.box.searchUntil("type:commit polite", /^1 commit · /);
    await row(/^Be polite/, "Results").click();
    await row(/^Be polite/, "Commit").waitFor();
    await window.settled("Results");
    await row(/^Be polite/, "Results").click({ button: "right" });
    await window.choose("Compare with HEAD");
    await row(/^HEADTo$/, "Compare").waitFor();
    await window.shot("history-search");
  });

  it("copies found commits, and explains why they cannot be opened as a document", async () => {
    await window.runCommand("Trawl: Copy Results As...");
    await window.pick("one per commit");
    await statusBarHas("Copied 1 commit.");
    await window.runCommand("Trawl: Open Results in Editor");
    await statusBarHas("Commits cannot be opened as a document.");
  });

  it("shows no notifications", async () => {
    assert.deepEqual(await window.notifications(), []);
  });
});

/** Adds a remote branch, a commit that changes one line, and one with a rename, a deletion and a binary file. */
function addHistory(path: string): void {
  runGit(path, ["update-ref", "refs/remotes/origin/review", "v1.0.0"]);
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
  const message = "Name things as people do\n\nSay an order.\n\nNo more, no less.";
  runGit(path, ["add", "-A"]);
  runGit(path, ["commit", "-q", ...author, "-m", message]);
}

/** Browsing repositories that are not open: their branches, tags and files, and a file at several revisions. */
import assert from "node:assert/strict";
import type { Browser, Locator } from "playwright-core";
import { type CodeServer, startCodeServer } from "#e2e/driver/codeServer";
import { shootThemes } from "#e2e/driver/themes";
import { launchBrowser, Window } from "#e2e/driver/window";
import { note } from "#e2e/report";
import { eventually } from "#test/support/eventually";
import { runGit } from "#test/support/repo";

/** A PNG of one white pixel. */
const onePixel =
  "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415478da63f8ffff3f0005fe02fe0def46b80000000049454e44ae426082";

/** A commit that renames a file and adds binary files, and a file whose path another repository has, too. */
const secondCommit = `
  = main: Say what is charged
  - src/charge.ts
  src/billing.ts
  | import { retryWithBackoff } from "./retry";
  |
  | export interface Charge {
  |   readonly orderId: string;
  |   readonly amount: number;
  | }
  |
  | /** Charges a card; tries again while the bank does not answer. */
  | export async function chargeCard(charge: Charge): Promise<void> {
  |   await retryWithBackoff(() => send(charge), 9);
  | }
  |
  | async function send(charge: Charge): Promise<void> {
  |   if (charge.amount < 0) throw new Error("An amount cannot be negative.");
  | }
  README.md
  | # payments
  |
  | Charges cards.
  media/logo.bin [hex]
  | 00 01 02 ff 00
  media/logo.png [hex]
  | ${onePixel}
  media/latin.txt [hex]
  | 67 72 fc df 65 0a
  tag v3.3.0
`;

describe("browsing", () => {
  let browser: Browser;
  let server: CodeServer;
  let window: Window;

  before(async () => {
    server = await startCodeServer({ hasVsix: true, isFirstRun: true });
    const { payments } = server.organization.repositories;
    payments.more(secondCommit);
    payments.git("remote", "set-url", "origin", "https://github.com/acme/payments.git");
    addManyFiles(payments.path);
    browser = await launchBrowser();
    window = await Window.open(browser, server);
    await window.openTrawl();
    for (const view of ["Search", "Results"]) await window.collapse(view);
    await window.expand("Repositories");
    await row(/^orders-api, main · ready/).waitFor();
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  function row(name: RegExp, view = "Repositories"): Locator {
    return window.pane(view).getByRole("treeitem", { name }).first();
  }

  /** Finds a button in the title bar of the editor. */
  function action(name: string): Locator {
    return window.page.locator(".editor-actions").getByRole("button", { name });
  }

  function lineWith(text: string): Locator {
    return window.page.locator(".view-line").filter({ hasText: text }).first();
  }

  /** Opens a file of `payments` at its default revision from the Repositories view. */
  async function openByName(name: string): Promise<void> {
    await eventually(async () => {
      await window.runCommand("Trawl: Browse Repository...");
      // An image that has just been opened may take the focus, which closes the list.
      return await pick("payments", 5_000).then(
        () => true,
        () => false,
      );
    });
    const file = row(new RegExp(`^${name.replace(".", "\\.")}$`));
    for (const folder of ["src", "media"]) {
      await row(new RegExp(`^${folder}$`)).waitFor();
      await window.settled("Repositories");
      if ((await row(new RegExp(`^${folder}$`)).getAttribute("aria-expanded")) !== "true") {
        await open(new RegExp(`^${folder}$`));
      }
    }
    await window.settled("Repositories");
    await file.dblclick();
    await window
      .editorTab(new RegExp(name.replace(".", "\\.")))
      .first()
      .waitFor();
  }

  async function open(name: RegExp): Promise<void> {
    const found = row(name);
    await found.click();
    await eventually(async () => (await found.getAttribute("aria-expanded")) === "true");
  }

  async function pick(text: string, timeout = 30_000): Promise<void> {
    await window.quickInput.fill(text, { timeout });
    await window.quickRows.filter({ hasText: text }).first().click({ timeout });
  }

  it("shows the files of a repository", async () => {
    await open(/^Not indexed, \d/);
    await row(/^payments, .* · click to index$/).click();
    await row(/^payments, \w+ · ready/).waitFor();
    await window.runCommand("Trawl: Browse Repository...");
    await pick("payments");
    await row(/^Files, main/).waitFor();
    await row(/^src$/).waitFor();
    await row(/^package\.json$/).waitFor();
    await window.shot("browseRepository");
  });

  it("opens a file at a tag, with its revision and repository in the title", async () => {
    await open(/^Tags, 2/);
    await open(/^v3\.2\.0/);
    await row(/^Files, main/).click();
    await window.page.keyboard.press("ArrowLeft");
    await open(/^src$/);
    await row(/^retry\.ts$/).click();
    await window.editorTab(/retry\.ts @ v3\.2\.0 · payments/).waitFor();
    await window.page.locator(".editor-actions").getByRole("button", { name: "Change Revision" }).waitFor();
    await shootThemes(window, server, "browse");
    assert.deepEqual(await window.notifications(), []);
  });

  it("handles a folder of ten thousand files, and shows more on request", async () => {
    await open(/^Branches, 2/);
    await open(/^many, /);
    const began = performance.now();
    await open(/^generated$/);
    await row(/^00000\.txt$/).waitFor();
    note(`a folder of 10,000 files opened in ${(performance.now() - began).toFixed(0)} ms`);
    await window.shot("browseManyFiles");
    // Scroll to the end of the folder's rows.
    for (let press = 0; press < 60; press++) await window.page.keyboard.press("PageDown");
    await row(/^9,000 more/).click();
    await row(/^01000\.txt$/).waitFor();
    await window.page.keyboard.press("Home");
    await row(/^generated$/).click();
    await row(/^00000\.txt$/).waitFor({ state: "detached" });
  });

  it("says why a revision does not exist, and continues with one that does", async () => {
    await window.runCommand("Trawl: Open File at Revision...");
    await window.quickInput.fill("no-such-tag");
    await window.quickRows.filter({ hasText: "as typed" }).first().waitFor();
    await window.page.keyboard.press("Enter");
    await window.quickRows
      .filter({ hasText: "no-such-tag" })
      .filter({ hasText: /not|unknown/i })
      .first()
      .waitFor();
    await window.shot("browseUnknownRevision");
    await window.quickInput.fill("HEAD~0");
    await window.quickRows.filter({ hasText: "HEAD~0" }).filter({ hasText: "as typed" }).first().waitFor();
    await window.page.keyboard.press("Enter");
    await window.editorTab(/@ HEAD~0 · payments/).waitFor();
  });

  it("compares a file with another revision of it", async () => {
    await window.runCommand("Trawl: Compare File With...");
    await window.quickRows.filter({ hasText: "Another Revision..." }).click();
    await pick("v3.2.0");
    await window.editorTab(/retry\.ts \(v3\.2\.0 ↔ HEAD~0\)/).waitFor();
    await window.shot("browseCompare");
    assert.deepEqual(await window.notifications(), []);
  });

  it("compares a file with the one at the same path in another repository", async () => {
    await openByName("README.md");
    await window.runCommand("Trawl: Compare File With...");
    await window.quickRows.filter({ hasText: "Same Path in Another Repository..." }).click();
    await pick("orders-api");
    await window.editorTab(/README\.md \(orders-api ↔ [0-9a-f]{7}\)/).waitFor();
    await lineWith("Takes orders and hands them to payments").waitFor();
    await lineWith("Charges cards.").waitFor();
  });

  it("replaces a file by another of its revisions, under its name at that revision", async () => {
    await openByName("billing.ts");
    const currentTab = window.editorTab(/billing\.ts @ [0-9a-f]{7} · payments/);
    await currentTab.waitFor();
    await action("Change Revision").click();
    // VS Code reuses the rows of its command palette, with the same label on hidden separators.
    await window.quickRows.first().filter({ hasText: "recently used" }).waitFor();
    assert.match((await window.quickRows.first().textContent()) ?? "", /v3\.2\.0|HEAD~0/);
    await window.shot("browseRecentRevisions");
    // Rows move while branches and tags are added.
    await window.page
      .locator(".quick-input-widget .monaco-progress-container.active")
      .waitFor({ state: "detached" });
    await pick("v3.2.0");
    await window.editorTab(/charge\.ts @ v3\.2\.0 · payments/).waitFor();
    await currentTab.waitFor({ state: "detached" });
    await lineWith("send(charge), 5)").waitFor();
    assert.deepEqual(await window.notifications(), []);
  });

  it("opens the editable local file", async () => {
    await window.runCommand("Trawl: Open File at Revision...");
    await pick("main");
    await window.editorTab(/billing\.ts @ main · payments/).waitFor();
    await action("Open Local File").click();
    await window.editorTab(/^billing\.ts(?!.*@)/).waitFor();
  });

  it("opens the page on the code host, at the line of the cursor", async () => {
    await window.runCommand("Trawl: Open on Code Host");
    const dialog = window.page.locator(".monaco-dialog-box");
    await dialog
      .getByText(/https:\/\/github\.com\/acme\/payments\/blob\/\S+\/src\/billing\.ts#L1$/)
      .waitFor();
    await window.page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  it("shows images, and says that other binary files are not text", async () => {
    await openByName("logo.png");
    await window.editorPage.locator("img").waitFor();
    await window.page.locator(".statusbar-item").filter({ hasText: "1x1" }).waitFor();
    await openByName("logo.bin");
    await window.page.locator(".monaco-editor-pane-placeholder").filter({ hasText: "binary" }).waitFor();
    await window.shot("browseBinary");
    assert.deepEqual(await window.notifications(), []);
  });

  it("shows the files at a typed revision", async () => {
    await row(/^At Revision\.\.\./).click();
    await window.quickInput.fill("main~0");
    await window.quickRows.filter({ hasText: "as typed" }).first().waitFor();
    await window.page.keyboard.press("Enter");
    await row(/^main~0, \w{7}/).waitFor();
    await window.shot("browseNamedRevision");
  });

  it("shows how much a commit changed, in how many files", async () => {
    await window.runCommand("Trawl: Open Commit...");
    await pick("payments");
    await pick("many");
    await row(/^Changed Files, 10,000 files · \+10,000 −0$/, "Commit").waitFor();
    await row(/^generated, 10,000$/, "Commit").click();
    await row(/^00000\.txt, added, \+1 −0$/, "Commit").waitFor();
  });

  it("shows who changed a folder, and when", async () => {
    await window.settled("Repositories");
    await row(/^media$/).click({ button: "right" });
    await window.choose("Show Folder History");
    await row(/^Say what is charged, Ann Author/, "Commits").waitFor();
    await row(/^Charge, Ann Author/, "Commits").waitFor({ state: "detached" });
    await row(/^media$/).click({ button: "right" });
    await window.choose("Show Authors");
    await row(/^Ann Author, 1 commit · last 1\/1\/2020$/, "Authors").waitFor();
  });
});

/** Adds a branch with ten thousand files. */
function addManyFiles(path: string): void {
  const files = Array.from({ length: 10_000 }, (_, index) => {
    const name = `${index}`.padStart(5, "0");
    return `M 100644 inline generated/${name}.txt\ndata ${name.length}\n${name}`;
  });
  const commit = [
    "commit refs/heads/many",
    "committer Ann Author <ann@example.com> 1700000000 +0000",
    "data 4",
    "Many",
    ...files,
    "",
  ].join("\n");
  runGit(path, ["fast-import", "--quiet"], Buffer.from(commit));
}

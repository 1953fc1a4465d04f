/** Looking at repositories that are not open: their branches, tags and files, and one file at several revisions. */
import assert from "node:assert/strict";
import type { Browser, Locator } from "playwright-core";
import { type CodeServer, startCodeServer } from "#e2e/driver/codeServer";
import { until } from "#e2e/driver/processes";
import { launchBrowser, Window } from "#e2e/driver/window";
import { runGit } from "#test/support/repo";

describe("browsing", () => {
  let browser: Browser;
  let server: CodeServer;
  let window: Window;

  before(async () => {
    server = await startCodeServer({ hasVsix: true, isFirstRun: true });
    addManyFiles(server.organisation.repositories.payments.path);
    browser = await launchBrowser();
    window = await Window.open(browser, server);
    await window.openTrawl();
    for (const view of ["Search", "Results"]) await window.header(view).click();
    await row(/^orders-api, main · ready/).waitFor();
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  function row(name: RegExp): Locator {
    return window.pane("Repositories").getByRole("treeitem", { name }).first();
  }

  async function open(name: RegExp): Promise<void> {
    const found = row(name);
    await found.click();
    await until(`${name} is open`, async () => (await found.getAttribute("aria-expanded")) === "true");
  }

  async function pick(text: string): Promise<void> {
    await window.quickInput.fill(text);
    await window.quickRows.filter({ hasText: text }).first().click();
  }

  it("begins with a repository, and shows its files", async () => {
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

  it("goes through a tag to a file, which opens read-only and says where it is from", async () => {
    await open(/^Tags, 1/);
    await open(/^v3\.2\.0/);
    await row(/^Files, main/).click();
    await window.page.keyboard.press("ArrowLeft");
    await open(/^src$/);
    await row(/^retry\.ts$/).click();
    await window.editorTab(/retry\.ts @ v3\.2\.0 · payments/).waitFor();
    await window.shot("browseTag");
    assert.deepEqual(await window.notifications(), []);
  });

  it("goes on while a folder has ten thousand files, and shows as many as wanted", async () => {
    await open(/^Branches, 2/);
    await open(/^many, /);
    const began = performance.now();
    await open(/^generated$/);
    await row(/^00000\.txt$/).waitFor();
    assert.ok(performance.now() - began < 5_000, `${performance.now() - began} ms`);
    await window.shot("browseManyFiles");
    // The first row that is not below the folder any more, and the one before it.
    for (let press = 0; press < 60; press++) await window.page.keyboard.press("PageDown");
    await row(/^9,000 more/).click();
    await row(/^01000\.txt$/).waitFor();
    await window.page.keyboard.press("Home");
    await row(/^generated$/).click();
    await row(/^00000\.txt$/).waitFor({ state: "detached" });
  });

  it("says why a revision is not there, and goes on to one that is", async () => {
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

  it("shows the files at a revision that somebody types", async () => {
    await row(/^At Revision\.\.\./).click();
    await window.quickInput.fill("main~0");
    await window.quickRows.filter({ hasText: "as typed" }).first().waitFor();
    await window.page.keyboard.press("Enter");
    await row(/^main~0, \w{7}/).waitFor();
    await window.shot("browseNamedRevision");
  });
});

/** On a branch of their own. */
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

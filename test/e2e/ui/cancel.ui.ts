import assert from "node:assert/strict";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { type CodeServer, startCodeServer } from "#e2e/driver/codeServer";
import { processesOf } from "#e2e/driver/processes";
import { kill } from "#e2e/driver/signals";
import { launchBrowser, Window } from "#e2e/driver/window";
import { note } from "#e2e/report";
import { eventually } from "#test/support/eventually";
import { repo } from "#test/support/repo";

/** Enough that a search of a revision that is not indexed takes some seconds. */
const fileCount = 12_000;

describe("a canceled search", () => {
  let browser: Browser;
  let server: CodeServer;
  let window: Window;
  let largeFolder: string;
  let old: string;

  before(async () => {
    server = await startCodeServer({ hasVsix: true });
    const line = "| it goes on and on and on, and there is nothing to be found in it at all\n";
    const files = Array.from(
      { length: fileCount },
      (_, index) => `f${index}.txt\n| ${index}\n${line.repeat(100)}`,
    );
    largeFolder = join(server.organization.folder, "large");
    const large = repo(`= main: Much\n${files.join("")}`, { path: largeFolder });
    old = large.git("rev-parse", "HEAD");
    large.more(`= main: Little\n${files.map((_, index) => `- f${index}.txt\n`).join("")}few.txt\n| few\n`);
    browser = await launchBrowser();
    window = await Window.open(browser, server);
    await window.openTrawl();
    await window.box.searchUntil("repo:large few", /1 repository/, 60_000);
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  const gitProcesses = () => processesOf(largeFolder).filter(({ command }) => /(?:^|\/)git /.test(command));

  it("leaves no git process running", async () => {
    await window.box.input.fill(`repo:large rev:${old} nothingLikeThis`);
    await window.box.input.press("Enter");
    const running = await eventually(() => {
      const found = gitProcesses();
      return found.length > 0 && found;
    });
    // A stopped process cannot finish by itself: only if it is killed does it go away.
    for (const { pid } of running) kill(pid, "SIGSTOP");
    const began = performance.now();
    await window.box.input.press("Escape");
    await eventually(() => gitProcesses().length === 0);
    note(`no git process ${(performance.now() - began).toFixed(0)} ms after Escape`);
    await window.box.status.getByText("canceled").waitFor();
  });

  it("does not delay the next one", async () => {
    assert.match(await window.box.search("chargeCard"), /2 repositories/);
  });
});

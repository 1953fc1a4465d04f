/** The pictures of the README, below `pictures` of the screenshots, and the same views in a small window. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Locator } from "playwright-core";
import { type CodeServer, startCodeServer } from "#e2e/driver/codeServer";
import { themes } from "#e2e/driver/themes";
import { launchBrowser, Window } from "#e2e/driver/window";
import { runGit } from "#test/support/repo";

const large = { width: 1440, height: 900 };
const small = { width: 1024, height: 768 };

describe("pictures", () => {
  let browser: Browser;
  let server: CodeServer;
  let window: Window;

  before(async () => {
    server = await startCodeServer({ hasVsix: true, settings: { "workbench.colorTheme": themes.dark[0] } });
    addCommits(server.organization.repositories["orders-api"].path);
    browser = await launchBrowser();
    window = await Window.open(browser, server, large);
    await window.openTrawl();
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  async function shoot(name: string): Promise<void> {
    // A hover would cover part of the view.
    await window.page.mouse.move(large.width / 2, 5);
    await window.shot(`pictures/${name}`);
    await window.page.setViewportSize(small);
    await window.shot(`pictures/small-${name}`);
    await window.page.setViewportSize(large);
  }

  function row(text: string | RegExp, view: string): Locator {
    return window.pane(view).getByRole("treeitem").filter({ hasText: text }).first();
  }

  it("show a search next to a result", async () => {
    await window.box.searchUntil("retryWithBackoff", /^\d\d matches · .*\d repositories/);
    await window.settled("Results");
    await row("return retryWithBackoff(ctx", "Results").click();
    await window.editorTab(/client\.go/).waitFor();
    await shoot("search");
  });

  it("show results as a document", async () => {
    await window.runCommand("Trawl: Open Results in Editor");
    await window.page.locator(".view-line").filter({ hasText: "retryWithBackoff" }).first().waitFor();
    await shoot("results");
    await window.page.keyboard.press("Control+F4");
  });

  it("show who wrote each line", async () => {
    await window.editorTab(/client\.go/).click();
    await window.runCommand("Trawl: Toggle File Blame");
    await window.page.locator(".view-line").filter({ hasText: "type Client" }).first().waitFor();
    await shoot("blame");
    await window.runCommand("Trawl: Toggle File Blame");
  });

  it("show the commits of a repository, and what one of them changed", async () => {
    await window.runCommand("Trawl: Show Repository History");
    await window.pick("orders-api");
    const panel = window.page.locator(".part.panel");
    await panel.getByRole("treeitem").filter({ hasText: "Wait as long" }).first().click();
    await row("Ada Lovelace <ada@example.com>", "Commit").waitFor();
    await row(/^limits\.yaml/, "Commit").waitFor();
    await window.settled("Commit");
    await shoot("history");
  });

  it("show how two branches differ", async () => {
    await window.runCommand("Trawl: Compare Revisions");
    await window.pick("orders-api");
    await window.pick("feature/async-orders", "Compare From");
    await window.pick("main", "Compare feature/async-orders To");
    await row(/^Changed Files\d files/, "Compare").waitFor();
    await row("Changed Files", "Compare").hover();
    await row("Changed Files", "Compare").getByRole("button", { name: "Open All Differences" }).click();
    await window.page.locator(".multiDiffEntry").first().waitFor();
    await window.settled("Compare");
    await shoot("compare");
  });
});

/** Adds commits that change a line and add a file, by other authors. */
function addCommits(path: string): void {
  const client = join(path, "internal/http/client.go");
  const change = (from: string, to: string) =>
    writeFileSync(client, readFileSync(client, "utf8").replace(from, to));
  change("talks to payments", "talks to payments, politely");
  const grace = ["--author", "Grace Hopper <grace@example.com>", "--date", "2024-05-01T10:00:00+02:00"];
  runGit(path, ["commit", "-qa", ...grace, "-m", "Be polite to payments"]);
  change(
    "	address string\n",
    "	address string\n	// patience is how long an order may take.\n	patience int\n",
  );
  mkdirSync(join(path, "config"), { recursive: true });
  writeFileSync(join(path, "config/limits.yaml"), "limits:\n  orders: 20\n");
  const message = "Wait as long as the customer does\n\nAn order is worth more than a quick error.";
  const ada = ["--author", "Ada Lovelace <ada@example.com>", "--date", new Date().toISOString()];
  runGit(path, ["add", "-A"]);
  runGit(path, ["commit", "-q", ...ada, "-m", message]);
}

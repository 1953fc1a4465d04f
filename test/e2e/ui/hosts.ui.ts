/** Repositories of a code host that are not on this computer: added, searched, opened, blamed and navigated. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Locator } from "playwright-core";
import { type CodeServer, startCodeServer } from "#e2e/driver/codeServer";
import { drawnLines } from "#e2e/driver/drawnLines";
import { launchBrowser, Window } from "#e2e/driver/window";
import { eventually } from "#test/support/eventually";
import { type GitServer, gitServer } from "#test/support/gitServer";

const account = { user: "svc", password: "e2e-t0ken" };

describe("code hosts", () => {
  const ends: (() => unknown)[] = [];
  let host: GitServer;
  let browser: Browser;
  let server: CodeServer;
  let window: Window;

  before(async () => {
    host = await gitServer({ after: (end) => void ends.push(end as () => unknown) });
    host.credentials = account;
    host.create(
      "acme/shop",
      `
      = main: Price a cart
      cart.go
      | package shop
      |
      | // CartTotal adds up prices.
      | func CartTotal(prices []float64) float64 {
      | 	sum := 0.0
      | 	for _, price := range prices {
      | 		sum += price
      | 	}
      | 	return roundHalfUp(sum)
      | }
      `,
    );
    host.create(
      "acme/money",
      `
      = main: Round prices
      round.go
      | package money
      |
      | // roundHalfUp rounds to cents, half a cent up.
      | func roundHalfUp(amount float64) float64 {
      | 	return math.Floor(amount*100+0.5) / 100
      | }
      `,
    );
    server = await startCodeServer({
      hasVsix: true,
      isFirstRun: true,
      environment: { SHOP_TOKEN: account.password },
    });
    browser = await launchBrowser();
    window = await Window.open(browser, server);
    await window.openTrawl();
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
    for (const end of ends) await end();
  });

  function row(name: RegExp, view = "Code Hosts"): Locator {
    return window.pane(view).getByRole("treeitem", { name }).first();
  }

  /** Waits for a step of the dialog. */
  async function step(title: RegExp, prompt: string): Promise<void> {
    await window.page.locator(".quick-input-title").filter({ hasText: title }).waitFor();
    await window.page.locator(".quick-input-widget").getByText(prompt).waitFor();
  }

  async function choose(label: string): Promise<void> {
    await window.quickRows.filter({ hasText: label }).first().click();
  }

  async function enter(text: string): Promise<void> {
    await window.quickInput.fill(text);
    await window.page.keyboard.press("Enter");
  }

  it("are added in three steps, and what they will mirror is confirmed", async () => {
    await window.box.search("CartTotal");
    await window.collapse("Search");
    await window.collapse("Results");
    await window.runCommand("Trawl: Add Code Host...");
    await window.quickRows.filter({ hasText: "Other Git Server" }).waitFor();
    await window.shot("hostsTypes");
    await choose("Other Git Server");
    await step(/1 of 3/, "Address of the host.");
    await window.quickInput.fill(host.origin);
    await window.page.locator(".quick-input-widget").getByText("Not encrypted").waitFor();
    await window.shot("hostsAddress");
    await window.page.keyboard.press("Enter");
    await window.quickRows.filter({ hasText: "No Credentials" }).waitFor();
    await window.shot("hostsSignIn");
    await window.page.getByRole("button", { name: "Back" }).click();
    await step(/1 of 3/, "Address of the host.");
    assert.equal(await window.quickInput.inputValue(), host.origin);
    await window.page.keyboard.press("Enter");
    await choose("Environment Variable");
    await step(/2 of 3/, "Name of the environment variable");
    await enter("SHOP_TOKEN");
    await step(/2 of 3/, "Name of the user");
    await enter(account.user);
    await choose("Repositories");
    await step(/3 of 3/, "separated by commas or spaces");
    await enter("acme/shop.git, acme/money.git");
    const dialog = window.page.locator(".monaco-dialog-box");
    await dialog.getByText("Mirror 2 repositories of").waitFor();
    await dialog.getByText("acme/money").waitFor();
    await window.shot("hostsConfirm");
    await dialog.getByRole("button", { name: "Add" }).click();
  });

  it("show their repositories, which are then searched", async () => {
    await row(/^127\.0\.0\.1-\d+, 2 repositories$/).waitFor();
    await row(/^127\.0\.0\.1-\d+, /).click();
    await row(/^Mirrored, 2/).click();
    await row(/^acme\/shop, fetched/).waitFor();
    await window.settled("Code Hosts");
    await window.shot("hosts");
    const file = join(server.dataDirectory, "connections.jsonc");
    assert.match(readFileSync(file, "utf8"), /"token": \{\s*"env": "SHOP_TOKEN"\s*\}/);
    await window.collapse("Code Hosts");
    for (const view of ["Search", "Results"]) await window.expand(view);
    await window.box.searchWithSymbols("roundHalfUp", /[23] matches/);
    await window.box.searchUntil("CartTotal", /[12] match/);
    await row(/cart\.go/, "Results").waitFor();
  });

  it("open files read-only, with blame and definitions in other repositories", async () => {
    await window.settled("Results");
    await window
      .pane("Results")
      .getByRole("treeitem", { name: /func CartTotal/ })
      .last()
      .dblclick();
    await window
      .editorTab(/cart\.go/)
      .first()
      .waitFor();
    await window.page.locator(".view-line").filter({ hasText: "roundHalfUp(sum)" }).waitFor();
    await window.goToLine(9, 12);
    await eventually(async () => (await drawnLines(window)).some(({ after }) => /Ann Author/.test(after)));
    await window.shot("hostsBlame");
    await window.page.keyboard.press("F12");
    await window
      .editorTab(/round\.go/)
      .first()
      .waitFor();
    await window.page.locator(".view-line").filter({ hasText: "func roundHalfUp" }).waitFor();
    await eventually(async () => (await window.cursorLine()) === 4);
    await window.shot("hostsDefinition");
    const notifications = await window.notifications();
    assert.deepEqual(
      notifications.filter((text) => !text.includes("Listing")),
      [],
    );
  });

  it("show what a listing would change", async () => {
    await window.collapse("Search");
    await window.collapse("Results");
    await window.expand("Code Hosts");
    await row(/^127\.0\.0\.1-\d+, /).click({ button: "right" });
    await window.choose("Show Plan");
    await window
      .editorTab(/Plan of 127/)
      .first()
      .waitFor();
    await window.page.locator(".view-line").filter({ hasText: "0 to add" }).waitFor();
    await window.shot("hostsPlan");
  });

  it("apply their settings when these are saved, and show what fails and why", async () => {
    await row(/^127\.0\.0\.1-\d+, /).click({ button: "right" });
    await window.choose("Open Configuration");
    await window
      .editorTab(/connections\.jsonc/)
      .first()
      .waitFor();
    const line = window.page.locator(".view-line").filter({ hasText: "acme/shop.git" });
    await line.click();
    await window.page.keyboard.press("End");
    await window.page.keyboard.type(' "acme/none.git",');
    await window.page.keyboard.press("Control+S");
    await row(/^127\.0\.0\.1-\d+, 1 failing · 3 repositories$/).waitFor();
    await row(/^Failing, 1/).click();
    await row(/^acme\/none, .*not found/i).waitFor();
    await window.shot("hostsFailing");
  });
});

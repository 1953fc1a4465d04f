/** Repositories of a code host that are not on this computer: added, searched, opened, blamed and navigated. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Locator } from "playwright-core";
import { type CodeServer, startCodeServer } from "#e2e/driver/codeServer";
import { type DrawnLine, drawnLines } from "#e2e/driver/drawnLines";
import { type ShopHost, startShopHost } from "#e2e/driver/shopHost";
import { launchBrowser, Window } from "#e2e/driver/window";
import { eventually } from "#test/support/eventually";

describe("code hosts", () => {
  let host: ShopHost;
  let browser: Browser;
  let server: CodeServer;
  let window: Window;

  before(async () => {
    host = await startShopHost();
    server = await startCodeServer({
      hasVsix: true,
      isFirstRun: true,
      settings: { "git.enabled": true },
      environment: { SHOP_TOKEN: host.token },
    });
    browser = await launchBrowser();
    window = await Window.open(browser, server);
    await window.openTrawl();
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
    await host?.stop();
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
    await window.quickRows.filter({ hasText: host.brand }).waitFor();
    await window.shot("hostsTypes");
    await choose(host.brand);
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
    if (host.asksForUser) {
      await step(/2 of 3/, "Name of the user");
      await enter(host.user);
    }
    await choose(host.scope);
    await step(/3 of 3/, "separated by commas or spaces");
    await enter(["acme/shop", "acme/money"].map(host.nameOf).join(", "));
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
    const isBlamed = ({ text, after }: DrawnLine) => /roundHalfUp/.test(text) && /Ann Author/.test(after);
    await eventually(async () => (await drawnLines(window)).some(isBlamed));
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

  it("are cloned from, with the credentials that git asks for", async () => {
    await window.collapse("Search");
    await window.collapse("Results");
    await window.expand("Code Hosts");
    const folder = join(server.root, "clones");
    mkdirSync(folder);
    await row(/^acme\/shop, fetched/).click({ button: "right" });
    await window.choose("Clone...");
    const select = window.page.getByRole("button", { name: "Select as Repository Destination" });
    // The dialog first enters a folder of its own.
    await window.quickRows.filter({ hasText: "clones" }).waitFor();
    await window.quickInput.fill(`${folder}/`);
    await window.quickRows.filter({ hasText: "clones" }).waitFor({ state: "detached" });
    await select.click();
    for (const [prompt, text] of [
      ["Username", host.user],
      ["Password", host.token],
    ] as const) {
      await window.page.locator(".quick-input-widget").getByPlaceholder(prompt).fill(text);
      await window.page.keyboard.press("Enter");
    }
    await eventually(() => existsSync(join(folder, "shop/cart.go")));
    const dialog = window.page.locator(".monaco-dialog-box");
    await dialog.getByText(/would you like to open the/i).waitFor();
    await window.shot("hostsCloned");
    await dialog.getByRole("button", { name: "Cancel" }).click();
  });

  it("show what a listing would change", async () => {
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
    const line = window.page.locator(".view-line").filter({ hasText: "acme/shop" });
    await line.click();
    await window.page.keyboard.press("End");
    await window.page.keyboard.type(` "${host.nameOf("acme/none")}",`);
    await window.page.keyboard.press("Control+S");
    await row(host.missing.row).waitFor();
    if (host.missing.group !== undefined) await row(host.missing.group).click();
    await row(host.missing.reason).waitFor();
    await window.shot("hostsFailing");
  });
});

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Locator } from "playwright-core";
import { type CodeServer, startCodeServer } from "#e2e/driver/codeServer";
import { TablePage } from "#e2e/driver/tablePage";
import { applyTheme, themeNames, themes } from "#e2e/driver/themes";
import { type RunningTrawl, runTrawl, setGitUser, startTrawl } from "#e2e/driver/trawlProgram";
import { launchBrowser, Window } from "#e2e/driver/window";
import { eventually } from "#test/support/eventually";

describe("an organization with a license", () => {
  let browser: Browser;
  let server: CodeServer;
  let service: RunningTrawl;
  let window: Window;
  let page: TablePage;
  const licenses = { good: "", expired: "", stranger: "" };
  let ownersKey = "";

  before(async () => {
    server = await startCodeServer({
      hasVsix: true,
      settings: { "workbench.colorTheme": themes.dark[0], "trawl.trace.server": "verbose" },
    });
    setGitUser(server, "Ann Archer", "ann@acme.example");
    const publicKey = await makeLicenses();
    // Only an operator can trust a license issuer.
    service = await startTrawl(server, { licenseMakers: [publicKey], paths: [server.organization.folder] });
    browser = await launchBrowser();
    window = await Window.open(browser, server, {
      prepare: (opened) => opened.context().grantPermissions(["clipboard-read", "clipboard-write"]),
    });
    window.page.setDefaultTimeout(15_000);
    await window.openTrawl();
    page = new TablePage(window);
  });

  after(async () => {
    await browser?.close();
    await service?.stop();
    await server?.stop();
  });

  /** Issues the licenses of this spec, and returns the public key that verifies the good ones. */
  async function makeLicenses(): Promise<string> {
    const pair = generateKeyPairSync("ed25519");
    const stranger = generateKeyPairSync("ed25519");
    const issue = async (key: typeof pair, expires: string) => {
      const file = join(server.root, "maker.pem");
      writeFileSync(file, key.privateKey.export({ format: "pem", type: "pkcs8" }), { mode: 0o600 });
      const words = ["--key", file, "--organization", "Acme", "--seats", "20", "--expires", expires];
      return (await runTrawl(server, ["license", "issue", ...words])).trim();
    };
    licenses.good = await issue(pair, "2099-12-31");
    licenses.expired = await issue(pair, "2020-03-01");
    licenses.stranger = await issue(stranger, "2099-12-31");
    return pair.publicKey.export({ format: "jwk" }).x ?? "";
  }

  const dialog = (): Locator => window.page.locator(".monaco-dialog-box");
  const message = (text: string | RegExp): Locator =>
    window.page.locator(".quick-input-message").filter({ hasText: text });

  async function clickDialogButton(button: string): Promise<void> {
    await dialog().getByRole("button", { name: button, exact: true }).click();
    await dialog().waitFor({ state: "detached" });
  }

  /** Returns which of the licensed pages the Command Palette offers. */
  async function listedCommands(): Promise<readonly string[]> {
    // This command is always listed.
    await window.openPalette("Trawl: Show", "Trawl: Show Status");
    const rows = await window.quickRows.allTextContents();
    await window.page.keyboard.press("Escape");
    await window.quickInput.waitFor({ state: "hidden" });
    return ["Members", "Audit Log"].filter((name) => rows.some((row) => row.includes(`Trawl: Show ${name}`)));
  }

  /** The masked input box for a license. */
  const licenseInput = (): Locator => window.page.locator('.quick-input-widget input[type="password"]');

  async function enter(license: string): Promise<void> {
    await licenseInput().fill(license);
    await licenseInput().press("Enter");
  }

  /** Takes a screenshot in each kind of theme, and checks contrast in each, the other accessibility rules in one. */
  async function shoot(scene: string): Promise<void> {
    for (const theme of themeNames) {
      await applyTheme(window, server, theme, page.frame);
      await window.shot(`organization/${scene}-${theme}`);
      assert.deepEqual(await page.violations(theme === "dark" ? [] : ["color-contrast"]), [], theme);
    }
    await applyTheme(window, server, "dark", page.frame);
  }

  /** Sends a REST request with an API key, and returns the status. */
  async function statusOf(path: string, key: string, method = "GET"): Promise<number> {
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    return (await fetch(`${service.url}${path}`, { method, headers })).status;
  }

  async function addMember(email: string, name: string, ...more: string[]): Promise<string> {
    await runTrawl(server, ["members", "add", email, "--name", name, ...more]);
    const words = ["keys", "create", "laptop", "--member", email, "--json"];
    return JSON.parse(await runTrawl(server, words)).key;
  }

  it("does not offer members and the audit log without a license", async () => {
    assert.deepEqual(await listedCommands(), []);
  });

  it("rejects an unreadable, modified or foreign license, and says why", async () => {
    await window.runCommand("Trawl: Enter License Key...");
    await message("No license is installed.").waitFor();
    await window.shot("organization/1-license");
    const [head = "", body = "", signature = ""] = licenses.good.split(".");
    const claims = JSON.parse(Buffer.from(body, "base64url").toString("utf8"));
    const more = Buffer.from(JSON.stringify({ ...claims, seats: 1_000 })).toString("base64url");
    for (const [license, reason] of [
      ["hunter2", "The license cannot be read"],
      [`${head}.${more}.${signature}`, "The license was changed after it was issued"],
      [licenses.stranger, "signed by an issuer that this instance does not trust"],
    ] as const) {
      await enter(license);
      await message(reason).waitFor();
    }
    await window.shot("organization/2-license-refused");
  });

  it("reports an expired license", async () => {
    await enter(licenses.expired);
    await message(/The license expired on (?:Mar 1|Feb 29), 2020\./).waitFor();
    await window.shot("organization/3-license-expired");
  });

  it("accepts a valid license with line breaks from an email", async () => {
    await enter(licenses.good.replaceAll(/(.{60})/g, "$1 "));
    const statusItem = window.page.locator(".statusbar-item").filter({ hasText: /Licensed to Acme until / });
    await statusItem.first().waitFor();
    await licenseInput().waitFor({ state: "hidden" });
    assert.deepEqual(await listedCommands(), ["Members", "Audit Log"]);
  });

  it("lists its members", async () => {
    await window.runCommand("Trawl: Show Members");
    await window.editorTab("Members").waitFor();
    await page.row("ann@acme.example").waitFor();
    const [ann = []] = await page.texts();
    assert.deepEqual(ann.slice(0, 3), ["Ann Archer", "ann@acme.example", "Owner"]);
    // No other member could add members again.
    assert.equal(ann.at(-1), "last owner");
    await shoot("4-one-member");
  });

  it("adds a member", async () => {
    await page.press("Add Member...");
    await window.quickInput.fill("nobody");
    await message("Enter a valid email address.").waitFor();
    await window.quickInput.fill("bob@acme.example");
    await window.page.keyboard.press("Enter");
    await message("Name (optional)").waitFor();
    await window.quickInput.fill("Bob Baker");
    await window.page.keyboard.press("Enter");
    await window.pick("can search and read code", "Add Member");
    await page.row("bob@acme.example").waitFor();
    assert.deepEqual((await page.texts())[1]?.slice(0, 3), ["Bob Baker", "bob@acme.example", "Member"]);
  });

  it("promotes a member, and demotes an owner", async () => {
    const key = JSON.parse(
      await runTrawl(server, ["keys", "create", "laptop", "--member", "bob@acme.example", "--json"]),
    ).key;
    assert.equal(await statusOf("/api/ee/users", key), 403);
    await page.button("Make Owner: Bob Baker (bob@acme.example)").click();
    await page.button("Make Member: Bob Baker (bob@acme.example)").waitFor();
    assert.equal(await statusOf("/api/ee/users", key), 200);
    await page.button("Make Member: Bob Baker (bob@acme.example)").click();
    await page.button("Make Owner: Bob Baker (bob@acme.example)").waitFor();
    assert.equal(await statusOf("/api/ee/users", key), 403);
  });

  it("removes a member after confirmation, and revokes their keys at once", async () => {
    const key = await addMember("carol@acme.example", "Carol Ćirić");
    await page.press("Refresh Members");
    await page.button(/^Remove from Organization\.\.\.: Carol/).click();
    await dialog().getByText("Remove Carol Ćirić (carol@acme.example) from the organization?").waitFor();
    await dialog()
      .getByText(/sessions of Carol .* are revoked immediately/)
      .waitFor();
    await window.shot("organization/5-remove");
    await clickDialogButton("Cancel");
    assert.equal(await statusOf("/api/repos", key), 200);
    await page.button(/^Remove from Organization\.\.\.: Carol/).click();
    await clickDialogButton("Remove from Organization");
    await page.row("carol@acme.example").waitFor({ state: "detached" });
    assert.equal(await statusOf("/api/repos", key), 401);
  });

  it("keeps its last owner, even if the page is stale", async () => {
    ownersKey = await addMember("dora@acme.example", "Dora Dvořák", "--owner");
    await page.press("Refresh Members");
    await page.button(/^Make Member: Dora/).waitFor();
    // Meanwhile, an operator demotes the other owner in a terminal.
    await runTrawl(server, ["members", "demote", "ann@acme.example"]);
    await page.button(/^Make Member: Dora/).click();
    await page.waitForNote(
      "dora@acme.example is the last owner of the organization and cannot be demoted to member.",
    );
    assert.equal(await page.row("dora@acme.example").locator("td").last().textContent(), "last owner");
    await window.shot("organization/6-last-owner");
    await page.button(/^Make Owner: Ann/).click();
    await page.button(/^Remove from Organization\.\.\.: Dora/).waitFor();
  });

  it("lists many members with any names, also in a narrow window", async () => {
    for (let number = 1; number <= 8; number++) {
      await runTrawl(server, [
        "members",
        "add",
        `worker${number}@acme.example`,
        "--name",
        `<b>Worker</b> ${number} of the night shift`,
      ]);
    }
    await page.press("Refresh Members");
    await page.row("worker8@acme.example").waitFor();
    assert.equal(await page.frame.locator("#rows b").count(), 0);
    await shoot("7-members");
    await window.page.setViewportSize({ width: 640, height: 600 });
    await window.shot("organization/7-members-narrow");
    assert.deepEqual(await page.violations(), []);
    await window.page.setViewportSize({ width: 1280, height: 800 });
  });

  it("lists its members over REST, too", async () => {
    await window.page.locator(".editor-group-container .codicon-toolbar-more").first().click();
    await window.choose("Copy as API Call");
    const line = await eventually(async () => {
      const text = await window.page.evaluate(() => navigator.clipboard.readText());
      return text.startsWith("curl") && text;
    });
    assert.equal(line, `curl -sS ${service.url}/api/ee/users -H "Authorization: Bearer $TRAWL_API_KEY"`);
    assert.equal(await statusOf("/api/ee/users", ownersKey), 200);
  });

  it("shows the audit log, newest first, with names", async () => {
    await window.runCommand("Trawl: Show Audit Log");
    await window.editorTab("Audit Log").waitFor();
    await page.row("org.owner_demoted_to_member").waitFor();
    const texts = await page.texts();
    assert.ok(
      texts.some(
        ([, action, actor, target]) =>
          action === "org.member_added" && actor === "ann@acme.example" && target === "worker8@acme.example",
      ),
    );
    const times = await page.rows.evaluateAll((rows) =>
      rows.map((row) => row.querySelector("td span")?.getAttribute("title") ?? ""),
    );
    assert.deepEqual(times, [...times].sort().reverse());
    await page.frame.getByText("Viewing this log adds records to it").waitFor();
    await page.row("api_key.created").locator("summary").click();
    await page.row("api_key.created").locator("pre").getByText('"source"').waitFor();
    await shoot("8-audit");
  });

  it("filters the loaded records, and reports that the filter covers only these", async () => {
    await page.field("filter").fill("user.delete CAROL");
    await page.waitForNote(/^0 of \d+ loaded records match the filter/);
    await window.shot("organization/9-audit-nothing");
    await page.field("filter").fill("user.delete");
    await page.waitForNote(/^1 of \d+ loaded records match the filter; \d+ records in total/);
    assert.equal(await page.rows.count(), 1);
    await page.field("filter").fill("");
    await eventually(async () => (await page.rows.count()) > 20);
  });

  it("requests the records of a time range", async () => {
    await page.field("range").selectOption("hour");
    await page.waitForNote(/^\d+ of \d+ records$/);
    assert.ok((await page.rows.count()) > 20);
    await page.field("range").selectOption("custom");
    await page.field("until").waitFor();
    await page.field("since").fill("2001-01-01T00:00");
    await page.field("until").fill("2001-01-02T00:00");
    await page.waitForNote("No records in this time range.");
    await shoot("10-audit-empty");
    await page.field("until").fill("2000-01-01T00:00");
    await page.waitForNote("The start is after the end. Choose an earlier start.");
    await window.shot("organization/11-audit-wrong");
    await page.field("range").selectOption("all");
    await page.waitForNote(/^\d+ of \d+ records$/);
  });

  it("loads older records page by page, without moving the visible ones", async () => {
    const body = JSON.stringify({ query: "retry", matches: 1 });
    const headers = { Authorization: `Bearer ${ownersKey}`, "Content-Type": "application/json" };
    for (let number = 0; number < 130; number++) {
      await fetch(`${service.url}/api/search`, { method: "POST", headers, body });
    }
    await page.press("Refresh Audit Log");
    await page.waitForNote(/^100 of \d{3} records$/);
    assert.equal(await page.rows.count(), 100);
    assert.match(
      (await page.row("performed_code_search").textContent()) ?? "",
      /laptop · dora@acme\.example/,
    );
    const first = await page.rows.nth(50).getAttribute("data-key");
    await page.rows.nth(50).scrollIntoViewIfNeeded();
    await page.button("Load Older Records").click();
    await eventually(async () => (await page.rows.count()) > 100);
    assert.equal(await page.rows.nth(50).getAttribute("data-key"), first);
    const keys = await page.rows.evaluateAll((rows) => rows.map((row) => row.getAttribute("data-key")));
    assert.equal(new Set(keys).size, keys.length);
  });

  it("follows the log, and keeps expanded records expanded", async () => {
    await page.field("filter").fill("member");
    await page.press("Follow Audit Log");
    await page.waitForNote(/refreshed every 10 seconds/);
    const before = await page.rows.count();
    const opened = page.rows.first().locator("details");
    await opened.locator("summary").click();
    await runTrawl(server, ["members", "add", "eve@acme.example", "--name", "Eve"]);
    await eventually(async () => (await page.rows.count()) > before);
    assert.equal(await page.frame.locator("#rows details[open]").count(), 1);
    await page.press("Stop Following Audit Log");
    await page.notes.getByText(/followed/).waitFor({ state: "detached" });
    await page.field("filter").fill("");
  });

  for (const format of ["csv", "json"] as const) {
    it(`exports the whole log as ${format}`, async () => {
      const path = join(server.root, `log.${format}`);
      await page.press("Export Audit Log...");
      // The dialog first fills in its own suggestion.
      await eventually(async () => (await window.quickInput.inputValue()).endsWith("audit-log.csv"));
      await window.quickInput.fill(path);
      // The dialog reads the folder before it accepts a name.
      await eventually(async () => {
        if (await window.quickInput.isHidden()) return true;
        await window.quickInput.press("Enter").catch(() => {});
        return false;
      });
      await page.waitForNote(`records to ${path}.`);
      const text = readFileSync(path, "utf8");
      const reported = Number(/Exported (\d+) records to/.exec((await page.notes.textContent()) ?? "")?.[1]);
      const count = format === "json" ? JSON.parse(text).length : text.trimEnd().split("\r\n").length - 1;
      assert.equal(count, reported);
      assert.ok(count > 160, `${count}`);
      assert.match(text, /user\.delete/);
      const drafts = readdirSync(server.root).filter((name) => name.endsWith(".part"));
      assert.deepEqual(drafts, []);
    });
  }

  it("hides members and the log after the license expires, and reports the date", async () => {
    await runTrawl(server, ["license", "install", licenseFile(licenses.expired)]).catch(() => {});
    await page.press("Refresh Audit Log");
    await page.waitForNote(/The license expired on (?:Mar 1|Feb 29), 2020\./);
    assert.equal(await page.rows.count(), 0);
    await shoot("12-audit-expired");
    await page.button("Enter License Key...").click();
    await message(/The license expired on/).waitFor();
    await window.page.keyboard.press("Escape");
    assert.deepEqual(await listedCommands(), []);
  });

  function licenseFile(license: string): string {
    const path = join(server.root, "license.jwt");
    writeFileSync(path, license);
    return path;
  }

  it("keeps licenses out of every log and trace", () => {
    const folder = join(server.root, "data");
    const logs = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".log"))
      .map((path) => readFileSync(join(folder, path), "utf8"));
    assert.ok(logs.some((text) => text.includes("trawl/installLicense")));
    const [, claims = ""] = licenses.good.split(".");
    assert.deepEqual(
      logs.filter((text) => text.includes(claims)).map((text) => text.slice(0, 200)),
      [],
    );
  });

  it("shows no notifications", async () => {
    assert.deepEqual(await window.notifications(), []);
  });
});

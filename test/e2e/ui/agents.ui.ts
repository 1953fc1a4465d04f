import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Locator } from "playwright-core";
import { type CodeServer, startCodeServer } from "#e2e/driver/codeServer";
import { until } from "#e2e/driver/processes";
import { shootThemes, themes } from "#e2e/driver/themes";
import { beGitUser } from "#e2e/driver/trawlProgram";
import { launchBrowser, Window } from "#e2e/driver/window";

describe("agents", () => {
  let browser: Browser;
  let server: CodeServer;
  let window: Window;
  let file = "";
  let text = "";
  let key = "";

  before(async () => {
    server = await startCodeServer({ hasVsix: true, settings: { "workbench.colorTheme": themes.dark[0] } });
    beGitUser(server, "Ann", "ann@acme.example");
    file = join(server.organisation.repositories["orders-api"].path, "CLAUDE.md");
    browser = await launchBrowser();
    window = await Window.open(browser, server, {
      prepare: (page) => page.context().grantPermissions(["clipboard-read", "clipboard-write"]),
    });
    await window.openTrawl();
    await window.box.searchUntil("retryWithBackoff", /6 repositories/);
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  const title = "Set Up for Agents: Claude Code";
  const dialog = (): Locator => window.page.locator(".monaco-dialog-box");

  async function answer(button: string): Promise<void> {
    await dialog().getByRole("button", { name: button }).click();
    await dialog().waitFor({ state: "detached" });
  }

  async function copied(form: RegExp): Promise<string> {
    return await until(`${form} is in the clipboard`, async () => {
      const found = await window.page.evaluate(() => navigator.clipboard.readText());
      return form.test(found) && found;
    });
  }

  it("are set up from the view, each with what it reads", async () => {
    for (const view of ["Search", "Results", "Repositories"]) await window.header(view).click();
    await window.expand("API & Agents");
    const row = (name: RegExp) => window.pane("API & Agents").getByRole("treeitem", { name });
    await window.settled("API & Agents");
    await row(/^Agents$/).click();
    await row(/^VS Code agent mode, on, nothing to do$/).waitFor();
    for (const name of ["Claude Code", "Cursor", "Codex", "Other agents"]) {
      await row(new RegExp(`^${name}, set up`)).waitFor();
    }
    await window.runCommand("Trawl: Set Up for Agents...");
    await window.quickRows.filter({ hasText: ".cursor/rules/trawl.mdc" }).waitFor();
    await shootThemes(window, server, "agents/1-which");
    await window.page.keyboard.press("Escape");
    await window.settled("API & Agents");
    await row(/^Claude Code, set up/).click();
    await window.quickRows.filter({ hasText: "Start Local Endpoint" }).waitFor();
  });

  it("are shown the text before anything is written", async () => {
    await window.editorTab("Claude Code.md").waitFor();
    await window.page.locator(".view-line").filter({ hasText: "Code search (Trawl)" }).waitFor();
    await window.quickRows.filter({ hasText: "There is none yet." }).waitFor();
    await shootThemes(window, server, "agents/2-steps");
    assert.equal(existsSync(file), false);
  });

  it("get an endpoint and a key on the way", async () => {
    await window.pick("Start Local Endpoint", title);
    await answer("Start");
    await window.quickRows.filter({ hasText: "The local endpoint runs" }).waitFor();
    await window.pick("Create API Key...", title);
    await window.page.locator('.quick-input-title:text-is("Create API Key")').waitFor();
    await window.quickInput.fill("Claude Code");
    await window.page.keyboard.press("Enter");
    await window.pick("1 year");
    await answer("Copy Key");
    key = await copied(/^trwl_[\w-]{43}$/);
    await window.quickRows.filter({ hasText: "The agent needs one, in" }).waitFor();
  });

  it("can do all that the text says", async () => {
    await window.pick("Copy the Text", title);
    text = await copied(/Code search \(Trawl\)/);
    assert.ok(!text.includes(key));
    const calls = text.split("\n").filter((line) => line.startsWith("    curl "));
    assert.equal(calls.length, 5);
    for (const call of calls) {
      const environment = { PATH: process.env["PATH"], TRAWL_API_KEY: key };
      const said = execFileSync("sh", ["-c", call], { env: environment, encoding: "utf8" });
      const { errorCode } = JSON.parse(said);
      // The repository need not have the file of the example.
      assert.ok(errorCode === undefined || errorCode === "FILE_NOT_FOUND", `${call}\n${said}`);
    }
  });

  it("have it written into their file, once", async () => {
    for (const time of ["first", "second"]) {
      await window.runCommand("Trawl: Set Up for Agents...");
      await window.pick("Claude Code", "Set Up for Agents");
      await window.pick("Add to CLAUDE.md", title);
      await window.editorTab("CLAUDE.md").waitFor();
      await until(`the ${time} time`, () => existsSync(file) && readFileSync(file, "utf8") === text);
    }
    await window.shot("agents/3-written");
  });

  it("had no notification", async () => {
    assert.deepEqual(await window.notifications(), []);
  });
});

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Locator } from "playwright-core";
import { type CodeServer, startCodeServer, trawlServers } from "#e2e/driver/codeServer";
import { kill } from "#e2e/driver/signals";
import { shootThemes, themes } from "#e2e/driver/themes";
import { setGitUser } from "#e2e/driver/trawlProgram";
import { launchBrowser, Window } from "#e2e/driver/window";
import { eventually } from "#test/support/eventually";

describe("agents", () => {
  let browser: Browser;
  let server: CodeServer;
  let window: Window;
  let file = "";
  let text = "";
  let key = "";
  /** The configuration of Cursor. */
  let configuration = "";

  before(async () => {
    server = await startCodeServer({ hasVsix: true, settings: { "workbench.colorTheme": themes.dark[0] } });
    setGitUser(server, "Ann", "ann@acme.example");
    file = join(server.organization.repositories["orders-api"].path, "CLAUDE.md");
    configuration = join(server.root, ".cursor/mcp.json");
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

  async function clickDialogButton(button: string): Promise<void> {
    await dialog().getByRole("button", { name: button }).click();
    await dialog().waitFor({ state: "detached" });
  }

  async function copied(form: RegExp): Promise<string> {
    return await eventually(async () => {
      const found = await window.page.evaluate(() => navigator.clipboard.readText());
      return form.test(found) && found;
    });
  }

  const restTitle = "Set Up for Agents: REST instructions";
  /** Opens the instructions for the reader of the REST API with this name. */
  async function openInstructions(reader: string): Promise<void> {
    await window.runCommand("Trawl: Set Up for Agents...");
    await window.pick("REST instructions", "Set Up for Agents");
    await window.pick(reader, restTitle);
  }

  it("that use MCP are listed in the view, and get Trawl in their configuration", async () => {
    for (const view of ["Search", "Results"]) await window.collapse(view);
    await window.expand("API & Agents");
    const row = (name: RegExp) => window.pane("API & Agents").getByRole("treeitem", { name });
    await window.settled("API & Agents");
    await row(/^Agents$/).click();
    await row(/^VS Code agent mode, ready$/).waitFor();
    for (const name of ["Claude Code", "Codex", "Cursor", "OpenCode", "Gemini CLI", "REST instructions"]) {
      await row(new RegExp(`^${name}, set up`)).waitFor();
    }
    await window.runCommand("Trawl: Set Up for Agents...");
    await window.quickRows.filter({ hasText: "REST instructions" }).waitFor();
    await shootThemes(window, server, "agents/1-which");
    await window.page.keyboard.press("Escape");
    await window.settled("API & Agents");
    await row(/^Cursor, set up/).click();
    await window.editorTab("Cursor.txt").waitFor();
    await window.page.locator(".view-line").filter({ hasText: "mcpServers" }).waitFor();
    await window.quickRows.filter({ hasText: "Copy the Configuration" }).waitFor();
    assert.equal(existsSync(configuration), false);
    await window.pick("Add to the Configuration", "Set Up for Agents: Cursor");
    const { command, args } = await eventually(
      () => existsSync(configuration) && JSON.parse(readFileSync(configuration, "utf8")).mcpServers.trawl,
    );
    assert.ok(existsSync(command));
    assert.ok(existsSync(args[0]));
    assert.match(args.join(" "), /\/trawl\.js mcp/);
    await window.runCommand("Trawl: Set Up for Agents...");
    await window.pick("Codex", "Set Up for Agents");
    await window.pick("Copy the Configuration", "Set Up for Agents: Codex");
    await copied(/^\[mcp_servers\.trawl\]\ncommand = /);
  });

  it("and scripts that use REST have instructions, for the file that each agent reads", async () => {
    await window.runCommand("Trawl: Set Up for Agents...");
    await window.pick("REST instructions", "Set Up for Agents");
    await window.quickRows.filter({ hasText: ".cursor/rules/trawl.mdc" }).waitFor();
    await window.pick("Claude Code", restTitle);
    await window.quickRows.filter({ hasText: "Start Local Endpoint" }).waitFor();
  });

  it("get instructions that are previewed before anything is written", async () => {
    await window.editorTab("Claude Code.md").waitFor();
    await window.page.locator(".view-line").filter({ hasText: "Code search (Trawl)" }).waitFor();
    await window.quickRows.filter({ hasText: "No key exists yet." }).waitFor();
    await shootThemes(window, server, "agents/2-steps");
    assert.equal(existsSync(file), false);
  });

  it("get an endpoint and a key during the setup", async () => {
    await window.pick("Start Local Endpoint", title);
    await clickDialogButton("Start");
    await window.quickRows.filter({ hasText: "Local endpoint is running" }).waitFor();
    await window.pick("Create API Key...", title);
    await window.page.locator('.quick-input-title:text-is("Create API Key")').waitFor();
    await window.quickInput.fill("Claude Code");
    await window.page.keyboard.press("Enter");
    await window.pick("1 year");
    await clickDialogButton("Copy Key");
    key = await copied(/^trwl_[\w-]{43}$/);
    await window.quickRows.filter({ hasText: "The agent reads its key from" }).waitFor();
  });

  it("can run every call in the instructions", async () => {
    await window.pick("Copy Instructions", title);
    text = await copied(/Code search \(Trawl\)/);
    assert.ok(!text.includes(key));
    const calls = text.split("\n").filter((line) => line.startsWith("    curl "));
    assert.equal(calls.length, 5);
    for (const call of calls) {
      const environment = { PATH: process.env["PATH"], TRAWL_API_KEY: key };
      const output = execFileSync("sh", ["-c", call], { env: environment, encoding: "utf8" });
      const { errorCode } = JSON.parse(output);
      // The file in the example need not exist.
      assert.ok(errorCode === undefined || errorCode === "FILE_NOT_FOUND", `${call}\n${output}`);
    }
  });

  const address = () => /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0] ?? "";
  const isClosed = async () =>
    await fetch(`${address()}/api/health`).then(
      () => false,
      () => true,
    );

  /** Returns the status of a call without a key and of one with it, once the endpoint responds. */
  async function statuses(): Promise<readonly number[]> {
    return await eventually(async () => {
      const calls = [{}, { Authorization: `Bearer ${key}` }].map((headers) =>
        fetch(`${address()}/api/repos`, { headers }),
      );
      return await Promise.all(calls).then(
        (responses) => responses.map(({ status }) => status),
        () => undefined,
      );
    }, 30_000);
  }

  it("keep their endpoint, and its key, after a crash and after a restart", async () => {
    assert.deepEqual(await statuses(), [401, 200]);
    for (const pid of trawlServers(server)) kill(pid, "SIGKILL");
    await eventually(isClosed);
    assert.deepEqual(await statuses(), [401, 200]);
    await window.runCommand("Trawl: Restart Server");
    await eventually(isClosed);
    assert.deepEqual(await statuses(), [401, 200]);
  });

  it("get the instructions in their own file, once", async () => {
    for (let time = 0; time < 2; time++) {
      await openInstructions("Claude Code");
      await window.pick("Add to CLAUDE.md", title);
      await window.editorTab("CLAUDE.md").waitFor();
      await eventually(() => existsSync(file) && readFileSync(file, "utf8") === text);
    }
    await window.shot("agents/3-written");
  });

  it("have no endpoint after the user stopped it, not even after a restart", async () => {
    await window.runCommand("Trawl: Stop Local Endpoint");
    await eventually(isClosed);
    const before = trawlServers(server);
    await window.runCommand("Trawl: Restart Server");
    await eventually(() => trawlServers(server).some((pid) => !before.includes(pid)));
    await openInstructions("Other agents");
    // Shown once the new server has reported its state.
    await window.quickRows.filter({ hasText: "Start Local Endpoint" }).waitFor();
    assert.equal(await isClosed(), true);
    await window.page.keyboard.press("Escape");
  });

  it("can have an endpoint that always starts", async () => {
    const steps = "Set Up for Agents: Other agents";
    await openInstructions("Other agents");
    await window.pick("Start Local Endpoint", steps);
    await clickDialogButton("Start");
    await window.pick("Always Start", steps);
    await window.quickRows.filter({ hasText: "Always starts with Trawl" }).waitFor();
    await window.shot("agents/4-always");
    await window.page.keyboard.press("Escape");
    const settings = join(server.root, "data/Machine/settings.json");
    assert.match(readFileSync(settings, "utf8"), /"trawl\.api\.enabled": true/);
  });

  it("show no notifications", async () => {
    assert.deepEqual(await window.notifications(), []);
  });
});

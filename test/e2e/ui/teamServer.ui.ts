/** The repositories of a team's server beside those of this computer: connected, searched, opened, and out of reach. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Browser, Locator } from "playwright-core";
import { type CodeServer, startCodeServer } from "#e2e/driver/codeServer";
import { launchBrowser, Window } from "#e2e/driver/window";
import { repo, temporaryFolder } from "#test/support/repo";
import { type Served, serve } from "#test/support/served";
import { trawl } from "#test/support/trawl";

describe("a team's server", () => {
  let team: Served;
  let key: string;
  const dataDir = join(temporaryFolder(), "data");
  let browser: Browser;
  let server: CodeServer;
  let window: Window;

  before(async () => {
    const payments = repo(
      `
      = main: First
      refund.go
      | package payments
      |
      | // refundOrder pays back.
      | func refundOrder(id string) error {
      | 	return chargeCard(id, -1)
      | }
      `,
      { origin: "https://github.com/acme/refunds.git" },
    );
    team = await serve(dataDir, [payments.path], { flags: ["--anonymous", "off"] });
    await team.ready();
    key = (await trawl(["keys", "create", "editor", "--data-dir", dataDir])).stdout.trim();
    server = await startCodeServer({ hasVsix: true });
    browser = await launchBrowser();
    window = await Window.open(browser, server);
    await window.openTrawl();
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
    await team?.kill();
  });

  const widget = () => window.page.locator(".quick-input-widget");

  async function enter(text: string): Promise<void> {
    await widget().locator('input[type="text"], input[type="password"]').first().fill(text);
    await window.page.keyboard.press("Enter");
  }

  function row(name: RegExp, view: string): Locator {
    return window.pane(view).getByRole("treeitem", { name }).first();
  }

  it("is entered with its address and key, and searched together with this computer", async () => {
    await window.box.searchUntil("chargeCard", /2 repositories/);
    await window.runCommand("Trawl: Connect to a Team Server...");
    await widget().getByText("Address of the server.").waitFor();
    await enter("http://search.example.com");
    await widget().getByText("must begin with https://").waitFor();
    await window.shot("teamServerAddress");
    await enter(team.url);
    await widget().getByText("API key or OAuth access token.").waitFor();
    await enter(`trwl_${"x".repeat(43)}`);
    await widget().getByText("rejected the API key").waitFor();
    await window.shot("teamServerKey");
    await enter(key);
    await window.box.searchUntil("chargeCard", /3 repositories/);
    await row(/^refunds, team/, "Results").waitFor();
    await window.settled("Results");
    await window.shot("teamServerResults");
  });

  it("opens its files read-only, and lists its repositories", async () => {
    await row(/return chargeCard\(id, -1\)/, "Results").dblclick();
    await window
      .editorTab(/refund\.go/)
      .first()
      .waitFor();
    await window.page.locator(".view-line").filter({ hasText: "func refundOrder" }).waitFor();
    await window.shot("teamServerFile");
    for (const view of ["Search", "Results"]) await window.collapse(view);
    await window.expand("Repositories");
    await row(/^127\.0\.0\.1:\d+ \(team\)/, "Repositories").waitFor();
    await row(/^refunds/, "Repositories").waitFor();
    await window.settled("Repositories");
    await window.shot("teamServerRepositories");
  });

  it("says that the key was revoked, and searches again after another login", async () => {
    await trawl(["keys", "revoke", "editor", "--data-dir", dataDir]);
    await window.collapse("Repositories");
    for (const view of ["Search", "Results"]) await window.expand(view);
    await window.box.searchUntil("chargeCard", /2 repositories/);
    await window.pane("Results").getByText("rejected the API key").waitFor();
    await window.shot("teamServerRevoked");
    await row(/^Log In Again/, "Results").click();
    await widget().getByText("API key or OAuth access token.").waitFor();
    await window.shot("teamServerLogIn");
    const other = (await trawl(["keys", "create", "other", "--data-dir", dataDir])).stdout.trim();
    await enter(other);
    await row(/^refunds, team/, "Results").waitFor();
    await window.shot("teamServerAgain");
  });

  it("says when it cannot be reached, and what is missing", async () => {
    await team.kill();
    await window.box.searchUntil("chargeCard", /2 repositories/);
    await window.pane("Results").getByText("Results of the team's server").waitFor();
    await window.shot("teamServerUnreachable");
    const notifications = await window.notifications();
    assert.deepEqual(notifications, []);
  });
});

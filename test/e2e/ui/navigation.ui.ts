/** From a name to where it is defined and used, by the keys that people know from elsewhere. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Locator } from "playwright-core";
import { type CodeServer, startCodeServer } from "#e2e/driver/codeServer";
import type { Organisation, RepositoryName } from "#e2e/driver/organisation";
import { until } from "#e2e/driver/processes";
import { launchBrowser, Window } from "#e2e/driver/window";

describe("navigation", () => {
  let browser: Browser;
  let server: CodeServer;
  let window: Window;

  before(async () => {
    server = await startCodeServer({ hasVsix: true });
    useChargeCard(server.organisation);
    browser = await launchBrowser();
    window = await Window.open(browser, server);
    await window.openTrawl();
    await window.box.searchUntil("retryWithBackoff", /6 repositories/);
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  async function openAt(file: string, line: number, column: number): Promise<void> {
    await window.page.keyboard.press("Control+P");
    await window.quickInput.fill(file);
    await window.quickRows.filter({ hasText: file }).first().waitFor();
    await window.page.keyboard.press("Enter");
    await until(`${file} is in front`, () => isInFront(file));
    await window.goToLine(line, column);
  }

  async function isInFront(file: string): Promise<boolean> {
    const tab = await window.page.locator(".tab.active").first().textContent();
    return tab?.includes(file) === true;
  }

  async function isAt(file: string, line: number): Promise<void> {
    const isThere = async () => (await isInFront(file)) && (await window.cursorLine()) === line;
    await until(`the cursor is on line ${line} of ${file}`, isThere);
  }

  function reference(name: RegExp): Locator {
    return window.page.locator(".sidebar").getByRole("treeitem", { name }).first();
  }

  it("leads by F12 to a definition in a repository that is not open", async () => {
    await openAt("client.go", 11, 14);
    await window.page.keyboard.press("F12");
    await isAt("retry.go", 10);
    await window.shot("navigation/definition");
  });

  it("finds a symbol by some of its letters", async () => {
    await window.runCommand("Trawl: Go to Symbol in All Repositories...");
    await window.quickInput.fill("chgcrd");
    await window.quickRows.filter({ hasText: "chargeCard" }).first().waitFor();
    await window.shot("navigation/symbol");
    await window.page.keyboard.press("Enter");
    await isAt("charge.ts", 9);
  });

  it("lists references in groups, the surest first, and goes to one", async () => {
    await isAt("charge.ts", 9);
    await window.runCommand("Trawl: Find References in All Repositories");
    // They come as they are found.
    for (const name of [/^Exact/, /^Matched by Import/, /^Same Name Only/]) await reference(name).waitFor();
    const groups = await window.page
      .locator(".sidebar")
      .getByRole("treeitem", { level: 1 })
      .evaluateAll((rows) => rows.map((row) => row.getAttribute("aria-label") ?? ""));
    assert.deepEqual(
      groups.map((label) => label.replace(/,? \d.*$/, "")),
      ["Exact", "Matched by Import or Package", "Same Name Only"],
    );
    assert.equal(await reference(/^Same Name Only/).getAttribute("aria-expanded"), "false");
    await window.shot("navigation/references");
    await reference(/onClick=.*chargeCard/).click();
    await isAt("Cart.tsx", 4);
    assert.deepEqual(await window.notifications(), []);
  });

  it("finds a file by parts of its path, with a line", async () => {
    await window.runCommand("Trawl: Go to File in All Repositories...");
    await window.quickInput.fill("billing invoice:6");
    await window.quickRows.filter({ hasText: "Invoice.java" }).first().waitFor();
    await window.shot("navigation/file");
    await window.page.keyboard.press("Enter");
    await isAt("Invoice.java", 6);
    assert.deepEqual(await window.notifications(), []);
  });
});

/** Uses of a name that are told apart: of the same file's package, and of another function that is called so. */
function useChargeCard({ repositories }: Organisation): void {
  const rows: readonly (readonly [repository: RepositoryName, path: string, text: string])[] = [
    [
      "payments",
      "src/again.ts",
      'import { chargeCard } from "./charge";\n\nexport const again = chargeCard;\n',
    ],
    ["infra", "deploy/try.ts", "function tryIt() {\n  return window.chargeCard();\n}\n"],
  ];
  for (const [repository, path, text] of rows) writeFileSync(join(repositories[repository].path, path), text);
}

/** Navigation from a name to its definitions and references with VS Code's usual keys. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Locator } from "playwright-core";
import { type CodeServer, startCodeServer } from "#e2e/driver/codeServer";
import type { Organization, RepositoryName } from "#e2e/driver/organization";
import { shootThemes } from "#e2e/driver/themes";
import { launchBrowser, Window } from "#e2e/driver/window";
import { note } from "#e2e/report";
import { eventually } from "#test/support/eventually";
import { runGit } from "#test/support/repo";

describe("navigation", () => {
  let browser: Browser;
  let server: CodeServer;
  let window: Window;

  before(async () => {
    server = await startCodeServer({ hasVsix: true, settings: { "trawl.index.maxFileSize": 4096 } });
    addReferences(server.organization);
    addLargeFile(server.organization);
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
    await window.quickRows.first().filter({ hasText: file }).waitFor();
    await window.page.keyboard.press("Enter");
    await eventually(() => isActive(file));
    await window.goToLine(line, column);
  }

  async function isActive(file: string): Promise<boolean> {
    const tab = await window.page.locator(".tab.active").first().textContent();
    return tab?.includes(file) === true;
  }

  async function waitForCursor(file: string, line: number): Promise<void> {
    const isThere = async () => (await isActive(file)) && (await window.cursorLine()) === line;
    await eventually(isThere);
  }

  const press = (key: string) => window.page.keyboard.press(key);

  /** Runs a command with the keyboard alone. */
  async function run(title: string): Promise<void> {
    await eventually(async () => {
      await press("F1");
      await window.quickInput.fill(`>${title}`);
      const row = window.quickRows.first();
      if ((await row.textContent({ timeout: 2_000 }))?.includes(title)) return true;
      await press("Escape");
      return false;
    });
    await press("Enter");
  }

  /** Returns the accessible names of the rows of a list. */
  async function labels(rows: Locator): Promise<readonly string[]> {
    return await rows.evaluateAll((all) => all.map((row) => row.getAttribute("aria-label") ?? ""));
  }

  function reference(name: RegExp): Locator {
    return window.page.locator(".sidebar").getByRole("treeitem", { name }).first();
  }

  it("goes to a definition in a repository that is not open with F12", async () => {
    await openAt("client.go", 11, 14);
    await window.page.keyboard.press("F12");
    await waitForCursor("retry.go", 10);
    await window.shot("navigation/definition");
  });

  it("shows the signature and the comment of a name", async () => {
    await openAt("client.go", 11, 14);
    await press("Control+K");
    await press("Control+I");
    const hover = window.page.locator(".monaco-hover:visible").filter({ hasText: "calls work until" });
    await hover.waitFor();
    assert.match((await hover.textContent()) ?? "", /func.retryWithBackoff/);
    await shootThemes(window, server, "navigation/hover");
    await press("Escape");
  });

  it("outlines a file for which no other extension provides an outline", async () => {
    await openAt("client.go", 11, 14);
    await press("Control+Shift+O");
    await window.quickRows.filter({ hasText: "Client" }).first().waitFor();
    assert.deepEqual(
      (await labels(window.quickRows)).map((label) => label.replace(/,.*/, "")),
      ["http (package)", "Client (struct)", "address (field)", "do (method)", "once (method)"],
    );
    await window.shot("navigation/outline");
    await press("Escape");
  });

  it("lists several definitions in VS Code's peek view, each once", async () => {
    const peek = window.page.locator(".peekview-widget");
    for (const way of ["command", "F12"]) {
      await openAt("report.py", 2, 15);
      if (way === "F12") await press("F12");
      else await run("Trawl: Go to Definition in All Repositories");
      await peek.getByRole("treeitem").first().waitFor();
      const files = peek.getByRole("treeitem", { level: 1 });
      await eventually(async () => (await files.count()) === 2);
      assert.deepEqual(
        (await labels(files))
          .map((label) => label.replace(/.*(rates\.py).*?(deploy|pipeline).*/, "$2 $1"))
          .sort(),
        ["deploy rates.py", "pipeline rates.py"],
      );
      if (way === "command") await shootThemes(window, server, "navigation/peek");
      await press("Escape");
      await peek.waitFor({ state: "hidden" });
    }
  });

  it("finds a symbol by some of its letters", async () => {
    await window.runCommand("Trawl: Go to Symbol in All Repositories...");
    const began = performance.now();
    await window.quickInput.fill("chgcrd");
    await window.quickRows.filter({ hasText: "chargeCard" }).first().waitFor();
    note(`key to symbol: ${(performance.now() - began).toFixed(0)} ms`);
    await shootThemes(window, server, "navigation/symbol");
    assert.deepEqual(await labels(window.quickRows), ["chargeCard, payments · src/charge.ts:9"]);
    await press("Enter");
    await waitForCursor("charge.ts", 9);
  });

  it("goes to the typed symbol even if Enter is pressed before the list appears", async () => {
    for (const [typed, file, line] of [
      ["placeor", "orders.go", 10],
      ["chgcrd", "charge.ts", 9],
    ] as const) {
      await run("Trawl: Go to Symbol in All Repositories...");
      await window.page.locator('.quick-input-title:text-is("Go to Symbol in All Repositories")').waitFor();
      await window.page.keyboard.type(typed);
      await press("Enter");
      await waitForCursor(file, line);
    }
  });

  it("finds only definitions if a quick search begins with @", async () => {
    await run("Trawl: Quick Search...");
    await window.quickInput.fill("@chargeCard");
    const lines = window.quickRows.filter({ hasText: "chargeCard" });
    await eventually(async () => (await lines.count()) === 1);
    assert.match((await lines.textContent()) ?? "", /export async function chargeCard/);
    await press("Escape");
  });

  it("adds symbols of repositories that are not open to the workspace symbols", async () => {
    await press("Control+T");
    await window.quickInput.fill("#retryWithB");
    await window.quickRows.filter({ hasText: "go-kit" }).first().waitFor();
    await window.shot("navigation/workspace-symbols");
    await press("Escape");
  });

  it("groups references by certainty, highest first, and goes to one", async () => {
    await waitForCursor("charge.ts", 9);
    await run("Trawl: Find All References in All Repositories");
    // Groups appear as references are found.
    for (const name of [/^Exact/, /^Matched by Import/, /^Same Name Only/]) await reference(name).waitFor();
    const groups = window.page.locator(".sidebar").getByRole("treeitem", { level: 1 });
    assert.deepEqual(
      (await labels(groups)).map((label) => label.replace(/,? \d.*$/, "")),
      ["Exact", "Matched by Import or Package", "Same Name Only"],
    );
    assert.equal(await reference(/^Same Name Only/).getAttribute("aria-expanded"), "false");
    await shootThemes(window, server, "navigation/references");
    await reference(/onClick=.*chargeCard/).click();
    await waitForCursor("Cart.tsx", 4);
    assert.deepEqual(await window.notifications(), []);
  });

  it("goes to another repository by command if TypeScript stops at the import", async () => {
    await openAt("Cart.tsx", 4, 35);
    await press("F12");
    await waitForCursor("Cart.tsx", 1);
    await run("Trawl: Go to Definition in All Repositories");
    await waitForCursor("charge.ts", 9);
  });

  it("steps through references with the keyboard alone", async () => {
    await openAt("charge.ts", 9, 25);
    await run("Trawl: Find All References in All Repositories");
    // The rows of the previous test stay until VS Code shows the new ones and selects the first reference.
    const list = window.page.locator(".sidebar .monaco-list:focus");
    await list.locator(".selected.focused").filter({ hasText: "import { chargeCard }" }).waitFor();
    const focused = window.page.locator(".sidebar .monaco-list-row.focused");
    const labelsRead: string[] = [];
    await press("Home");
    for (let rows = 0; rows < 4; rows++) {
      labelsRead.push((await focused.getAttribute("aria-label")) ?? "");
      await press("ArrowDown");
    }
    assert.deepEqual(labelsRead, [
      "Exact, 2 in 1 repository",
      "src/again.ts, git.example.com/acme/payments, 2 references",
      'Line 1, import { chargeCard } from "./charge";',
      "Line 3, …const again = chargeCard;",
    ]);
    await press("ArrowUp");
    await eventually(async () => (await focused.getAttribute("aria-label")) === labelsRead[3]);
    await press("Enter");
    await waitForCursor("again.ts", 3);
    await press("F4");
    await waitForCursor("Cart.tsx", 1);
    // The next key continues from the selected row.
    await window.page.locator(".sidebar .monaco-list-row.selected").filter({ hasText: "pay" }).waitFor();
    await press("Shift+F4");
    await waitForCursor("again.ts", 3);
    // As soon as search results are visible, these keys step through them instead.
    await window.openTrawl();
    await press("F4");
    await window.pane("Results").locator(".monaco-list-row.selected").waitFor();
  });

  it("finds a file by parts of its path, with a line", async () => {
    await window.runCommand("Trawl: Go to File in All Repositories...");
    await window.quickInput.fill("billing invoice:6");
    await window.quickRows.filter({ hasText: "Invoice.java" }).first().waitFor();
    await shootThemes(window, server, "navigation/file");
    await window.page.keyboard.press("Enter");
    await waitForCursor("Invoice.java", 6);
    assert.deepEqual(await window.notifications(), []);
  });

  it("lists files without symbols, with the reason", async () => {
    await window.openTrawl();
    // The rows of the repositories need the height of the other views.
    for (const name of ["Results", "Search"]) await window.collapse(name);
    await window.expand("Repositories");
    const row = (text: string) => window.rows("Repositories").filter({ hasText: text }).first();
    for (const name of ["infra", "Files without symbols"]) {
      await row(name).waitFor();
      await window.settled("Repositories");
      await row(name).click();
      await press("ArrowRight");
    }
    await row("deploy/tables.py").waitFor();
    assert.match((await row("deploy/tables.py").textContent()) ?? "", /too large to parse · 2\.\d MB/);
    await shootThemes(window, server, "navigation/without-symbols");
    assert.deepEqual(await window.notifications(), []);
  });
});

/**
 * Adds references to `chargeCard` of different certainty (an import in the same package, and another function of that
 * name), and `load_rates`, which two repositories define.
 */
function addReferences({ repositories }: Organization): void {
  const rows: readonly (readonly [repository: RepositoryName, path: string, text: string])[] = [
    [
      "payments",
      "src/again.ts",
      'import { chargeCard } from "./charge";\n\nexport const again = chargeCard;\n',
    ],
    ["infra", "deploy/try.ts", "function tryIt() {\n  return window.chargeCard();\n}\n"],
    ["orders-api", "report.py", "def report():\n    return load_rates()\n"],
    ["infra", "deploy/rates.py", "def load_rates():\n    return []\n"],
    ["data-pipeline", "pipeline/rates.py", "def load_rates():\n    return {}\n"],
  ];
  for (const [repository, path, text] of rows) writeFileSync(join(repositories[repository].path, path), text);
}

/** Commits a generated table that is too large to parse. */
function addLargeFile({ repositories: { infra } }: Organization): void {
  writeFileSync(join(infra.path, "deploy/tables.py"), `TABLE = [\n${"    0,\n".repeat(340_000)}]\n`);
  runGit(infra.path, ["add", "deploy/tables.py"]);
  runGit(infra.path, ["commit", "-q", "-m", "Add tables"]);
}

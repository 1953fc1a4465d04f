/** Results in the workbench: keyboard use of the tree, badges for changed files, and the results document. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Locator } from "playwright-core";
import { type CodeServer, startCodeServer } from "#e2e/driver/codeServer";
import { drawnLines } from "#e2e/driver/drawnLines";
import { launchBrowser, Window } from "#e2e/driver/window";
import { note } from "#e2e/report";
import { eventually } from "#test/support/eventually";

describe("results", () => {
  let browser: Browser;
  let server: CodeServer;
  let window: Window;

  before(async () => {
    server = await startCodeServer({ hasVsix: true, settings: { "trawl.search.onType": false } });
    browser = await launchBrowser();
    // Tall enough for every row, because rows that are scrolled out of view are not rendered.
    window = await Window.open(browser, server, { height: 1300 });
    await window.openTrawl();
    await window.box.searchWithSymbols("retryWithBackoff", /^13 matches · 10 files · 6 repositories/);
    await row("func retryWithBackoff").waitFor();
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  const row = (text: string): Locator => window.rows("Results").filter({ hasText: text }).first();
  const texts = async () => await window.rows("Results").allTextContents();
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) await window.page.keyboard.press(key);
  };

  async function waitForSelected(text: string): Promise<void> {
    await eventually(async () => {
      const rows = await window.pane("Results").locator(".monaco-list-row.selected").allTextContents();
      return rows.length === 1 && rows[0]?.includes(text);
    });
  }

  const isTreeFocused = async () => await window.pane("Results").locator(".monaco-list:focus").isVisible();

  it("share a row if a file is the same in two repositories", async () => {
    await row("× 2 identical").waitFor();
    await row("Identical in orders-api-review").waitFor();
    assert.equal((await texts()).filter((text) => text.startsWith("client.go")).length, 1);
  });

  it("have accessible names with the line, its text and the number of matches", async () => {
    const label = await row("return retryWithBackoff").getAttribute("aria-label");
    assert.match(label ?? "", /^line 11, return retryWithBackoff\(ctx, c\.once\), 1 match/);
  });

  it("open in a preview with the arrow keys, and keep the focus until Enter", async () => {
    await window.box.input.press("Control+ArrowDown");
    await eventually(isTreeFocused);
    await press("ArrowDown", "ArrowDown", "ArrowDown");
    await waitForSelected("// retryWithBackoff calls work");
    await window.editorTab(/retry\.go/).waitFor();
    assert.equal(await isTreeFocused(), true);
    await press("Enter");
    await window.page.locator(".editor-instance .monaco-editor.focused").waitFor();
    await eventually(async () => (await window.cursorLine()) === 9);
  });

  it("can be stepped through with F4, which selects the row", async () => {
    await press("F4", "F4");
    await waitForSelected("waits between two tries");
    await press("Shift+F4");
    await waitForSelected("func retryWithBackoff");
  });

  it("mark lines that moved or are gone, and unsaved files", async () => {
    await window.settled("Results");
    await row("func retryWithBackoff").dblclick();
    await eventually(async () => (await window.cursorLine()) === 10);
    await window.page.locator(".editor-instance .monaco-editor.focused").waitFor();
    await press("Control+Home");
    await window.page.keyboard.type("\n\n");
    await row("10, now 12").waitFor();
    await row("retry.go").locator(".monaco-icon-label.explorer-item, .monaco-icon-label").first().waitFor();
    assert.match((await row("retry.go").getAttribute("aria-label")) ?? "", /unsaved/);
    await window.shot("results/moved");
    await window.goToLine(12);
    await press("Control+Shift+K");
    await row("10 · gone").waitFor();
    await window.shot("results/gone");
    await window.runCommand("File: Revert File");
    await eventually(async () => !(await texts()).some((text) => /gone|now \d/.test(text)));
  });

  it("open at the indexed commit, and from there in the local file", async () => {
    await row("waits between two tries").click({ button: "right" });
    await window.choose("Open Snapshot at Indexed Commit");
    await window.editorTab(/limits\.go @ [0-9a-f]{7} · go-kit/).waitFor();
    await window.shot("results/snapshot");
    await window.page.getByRole("button", { name: "Open Local File" }).click();
    await window.editorTab(/^limits\.go(?! @)/).waitFor();
    await eventually(async () => (await window.cursorLine()) === 5);
  });

  it("disappear when dismissed, and the next one is selected", async () => {
    await window.settled("Results");
    await row("return retryWithBackoff").click();
    const counts = window.header("Results").locator(".description");
    assert.match((await counts.textContent()) ?? "", /^13 matches · 10 files/);
    await press("Delete");
    await waitForSelected("billing");
    await eventually(async () => /^1[12] matches · [89] files/.test((await counts.textContent()) ?? ""));
    assert.equal(await isTreeFocused(), true);
    await window.header("Search").hover();
    await window.pane("Search").getByRole("button", { name: "Refresh Results" }).click();
    await row("return retryWithBackoff").waitFor();
  });

  it("stay when pinned, until they are removed", async () => {
    await window.header("Results").hover();
    await window.pane("Results").getByRole("button", { name: "Pin Result Set" }).click();
    await row("· 13").waitFor();
    await window.box.search("NOTHING_IS_CALLED_THIS");
    await row("All branches").waitFor();
    await window.shot("results/none");
    await window.settled("Results");
    await row("· 13").hover();
    await row("· 13").getByRole("button", { name: "Remove Pinned Result Set" }).click();
    await row("· 13").waitFor({ state: "detached" });
  });

  it("can be excluded, which adds a filter to the query", async () => {
    await window.box.search("retryWithBackoff");
    // Otherwise the menu may open for the row that takes its place.
    await window.settled("Results");
    await row("waits between two tries").click({ button: "right" });
    await window.page.getByRole("menuitem", { name: "Exclude" }).hover();
    await window.choose("This File");
    await row("waits between two tries").waitFor({ state: "detached" });
    assert.equal(await window.box.input.inputValue(), "retryWithBackoff -file:^retry/limits\\.go$");
    await window.settled("Results");
    await row("TestRetryWithBackoff").or(row("retryWithBackoff gives up")).first().click({ button: "right" });
    await window.page.getByRole("menuitem", { name: "Exclude" }).hover();
    await window.choose("Tests");
    await row("retry_test.go").waitFor({ state: "detached" });
    assert.equal(await window.box.input.inputValue(), "retryWithBackoff -file:^retry/limits\\.go$ tests:no");
  });

  it("can be filtered by repository, language or folder, or without one of them", async () => {
    await window.box.search("retryWithBackoff");
    const choose = async (text: string) => {
      await window.header("Results").hover();
      await window.pane("Results").getByRole("button", { name: "Filter By..." }).click();
      return window.quickRows.filter({ hasText: text }).first();
    };
    await (await choose("TypeScript")).click();
    await row("func retryWithBackoff").waitFor({ state: "detached" });
    assert.equal(await window.box.input.inputValue(), "retryWithBackoff lang:TypeScript");
    await window.box.search("retryWithBackoff");
    const go = await choose("go-kit");
    await go.hover();
    await go.getByRole("button", { name: "Exclude" }).click();
    await row("func retryWithBackoff").waitFor({ state: "detached" });
    assert.match(await window.box.input.inputValue(), /^retryWithBackoff -repo:\S+go-kit\$$/);
  });

  it("are searched again when indexing has finished, which removes the warning", async () => {
    const warning = window.pane("Results").getByText("results may be incomplete");
    await window.runCommand("Trawl: Pause Indexing");
    // Otherwise the commit may be indexed before the server has paused.
    await window.page.locator(".statusbar-item .codicon-debug-pause").waitFor();
    server.organization.repositories.infra.more(`
      = main: Log more
      deploy/log.yaml
      | level: debug
    `);
    await eventually(async () => {
      await window.box.search("ORDER_TIMEOUT_MS", 3_000).catch(() => "");
      // VS Code redraws a view only after a pause, which searches one right after the other would not leave.
      return await warning.waitFor({ timeout: 1_000 }).then(
        () => true,
        () => false,
      );
    });
    await window.shot("results/indexing");
    await window.runCommand("Trawl: Resume Indexing");
    await warning.waitFor({ state: "hidden" });
    const counts = window.header("Results").locator(".description");
    await eventually(async () => /^\d+ matches/.test((await counts.textContent()) ?? ""));
  });

  it("have symbol icons if they are definitions", async () => {
    await window.box.searchUntil("sym:retryWithBackoff", /^\d+ match/);
    await row("func retryWithBackoff").locator(".codicon-symbol-function").waitFor();
  });

  it("keep the author, the age and the repository of a commit in its row", async () => {
    await window.box.search("type:commit bearable");
    const label = row("Wait").locator(".monaco-icon-label-container").first();
    await eventually(async () => /Ann\b.* · \d+ yr · orders-api/.test((await label.textContent()) ?? ""));
    const revision = window.box.frame.locator("#revision .picker-label");
    const hiddenPixels = await revision.evaluate((label) => {
      const text = label.ownerDocument.createRange();
      text.selectNodeContents(label);
      return text.getBoundingClientRect().width - label.getBoundingClientRect().width;
    });
    assert.ok(hiddenPixels < 0.1, `${hiddenPixels} pixels of the revision are hidden`);
    await window.resizeSideBar(400);
    await eventually(async () =>
      label.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth + 1),
    );
    await window.shot("results/commits");
    await window.resizeSideBar(300);
  });

  it("show the history and the blame of their files", async () => {
    await window.box.search("retryWithBackoff");
    await window.settled("Results");
    await row("waits between two tries").click({ button: "right" });
    await window.choose("Show File History");
    await window.rows("Commits").filter({ hasText: "Name the longest wait" }).waitFor();
    await row("waits between two tries").click({ button: "right" });
    await window.choose("Blame");
    await window.editorTab(/^limits\.go(?! @)/).waitFor();
    await eventually(async () => (await drawnLines(window)).some(({ before }) => before !== ""));
    await window.shot("results/blame");
  });

  it("open as a document in the order of the rows, which closes without a question", async () => {
    await window.box.search("retryWithBackoff");
    await window.settled("Results");
    const [first = ""] = await texts();
    const openInEditor = async () => {
      await window.header("Search").hover();
      await window.pane("Search").getByRole("button", { name: "Open Results in Editor" }).click();
      await window.page.locator(".view-line").filter({ hasText: "Query:" }).click();
    };
    await openInEditor();
    const written = await window.page
      .locator(".view-line")
      .filter({ hasText: /@.[0-9a-f]{10}/ })
      .first()
      .textContent();
    assert.equal(/([\w-]+).@/.exec(written ?? "")?.[1], /^(.+)main/.exec(first)?.[1]);
    await window.editorTab(/trawl-results/).click({ button: "middle" });
    await window.editorTab(/trawl-results/).waitFor({ state: "detached" });
    assert.equal(await window.page.locator(".monaco-dialog-box").count(), 0);
  });

  it("open as a document that can be saved and rerun, with links to files", async () => {
    await window.box.search("retryWithBackoff lang:go");
    await window.header("Search").hover();
    await window.pane("Search").getByRole("button", { name: "Open Results in Editor" }).click();
    await window.page.locator(".view-line").filter({ hasText: "Query:" }).click();
    await window.page.locator(".detected-link").first().waitFor();
    await window.shot("results/document");
    const path = join(
      server.organization.repositories["orders-api"].path,
      "retryWithBackoff-lang-go.trawl-results",
    );
    await press("Control+s");
    await eventually(() => existsSync(path) && readFileSync(path, "utf8") !== "");
    const before = readFileSync(path, "utf8");
    const limits = join(server.organization.repositories["go-kit"].path, "retry/limits.go");
    const text = readFileSync(limits, "utf8");
    writeFileSync(limits, `${text}// retryWithBackoff again\n`);
    const again = window.page.locator(".codelens-decoration").getByRole("button", { name: "Run Again" });
    await eventually(async () => {
      await again.click();
      return readFileSync(path, "utf8").includes("// retryWithBackoff again");
    });
    assert.equal(readFileSync(path, "utf8").includes("retryWithBackoff-lang-go"), false, "finds itself");
    assert.equal(before.split("\n")[0], readFileSync(path, "utf8").split("\n")[0]);
    writeFileSync(limits, text);
    await window.page
      .locator(".detected-link")
      .filter({ hasText: "retry.go" })
      .click({ modifiers: ["Control"] });
    await window.editorTab(/^retry\.go/).waitFor();
  });

  it("are not searched if the query has an error, which is shown once and underlined", async () => {
    const { input, problems, status, frame } = window.box;
    for (const [query, error] of [
      ["(timeout or", 'Expected a term after "or".'],
      ["lang:go or", 'Expected a term after "or".'],
      ["sym:", 'Expected a value after "sym:".'],
    ] as const) {
      await input.fill(query);
      await input.press("Enter");
      await eventually(async () => (await problems.textContent())?.startsWith(error));
      await window.pane("Results").getByText("Nothing was searched: the query has an error.").waitFor();
      await eventually(async () => (await status.textContent()) === "");
      await eventually(async () => (await frame.locator(".squiggle-error").count()) === 1);
    }
  });

  it("are missing if a repository does not exist, and a similar one is offered", async () => {
    await window.box.search("retryWithBackoff repo:orders-ap1");
    const { input, problems } = window.box;
    await problems.getByText('No repository matches "orders-ap1". Did you mean "orders-api"?').waitFor();
    await window.box.button('Use "orders-api"').click();
    await row("func retryWithBackoff").waitFor();
    assert.equal(await input.inputValue(), "retryWithBackoff repo:orders-api");
    assert.equal(await problems.textContent(), "");
  });

  it("have the files with the whole phrase first, and only these on request", async () => {
    const { input, status } = window.box;
    await window.box.search("return retryWithBackoff repo:go-kit|orders-api$");
    await status.getByText(/^\d+ exact/).waitFor();
    await eventually(async () => /^orders-api/.test((await texts())[0] ?? ""));
    await row("func retryWithBackoff").waitFor();
    await window.box.button("Only the Phrase").click();
    await eventually(async () => !(await texts()).some((text) => /func retryWithBackoff/.test(text)));
    assert.equal(await input.inputValue(), '"return retryWithBackoff" repo:go-kit|orders-api$');
    await row("return retryWithBackoff").waitFor();
  });

  it("of a long file begin with the lines that contain the whole phrase", async () => {
    const path = join(server.organization.repositories.payments.path, "src/refunds.ts");
    const lines = Array.from({ length: 20 }, (_, index) => `return refundLater(${index}); // refund payment`);
    writeFileSync(path, `${lines.join("\n")}\nreturn refund payment\n`);
    await window.box.searchUntil("return refund payment file:refunds.ts", /matches · 1 file ·/);
    const first = window.pane("Results").locator('[role="treeitem"][aria-level="3"]');
    await eventually(async () => /^return refund payment21$/.test((await first.first().textContent()) ?? ""));
    assert.match((await first.nth(1).textContent()) ?? "", /^Show 20 More Lines/);
    await window.shot("results/phrase");
    await window.page.keyboard.press("F4");
    await eventually(async () => (await window.cursorLine()) === 21);
    rmSync(path);
  });

  it("leave room for lines of code, also in a small window", async () => {
    // As in real code, files have about three matching lines each.
    const folder = join(server.organization.repositories.payments.path, "src");
    const path = (file: number) => join(folder, `deadline${file}.ts`);
    const files = Array.from({ length: 12 }, (_, file) => file);
    for (const file of files) {
      const lines = [1, 2, 3].map((line) => `export const limit${line} = { deadlineMs: ${file} };`);
      writeFileSync(path(file), `${lines.join("\n\n")}\n`);
    }
    for (const [width, height, expected] of [
      [1440, 900, 18],
      [1024, 768, 12],
    ] as const) {
      const small = await Window.open(browser, server, { width, height });
      await small.openTrawl();
      await small.box.searchUntil("deadlineMs", /^36 matches/);
      await small.settled("Results");
      const shown = await small.pane("Results").boundingBox();
      assert.ok(shown !== null);
      const lines = await small.pane("Results").locator('[role="treeitem"][aria-level="3"]').all();
      const boxes = await Promise.all(lines.map((line) => line.boundingBox()));
      const visible = boxes.filter((box) => box !== null && box.y + box.height <= shown.y + shown.height + 1);
      assert.match(
        (await small.header("Results").locator(".description").textContent()) ?? "",
        /^36 matches · 12 files · 1 repository/,
      );
      await small.shot(`results/space-${width}`);
      // The first match of a line can be seen, although the side bar is narrow.
      const [label, match] = await Promise.all(
        [".monaco-icon-label-container", ".highlight"].map((part) =>
          lines[0]?.locator(part).first().boundingBox(),
        ),
      );
      assert.ok(label && match && match.x + match.width <= label.x + label.width);
      note(`${visible.length} lines of code at ${width} × ${height}`);
      assert.ok(visible.length >= expected, `${visible.length} lines of code at ${width} × ${height}`);
      await small.close();
    }
    for (const file of files) rmSync(path(file));
  });

  it("show no notifications", async () => {
    assert.deepEqual(await window.notifications(), []);
  });
});

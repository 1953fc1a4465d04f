/** A search from start to finish without a mouse, and what else depends on the version of VS Code. */
import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import { type CodeServer, startCodeServer } from "#e2e/driver/codeServer";
import { launchBrowser, Window } from "#e2e/driver/window";
import { note } from "#e2e/report";
import { eventually } from "#test/support/eventually";

describe("the workbench", () => {
  let browser: Browser;
  let server: CodeServer;
  let window: Window;

  before(async () => {
    server = await startCodeServer({ hasVsix: true });
    browser = await launchBrowser();
    window = await Window.open(browser, server);
    await window.ready();
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  describe("with the keyboard alone", () => {
    const press = (key: string) => window.page.keyboard.press(key);
    const boxFocusCount = () => window.box.frame.locator("#query:focus").count();
    const treeFocusCount = () => window.pane("Results").locator(".monaco-list:focus").count();
    const editorFocusCount = () => window.page.locator(".editor-instance .monaco-editor.focused").count();

    async function focusBox(): Promise<void> {
      await press("Control+Alt+Shift+F");
      await eventually(async () => (await boxFocusCount()) === 1);
    }

    it("a user reaches the box and searches", async () => {
      await window.runCommand("Trawl: Focus on Search View");
      // The page of the box may load slowly the first time.
      await window.box.input.waitFor({ timeout: 60_000 });
      await eventually(async () => (await boxFocusCount()) === 1);
      await window.box.searchWithSymbols("chargeCard", /2 repositories/);
    });

    it("a user goes down to the results and previews them", async () => {
      await press("Control+ArrowDown");
      await eventually(async () => (await treeFocusCount()) === 1);
      // Go past the repository and the file to the first line.
      const selected = window.pane("Results").locator(".monaco-list-row.selected");
      for (const [above, text] of ["payments", "charge.ts", "function chargeCard"].entries()) {
        await press("ArrowDown");
        await eventually(async () => {
          if (await selected.filter({ hasText: text }).isVisible()) return true;
          await window.page.waitForTimeout(500);
          if (await selected.filter({ hasText: text }).isVisible()) return true;
          // A key that is pressed before the rows are rendered, or while they are rendered again, has no effect.
          await press("Home");
          for (let row = 0; row < above; row++) await press("ArrowDown");
          return false;
        });
      }
      await eventually(async () => (await window.page.locator(".tab").count()) === 1);
      assert.equal(await treeFocusCount(), 1);
    });

    it("a user opens a result, and steps to the next one and back", async () => {
      await press("Enter");
      await eventually(async () => (await editorFocusCount()) === 1);
      const line = await window.cursorLine();
      await press("F4");
      await eventually(async () => (await window.cursorLine()) !== line);
      await press("Shift+F4");
      await eventually(async () => (await window.cursorLine()) === line);
    });

    it("a user returns from a result to the query that found it", async () => {
      await focusBox();
      await window.box.search("chargecard lang:typescript");
      await press("F4");
      await eventually(async () => (await editorFocusCount()) === 1);
      await focusBox();
      assert.equal(await window.box.input.inputValue(), "chargecard lang:typescript");
      await window.box.search("chargeCard");
    });

    it("a user toggles regular expressions", async () => {
      assert.equal(await boxFocusCount(), 1);
      const regex = window.box.frame.locator("#regex");
      await press("Alt+R");
      await eventually(async () => (await regex.getAttribute("aria-pressed")) === "true");
      await press("Alt+R");
      await eventually(async () => (await regex.getAttribute("aria-pressed")) === "false");
    });

    it("a user turns a question into a description, and back", async () => {
      const question = "how are failed calls retried";
      const words = window.box.frame.locator("#words");
      await window.box.search(question);
      await press("Alt+D");
      await eventually(async () => (await window.box.input.inputValue()) === `words:"${question}"`);
      await eventually(async () => (await words.getAttribute("aria-pressed")) === "true");
      await eventually(async () => /\d match/.test(await window.box.status.innerText()));
      await press("Alt+D");
      await eventually(async () => (await window.box.input.inputValue()) === question);
      await eventually(async () => (await words.getAttribute("aria-pressed")) === "false");
      await window.box.search("chargeCard");
    });

    it("a user removes a filter", async () => {
      await window.box.search("chargeCard lang:typescript");
      await eventually(async () => (await window.box.frame.locator(".chip").count()) === 1);
      await press("F6");
      await eventually(async () => (await window.box.frame.locator(".chip :focus").count()) === 1);
      await press("Delete");
      await eventually(async () => (await window.box.input.inputValue()).trim() === "chargeCard");
    });

    it("a user recalls a query, and leaves the box", async () => {
      await focusBox();
      await window.box.search("ORDER_TIMEOUT_MS");
      await press("ArrowUp");
      await eventually(async () => (await window.box.input.inputValue()).includes("chargeCard"));
      // The first Escape may cancel the search for the recalled query.
      await eventually(async () => {
        if ((await window.box.input.inputValue()) === "") return true;
        await press("Escape");
        return false;
      });
      await press("Escape");
      await eventually(async () => (await editorFocusCount()) === 1);
    });

    it("a user sees no notifications", async () => {
      assert.deepEqual(await window.notifications(), []);
    });
  });

  it("shows Trawl's views", async () => {
    await window.openTrawl();
    for (const view of ["Search", "Results", "Saved & Recent", "Repositories"]) {
      await window.header(view).waitFor();
    }
    await window.shot("workbench");
    assert.deepEqual(await window.notifications(), []);
  });

  it("needs no other file for the styles of the search box, and keeps the box when it is hidden", async () => {
    await window.box.input.waitFor();
    const owners = await window.box.input.evaluate((input) =>
      [...input.ownerDocument.styleSheets].map(({ ownerNode }) => ownerNode?.nodeName),
    );
    assert.ok(owners.length > 0 && owners.every((name) => name === "STYLE"), owners.join());
    await window.box.input.evaluate((input) => input.setAttribute("data-seen", ""));
    await window.page.keyboard.press("Control+Shift+E");
    await window.box.input.waitFor({ state: "hidden" });
    const start = performance.now();
    await window.trawlTab.click();
    await window.box.frame.locator("#query[data-seen]").waitFor();
    note(`the search box was shown again after ${(performance.now() - start).toFixed(0)} ms`);
  });

  it("has a Match Case button with two states", async () => {
    const button = window.box.button("Match Case (Alt+C)");
    const states: (string | null)[] = [];
    for (let clicks = 0; clicks < 3; clicks++) {
      states.push(await button.getAttribute("aria-pressed"));
      await button.click();
    }
    assert.deepEqual(states, ["false", "true", "false"]);
    await button.click();
  });

  it("searches for the editor's selection with the key that focuses the box", async () => {
    await window.runCommand("Go to File...");
    await window.quickInput.fill("client.go");
    await window.pick("client.go");
    await window.editorTab(/client\.go/).waitFor();
    await window.page.locator(".view-line").getByText("retryWithBackoff").first().dblclick();
    await window.page.keyboard.press("Control+Alt+Shift+F");
    await eventually(async () => (await window.box.input.inputValue()) === "retryWithBackoff");
    await eventually(() => window.box.input.evaluate((input) => input === input.ownerDocument.activeElement));
  });
});

/** A VS Code window in a browser, and user actions in it. */
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type Browser,
  type BrowserContext,
  chromium,
  type FrameLocator,
  type Locator,
  type Page,
} from "playwright-core";
import type { CodeServer } from "#e2e/driver/codeServer";
import { SearchBox } from "#e2e/driver/searchBox";
import { outFolder, target } from "#e2e/driver/target";
import { chromiumPath } from "#e2e/install/systemPackages";
import { eventually } from "#test/support/eventually";

export interface WindowOptions {
  /** A folder or a `.code-workspace` file. The default is `orders-api`. */
  readonly path?: string;
  readonly width?: number;
  readonly height?: number;
  /** Additional query parameters of the URL. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Called before the page is loaded. */
  readonly prepare?: (page: Page) => Promise<void>;
}

/** Launches a browser; `words` are additional command-line arguments. */
export async function launchBrowser(words: readonly string[] = []): Promise<Browser> {
  return await chromium.launch({
    executablePath: chromiumPath(),
    headless: true,
    chromiumSandbox: false,
    args: [
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-sync",
      ...words,
    ],
  });
}

export class Window {
  readonly page: Page;
  /** Console messages of the page, including errors. */
  readonly lines: string[] = [];
  readonly box: SearchBox;
  readonly #context: BrowserContext;

  private constructor(context: BrowserContext, page: Page) {
    this.#context = context;
    this.page = page;
    this.box = new SearchBox(this);
    page.on("console", (message) => this.lines.push(`${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => this.lines.push(`error: ${error.message}`));
  }

  /** Opens a window with a browser profile of its own. */
  static async open(browser: Browser, server: CodeServer, options: WindowOptions = {}): Promise<Window> {
    const context = await browser.newContext({
      viewport: { width: options.width ?? 1280, height: options.height ?? 800 },
    });
    const page = await context.newPage();
    const window = new Window(context, page);
    openWindows().add(window);
    context.once("close", () => openWindows().delete(window));
    await page.addInitScript(recordNotifications);
    await options.prepare?.(page);
    const path = options.path ?? server.organization.repositories["orders-api"].path;
    const kind = path.endsWith(".code-workspace") ? "workspace" : "folder";
    const parameters = new URLSearchParams({ [kind]: path, ...options.parameters });
    await page.goto(`${server.url}/?${parameters}`);
    return window;
  }

  async close(): Promise<void> {
    await this.#context.close();
  }

  /** Waits until the extension's contributions are loaded. */
  async ready(): Promise<void> {
    await this.trawlTab.waitFor({ timeout: 60_000 });
  }

  get trawlTab(): Locator {
    return this.page.locator(".activitybar").getByRole("tab", { name: "Trawl" });
  }

  /** Opens Trawl's views if they are closed. */
  async openTrawl(): Promise<void> {
    await this.ready();
    const isOpen = (await this.trawlTab.getAttribute("aria-selected")) === "true";
    if (!isOpen) {
      await this.trawlTab.click();
      // The hover of the tab would cover the views.
      await this.page.mouse.move(700, 400);
    }
    await this.header("Search").waitFor();
  }

  /** The title bar of a view. */
  header(view: string): Locator {
    return this.page
      .locator(".pane-header")
      .filter({ has: this.page.locator(`h3.title:text-is("${view}")`) });
  }

  /** A view of the side bar, with its title bar. */
  pane(view: string): Locator {
    return this.page.locator(".pane").filter({ has: this.header(view) });
  }

  async expand(view: string): Promise<void> {
    await this.#setExpanded(view, true);
  }

  async collapse(view: string): Promise<void> {
    await this.#setExpanded(view, false);
  }

  async #setExpanded(view: string, isExpanded: boolean): Promise<void> {
    const header = this.header(view);
    const is = async () => (await header.getAttribute("aria-expanded")) === `${isExpanded}`;
    // The middle of the header may be below its buttons.
    if (!(await is())) await header.click({ position: { x: 10, y: 10 } });
    await eventually(is);
  }

  /** Drags the edge of the side bar until its views have this width in pixels. */
  async resizeSideBar(width: number): Promise<void> {
    const box = await this.page.locator(".part.sidebar").boundingBox();
    if (box === null) throw new Error("There is no side bar.");
    const middle = box.y + box.height / 2;
    await this.page.mouse.move(box.x + box.width, middle);
    await this.page.mouse.down();
    await this.page.mouse.move(box.x + width, middle, { steps: 5 });
    await this.page.mouse.up();
    await this.page.mouse.move(box.x + width + 300, middle);
  }

  /** The rendered rows of a tree. */
  rows(view: string): Locator {
    return this.pane(view).getByRole("treeitem");
  }

  /**
   * Waits until the rows of a tree stay in position. While a tree is being redrawn, a row that is clicked may move away, or
   * its element may be reused for another row.
   */
  async settled(view: string): Promise<void> {
    const texts = async () => (await this.rows(view).allTextContents()).join("\n");
    let before = "";
    await eventually(async () => {
      const now = await texts();
      await this.page.waitForTimeout(500);
      const isSame = now !== "" && now === before && now === (await texts());
      before = now;
      return isSame;
    });
  }

  /** Runs a command from the Command Palette. */
  async runCommand(title: string, limitMs = 30_000): Promise<void> {
    await (await this.openPalette(title, title, limitMs)).click();
  }

  /**
   * Opens the palette and returns the row with `title`. An open palette does not list commands registered later, and
   * closes when a view that is still loading takes the focus. So it is reopened until the row appears.
   */
  async openPalette(text: string, title: string, limitMs = 30_000): Promise<Locator> {
    const input = this.quickInput;
    const row = this.quickRows.filter({ hasText: title }).first();
    for (const end = Date.now() + limitMs; ; ) {
      await this.page.keyboard.press("F1");
      await input.waitFor({ timeout: 5_000 }).catch(() => {});
      if (await input.isVisible()) {
        const isThere = await input
          .fill(`>${text}`, { timeout: 1_500 })
          .then(() => row.waitFor({ timeout: 1_500 }))
          .then(
            () => true,
            () => false,
          );
        if (isThere) return row;
        await this.page.keyboard.press("Escape");
        await input.waitFor({ state: "hidden" });
      }
      if (Date.now() > end) throw new Error(`The palette has no "${title}".`);
    }
  }

  get quickInput(): Locator {
    return this.page.locator('.quick-input-widget input[type="text"]');
  }

  get quickRows(): Locator {
    return this.page.locator(".quick-input-list .monaco-list-row");
  }

  /** Picks a row of the quick input. A `title` distinguishes it from the quick input shown before. */
  async pick(text: string, title?: string): Promise<void> {
    if (title !== undefined) await this.page.locator(`.quick-input-title:text-is("${title}")`).waitFor();
    await this.quickRows.filter({ hasText: text }).first().click();
  }

  /** Goes to a line of the active editor with Ctrl+G. */
  async goToLine(line: number, column = 1): Promise<void> {
    await this.page.keyboard.press("Control+G");
    await this.quickInput.fill(`:${line}:${column}`);
    // Enter does nothing before the row appears.
    await this.quickRows.filter({ hasText: new RegExp(`go to line ${line}\\b`, "i") }).waitFor();
    await this.page.keyboard.press("Enter");
    await eventually(async () => (await this.cursorLine()) === line);
  }

  /** Picks an entry of the open menu. */
  async choose(name: string): Promise<void> {
    // A menu that has just opened ignores clicks.
    await this.page.getByRole("menuitem", { name }).hover();
    await this.page.keyboard.press("Enter");
  }

  /** The tab of an open editor. */
  editorTab(name: string | RegExp): Locator {
    return this.page.locator(".tabs-container").getByRole("tab", { name });
  }

  /** The page of the visible editor that is a webview. */
  get editorPage(): FrameLocator {
    return this.page
      .locator('iframe.webview.ready:not([src*="purpose=webviewView"])')
      .filter({ visible: true })
      .contentFrame()
      .frameLocator("#active-frame");
  }

  /** Line of the cursor as shown in the status bar; undefined without an editor. */
  async cursorLine(): Promise<number | undefined> {
    const text = await this.page
      .locator(".statusbar-item")
      .filter({ hasText: /Ln \d+/ })
      .first()
      .textContent({ timeout: 5_000 });
    const line = /Ln (\d+)/.exec(text ?? "")?.[1];
    return line === undefined ? undefined : Number(line);
  }

  /** All notifications shown since the window was opened, including dismissed ones. */
  async notifications(): Promise<readonly string[]> {
    return await this.page.evaluate(
      () => (globalThis as { notificationsSeen?: string[] }).notificationsSeen ?? [],
    );
  }

  /** Saves a screenshot below `out/e2e/screenshots/VERSION`. */
  async shot(name: string): Promise<void> {
    // A click may have scrolled the workbench by a few pixels.
    await this.page.evaluate(() => {
      for (const element of document.querySelectorAll("html, body, .monaco-workbench, .monaco-grid-view")) {
        element.scrollTo(0, 0);
      }
    });
    await this.page.screenshot({ path: shotPath(name), animations: "disabled" });
  }
}

const windowsKey = Symbol.for("trawl.e2e.windows");

/** Returns the open windows of all bundles in this process. */
function openWindows(): Set<Window> {
  const globals = globalThis as unknown as Record<symbol, Set<Window> | undefined>;
  globals[windowsKey] ??= new Set();
  return globals[windowsKey];
}

/** Saves screenshots of all open windows, named after the failed test. */
export async function shootWindows(title: string): Promise<void> {
  const name = title.replaceAll(/[^\w]+/g, "-");
  for (const [index, window] of [...openWindows()].entries()) {
    await window.shot(`failures/${name}${index === 0 ? "" : `-${index + 1}`}`).catch(() => {});
  }
}

export function shotPath(name: string): string {
  const path = join(outFolder, "screenshots", target().vsCode.version, `${name}.png`);
  mkdirSync(dirname(path), { recursive: true });
  return path;
}

/** Records the text of every notification. Runs in the page. */
function recordNotifications(): void {
  const seen: string[] = [];
  (globalThis as { notificationsSeen?: string[] }).notificationsSeen = seen;
  const known = new WeakSet<Element>();
  const record = () => {
    for (const toast of document.querySelectorAll(".notification-toast .notification-list-item-message")) {
      if (known.has(toast) || !toast.textContent) continue;
      known.add(toast);
      seen.push(toast.textContent);
    }
  };
  new MutationObserver(record).observe(document, { childList: true, subtree: true });
}

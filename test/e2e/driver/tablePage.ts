/** An editor of ours with a table: the pages Members and Audit Log. */
import { AxeBuilder } from "@axe-core/playwright";
import type { FrameLocator, Locator } from "playwright-core";
import { until } from "#e2e/driver/processes";
import type { Window } from "#e2e/driver/window";

export class TablePage {
  readonly frame: FrameLocator;
  readonly #window: Window;

  constructor(window: Window) {
    const outer = 'iframe.webview.ready[src*="extensionId=trawl.trawl"]:not([src*="purpose=webviewView"])';
    this.#window = window;
    // Of several editors the one that is seen.
    this.frame = window.page
      .locator(outer)
      .filter({ visible: true })
      .contentFrame()
      .frameLocator("#active-frame");
  }

  get rows(): Locator {
    return this.frame.locator("#rows tr");
  }

  row(text: string | RegExp): Locator {
    return this.rows.filter({ hasText: text }).first();
  }

  get notes(): Locator {
    return this.frame.locator("#notes");
  }

  field(name: string): Locator {
    return this.frame.locator(`#field-${name}`);
  }

  button(name: string | RegExp): Locator {
    return this.frame.getByRole("button", { name });
  }

  /** Texts of the cells, row by row. */
  async texts(): Promise<readonly (readonly string[])[]> {
    return await this.rows.evaluateAll((rows) =>
      rows.map((row) => [...row.children].map((cell) => cell.textContent ?? "")),
    );
  }

  async says(text: string | RegExp): Promise<void> {
    await this.notes.getByText(text).first().waitFor();
  }

  /** Presses a button of the editor's title bar. */
  async press(title: string): Promise<void> {
    await this.#window.page.locator(".editor-actions").getByRole("button", { name: title }).click();
  }

  /** What a person would not get along with, by rules. */
  async violations(): Promise<readonly string[]> {
    // The page lets the editor shine through, which axe cannot see.
    await this.frame.locator("html").evaluate((html) => {
      html.style.background = "var(--vscode-editor-background)";
    });
    const outer = await until("the page is there", async () => {
      const name = await this.#window.page
        .locator('iframe.webview.ready:not([src*="purpose=webviewView"])')
        .filter({ visible: true })
        .getAttribute("name");
      return name ?? undefined;
    });
    const { violations } = await new AxeBuilder({ page: this.#window.page })
      .include([`iframe[name="${outer}"]`, "#active-frame", "main"])
      .analyze();
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
      );
  }
}

/** A custom editor with a table: Members or Audit Log. */
import { AxeBuilder } from "@axe-core/playwright";
import type { FrameLocator, Locator } from "playwright-core";
import type { Window } from "#e2e/driver/window";
import { eventually } from "#test/support/eventually";

export class TablePage {
  readonly frame: FrameLocator;
  readonly #window: Window;

  constructor(window: Window) {
    this.#window = window;
    this.frame = window.editorPage;
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

  /** Returns the texts of the cells, row by row. */
  async texts(): Promise<readonly (readonly string[])[]> {
    return await this.rows.evaluateAll((rows) =>
      rows.map((row) => [...row.children].map((cell) => cell.textContent ?? "")),
    );
  }

  async waitForNote(text: string | RegExp): Promise<void> {
    await this.notes.getByText(text).first().waitFor();
  }

  /** Clicks a button in the editor's title bar. */
  async press(title: string): Promise<void> {
    await this.#window.page.locator(".editor-actions").getByRole("button", { name: title }).click();
  }

  /** Returns serious violations of accessibility rules, or only of those given. */
  async violations(rules: readonly string[] = []): Promise<readonly string[]> {
    // The page has no background of its own, and axe cannot see the editor's.
    await this.frame.locator("html").evaluate((html) => {
      html.style.background = "var(--vscode-editor-background)";
    });
    const outer = await eventually(async () => {
      const name = await this.#window.page
        .locator('iframe.webview.ready:not([src*="purpose=webviewView"])')
        .filter({ visible: true })
        .getAttribute("name");
      return name ?? undefined;
    });
    const axe = new AxeBuilder({ page: this.#window.page });
    if (rules.length > 0) axe.withRules([...rules]);
    const { violations } = await axe.include([`iframe[name="${outer}"]`, "#active-frame", "main"]).analyze();
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
      );
  }
}

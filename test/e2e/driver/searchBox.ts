/** The search box of a window, and the status below it. */
import type { FrameLocator, Locator } from "playwright-core";
import type { Window } from "#e2e/driver/window";
import { eventually } from "#test/support/eventually";

export class SearchBox {
  readonly frame: FrameLocator;

  constructor(window: Window) {
    const outer = 'iframe.webview.ready[src*="extensionId=trawl.trawl"][src*="purpose=webviewView"]';
    this.frame = window.page.frameLocator(outer).frameLocator("#active-frame");
  }

  get input(): Locator {
    return this.frame.locator("#query");
  }

  /** Match counts, elapsed time, and why results are incomplete. */
  get status(): Locator {
    return this.frame.locator("#status");
  }

  get problems(): Locator {
    return this.frame.locator("#problems");
  }

  get suggestions(): Locator {
    return this.frame.locator("#proposals");
  }

  get welcome(): Locator {
    return this.frame.locator("#welcome");
  }

  button(name: string | RegExp): Locator {
    return this.frame.getByRole("button", { name });
  }

  /** Runs a query. Returns the summary line when the search is complete. */
  async search(query: string, limitMs?: number): Promise<string> {
    await this.input.waitFor();
    // Each search creates new elements, so a marked line belongs to an earlier search.
    await this.status.evaluate((element) => {
      for (const line of element.children) line.setAttribute("data-old", "");
    });
    await this.input.fill(query);
    await this.input.press("Enter");
    return await this.counts(limitMs);
  }

  /** Searches after all definitions are indexed, because they affect ranking. Returns the summary line. */
  async searchWithSymbols(query: string, expected: RegExp): Promise<string> {
    // While definitions are missing, the summary says "about".
    await this.searchUntil(`sym:${query}`, /^\d+ match/);
    return await this.searchUntil(query, expected);
  }

  /** Returns the summary line when the search is complete. */
  async counts(limitMs?: number): Promise<string> {
    const summary = this.status.locator(".summary:not([data-old])");
    return await eventually(async () => {
      const text = (await summary.allTextContents())[0] ?? "";
      return (/\d (?:ms|s)$/.test(text) || text.startsWith("No ")) && text;
    }, limitMs);
  }

  /** Searches until the summary matches `expected`, because indexing may still be running. */
  async searchUntil(query: string, expected: RegExp, limitMs = 60_000): Promise<string> {
    return await eventually(async () => {
      // If the summary does not change, its element stays the old one, so `search` times out.
      const counts = await this.search(query, 3_000).catch(() => "");
      return expected.test(counts) && counts;
    }, limitMs);
  }
}

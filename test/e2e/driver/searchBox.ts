/** The search box of a window, and what stands under it. */
import type { FrameLocator, Locator } from "playwright-core";
import { until } from "#e2e/driver/processes";
import type { Window } from "#e2e/driver/window";

export class SearchBox {
  readonly frame: FrameLocator;

  constructor(window: Window) {
    const outer = 'iframe.webview.ready[src*="extensionId=trawl.trawl"][src*="purpose=webviewView"]';
    this.frame = window.page.frameLocator(outer).frameLocator("#active-frame");
  }

  get input(): Locator {
    return this.frame.locator("#query");
  }

  /** Counts, time, and why an answer is incomplete. */
  get status(): Locator {
    return this.frame.locator("#status");
  }

  get problems(): Locator {
    return this.frame.locator("#problems");
  }

  get proposals(): Locator {
    return this.frame.locator("#proposals");
  }

  get welcome(): Locator {
    return this.frame.locator("#welcome");
  }

  button(name: string | RegExp): Locator {
    return this.frame.getByRole("button", { name });
  }

  /** Puts a query into the box and runs it; gives the line of counts when the search is through. */
  async search(query: string, limitMs?: number): Promise<string> {
    await this.input.waitFor();
    // The lines are drawn anew for each search.
    await this.status.evaluate((element) => {
      for (const line of element.children) line.setAttribute("data-old", "");
    });
    await this.input.fill(query);
    await this.input.press("Enter");
    return await this.counts(limitMs);
  }

  /** Searches once all definitions are indexed, which count in the order of results; gives the line of counts. */
  async searchWithSymbols(query: string, expected: RegExp): Promise<string> {
    // As long as some are missing, the counts say "about".
    await this.searchUntil(`sym:${query}`, /^\d+ match/);
    return await this.searchUntil(query, expected);
  }

  /** The line of counts of a search that is through. */
  async counts(limitMs?: number): Promise<string> {
    const summary = this.status.locator(".summary:not([data-old])");
    return await until(
      "a search is through",
      async () => {
        const text = (await summary.allTextContents())[0] ?? "";
        return (/\d (?:ms|s)$/.test(text) || text.startsWith("No ")) && text;
      },
      limitMs,
    );
  }

  /** Searches until the counts are as expected: indexing may be under way. */
  async searchUntil(query: string, expected: RegExp, limitMs = 60_000): Promise<string> {
    return await until(
      `"${query}" finds ${expected}`,
      async () => {
        // A line that says again what it said before is not drawn anew.
        const counts = await this.search(query, 3_000).catch(() => "");
        return expected.test(counts) && counts;
      },
      limitMs,
    );
  }
}

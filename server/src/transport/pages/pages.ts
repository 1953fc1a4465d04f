/**
 * Renders the pages for browsers. Pages call operations of the contract, so they show nothing that the caller could not
 * request. They load nothing from other servers.
 */
import type { Caller } from "#contract/service";
import { commitPage } from "./commitPage";
import type { PageCall, PageContext, PageResponse } from "./context";
import { filePage } from "./filePage";
import { filesPage } from "./filesPage";
import { folderPage } from "./folderPage";
import { historyPage } from "./historyPage";
import type { PageUrl } from "./pageUrl";
import { rawFile } from "./rawFile";
import { revisionsPage } from "./revisionsPage";

/** Renders the page at a URL. Throws the errors of the operations that it calls. */
export async function renderPage(pageUrl: PageUrl, caller: Caller, call: PageCall): Promise<PageResponse> {
  const context: PageContext = { pageUrl, caller, call, base: call.baseUrl ?? "" };
  switch (pageUrl.view) {
    case "blob":
      return filePage(context);
    case "tree":
      return folderPage(context);
    case "commit":
      return commitPage(context);
    case "raw":
      return rawFile(context);
    case "commits":
      return historyPage(context);
    case "refs":
      return revisionsPage(context);
    case "find":
      return filesPage(context);
  }
}

/**
 * Renders the pages for browsers. Pages call operations of the contract, so they show nothing that the caller could not
 * request. They load nothing from other servers.
 */
import type { RepositoryItem } from "#contract/repositories";
import type { Caller } from "#contract/service";
import { authorsPage } from "./authorsPage";
import { commitPage } from "./commitPage";
import { comparePage } from "./comparePage";
import { completionList } from "./completionList";
import type { PageCall, PageContext, PageResponse, ServiceContext, Visitor } from "./context";
import { filePage } from "./filePage";
import { filesPage } from "./filesPage";
import { folderFragment } from "./fileTree";
import { folderPage } from "./folderPage";
import { historyPage } from "./historyPage";
import { parsePageUrl, parsePosition, queryParameters, rootOf, withRepository } from "./pageUrl";
import { rawFile } from "./rawFile";
import { repositoriesPage } from "./repositoriesPage";
import { revisionsPage } from "./revisionsPage";
import { searchPage } from "./searchPage";
import { sessionsPage } from "./sessionsPage";
import { settingsPage } from "./settingsPage";
import { siteBar } from "./siteBar";
import { symbolFragment } from "./symbolPanel";
import { syntaxPage } from "./syntaxPage";
import { defaultSettings } from "./viewSettings";

/** The paths of the pages that are not about one repository. */
export const pagePaths = ["/", "/repositories", "/syntax", "/settings", "/sessions", "/complete"] as const;

/** Renders the page at a URL. Throws the errors of the operations that it calls. */
export async function renderPage(
  url: string,
  caller: Caller,
  call: PageCall,
  visitor: Visitor = {},
  settings = defaultSettings,
): Promise<PageResponse> {
  const context: ServiceContext = { caller, call, visitor, settings, base: call.baseUrl ?? "" };
  const [path = ""] = url.split("?", 1);
  switch (pagePaths.find((each) => each === path)) {
    case "/":
      return searchPage(context, url);
    case "/repositories":
      return repositoriesPage(context, parsePosition(url));
    case "/syntax":
      return syntaxPage(context);
    case "/settings":
      return settingsPage(context);
    case "/sessions":
      return sessionsPage(context);
    case "/complete":
      return completionList(context, url);
    case undefined: {
      const pageUrl = parsePageUrl(url);
      const parameters = queryParameters(url);
      // Script requests parts of pages, which have been redirected.
      const isPart = parameters.has("pane");
      const item = isPart ? undefined : await repositoryNamed(context, pageUrl.repository);
      const name = item?.repoName ?? pageUrl.repository;
      if (name !== pageUrl.repository)
        return { status: 301, location: context.base + withRepository(url, name), body: "" };
      return repositoryView({
        ...context,
        pageUrl,
        parameters,
        defaultBranch: item?.defaultBranch,
        bar: siteBar(context, rootOf(url)),
      });
    }
  }
}

/** Returns the repository with this name, or that had it before it was renamed; `undefined` if there is none. */
async function repositoryNamed(
  { caller, call }: ServiceContext,
  name: string,
): Promise<RepositoryItem | undefined> {
  const { items } = await caller("repos", { name }, call);
  return items[0];
}

async function repositoryView(context: PageContext): Promise<PageResponse> {
  const pane = context.parameters.get("pane");
  switch (context.pageUrl.view) {
    case "blob":
      return pane === "panel" || pane === "hover"
        ? symbolFragment(context, pane === "hover")
        : filePage(context);
    case "tree":
      return pane === "tree" ? folderFragment(context) : folderPage(context);
    case "commit":
      return commitPage(context);
    case "raw":
      return rawFile(context);
    case "commits":
      return historyPage(context);
    case "authors":
      return authorsPage(context);
    case "refs":
      return revisionsPage(context);
    case "find":
      return filesPage(context);
    case "compare":
      return comparePage(context);
  }
}

/** The repositories that the caller may see. */
import type { RepositoryItem } from "#contract/repositories";
import { browseUrl } from "#service/repositories/webLinks";
import { countOf, okPage, type PageResponse, type ServiceContext } from "./context";
import { renderFilterList } from "./filterList";
import { type Html, html } from "./html";
import { renderLayout } from "./pageLayout";
import type { ListPosition } from "./pageUrl";
import { siteBar } from "./siteBar";

const perPage = 100;

export async function repositoriesPage(
  context: ServiceContext,
  position: ListPosition,
): Promise<PageResponse> {
  const { caller, call, base } = context;
  const { filter: query, page } = position;
  const { items, total } = await caller("repos", { query, page, perPage }, call);
  const content =
    total === 0 && query === ""
      ? emptyState
      : renderFilterList({
          url: `${base}/repositories`,
          label: "Repository",
          position,
          entries: items.map((item) => repositoryEntry(item, base)),
          summary: total === 0 ? "No repository matches." : countOf(total, "repository", "repositories"),
          total,
          perPage,
          isFocused: false,
        });
  return okPage(renderLayout({ title: "Repositories", bar: siteBar(context, "./"), content }));
}

export const emptyState = html`<div class="note"><p>There are no repositories yet.</p>
<p>Start the server with the folders that contain your clones, for example <code>trawl serve ~/src</code>. In VS Code, run <em>Trawl: Add Folder...</em>.</p></div>`;

/** Renders a repository as an entry of a list: its link, its size and its state. */
export function repositoryEntry(item: RepositoryItem, base: string): Html {
  const { repoName, defaultBranch = "", documentCount } = item;
  const details = [defaultBranch, countOf(documentCount, "file"), stateOf(item)].filter(
    (each) => each !== "",
  );
  const url = browseUrl(base, repoName, undefined, "");
  return html`<li><a href="${url}"><bdi>${repoName}</bdi></a> <span class="dim">${details.join(" · ")}</span></li>\n`;
}

/** Returns why a search in the repository may be incomplete; empty if it is not. */
function stateOf({ state, progress, lastError }: RepositoryItem): string {
  if (state === "ready") return "";
  if (state === "evicted") return "not indexed, because the disk space of the index is limited";
  if (state === "indexing") return `indexing, ${Math.floor(progress * 100)}%`;
  return state === "failed" && lastError !== undefined ? `failed: ${lastError}` : state;
}

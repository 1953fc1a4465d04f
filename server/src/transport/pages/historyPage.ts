/** The commits that change a file or folder. */
import type { CommitItem } from "#contract/commits";
import { browseUrl, commitUrl } from "#service/repositories/webLinks";
import {
  countOf,
  type PageContext,
  type PageResponse,
  pathActions,
  refOf,
  repositoryPage,
  subjectText,
  withoutOuterSlashes,
} from "./context";
import { type Html, html } from "./html";
import { pagingLinks } from "./paging";

const perPage = 50;

export async function historyPage(context: PageContext): Promise<PageResponse> {
  const { pageUrl, caller, call, base } = context;
  const { repository: repo, revision, position } = pageUrl;
  const path = withoutOuterSlashes(pageUrl.path);
  const request = { repo, ...refOf(context), path, page: position.page, perPage };
  const { items, total, incomplete } = await caller("commits", request, call);
  const commits = items.map((item) => commitEntry(context, path, item));
  const content =
    total === 0
      ? html`<p class="note">There are no commits ${path === "" ? "here" : "of this path"}.</p>`
      : html`<ul class="entries">${commits}</ul>`;
  const historyUrl = browseUrl(base, repo, revision, path, "commits");
  return repositoryPage(context, {
    title: path === "" ? "History" : `History of ${path}`,
    aspect: "History",
    actions: [
      ...pathActions(context, true),
      html`<a href="${browseUrl(base, repo, revision, path)}">${path === "" ? "Files" : "Content"}</a>`,
      html`<a href="${browseUrl(base, repo, revision, path, "authors")}">Authors</a>`,
      html`<a href="${browseUrl(base, repo, undefined, compared(revision), "compare")}">Compare</a>`,
    ],
    facts: [html`<span>${countOf(total, "commit")}</span>`],
    content: [
      incomplete === undefined ? undefined : html`<p class="note">${incomplete}</p>`,
      content,
      pagingLinks(historyUrl, { ...position, filter: "" }, total, perPage),
    ],
  });
}

/** Compares the default revision with the one shown, if that is another one. */
function compared(revision: string | undefined): string {
  return revision === undefined ? "" : `HEAD...${revision}`;
}

function commitEntry({ pageUrl, base }: PageContext, path: string, item: CommitItem): Html {
  const { hash, message, authorName, date, oldPath } = item;
  const { repository } = pageUrl;
  const fileUrl = browseUrl(base, repository, hash, item.path ?? path);
  const renamed = oldPath === undefined ? undefined : html` · renamed from <bdi>${oldPath}</bdi>`;
  return html`<li><a href="${commitUrl(base, repository, hash)}"><bdi>${subjectText(message)}</bdi></a>
<span class="dim"><bdi>${authorName}</bdi> · ${date.slice(0, 10)} · <a href="${fileUrl}">View at ${hash.slice(0, 10)}</a>${renamed}</span></li>\n`;
}

/** The authors of a repository, a folder or a file, most commits first. */
import type { CommitAuthor } from "#contract/commits";
import { exactAuthor, exactRepository, type Filter, filterText } from "#contract/queryText";
import { browseUrl } from "#service/repositories/webLinks";
import {
  countOf,
  type PageContext,
  type PageResponse,
  pathActions,
  refOf,
  repositoryPage,
  withoutOuterSlashes,
} from "./context";
import { type Html, html } from "./html";
import { pagingLinks } from "./paging";
import { queryUrl } from "./searchUrl";

const perPage = 100;

export async function authorsPage(context: PageContext): Promise<PageResponse> {
  const { pageUrl, caller, call, base } = context;
  const { repository: repo, revision, position } = pageUrl;
  const path = withoutOuterSlashes(pageUrl.path);
  const request = { repo, ...refOf(context), path, page: position.page, perPage };
  const { items, total } = await caller("authors", request, call);
  const content =
    total === 0
      ? html`<p class="note">There are no commits ${path === "" ? "here" : "of this path"}.</p>`
      : html`<ul class="entries">${items.map((item) => authorEntry(context, item))}</ul>`;
  const authorsUrl = browseUrl(base, repo, revision, path, "authors");
  return repositoryPage(context, {
    title: path === "" ? "Authors" : `Authors of ${path}`,
    aspect: "Authors",
    actions: pathActions(context, true),
    facts: [html`<span>${countOf(total, "author")}</span>`],
    content: [content, pagingLinks(authorsUrl, { ...position, filter: "" }, total, perPage)],
  });
}

/** The link searches for the commits of the author in the repository, at the revision of the page. */
function authorEntry(
  { pageUrl, base }: PageContext,
  { name, email, commitCount, lastActiveAt }: CommitAuthor,
): Html {
  const { repository, revision } = pageUrl;
  const query = [
    valueFilter("type", "commit"),
    valueFilter("repo", exactRepository(repository)),
    ...(revision === undefined ? [] : [valueFilter("rev", revision)]),
    valueFilter("author", exactAuthor(name, email)),
  ].join(" ");
  const title = name || email || "(no name)";
  const address = email === title || email === "" ? undefined : html`<bdi>${email}</bdi> · `;
  const last = lastActiveAt === "" ? undefined : html` · last on ${lastActiveAt.slice(0, 10)}`;
  return html`<li><a href="${queryUrl(base, query)}"><bdi>${title}</bdi></a>
<span class="dim">${address}${countOf(commitCount, "commit")}${last}</span></li>\n`;
}

function valueFilter(prefix: Filter["prefix"], value: string): string {
  return filterText({ prefix, value, isNegated: false });
}

/** The picker of the branch or tag to show a path at. */
import { browseUrl } from "#service/repositories/webLinks";
import { countOf, type PageContext, type PageResponse, repositoryPage, withoutOuterSlashes } from "./context";
import { renderFilterList } from "./filterList";
import { type Html, html } from "./html";

const perPage = 100;

export async function revisionsPage(context: PageContext): Promise<PageResponse> {
  const { pageUrl, caller, call, base } = context;
  const { repository: repo, revision, position } = pageUrl;
  const path = withoutOuterSlashes(pageUrl.path);
  const request = { repo, query: position.filter, page: position.page, perPage };
  const { items, total } = await caller("branches", request, call);
  const entries = items.map(({ name, fullName, date, isDefault, isTag }) => {
    // A full name is unique: a tag may have the name of a branch.
    const url = browseUrl(base, repo, fullName, path);
    const isCurrent = revision === undefined ? isDefault : revision === fullName || revision === name;
    const kind = isDefault ? "default" : isTag ? "tag" : "branch";
    return html`<li><a href="${url}"${isCurrent ? currentMark : undefined}><bdi>${name}</bdi></a> <span class="dim">${kind} · ${date.slice(0, 10)}</span></li>\n`;
  });
  const list = renderFilterList({
    url: browseUrl(base, repo, revision, path, "refs"),
    label: "Branch or tag",
    position,
    entries,
    summary: total === 0 ? "No branch or tag matches." : countOf(total, "branch or tag", "branches and tags"),
    total,
    perPage,
  });
  const suffix = path === "" ? "" : ` for ${path}`;
  return repositoryPage(context, {
    title: "Branches and tags",
    aspect: "Branches and tags",
    content: [html`<h2>Choose a branch or tag${suffix}</h2>`, list],
  });
}

const currentMark: Html = html` aria-current="true"`;

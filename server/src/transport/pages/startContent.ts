/** What the search page shows before a search: example queries, and the repositories with their state. */
import { countOf, type ServiceContext } from "./context";
import { type Html, type HtmlPart, html } from "./html";
import { emptyState, repositoryEntry } from "./repositoriesPage";
import { queryUrl } from "./searchUrl";
import { startExamples } from "./syntaxSections";

const maxRepositories = 20;

export async function startContent({ caller, call, base }: ServiceContext): Promise<HtmlPart> {
  const { items, total } = await caller("repos", { perPage: maxRepositories }, call);
  if (total === 0) return emptyState;
  const examples = startExamples.map(
    ([query, meaning]): Html =>
      html`<li><a href="${queryUrl(base, query)}"><code>${query}</code></a> <span class="dim">${meaning}</span></li>\n`,
  );
  const count = countOf(total, "repository", "repositories");
  const all =
    total <= items.length
      ? undefined
      : html`<p><a href="${base}/repositories">Show all ${total.toLocaleString("en")} repositories</a></p>`;
  return html`<h2>Examples</h2>
<ul class="examples">${examples}</ul>
<h2>${count}</h2>
<ul class="entries">${items.map((item) => repositoryEntry(item, base))}</ul>
${all}`;
}

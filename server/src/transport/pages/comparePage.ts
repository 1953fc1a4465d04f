/** What changed between two revisions: `/-/compare/BASE...HEAD`, or `?base=BASE&head=HEAD` from its form. */
import { browseUrl } from "#service/repositories/webLinks";
import { type PageContext, type PageResponse, repositoryPage } from "./context";
import { renderDiff } from "./diffRows";
import { type HtmlPart, html } from "./html";

export async function comparePage(context: PageContext): Promise<PageResponse> {
  const { pageUrl, parameters } = context;
  const [pathBase = "", pathHead = ""] = pageUrl.path.split("...", 2);
  const base = parameters.get("base")?.trim() ?? pathBase;
  const head = parameters.get("head")?.trim() ?? pathHead;
  const form = html`<form class="compare" role="search" aria-label="Revisions">
<label>From <input type="text" name="base" value="${base}" autocomplete="off" autocapitalize="off" spellcheck="false" required></label>
<label>to <input type="text" name="head" value="${head}" autocomplete="off" autocapitalize="off" spellcheck="false" required></label>
<button>Compare</button></form>
<p class="dim">Shows what changed in the second revision since it diverged from the first.</p>\n`;
  const changes = base === "" || head === "" ? undefined : await renderChanges(context, base, head);
  const title = changes === undefined ? "Compare" : `${base}...${head}`;
  return repositoryPage(context, { title, heading: "", aspect: "Compare", content: [form, changes] });
}

async function renderChanges(
  { pageUrl, caller, call, base: baseUrl }: PageContext,
  base: string,
  head: string,
): Promise<HtmlPart> {
  const { repository: repo } = pageUrl;
  const { files } = await caller("diff", { repo, base, head, mergeBase: true }, call);
  return renderDiff(files, (path, side) => browseUrl(baseUrl, repo, side === "new" ? head : base, path));
}

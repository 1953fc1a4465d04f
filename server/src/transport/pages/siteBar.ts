/** The bar above every page: the search box, and links to the pages that are about all repositories. */
import { type ServiceContext, visitorItem } from "./context";
import { type Html, html } from "./html";
import { smallSearchForm } from "./searchForm";

/** `root` is the path from the page to the search page. `form` is the box of the search page itself. */
export function siteBar(context: ServiceContext, root: string, form?: Html): Html {
  const { base } = context;
  // Script shows the button.
  const keys = form && html`<button type="button" id="show-keys" hidden>Keys</button>`;
  return html`<nav class="bar" aria-label="Trawl"><a class="home" href="${base}/">Trawl</a>${form ?? smallSearchForm(root)}
<div class="site"><a href="${base}/repositories">Repositories</a><a href="${base}/syntax">Query syntax</a><a href="${base}/settings">Settings</a>${keys}${visitorItem(context)}</div></nav>
`;
}

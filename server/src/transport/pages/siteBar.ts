/** The bar above every page: the search box, and links to the pages that are about all repositories. */
import { type BarContext, visitorItem } from "./context";
import { type Html, html } from "./html";
import { smallSearchForm } from "./searchForm";
import { keySections } from "./syntaxSections";
import { syntaxTable } from "./syntaxTable";

/** `root` is the path from the page to the search page. `form` is the box of the search page itself. */
export function siteBar(context: BarContext, root: string, form?: Html): Html {
  const { base } = context;
  // Script shows the button and, on request, the dialog.
  const keys = html`<button type="button" id="show-keys" class="scripted" aria-keyshortcuts="?" title="Keys (?)" hidden>Keys</button>`;
  return html`<nav class="bar" aria-label="Trawl"><a class="home" href="${base}/">Trawl</a>${form ?? smallSearchForm(root)}
<div class="site"><a href="${base}/repositories">Repositories</a><a href="${base}/syntax">Query syntax</a><a href="${base}/settings">Settings</a>${keys}${visitorItem(context)}</div></nav>
<dialog id="keys" aria-label="Keys">${keySections.map((section) => syntaxTable(section, base, true))}
<form method="dialog"><button autofocus>Close</button></form></dialog>
`;
}

/** The search boxes: the large one of the search page, and the small one of the other pages. */
import { type Html, html } from "./html";
import type { SearchPosition } from "./searchUrl";

/** The longest query that the service accepts. */
const maxQueryLength = 10_000;

/**
 * Renders the box of the search page. The form has no address, because it stays on its page. `isCaseSensitive` is whether
 * the query says so.
 */
export function searchForm(position: SearchPosition, isCaseSensitive: boolean): Html {
  const { query, isWholeWord, isRegex } = position;
  const focus = query === "" ? html` autofocus` : undefined;
  return html`<form id="search" role="search" aria-label="Code">
<div class="box"><input type="search" id="q" name="q" value="${query}" aria-label="Search code" placeholder="Search code" maxlength="${maxQueryLength}" autocomplete="off" autocapitalize="off" spellcheck="false" aria-keyshortcuts="/"${focus}>
<ul id="completions" hidden></ul></div>
<div class="options"><input type="hidden" name="cased" value="${isCaseSensitive ? 1 : ""}">${option("case", "Aa", "Match case", isCaseSensitive)}${option("word", "ab", "Match whole words", isWholeWord)}${option("regex", ".*", "Regular expression", isRegex)}
<button>Search</button></div></form>`;
}

function option(name: string, sign: string, label: string, isChecked: boolean): Html {
  const checked = isChecked ? html` checked` : undefined;
  return html`<label title="${label}" class="${name}"><input type="checkbox" name="${name}" value="1" aria-label="${label}"${checked}><span aria-hidden="true">${sign}</span></label>`;
}

/** Renders the box of another page. `root` is the path from that page to the search page. */
export function smallSearchForm(root: string): Html {
  return html`<form role="search" aria-label="Code" action="${root}"><input type="search" name="q" aria-label="Search code" placeholder="Search code" maxlength="${maxQueryLength}" autocomplete="off" autocapitalize="off" spellcheck="false" aria-keyshortcuts="/"></form>`;
}

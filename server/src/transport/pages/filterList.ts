/**
 * A list with a filter. The form works without script, which reloads the list on every change. It has no address of its
 * own, because a page may be opened at another address of the server than its links name.
 */
import { type Html, html } from "./html";
import type { ListPosition } from "./pageUrl";
import { pagingLinks } from "./paging";

export interface FilterList {
  /** URL of the page, without a query string. */
  readonly url: string;
  readonly label: string;
  readonly position: ListPosition;
  readonly entries: readonly Html[];
  /** Describes the list, for example with its length. */
  readonly summary: string;
  readonly total: number;
  readonly perPage: number;
  /** Whether typing filters without a click or a key first. */
  readonly isFocused?: boolean;
}

export function renderFilterList(list: FilterList): Html {
  const { url, label, position, entries, summary, total, perPage, isFocused = true } = list;
  const shown = entries.length === 0 ? undefined : html`<ul class="entries">${entries}</ul>`;
  const focus = isFocused ? html` autofocus aria-keyshortcuts="t"` : undefined;
  return html`<form id="filter" role="search" aria-label="Filter">
<label>${label} <input type="search" name="filter" value="${position.filter}" autocomplete="off" spellcheck="false"${focus}></label>
<button>Filter</button></form>
<p id="summary" role="status">${summary}</p>
<div id="list">${shown}${pagingLinks(url, position, total, perPage)}</div>`;
}

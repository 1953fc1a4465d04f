import { type Html, html } from "./html";
import { addPosition, type ListPosition } from "./pageUrl";

export function pageOf<Item>(items: readonly Item[], page: number, perPage: number): readonly Item[] {
  return items.slice((page - 1) * perPage, page * perPage);
}

/** Renders links to the previous and the next page of a list; nothing if there is only one page. */
export function pagingLinks(
  url: string,
  { filter, page }: ListPosition,
  total: number,
  perPage: number,
): Html | undefined {
  const last = Math.max(1, Math.ceil(total / perPage));
  if (last === 1 && page === 1) return undefined;
  const link = (to: number, text: string) =>
    to < 1 || to > last ? undefined : html`<a href="${addPosition(url, { filter, page: to })}">${text}</a>`;
  const previous = link(Math.min(page - 1, last), "Previous");
  const position = html`<span>Page ${page.toLocaleString("en")} of ${last.toLocaleString("en")}</span>`;
  return html`<nav class="paging" aria-label="Pages">${previous}${position}${link(page + 1, "Next")}</nav>`;
}

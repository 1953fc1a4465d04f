/** The position of a page, counted from 1, in a list. It is sent in headers, because the body is a plain array. */
export interface PagePosition {
  readonly page: number;
  readonly perPage: number;
  readonly total: number;
}

/** Common clients and proxies refuse a response with a longer header. */
const maxLinkCharacters = 6 * 1024;

/**
 * Returns the headers of a paged response. `requestUrl` is the absolute URL that the caller used; the links preserve its
 * other parameters. If not all links fit, the header contains only those to the adjacent pages, or only `next`, or
 * none.
 */
export function pageHeaders(
  requestUrl: string,
  { page, perPage, total }: PagePosition,
): Record<string, string> {
  const lastPage = Math.max(1, Math.ceil(total / perPage));
  const next = page < lastPage ? page + 1 : undefined;
  const adjacent = { prev: page > 1 ? Math.min(page - 1, lastPage) : undefined, next };
  const link = [{ first: 1, ...adjacent, last: lastPage }, adjacent, { next }]
    .map((pages) => linkHeader(requestUrl, pages, perPage))
    .find(({ length }) => length <= maxLinkCharacters);
  return { "x-total-count": String(total), ...(link ? { link } : {}) };
}

function linkHeader(
  requestUrl: string,
  pages: Readonly<Record<string, number | undefined>>,
  perPage: number,
): string {
  return Object.entries(pages)
    .flatMap(([relation, target]) =>
      target === undefined ? [] : [`<${pageUrl(requestUrl, target, perPage)}>; rel="${relation}"`],
    )
    .join(", ");
}

function pageUrl(requestUrl: string, page: number, perPage: number): string {
  const url = new URL(requestUrl);
  url.searchParams.set("page", String(page));
  url.searchParams.set("perPage", String(perPage));
  return url.href;
}

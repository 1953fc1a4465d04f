/** Where a page stands among the others, as headers: the body stays a bare array. */
export interface PagePlace {
  readonly page: number;
  readonly perPage: number;
  readonly total: number;
}

/** `address` is what the caller asked for, absolute; its other parameters are kept in the links. */
export function pageHeaders(address: string, { page, perPage, total }: PagePlace): Record<string, string> {
  const lastPage = Math.max(1, Math.ceil(total / perPage));
  const pages = {
    first: 1,
    prev: page > 1 ? Math.min(page - 1, lastPage) : undefined,
    next: page < lastPage ? page + 1 : undefined,
    last: lastPage,
  };
  const links = Object.entries(pages).flatMap(([relation, target]) =>
    target === undefined ? [] : [`<${withPage(address, target, perPage)}>; rel="${relation}"`],
  );
  return { "x-total-count": String(total), link: links.join(", ") };
}

function withPage(address: string, page: number, perPage: number): string {
  const url = new URL(address);
  url.searchParams.set("page", String(page));
  url.searchParams.set("perPage", String(perPage));
  return url.href;
}

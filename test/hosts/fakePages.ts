/** Pages of lists that fakes respond with. */
import type { Answer, FakeRepository, FakeRequest } from "./fakeHost";

/** One page by number, with the offset of the next one. */
export function slice(request: FakeRequest, offset: number, limit: number) {
  const size = Math.min(limit, request.pageLimit);
  const { repositories } = request;
  const items = repositories.slice(offset, offset + size);
  const nextOffset = offset + items.length;
  return {
    items,
    nextOffset,
    hasNext: nextOffset < repositories.length,
    page: Math.floor(offset / size) + 1,
  };
}

export function withParameter(url: URL, name: string, value: number | string): string {
  const changed = new URL(url);
  changed.searchParams.set(name, String(value));
  return changed.href;
}

/** Pages by number with a `Link` header, as GitLab and Gitea have them. */
export function linkedPage(
  request: FakeRequest,
  sizeParameter: string,
  totalHeader: string,
  render: (repository: FakeRepository) => object,
): Answer & { readonly body: readonly object[] } {
  const { url, query, pageLimit } = request;
  const limit = Math.min(Number(query.get(sizeParameter) ?? 20), pageLimit);
  const number = Number(query.get("page") ?? 1);
  const { items, hasNext } = slice(request, (number - 1) * limit, limit);
  const link = hasNext ? { link: `<${withParameter(url, "page", number + 1)}>; rel="next"` } : {};
  return {
    page: number,
    headers: { [totalHeader]: String(request.repositories.length), ...link },
    body: items.map(render),
  };
}

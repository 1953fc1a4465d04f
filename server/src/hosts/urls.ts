/** URLs of code hosts: which ones belong to an API, next pages, paths of repositories. */
import type { ResponseHeaders } from "#platform/send";

/** Whether a URL is on the same origin as `base`, and its path below that of `base`. */
export function isBelow(url: string, base: string): boolean {
  if (!URL.canParse(url)) return false;
  const [inner, outer] = [new URL(url), new URL(base)];
  const prefix = outer.pathname.replace(/\/+$/, "");
  return (
    inner.origin === outer.origin &&
    inner.username + inner.password === "" &&
    (inner.pathname === prefix || inner.pathname.startsWith(`${prefix}/`))
  );
}

/** Returns the URL of `rel="next"` in a `Link` header, resolved against the URL of the page. */
export function nextLink(headers: ResponseHeaders, pageUrl: string): string | undefined {
  for (const [, target = "", parameters = ""] of (headers["link"] ?? "").matchAll(/<([^<>]*)>([^<>]*)/g)) {
    if (!/;\s*rel\s*=\s*("[^"]*\bnext\b[^"]*"|next\b)/i.test(parameters)) continue;
    // An invalid URL is returned as it is, so that the list does not look complete.
    return URL.canParse(target, pageUrl) ? new URL(target, pageUrl).href : target;
  }
  return undefined;
}

/**
 * Like `nextLink`, but uses only the query of the link, for hosts that build links from a configured URL. Behind a proxy,
 * that URL may be wrong; the path is the same on every page.
 */
export function nextQuery(headers: ResponseHeaders, pageUrl: string): string | undefined {
  const link = nextLink(headers, pageUrl);
  const search = link !== undefined && URL.canParse(link) ? new URL(link).search : "";
  // A link without a query is returned as it is, so that the list does not look complete.
  if (search === "") return link;
  const next = new URL(pageUrl);
  next.search = search;
  return next.href;
}

/** Returns whether a page is full, so that a `Link` may later lead to another one. */
export function isFullLastPage(next: string | undefined, itemCount: number, pageSize: number): boolean {
  return next === undefined && itemCount >= pageSize;
}

/** Encodes each segment of a path. */
export function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

/**
 * Whether a path that a host lists is safe in URLs and names: segments without control characters and backslashes, none
 * of them empty, `.` or `..`.
 */
export function isRepositoryPath(path: string): boolean {
  return (
    path.length <= 1000 &&
    !/[\p{Cc}\\]/u.test(path) &&
    path.split("/").every((part) => part !== "" && part !== "." && part !== "..")
  );
}

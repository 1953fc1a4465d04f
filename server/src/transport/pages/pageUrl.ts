/** URLs of pages: `/browse/<repository>[@<revision>]/-/<view>/<path>`, each segment percent-encoded. */
import { ServiceError } from "#base/error";
import { browseUrl } from "#service/repositories/webLinks";

export const browsePrefix = "/browse/";

/**
 * `commits` is the history of a path, `authors` who made it, `refs` the list of revisions to show it at, `find` the search
 * for a file, and `compare` the changes between two revisions.
 */
export type PageView =
  | "blob"
  | "tree"
  | "commit"
  | "raw"
  | "commits"
  | "authors"
  | "refs"
  | "find"
  | "compare";

export interface PageUrl {
  readonly repository: string;
  readonly revision?: string;
  readonly view: PageView;
  /** A path in the repository; for the view `commit`, the name of the commit; for `compare`, `BASE...HEAD`. */
  readonly path: string;
  readonly withBlame: boolean;
  readonly position: ListPosition;
}

/** The part of a long list that a page shows. */
export interface ListPosition {
  /** Only entries that contain this text. */
  readonly filter: string;
  /** From 1. */
  readonly page: number;
}

/** No path in a repository is longer on Linux, and pages have a link for each of its folders. */
const maxPathLength = 4096;

const pagePattern =
  /^([^@]+?)(?:@(.+?))?(?:\/-\/(blob|tree|commits?|authors|raw|refs|find|compare)(?:\/(.*))?|\/?)$/s;

/** Parses the URL of a page. Throws NOT_FOUND for any other URL, MALFORMED_REQUEST for invalid escapes. */
export function parsePageUrl(url: string): PageUrl {
  const [pagePath = ""] = url.split("?", 1);
  const [, repository, revision, view = "tree", path = ""] =
    pagePattern.exec(pagePath.slice(browsePrefix.length)) ?? [];
  if (repository === undefined) throw new ServiceError("NOT_FOUND", "Page not found.");
  const decodedPath = decodeSegment(path);
  if (decodedPath.length > maxPathLength) throw new ServiceError("NOT_FOUND", "The path is too long.");
  return {
    repository: decodeSegment(repository),
    ...(revision === undefined ? {} : { revision: decodeSegment(revision) }),
    view: view as PageView,
    path: decodedPath,
    withBlame: queryParameters(url).get("blame") === "1",
    position: parsePosition(url),
  };
}

/** Returns the URL of the same page of another repository. */
export function withRepository(url: string, name: string): string {
  const [pagePath = ""] = url.split("?", 1);
  const [, repository = ""] = pagePattern.exec(pagePath.slice(browsePrefix.length)) ?? [];
  const [start = ""] = browseUrl("", name, undefined, "").split("/-/", 1);
  return start + url.slice(browsePrefix.length + repository.length);
}

/**
 * Returns the path from a page to the root of this service, relative to the URL of the page. Pages may be opened at
 * another address than their links name, for example below a path of a proxy.
 */
export function rootOf(url: string): string {
  const [path = ""] = url.split("?", 1);
  const depth = path.split("/").length - 2;
  return depth <= 0 ? "./" : "../".repeat(depth);
}

const maxPage = 1_000_000;

/** Parses `?filter=TEXT&page=NUMBER`. Ignores invalid values. */
export function parsePosition(url: string): ListPosition {
  const parameters = queryParameters(url);
  const page = parameters.get("page") ?? "";
  return {
    filter: parameters.get("filter")?.trim() ?? "",
    page: /^[1-9]\d{0,6}$/.test(page) ? Math.min(Number(page), maxPage) : 1,
  };
}

/** Adds a position to a URL without a query string. */
export function addPosition(url: string, { filter, page }: ListPosition): string {
  const parameters = new URLSearchParams();
  if (filter !== "") parameters.set("filter", filter);
  if (page > 1) parameters.set("page", String(page));
  return parameters.size === 0 ? url : `${url}?${parameters}`;
}

export function queryParameters(url: string): URLSearchParams {
  const start = url.indexOf("?");
  return new URLSearchParams(start === -1 ? "" : url.slice(start));
}

function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new ServiceError("MALFORMED_REQUEST", "The URL is not percent-encoded UTF-8.", { cause });
  }
}

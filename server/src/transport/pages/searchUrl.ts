/** URLs of the search page: `/?q=QUERY`, with the options of the search. */
import { toWellFormed } from "#contract/snapshotUri";
import { queryParameters } from "./pageUrl";

/** What the search page shows. */
export interface SearchPosition {
  readonly query: string;
  readonly isWholeWord: boolean;
  readonly isRegex: boolean;
  /** How many of the best files precede those on the page. */
  readonly start: number;
}

/** More files are never searched for. */
const maxStart = 100_000;

export function parseSearchUrl(url: string): SearchPosition {
  const parameters = queryParameters(url);
  const start = parameters.get("start") ?? "";
  return {
    query: parameters.get("q")?.trim() ?? "",
    isWholeWord: parameters.get("word") === "1",
    isRegex: parameters.get("regex") === "1",
    start: /^\d{1,6}$/.test(start) ? Math.min(Number(start), maxStart) : 0,
  };
}

/**
 * Returns whether the search should be case-sensitive if the user has just changed that; otherwise undefined. The form
 * says what it was (`cased`), and the query contains the change from then on, as `case:yes`.
 */
export function changedCase(url: string): boolean | undefined {
  const parameters = queryParameters(url);
  const isOn = parameters.get("case") === "1";
  return isOn === (parameters.get("cased") === "1") ? undefined : isOn;
}

/** Whether script requests the page while its user types, so that only cheap queries should run. */
export function isTyping(url: string): boolean {
  return queryParameters(url).get("typing") === "1";
}

/** Returns the URL of a search; another query or option begins with the best files again. */
export function searchUrl(
  base: string,
  position: SearchPosition,
  change: Partial<SearchPosition> = {},
): string {
  const { query, isWholeWord, isRegex, start } = { ...position, start: 0, ...change };
  const parameters = new URLSearchParams();
  if (query !== "") parameters.set("q", query);
  if (isWholeWord) parameters.set("word", "1");
  if (isRegex) parameters.set("regex", "1");
  if (start > 0) parameters.set("start", String(start));
  return parameters.size === 0 ? `${base}/` : `${base}/?${parameters}`;
}

/** Returns the URL of a search without options. */
export function queryUrl(base: string, query: string): string {
  return searchUrl(base, parseSearchUrl("/"), { query });
}

/** A page has many links that contain the query, and must stay small. */
const maxLinkedLength = 2000;

/** Whether links may contain the query. */
export function isLinkable({ query }: SearchPosition): boolean {
  return encodeURIComponent(toWellFormed(query)).length <= maxLinkedLength;
}

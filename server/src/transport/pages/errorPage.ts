/** The page of a request that failed, with the bar that leads elsewhere. */
import type { ErrorObject } from "#contract/error";
import { type BarContext, failurePage, type PageResponse } from "./context";
import { rootOf } from "./pageUrl";
import { siteBar } from "./siteBar";

const titles: Readonly<Record<number, string>> = {
  400: "Invalid request",
  403: "Not allowed",
  404: "Not found",
  422: "Too large to show",
  503: "Not available",
  504: "Timed out",
};

/** A relative path to the root from a longer URL could be longer than the page. */
const maxRelativeUrl = 1000;

/** `url` is that of the request. */
export function errorPage(
  { statusCode, message }: ErrorObject,
  context: BarContext,
  url: string,
): PageResponse {
  const title = titles[statusCode] ?? "Error";
  const root = url.length > maxRelativeUrl ? `${context.base}/` : rootOf(url);
  return failurePage(statusCode, title, message, undefined, siteBar(context, root));
}

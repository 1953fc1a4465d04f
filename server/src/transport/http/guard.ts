/** What is looked at before a body is read: who may ask at all, and whether there is something to ask. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { ServiceError } from "#base/error";
import { guardHeaders } from "./answers";
import type { BrowserRules } from "./browsers";
import { checkMediaType } from "./decode";
import { browsePrefix } from "./pageAddress";

export interface GuardOptions {
  readonly rules: BrowserRules;
  /** Path, or beginning of paths and `*`, to the methods that it takes, as the `Allow` header has them. */
  readonly allowed: ReadonlyMap<string, string>;
  /** Whether the request came over the local socket, which no browser can reach. */
  readonly isLocal: boolean;
}

/** Gives the reply where it is complete, as for OPTIONS. Throws what the caller is to be told. */
export function guard(
  request: FastifyRequest,
  reply: FastifyReply,
  { rules, allowed, isLocal }: GuardOptions,
): FastifyReply | undefined {
  reply.headers(guardHeaders);
  const { method } = request;
  const { origin } = request.headers;
  const path = pathOf(request);
  const methods =
    allowed.get(path) ?? (path.startsWith(browsePrefix) ? allowed.get(`${browsePrefix}*`) : undefined);
  if (!isLocal) refuseForeignPages(request);
  const isForeign = !isLocal && rules.isForeignOrigin(origin, rules.host(request.raw));
  if (isForeign) reply.headers(crossOrigin(origin ?? ""));
  if (methods !== undefined && (request.is404 || method === "OPTIONS")) {
    reply.header("allow", methods);
    if (method === "OPTIONS")
      return reply
        .headers(isForeign ? preflight(methods) : {})
        .code(204)
        .send();
    throw new ServiceError("METHOD_NOT_ALLOWED", `${path} takes ${methods}, not ${method}.`);
  }
  const isHidden = !isLocal && !allowed.has(request.routeOptions.url ?? "");
  if (request.is404 || isHidden) throw notServed(path);
  if (method === "POST") checkMediaType(request.raw);
  return undefined;
}

/**
 * A page elsewhere can make a browser ask without telling its origin, as for a picture. What the browser says of it is
 * believed; a reader who follows a link asks on their own account.
 */
function refuseForeignPages({ headers }: FastifyRequest): void {
  const site = headers["sec-fetch-site"];
  const isElsewhere = site === "cross-site" || site === "same-site";
  if (!isElsewhere || headers.origin !== undefined || headers["sec-fetch-mode"] === "navigate") return;
  throw new ServiceError("ORIGIN_NOT_ALLOWED", "Pages of other origins may not call this service.");
}

export function notServed(path: string): ServiceError {
  return new ServiceError("NOT_FOUND", `There is no endpoint ${path}.`);
}

/** As it was sent, without the query string. */
export function pathOf(request: FastifyRequest): string {
  return request.url.split("?", 1)[0] ?? "";
}

function crossOrigin(origin: string): Record<string, string> {
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "x-total-count, link, retry-after",
    "cross-origin-resource-policy": "cross-origin",
  };
}

function preflight(methods: string): Record<string, string> {
  return {
    "access-control-allow-methods": methods,
    "access-control-allow-headers": "authorization, content-type, x-service-api-key, x-service-client-source",
    "access-control-max-age": "600",
  };
}

/** Checks that run before the body is read: host, origin, path, method and media type. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { ServiceError } from "#base/error";
import { browsePrefix } from "#transport/pages/pageUrl";
import type { BrowserRules } from "./browserRules";
import { checkMediaType } from "./decode";
import { requestIdHeader } from "./requestId";
import { guardHeaders } from "./responses";

export interface GuardOptions {
  readonly rules: BrowserRules;
  /** Maps a route, or a path prefix and `*`, to its `Allow` header. */
  readonly allowedMethods: ReadonlyMap<string, string>;
  /** Whether the request came over the local socket, which browsers cannot reach. */
  readonly isLocal: boolean;
  /** Routes of POST requests that need no media type: without a body, or whose senders prove themselves by the body. */
  readonly anyMediaType: ReadonlySet<string>;
}

/**
 * Returns the reply if it has been sent, as for OPTIONS; otherwise `undefined`.
 *
 * Throws MALFORMED_REQUEST, HOST_NOT_ALLOWED, ORIGIN_NOT_ALLOWED, METHOD_NOT_ALLOWED, NOT_FOUND or
 * UNSUPPORTED_MEDIA_TYPE.
 */
export function checkRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  { rules, allowedMethods, anyMediaType, isLocal }: GuardOptions,
): FastifyReply | undefined {
  reply.headers(guardHeaders).header(requestIdHeader, request.id);
  const { method } = request;
  const { origin } = request.headers;
  const path = requestPath(request);
  const methods =
    allowedMethods.get(routeOf(path, anyMediaType)) ??
    (path.startsWith(browsePrefix) ? allowedMethods.get(`${browsePrefix}*`) : undefined);
  if (!isLocal) refusePagesOfOtherOrigins(request);
  const isCrossOrigin = !isLocal && rules.checkOrigin(origin, rules.host(request.raw));
  if (isCrossOrigin) reply.headers(corsHeaders(origin ?? ""));
  if (methods !== undefined && (request.is404 || method === "OPTIONS")) {
    reply.header("allow", methods);
    if (method === "OPTIONS")
      return reply
        .headers(isCrossOrigin ? preflightHeaders(methods) : {})
        .code(204)
        .send();
    throw new ServiceError("METHOD_NOT_ALLOWED", `${path} supports ${methods}, not ${method}.`);
  }
  const isHidden = !isLocal && !allowedMethods.has(request.routeOptions.url ?? "");
  if (request.is404 || isHidden) throw endpointNotFound(path);
  const { url: route = "" } = request.routeOptions;
  if (method === "POST" && !anyMediaType.has(route)) checkMediaType(request.raw);
  return undefined;
}

/** Returns the route of a path, which is the path itself unless it contains fields, such as `:name`. */
function routeOf(path: string, routes: ReadonlySet<string>): string {
  const parts = path.split("/");
  for (const route of routes) {
    const names = route.split("/");
    const isMatch = names.every(
      (name, at) => name === parts[at] || (name.startsWith(":") && parts[at] !== ""),
    );
    if (isMatch && names.length === parts.length) return route;
  }
  return path;
}

/**
 * Throws ORIGIN_NOT_ALLOWED for requests of pages of another origin that have no `Origin`, such as those for images:
 * `Sec-Fetch-Site` reveals them. Navigation by link is allowed.
 */
function refusePagesOfOtherOrigins({ headers }: FastifyRequest): void {
  const site = headers["sec-fetch-site"];
  const isOtherOrigin = site === "cross-site" || site === "same-site";
  if (!isOtherOrigin || headers.origin !== undefined || headers["sec-fetch-mode"] === "navigate") return;
  throw new ServiceError("ORIGIN_NOT_ALLOWED", "Pages of other origins may not call this service.");
}

export function endpointNotFound(path: string): ServiceError {
  return new ServiceError("NOT_FOUND", `There is no endpoint ${path}.`);
}

/** The path of the request as sent, without the query string. */
export function requestPath(request: FastifyRequest): string {
  return request.url.split("?", 1)[0] ?? "";
}

function corsHeaders(origin: string): Record<string, string> {
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "x-total-count, x-incomplete, x-request-id, link, retry-after",
    "cross-origin-resource-policy": "cross-origin",
  };
}

function preflightHeaders(methods: string): Record<string, string> {
  return {
    "access-control-allow-methods": methods,
    "access-control-allow-headers":
      "authorization, content-type, x-service-api-key, x-service-client-source, x-request-id, traceparent, mcp-protocol-version, mcp-method, mcp-name",
    "access-control-max-age": "600",
  };
}

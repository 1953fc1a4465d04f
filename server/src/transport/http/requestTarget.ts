/**
 * Converts request targets, which have four forms (RFC 9112, section 3.2), to the one that routing and links expect.
 */
import type { IncomingMessage } from "node:http";
import { ServiceError } from "#base/error";

/** The target of requests about the server as a whole; valid only for OPTIONS. */
export const serverTarget = "*";

const absoluteForm = /^https?:\/\/([^/?]*)(.*)$/is;

/**
 * Rewrites a target in absolute form to origin form. Its authority replaces the `Host` header, so that every later
 * check and link uses it. Must run before anything else reads the request.
 *
 * Throws MALFORMED_REQUEST for a target in no known form.
 */
export function normalizeTarget(request: IncomingMessage): void {
  const { url: target = "", method } = request;
  if (target.includes("#")) {
    throw new ServiceError(
      "MALFORMED_REQUEST",
      'The request target contains "#", which begins a fragment. Write it as %23.',
    );
  }
  if (target.startsWith("/") || (target === serverTarget && method === "OPTIONS")) return;
  const [, authority = "", rest = ""] = absoluteForm.exec(target) ?? [];
  if (authority === "" || authority.includes("@")) {
    throw new ServiceError(
      "MALFORMED_REQUEST",
      "The request target must be a path, or an http or https URL with a host and without credentials.",
    );
  }
  request.url = rest.startsWith("/") ? rest : `/${rest}`;
  replaceHost(request, authority);
}

/** Replaces the value of each `Host` header but adds none: a request without one stays malformed. */
function replaceHost({ headers, rawHeaders }: IncomingMessage, authority: string): void {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === "host") rawHeaders[index + 1] = authority;
  }
  if (headers.host !== undefined) headers.host = authority;
}

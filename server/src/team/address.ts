/** The address of a team's server. */
import { isSecureUrl } from "#access/addresses";
import { usageError } from "#base/error";

export interface ServerAddress {
  /** Without a trailing slash; identifies the server in results. */
  readonly url: string;
  readonly origin: string;
  /** Path before `/api`, without a trailing slash; usually empty. */
  readonly basePath: string;
}

/** Parses the URL that a user entered. Throws USAGE, without quoting it if it may contain a password. */
export function parseServerAddress(text: string): ServerAddress {
  const trimmed = text.trim();
  if (!URL.canParse(trimmed))
    throw usageError("The server must be a URL such as https://search.example.com.");
  const url = new URL(trimmed);
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw usageError("The URL of the server must not contain a user, a password, a query or a fragment.");
  if (!isSecureUrl(trimmed))
    throw usageError(
      "The URL of the server must begin with https://, so that nobody can read the key. Only a server on this computer may use http://.",
    );
  const basePath = url.pathname.replace(/\/+$/, "");
  return { url: url.origin + basePath, origin: url.origin, basePath };
}

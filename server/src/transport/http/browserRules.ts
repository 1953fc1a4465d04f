/** Prevents web pages from reaching this service through their own host names (DNS rebinding) or from other origins. */
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { hostname } from "node:os";
import { isLoopback } from "#access/addresses";
import { ServiceError } from "#base/error";

export interface BrowserSettings {
  /** The configured address of the listener. */
  readonly host: string;
  readonly publicUrl?: string;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
}

export interface BrowserRules {
  /**
   * Returns the `Host` of a request, including the port. It is an allowed host, and thus safe to use in links.
   *
   * Throws HOST_NOT_ALLOWED, or MALFORMED_REQUEST unless there is exactly one valid `Host`.
   */
  host(request: IncomingMessage): string;
  /**
   * Returns true for a configured origin, and false for this service's own origin and for none. Throws
   * ORIGIN_NOT_ALLOWED for any other.
   */
  checkOrigin(origin: string | undefined, host: string): boolean;
  /** The configured origins. */
  readonly allowedOrigins: ReadonlySet<string>;
  /** Whether the browser says that a page of this service has sent the request. */
  isFromOwnPage(request: IncomingMessage): boolean;
}

/** Throws USAGE for an invalid setting. */
export function createBrowserRules(settings: BrowserSettings): BrowserRules {
  const names = new Set(settings.allowedHosts.map((text) => parseConfiguredHost(text)));
  names.add(parseConfiguredHost(bracketIpv6(settings.host)));
  if (!isLoopback(settings.host)) names.add(hostname().toLowerCase());
  const origins = new Set(settings.allowedOrigins.map((text) => parseConfiguredOrigin(text)));
  const publicOrigin =
    settings.publicUrl === undefined ? undefined : parseConfiguredOrigin(settings.publicUrl);
  if (publicOrigin !== undefined) names.add(new URL(publicOrigin).hostname);

  const isOwnOrigin = (origin: string, host: string) => {
    const normalized = originOf(origin);
    return (
      normalized !== undefined && (normalized === originOf(`http://${host}`) || normalized === publicOrigin)
    );
  };

  return {
    allowedOrigins: origins,
    isFromOwnPage({ headers }) {
      const { origin, host = "", "sec-fetch-site": site } = headers;
      if (site !== undefined) return site === "same-origin";
      return origin !== undefined && isOwnOrigin(origin, host);
    },
    host(request) {
      const header = requireSingleHost(request);
      const name = hostName(header);
      if (name === undefined) throw new ServiceError("MALFORMED_REQUEST", `"${header}" is not a host.`);
      if (isLoopback(name) || names.has(name) || name === localAddressOf(request)) return header;
      throw new ServiceError(
        "HOST_NOT_ALLOWED",
        `The host "${name}" is not allowed. To allow it, start Trawl with --allowed-host ${name}.`,
      );
    },
    checkOrigin(origin, host) {
      if (origin === undefined) return false;
      if (isOwnOrigin(origin, host)) return false;
      const normalized = originOf(origin);
      if (normalized !== undefined && origins.has(normalized)) return true;
      throw new ServiceError("ORIGIN_NOT_ALLOWED", `Pages of "${origin}" may not call this service.`);
    },
  };
}

function requireSingleHost(request: IncomingMessage): string {
  const { rawHeaders } = request;
  const hosts = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === "host");
  const [host] = hosts;
  if (host === undefined || hosts.length > 1) {
    throw new ServiceError("MALFORMED_REQUEST", "A request needs exactly one Host header.");
  }
  return host;
}

/**
 * The local address of the connection, which is always an allowed host: a rebound name may resolve to it, but is not
 * equal to it.
 */
function localAddressOf(request: IncomingMessage): string | undefined {
  const address = request.socket.localAddress?.replace(/^::ffff:(?=\d+\.)/, "");
  return address === undefined ? undefined : hostName(bracketIpv6(address));
}

const hostSyntax = /^(?:\[[0-9a-f:.]+\]|[\p{L}\p{N}_.-]+)(?::\d{1,5})?$/iu;

/**
 * Returns a host in lowercase, without port and trailing dot, and with brackets around an IPv6 address; `undefined` if
 * `text` is not a host.
 */
function hostName(text: string): string | undefined {
  if (!hostSyntax.test(text) || !URL.canParse(`http://${text}`)) return undefined;
  const name = new URL(`http://${text}`).hostname.replace(/\.$/, "");
  return name === "" ? undefined : name;
}

function bracketIpv6(host: string): string {
  // Compiling the pattern of IPv6 addresses takes milliseconds.
  return host.includes(":") && isIP(host) === 6 ? `[${host}]` : host;
}

function parseConfiguredHost(text: string): string {
  const name = hostName(bracketIpv6(text));
  if (name === undefined) throw new ServiceError("USAGE", `"${text}" is not a host.`);
  return name;
}

function parseConfiguredOrigin(text: string): string {
  const origin = originOf(text);
  if (origin === undefined)
    throw new ServiceError("USAGE", `"${text}" is not an origin such as https://example.com.`);
  return origin;
}

/**
 * Returns scheme, host and port, even for schemes without a standard origin, such as those of browser extensions;
 * `undefined` if `text` is not a URL or has no host.
 */
function originOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { origin, protocol, host } = new URL(text);
  if (origin !== "null") return origin;
  return host === "" ? undefined : `${protocol}//${host}`;
}

/**
 * What a web page in somebody's browser may not do: reach this service under a name of its own (DNS rebinding), or
 * talk to it from another origin.
 */
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { hostname } from "node:os";
import { isLoopback } from "#access/addresses";
import { ServiceError } from "#base/error";

export interface BrowserSettings {
  /** What the listener was bound to, as configured. */
  readonly host: string;
  readonly publicUrl?: string;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
}

export interface BrowserRules {
  /**
   * The `Host` of a request, port included, safe to build addresses on.
   *
   * Throws HOST_NOT_ALLOWED, or MALFORMED_REQUEST where there is not exactly one that can be read.
   */
  host(request: IncomingMessage): string;
  /** Whether the request comes from a configured origin. Throws ORIGIN_NOT_ALLOWED for one that is not ours either. */
  isForeignOrigin(origin: string | undefined, host: string): boolean;
}

/** Throws USAGE where a setting cannot be meant. */
export function browserRules(settings: BrowserSettings): BrowserRules {
  const names = new Set(settings.allowedHosts.map((text) => configuredHost(text)));
  names.add(configuredHost(bracketed(settings.host)));
  if (!isLoopback(settings.host)) names.add(hostname().toLowerCase());
  const origins = new Set(settings.allowedOrigins.map((text) => configuredOrigin(text)));
  const own = settings.publicUrl === undefined ? undefined : configuredOrigin(settings.publicUrl);
  if (own !== undefined) names.add(new URL(own).hostname);

  return {
    host(request) {
      const header = onlyHost(request);
      const name = hostName(header);
      if (name === undefined) throw new ServiceError("MALFORMED_REQUEST", `"${header}" is no host.`);
      if (isLoopback(name) || names.has(name) || name === arrivedAt(request)) return header;
      throw new ServiceError(
        "HOST_NOT_ALLOWED",
        `The host "${name}" is not this service's. Start it with --allowed-host ${name} to answer under that name.`,
      );
    },
    isForeignOrigin(origin, host) {
      if (origin === undefined) return false;
      const normal = originOf(origin);
      if (normal !== undefined && (normal === originOf(`http://${host}`) || normal === own)) return false;
      if (normal !== undefined && origins.has(normal)) return true;
      throw new ServiceError("ORIGIN_NOT_ALLOWED", `Pages of "${origin}" may not call this service.`);
    },
  };
}

function onlyHost(request: IncomingMessage): string {
  const { rawHeaders } = request;
  const hosts = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === "host");
  const [host] = hosts;
  if (host === undefined || hosts.length > 1) {
    throw new ServiceError("MALFORMED_REQUEST", "A request needs exactly one Host header.");
  }
  return host;
}

/** The address at which the connection arrived: a rebound name can lead to it, but is not it. */
function arrivedAt(request: IncomingMessage): string | undefined {
  const address = request.socket.localAddress?.replace(/^::ffff:(?=\d+\.)/, "");
  return address === undefined ? undefined : hostName(bracketed(address));
}

const hostSyntax = /^(?:\[[0-9a-f:.]+\]|[\p{L}\p{N}_.-]+)(?::\d{1,5})?$/iu;

/** Lower case, without port, brackets of addresses kept, without the dot that ends an absolute name. */
function hostName(text: string): string | undefined {
  if (!hostSyntax.test(text) || !URL.canParse(`http://${text}`)) return undefined;
  const name = new URL(`http://${text}`).hostname.replace(/\.$/, "");
  return name === "" ? undefined : name;
}

function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

function configuredHost(text: string): string {
  const name = hostName(bracketed(text));
  if (name === undefined) throw new ServiceError("USAGE", `"${text}" is no host.`);
  return name;
}

function configuredOrigin(text: string): string {
  const origin = originOf(text);
  if (origin === undefined) throw new ServiceError("USAGE", `"${text}" is no address of a web site.`);
  return origin;
}

/** Scheme, host and port. Schemes that the web does not know have no origin of their own, so they stay as they are. */
function originOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { origin, protocol, host } = new URL(text);
  if (origin !== "null") return origin;
  return host === "" ? undefined : `${protocol}//${host}`;
}

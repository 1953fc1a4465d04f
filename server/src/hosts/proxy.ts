/** The proxy of a connection, for REST and git. */
import type { ProxyServer } from "#platform/send";
import type { Secret } from "./secret";

export interface HostProxy {
  /** Without user information. */
  readonly url: string;
  readonly login?: { readonly user: string; readonly password: Secret };
}

export function proxyServer({ url, login }: HostProxy): ProxyServer {
  if (login === undefined) return { url };
  const text = `${login.user}:${login.password.reveal()}`;
  return { url, authorization: `Basic ${Buffer.from(text).toString("base64")}` };
}

/** Returns the variables that let git use a proxy. They contain its password, which no argument may. */
export function proxyEnvironment({ url, login }: HostProxy): Record<string, string> {
  const address = new URL(url);
  if (login !== undefined) {
    address.username = encode(login.user);
    address.password = encode(login.password.reveal());
  }
  return { http_proxy: address.href, https_proxy: address.href, GIT_HTTP_PROXY_AUTHMETHOD: "basic" };
}

/** First git decodes it, and then libcurl decodes the result. */
function encode(text: string): string {
  return encodeURIComponent(text.replaceAll("%", "%25"));
}

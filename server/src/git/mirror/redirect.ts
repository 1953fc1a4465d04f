/** Follows redirects of renamed repositories. Git must not do that itself, because it would follow them to any origin. */
import { ServiceError } from "#base/error";
import { sanitize } from "#base/sanitize";
import type { GitCredentials } from "#hosts/codeHost";
import { type HostProxy, proxyServer } from "#hosts/proxy";
import { SendError, Sender } from "#platform/send";

export interface RedirectOptions {
  readonly credentials?: GitCredentials | undefined;
  readonly caFile?: string | undefined;
  readonly proxy?: HostProxy | undefined;
  readonly signal: AbortSignal;
}

const maxRedirects = 5;
const timeoutMs = 30_000;
/** What git requests first. */
const firstPath = "/info/refs";
const firstQuery = "?service=git-upload-pack";

/** Whether the error text of git, which follows no redirects, says that there was one. */
export function wasRedirected(errorText: string): boolean {
  return /returned error: 30[12378]$/m.test(errorText);
}

/**
 * Returns the URL to which the URL of a repository redirects. Sends nothing to other origins.
 *
 * Throws GIT_FAILED if it leads to another origin or to something other than a repository, and CANCELLED.
 */
export async function followRedirects(url: URL, options: RedirectOptions): Promise<URL> {
  const { credentials, caFile, proxy, signal } = options;
  const failed = (reason: string) =>
    new ServiceError("GIT_FAILED", `Cannot fetch ${url.href}: ${sanitize(reason)}`);
  const sender = new Sender(caFile, timeoutMs, proxy && (async () => proxyServer(proxy)));
  const headers = {
    "git-protocol": "version=2",
    ...(credentials === undefined ? {} : { authorization: basic(credentials) }),
  };
  let current = url;
  try {
    for (let count = 0; count <= maxRedirects; count++) {
      const first = current.href.replace(/\/+$/, "") + firstPath + firstQuery;
      const { status, headers: received } = await sender.send(first, headers, signal);
      if (status < 300 || status > 399) return current;
      const location = received["location"] ?? "";
      const target = URL.canParse(location, first) ? new URL(location, first) : undefined;
      if (target === undefined) throw failed("it redirects to an invalid URL.");
      if (target.origin !== url.origin)
        throw failed(
          `it redirects to ${target.origin}, to which nothing is sent. Set "url" of the connection.`,
        );
      if (!target.pathname.endsWith(firstPath) || target.search !== firstQuery)
        throw failed(
          "it redirects to a page that is no repository. The credentials may be missing or wrong.",
        );
      current = new URL(target.origin + target.pathname.slice(0, -firstPath.length));
    }
    throw failed("it redirects too often.");
  } catch (error) {
    throw error instanceof SendError ? failed(error.message) : error;
  } finally {
    await sender.close();
  }
}

function basic({ user, password }: GitCredentials): string {
  return `Basic ${Buffer.from(`${user}:${password.reveal()}`).toString("base64")}`;
}

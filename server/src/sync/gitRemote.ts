/** Describes to git how to reach a repository of a connection. */
import { ServiceError } from "#base/error";
import type { Remote } from "#git/mirror/networkGit";
import type { CodeHost } from "#hosts/codeHost";
import { type MirrorConnection, mayCloneFrom } from "#mirrors/connection";

/**
 * Rejects with GIT_FAILED if the host named a URL elsewhere, with USAGE if the credentials cannot be read, and with
 * `MissingEditorToken`.
 */
export async function openRemote(
  url: string,
  settings: MirrorConnection,
  host: CodeHost,
  signal: AbortSignal,
): Promise<Remote> {
  if (!mayCloneFrom(settings, url))
    throw new ServiceError("GIT_FAILED", "Its clone URL is not on the host of the connection.");
  const { allowHttp: allowsHttp, sshKey: key, knownHosts, caFile } = settings;
  if (url.startsWith("ssh:"))
    return { url, allowsHttp, ...(key && knownHosts ? { ssh: { key, knownHosts } } : {}) };
  return {
    url,
    allowsHttp,
    credentials: await host.gitCredentials(signal),
    caFile,
    proxy: await host.proxy?.(),
  };
}

/** Checks whether git can read what a host lists, which may need another user, protocol or right than the list. */
import { isServiceError } from "#base/error";
import { runNetworkGit } from "#git/mirror/networkGit";
import type { CodeHost } from "#hosts/codeHost";
import type { MirrorConnection } from "#mirrors/connection";
import type { ConnectionListing } from "#mirrors/listConnection";
import type { ConnectionProblem } from "#mirrors/mirrorRecord";
import { openRemote } from "./gitRemote";

export interface CloneProbeOptions {
  readonly connection: MirrorConnection;
  readonly host: CodeHost;
  /** The folder of git's credential helper. */
  readonly helperFolder: string;
  /** A folder in which git runs, which is no repository. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

const timeoutMs = 30_000;

/**
 * Asks git for one of the listed repositories, a private one if there is one, and adds a problem if that fails. Throws
 * CANCELLED.
 */
export async function probeClone(
  listing: ConnectionListing | ConnectionProblem,
  { connection, host, helperFolder, folder, signal }: CloneProbeOptions,
): Promise<ConnectionListing | ConnectionProblem> {
  if ("message" in listing) return listing;
  const { added, kept } = listing.plan;
  const included = [...added, ...kept.filter(({ holding }) => holding.released === undefined)];
  const probed = included.find(({ repository }) => repository.visibility !== "public") ?? included[0];
  if (probed === undefined) return listing;
  const { cloneUrl: url, path } = probed.repository;
  const requestCount = listing.requestCount + 1;
  try {
    const remote = await openRemote(url, connection, host, signal);
    const options = { helperFolder, homeFolder: folder, timeoutMs, signal };
    await runNetworkGit(folder, ["ls-remote", "--"], remote, ["HEAD"], options);
    return { ...listing, requestCount };
  } catch (error) {
    if (isServiceError(error, "CANCELLED")) throw error;
    const message = error instanceof Error ? error.message : String(error);
    return {
      ...listing,
      requestCount,
      problems: [...listing.problems, { scope: `repo:${path}`, message }],
    };
  }
}

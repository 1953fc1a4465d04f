/** Checks hosts that are listed without a request: asks git for one of their repositories. */
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

/** Adds a problem to a listing if git cannot read the repository. Throws CANCELLED. */
export async function probeClone(
  listing: ConnectionListing | ConnectionProblem,
  { connection, host, helperFolder, folder, signal }: CloneProbeOptions,
): Promise<ConnectionListing | ConnectionProblem> {
  if ("message" in listing || listing.requestCount > 0) return listing;
  const [first] = [...listing.plan.added, ...listing.plan.kept];
  if (first === undefined) return listing;
  const { cloneUrl: url, path } = first.repository;
  try {
    const remote = await openRemote(url, connection, host, signal);
    const options = { helperFolder, homeFolder: folder, timeoutMs, signal };
    await runNetworkGit(folder, ["ls-remote", "--"], remote, ["HEAD"], options);
    return { ...listing, requestCount: 1 };
  } catch (error) {
    if (isServiceError(error, "CANCELLED")) throw error;
    const message = error instanceof Error ? error.message : String(error);
    return {
      ...listing,
      requestCount: 1,
      problems: [...listing.problems, { scope: `repo:${path}`, message }],
    };
  }
}

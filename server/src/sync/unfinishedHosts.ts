import type { KnownConnections } from "#mirrors/applyListing";
import type { MirrorRecord } from "#mirrors/mirrorRecord";
import type { MirrorState } from "#mirrors/state";
import type { MirrorCatalog } from "./mirrorCatalog";
import type { MirrorFetches } from "./mirrorFetches";

/** What remains to be done until the repositories of all connections are known and cloned for the first time. */
export interface UnfinishedHosts {
  /** How many visible mirrors have never been cloned. */
  readonly cloning: number;
  /** How many connections have never been listed. */
  readonly listing: number;
}

export function unfinishedHosts(
  connections: KnownConnections["connections"],
  state: MirrorState,
  mirrors: MirrorCatalog,
  fetches: MirrorFetches,
): UnfinishedHosts {
  const isAwaited = ({ number, fetches: { fetchedAt, failures } }: MirrorRecord) =>
    mirrors.idOf(number) !== undefined &&
    fetchedAt === undefined &&
    failures === 0 &&
    !fetches.isWaitingForToken(number);
  const isUnlisted = (name: string) => {
    const { listedAt, failures } = state.connection(name);
    return listedAt === undefined && failures === 0;
  };
  return {
    cloning: state.mirrors.filter(isAwaited).length,
    listing: Object.keys(connections).filter(isUnlisted).length,
  };
}

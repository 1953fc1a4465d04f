import { isServiceError } from "#base/error";
import { untilAborted } from "#base/untilAborted";
import type { UnavailablePart } from "#engine/engine";
import { systemClock } from "#platform/clock";
import { TimeLimit } from "#platform/timeLimit";
import type { Assignments, NodeRepositories } from "./nodeRepositories";
import type { NodeScope } from "./replicas";

/** How long a search waits for the lists of nodes after these have responded to it. */
const maxWaitMs = 2000;

/** Finds repositories that a node may have removed before it searched them. */
export type FindLost = (
  scopes: readonly NodeScope[],
  signal: AbortSignal,
) => Promise<readonly UnavailablePart[]>;

/**
 * Returns a function for a search that begins now and divides repositories by `byId`. Call it when nodes have responded
 * with the scopes that they were asked for. It lists the nodes again, but only if one may have removed something that
 * was not announced in time. Rejects only with CANCELLED.
 */
export function watchForLost(repositories: NodeRepositories, byId: Assignments["byId"]): FindLost {
  const startedAt = systemClock.elapsed();
  const keepers = repositories.keepers(byId);
  return async (scopes, signal) => {
    const uncertain = scopes.filter(
      ({ node: { name } }) => !keepers.has(name) || repositories.hasRemovedSince(name, startedAt),
    );
    if (uncertain.length === 0) return [];
    const respondedAt = systemClock.elapsed();
    const limit = new TimeLimit(signal, maxWaitMs);
    try {
      await untilAborted(repositories.check(), limit.signal);
    } catch (error) {
      if (signal.aborted || !isServiceError(error, "CANCELLED")) throw error;
    } finally {
      limit.dispose();
    }
    return uncertain.flatMap(({ node: { name: node }, repositories: scoped }) => {
      const isListed = repositories.isCheckedSince(node, respondedAt);
      const names = repositories.namesOn(node);
      const repositoryCount = scoped.filter(({ placed }) => !isListed || !names.has(placed.name)).length;
      const reason = isListed
        ? "has removed their index"
        : "may have removed their index, because it does not list its repositories";
      return repositoryCount === 0 ? [] : [{ node, reason, repositoryCount }];
    });
  };
}

import { isServiceError } from "#base/error";
import { untilAborted } from "#base/untilAborted";
import type { UnavailablePart } from "#engine/engine";
import { monotonicNow, systemClock } from "#platform/clock";
import { TimeLimit } from "#platform/timeLimit";
import type { Assignments, NodeRepositories } from "./nodeRepositories";
import type { NodeScope } from "./replicas";

/** How long a search waits for the lists of nodes after these have responded to it, and as a share of its time left. */
const listWait = { maxMs: 2000, share: 0.3 };

export interface Loss {
  readonly scope: NodeScope;
  readonly unavailable: UnavailablePart;
}

/** Finds repositories that a node may have removed before it searched them. */
export type FindLost = (scopes: readonly NodeScope[], signal: AbortSignal) => Promise<readonly Loss[]>;

/**
 * Returns a function for a search that begins now, ends at `deadline` and divides repositories by `byId`. Call it when
 * nodes have responded with the scopes that they were asked for. It lists a node again, but only if that may have removed
 * something unannounced. Rejects only with CANCELLED.
 */
export function watchForLost(
  repositories: NodeRepositories,
  byId: Assignments["byId"],
  deadline: number,
): FindLost {
  const startedAt = systemClock.elapsed();
  const uncertainNodes = repositories.uncertainNodes(byId);
  return async (scopes, signal) => {
    const uncertain = scopes.filter(
      ({ node: { name } }) => uncertainNodes.has(name) || repositories.hasRemovedSince(name, startedAt),
    );
    if (uncertain.length === 0) return [];
    const respondedAt = systemClock.elapsed();
    const leftMs = Math.max(0, deadline - monotonicNow());
    const limit = new TimeLimit(signal, Math.min(listWait.maxMs, leftMs * listWait.share));
    try {
      await untilAborted(repositories.check(uncertain.map(({ node }) => node.name)), limit.signal);
    } catch (error) {
      if (signal.aborted || !isServiceError(error, "CANCELLED")) throw error;
    } finally {
      limit.dispose();
    }
    return uncertain.flatMap((scope) => {
      const node = scope.node.name;
      const isListed = repositories.isCheckedSince(node, respondedAt);
      const names = repositories.namesOn(node);
      const lost = scope.repositories.filter(({ placed }) => !isListed || !names.has(placed.name));
      const reason = isListed
        ? "has removed their index"
        : "did not list its repositories again, so it may have removed their index";
      const unavailable = { node, reason, repositoryCount: lost.length };
      return lost.length === 0 ? [] : [{ scope, unavailable }];
    });
  };
}

/** Chooses one node for each repository of a search, and another one if that fails. */
import type { AssignedRepository, PlacedRepository } from "./nodeRepositories";
import type { ZoektNode } from "./zoektNode";

/** Repositories that one node is asked for. */
export interface NodeScope {
  readonly node: ZoektNode;
  readonly repositories: readonly ScopedRepository[];
}

export interface ScopedRepository {
  readonly assigned: AssignedRepository;
  /** The replica on the node. */
  readonly placed: PlacedRepository;
}

export interface Division {
  readonly scopes: readonly NodeScope[];
  /** Repositories of which no other replica is left. */
  readonly rest: readonly AssignedRepository[];
}

/**
 * Divides repositories among nodes: each to its first replica that is not to be avoided, and that has not failed
 * repeatedly unless all have.
 */
export function divide(
  repositories: Iterable<AssignedRepository>,
  nodes: ReadonlyMap<string, ZoektNode>,
  avoided: ReadonlySet<string> = new Set(),
): Division {
  const byNode = new Map<ZoektNode, ScopedRepository[]>();
  const rest: AssignedRepository[] = [];
  for (const assigned of repositories) {
    const usable = [assigned, ...assigned.replicas].filter(({ node }) => !avoided.has(node));
    const placed = usable.find(({ node }) => nodes.get(node)?.isSuspended === false) ?? usable[0];
    const node = placed && nodes.get(placed.node);
    if (placed === undefined || node === undefined) {
      rest.push(assigned);
      continue;
    }
    const scoped = byNode.get(node);
    if (scoped === undefined) byNode.set(node, [{ assigned, placed }]);
    else scoped.push({ assigned, placed });
  }
  return { scopes: [...byNode].map(([node, scoped]) => ({ node, repositories: scoped })), rest };
}

/** Returns the repositories whose files count in a response; undefined if they are asked for at this node first. */
export function countedRepositories({ node, repositories }: NodeScope): readonly number[] | undefined {
  if (repositories.every(({ assigned }) => assigned.node === node.name)) return undefined;
  return repositories.map(({ assigned }) => assigned.id);
}

import { rendezvousOrder, type WeightedNode } from "#platform/rendezvous";

export interface PlacedNode extends WeightedNode {}

/**
 * Chooses the nodes of a repository by weighted rendezvous hashing: another node takes only its share of repositories from
 * the others, and the order of `nodes` does not matter. Returns as many nodes as there should be replicas, or all if there
 * are fewer. The first one is asked first.
 */
export function placeRepository<Node extends PlacedNode>(
  id: number,
  nodes: readonly Node[],
  replicas = 1,
): readonly Node[] {
  return rendezvousOrder(String(id), nodes).slice(0, replicas);
}

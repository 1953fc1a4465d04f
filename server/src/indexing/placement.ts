import { rendezvousOrder, type WeightedNode } from "#platform/rendezvous";

export interface PlacedNode extends WeightedNode {}

/**
 * Chooses the node of a repository by weighted rendezvous hashing: another node takes only its share of repositories
 * from the others, and the order of the nodes does not matter. Returns undefined if there are no nodes.
 */
export function placeRepository<Node extends PlacedNode>(
  id: number,
  nodes: readonly Node[],
): Node | undefined {
  return rendezvousOrder(String(id), nodes)[0];
}

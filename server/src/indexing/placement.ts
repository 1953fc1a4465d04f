import { createHash } from "node:crypto";

export interface PlacedNode {
  readonly name: string;
  /** Its share of the repositories, relative to the others. */
  readonly weight: number;
}

/**
 * Chooses the node of a repository by weighted rendezvous hashing: another node takes only its share of repositories
 * from the others, and the order of the nodes does not matter. Returns undefined if there are no nodes.
 */
export function placeRepository<Node extends PlacedNode>(
  id: number,
  nodes: readonly Node[],
): Node | undefined {
  let best: Node | undefined;
  let bestScore = Number.NEGATIVE_INFINITY;
  for (const node of nodes) {
    const score = -node.weight / Math.log(fractionOf(`${node.name}\0${id}`));
    if (score <= bestScore) continue;
    best = node;
    bestScore = score;
  }
  return best;
}

/** Hashes a text to a number between 0 and 1, exclusive. */
function fractionOf(text: string): number {
  return (createHash("sha256").update(text).digest().readUIntBE(0, 6) + 0.5) / 2 ** 48;
}

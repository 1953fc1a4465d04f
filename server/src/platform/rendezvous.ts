/** Weighted rendezvous hashing: another node takes only its share of the keys, and the order of nodes does not matter. */
import { hash } from "node:crypto";

export interface WeightedNode {
  readonly name: string;
  /** Its share of the keys, relative to the others. */
  readonly weight: number;
}

/** Returns the nodes in the order in which they should serve a key. */
export function rendezvousOrder<Node extends WeightedNode>(key: string, nodes: readonly Node[]): Node[] {
  return nodes
    .map((node) => ({ node, score: -node.weight / Math.log(fractionOf(`${node.name}\0${key}`)) }))
    .sort((left, right) => right.score - left.score)
    .map(({ node }) => node);
}

/** Hashes a text to a number between 0 and 1, exclusive. */
function fractionOf(text: string): number {
  return (Number.parseInt(hash("sha256", text, "hex").slice(0, 12), 16) + 0.5) / 2 ** 48;
}

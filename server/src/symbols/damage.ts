/** What of a text a tree could not read. */
import type { Tree, TreeCursor } from "web-tree-sitter";

/** An error is large that is longer than this, or a share of the text: what is behind it may be lost. */
const largeLength = 2000;
const largeShare = 0.1;
const smallLength = 100;
/** Of nodes between two looks at the time. */
const stride = 256;

/** Ranges of a text, ascending and apart from each other. */
class Ranges {
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  add(start: number, end: number): void {
    this.#starts.push(start);
    this.#ends.push(end);
  }

  /** Whether one begins before a place and goes on behind it. */
  isInside(place: number): boolean {
    return (this.#ends[this.#countBefore(place) - 1] ?? 0) > place;
  }

  /** How much of them lies between two places. */
  lengthIn(start: number, end: number): number {
    let sum = 0;
    for (let index = this.#countBefore(end) - 1; index >= 0; index--) {
      const to = this.#ends[index] ?? 0;
      if (to <= start) break;
      sum += Math.min(to, end) - Math.max(this.#starts[index] ?? 0, start);
    }
    return sum;
  }

  #countBefore(place: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) < place) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export class Damage {
  /** From the first error to the last one, each with what is around it at the top. */
  start = Number.POSITIVE_INFINITY;
  end = 0;
  longest = 0;
  /** Tokens that belong to nothing. One that is missing is as long as a character. */
  readonly lost = new Ranges();
  /** What was read, where nothing is around it but the text and errors. */
  readonly read = new Ranges();
  readonly comments = new Ranges();

  isLarge({ length }: string): boolean {
    return this.longest > largeLength || this.longest > Math.max(length * largeShare, smallLength);
  }
}

/** Undefined where there is no time left. */
export function damageOf(tree: Tree, isSpent: () => boolean): Damage | undefined {
  const cursor = tree.walk();
  try {
    return visited(cursor, isSpent);
  } finally {
    cursor.delete();
  }
}

function visited(cursor: TreeCursor, isSpent: () => boolean): Damage | undefined {
  const damage = new Damage();
  /** Whether the nodes around are errors, and at which depth the first one stands below the root that is none. */
  const around: boolean[] = [];
  let readDepth = Number.POSITIVE_INFINITY;
  let top = { start: 0, end: 0 };
  for (let count = 1; ; count++) {
    if (count % stride === 0 && isSpent()) return undefined;
    const { nodeType, startIndex, endIndex, nodeIsMissing } = cursor;
    const depth = around.length;
    const isError = nodeType === "ERROR";
    if (depth <= 1) top = { start: startIndex, end: endIndex };
    if (isError || nodeIsMissing) {
      damage.longest = Math.max(damage.longest, endIndex - startIndex);
      damage.start = Math.min(damage.start, top.start);
      damage.end = Math.max(damage.end, top.end);
    }
    const isComment = nodeType.includes("comment");
    if (isComment) damage.comments.add(startIndex, endIndex);
    else if (depth > 0 && !isError && depth <= readDepth) {
      readDepth = depth;
      damage.read.add(startIndex, endIndex);
    }
    const node = cursor.currentNode;
    if (node.hasError && cursor.gotoFirstChild()) {
      around.push(isError);
      continue;
    }
    if (nodeIsMissing) damage.lost.add(startIndex, startIndex + 1);
    else if (isError || (around.at(-1) === true && !isComment && node.childCount === 0))
      damage.lost.add(startIndex, endIndex);
    while (!cursor.gotoNextSibling()) {
      if (!cursor.gotoParent()) return damage;
      around.pop();
    }
    if (around.length <= readDepth) readDepth = Number.POSITIVE_INFINITY;
  }
}

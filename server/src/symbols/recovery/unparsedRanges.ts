/** Measures which parts of a text the parser of a tree could not parse. Offsets and lengths are in UTF-16 units. */
import type { Tree, TreeCursor } from "web-tree-sitter";
import { partitionPoint } from "#base/binarySearch";

/** An error is large if it exceeds this length, or this share of the text: definitions after it may be lost. */
const largeLength = 2000;
const largeShare = 0.1;
const smallLength = 100;
/** The number of nodes between two checks of the budget. */
const stride = 256;

/** Ranges of a text, ascending and disjoint. */
class Ranges {
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  add(start: number, end: number): void {
    this.#starts.push(start);
    this.#ends.push(end);
  }

  /** Whether one begins before an index and ends after it. */
  isInside(index: number): boolean {
    return (this.#ends[this.#countBefore(index) - 1] ?? 0) > index;
  }

  /** Returns their total length from `start` to `end`. */
  lengthIn(start: number, end: number): number {
    let sum = 0;
    for (let index = this.#countBefore(end) - 1; index >= 0; index--) {
      const to = this.#ends[index] ?? 0;
      if (to <= start) break;
      sum += Math.min(to, end) - Math.max(this.#starts[index] ?? 0, start);
    }
    return sum;
  }

  #countBefore(limit: number): number {
    return partitionPoint(0, this.#starts.length, (at) => (this.#starts[at] ?? 0) < limit);
  }
}

export class Damage {
  /** From the first error to the last one, each extended to its top-level node. */
  start = Number.POSITIVE_INFINITY;
  end = 0;
  /** The length of the longest error. */
  longest = 0;
  /** Tokens outside of any valid node. A missing token counts as one character. */
  readonly lost = new Ranges();
  /** The outermost valid nodes: those with no ancestors but errors and the root. */
  readonly valid = new Ranges();
  readonly comments = new Ranges();

  isLarge({ length }: string): boolean {
    return this.longest > largeLength || this.longest > Math.max(length * largeShare, smallLength);
  }
}

/** Returns undefined if the budget is spent. */
export function damageOf(tree: Tree, isSpent: () => boolean): Damage | undefined {
  const cursor = tree.walk();
  try {
    return measureDamage(cursor, isSpent);
  } finally {
    cursor.delete();
  }
}

function measureDamage(cursor: TreeCursor, isSpent: () => boolean): Damage | undefined {
  const damage = new Damage();
  /** For each ancestor, whether it is an error; and the depth of the first valid one below the root. */
  const ancestorsAreErrors: boolean[] = [];
  let validDepth = Number.POSITIVE_INFINITY;
  let top = { start: 0, end: 0 };
  for (let count = 1; ; count++) {
    if (count % stride === 0 && isSpent()) return undefined;
    const { nodeType, startIndex, endIndex, nodeIsMissing } = cursor;
    const depth = ancestorsAreErrors.length;
    const isError = nodeType === "ERROR";
    if (depth <= 1) top = { start: startIndex, end: endIndex };
    if (isError || nodeIsMissing) {
      damage.longest = Math.max(damage.longest, endIndex - startIndex);
      damage.start = Math.min(damage.start, top.start);
      damage.end = Math.max(damage.end, top.end);
    }
    const isComment = nodeType.includes("comment");
    if (isComment) damage.comments.add(startIndex, endIndex);
    else if (depth > 0 && !isError && depth <= validDepth) {
      validDepth = depth;
      damage.valid.add(startIndex, endIndex);
    }
    const node = cursor.currentNode;
    if (node.hasError && cursor.gotoFirstChild()) {
      ancestorsAreErrors.push(isError);
      continue;
    }
    if (nodeIsMissing) damage.lost.add(startIndex, startIndex + 1);
    else if (isError || (ancestorsAreErrors.at(-1) === true && !isComment && node.childCount === 0))
      damage.lost.add(startIndex, endIndex);
    while (!cursor.gotoNextSibling()) {
      if (!cursor.gotoParent()) return damage;
      ancestorsAreErrors.pop();
    }
    if (ancestorsAreErrors.length <= validDepth) validDepth = Number.POSITIVE_INFINITY;
  }
}

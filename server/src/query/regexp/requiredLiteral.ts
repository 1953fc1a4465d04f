import { foldingOrbit } from "./re2";
import { newline, type Syntax } from "./syntax";

/** If case is ignored, the text is lowercase ASCII. */
export interface LiteralText {
  readonly text: string;
  readonly caseSensitive: boolean;
}

/**
 * Returns a literal that every match contains, for a quick check before the expression runs: the longest one, weighted
 * by how rare its characters are.
 *
 * It contains no newline. If case is ignored, it contains neither `k` nor `s`, because a text may contain U+212A and
 * U+017F instead; so folding ASCII letters is enough to find it.
 */
export function requiredLiteral(root: Syntax): LiteralText | undefined {
  const runs = new Runs();
  collect(root, runs);
  runs.end();
  return runs.best;
}

/**
 * Returns the whole expression as a literal, if it is one.
 *
 * If case is ignored, its `k` and `s` also stand for U+212A and U+017F.
 */
export function wholeLiteral(root: Syntax): LiteralText | undefined {
  if (root.kind !== "literal") return undefined;
  // An expression sees invalid UTF-8 as U+FFFD, which a byte search would not find.
  if (root.codePoints.includes(0xfffd)) return undefined;
  if (!root.fold) return { text: textOf(root.codePoints), caseSensitive: true };
  if (root.codePoints.some((codePoint) => codePoint > 0x7f)) return undefined;
  return { text: textOf(root.codePoints).toLowerCase(), caseSensitive: false };
}

function collect(node: Syntax, runs: Runs): void {
  switch (node.kind) {
    case "literal":
      for (const codePoint of node.codePoints) runs.add(codePoint, node.fold);
      return;
    case "concat":
      for (const child of node.children) collect(child, runs);
      return;
    case "repeat":
      runs.end();
      if (node.min > 0) collect(node.child, runs);
      runs.end();
      return;
    case "class":
    case "alternate":
    case "nothing":
      runs.end();
      return;
    default:
      // Assertions are empty, so the text before and after is adjacent.
      return;
  }
}

/** Collects runs of adjacent code points with the same folding, and keeps the best one. */
class Runs {
  #codePoints: number[] = [];
  #fold = false;
  #bestWeight = 0;
  best: LiteralText | undefined;

  add(codePoint: number, fold: boolean): void {
    const isOneByte = !fold || (codePoint <= 0x7f && foldingOrbit(codePoint).every((each) => each <= 0x7f));
    if (codePoint === newline || codePoint === 0xfffd || !isOneByte) {
      this.end();
      return;
    }
    if (fold !== this.#fold) this.end();
    this.#fold = fold;
    this.#codePoints.push(codePoint);
  }

  end(): void {
    const text = textOf(this.#codePoints);
    const weight = Array.from(text, weightOf).reduce((sum, each) => sum + each, 0);
    this.#codePoints = [];
    if (weight <= this.#bestWeight) return;
    this.#bestWeight = weight;
    this.best = { text: this.#fold ? text.toLowerCase() : text, caseSensitive: !this.#fold };
  }
}

function weightOf(character: string): number {
  if (/\s/.test(character)) return 0.3;
  return /[etaoinsrlc]/.test(character) ? 1 : 1.5;
}

function textOf(codePoints: readonly number[]): string {
  return codePoints.map((codePoint) => String.fromCodePoint(codePoint)).join("");
}

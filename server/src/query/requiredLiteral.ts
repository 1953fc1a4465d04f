import { foldingOrbit } from "./re2";
import { newline, type Syntax } from "./syntax";

/** Where case does not count, the text is ASCII in small letters. */
export interface LiteralText {
  readonly text: string;
  readonly caseSensitive: boolean;
}

/**
 * Text that stands in every match, for a quick look before an expression runs: the longest there is, rare-looking
 * characters counting more.
 *
 * It holds no newline and, where case does not count, neither `k` nor `s`, which may stand in a text as U+212A and
 * U+017F: folding ASCII letters is enough to find it.
 */
export function requiredLiteral(root: Syntax): LiteralText | undefined {
  const runs = new Runs();
  collect(root, runs);
  runs.end();
  return runs.best;
}

/**
 * The whole expression as one literal, where it is nothing else.
 *
 * Where case does not count, its `k` and `s` also stand for U+212A and U+017F.
 */
export function wholeLiteral(root: Syntax): LiteralText | undefined {
  if (root.kind !== "literal") return undefined;
  // Of bytes that are no UTF-8 the expression sees U+FFFD, which no search for bytes would find.
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
      // Assertions take no room: what stands before and after one touches.
      return;
  }
}

/** Gathers neighbouring code points of one folding, and keeps the best run so far. */
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

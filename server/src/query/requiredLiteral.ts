import { newline, type Syntax } from "./syntax";

/**
 * Text that stands in every match, for a quick look before an expression runs.
 *
 * Where case does not count the text is ASCII in small letters, and its `k` and `s` also stand for U+212A and U+017F.
 */
export interface RequiredLiteral {
  readonly text: string;
  readonly caseSensitive: boolean;
}

/** The longest such text, rare-looking characters counting more; none of them holds a newline. */
export function requiredLiteral(root: Syntax): RequiredLiteral | undefined {
  const runs = new Runs();
  collect(root, runs);
  runs.end();
  return runs.best;
}

/** The whole expression as one literal, where it is nothing else. */
export function wholeLiteral(root: Syntax): RequiredLiteral | undefined {
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
  best: RequiredLiteral | undefined;

  add(codePoint: number, fold: boolean): void {
    if (codePoint === newline || codePoint === 0xfffd || (fold && codePoint > 0x7f)) {
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

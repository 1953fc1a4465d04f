/**
 * The syntax tree of an RE2 expression, reduced to what affects matching: groups are removed, flags are resolved into
 * the nodes, and there is only one kind of repetition.
 */
export type Syntax =
  /** Never matches. */
  | { readonly kind: "nothing" }
  | { readonly kind: "empty" }
  /** Code points. With `fold`, each one stands for its folding orbit. */
  | { readonly kind: "literal"; readonly codePoints: readonly number[]; readonly fold: boolean }
  /** Pairs of first and last code point, ascending. Folding is already applied. */
  | { readonly kind: "class"; readonly ranges: readonly number[] }
  | { readonly kind: Assertion }
  /** `max` is `Infinity` if there is no upper bound. */
  | {
      readonly kind: "repeat";
      readonly child: Syntax;
      readonly min: number;
      readonly max: number;
      readonly greedy: boolean;
    }
  | { readonly kind: "concat"; readonly children: readonly Syntax[] }
  | { readonly kind: "alternate"; readonly children: readonly Syntax[] };

export type Assertion = "lineStart" | "lineEnd" | "textStart" | "textEnd" | "wordBoundary" | "noWordBoundary";

export const newline = 0x0a;
export const maxCodePoint = 0x10ffff;

export function childrenOf(node: Syntax): readonly Syntax[] {
  if (node.kind === "repeat") return [node.child];
  return node.kind === "concat" || node.kind === "alternate" ? node.children : [];
}

/** Whether any node of the tree passes the test. */
export function someNode(node: Syntax, passes: (node: Syntax) => boolean): boolean {
  return passes(node) || childrenOf(node).some((child) => someNode(child, passes));
}

export function classHas(ranges: readonly number[], codePoint: number): boolean {
  for (let at = 0; at < ranges.length; at += 2) {
    if ((ranges[at] ?? 0) <= codePoint && codePoint <= (ranges[at + 1] ?? 0)) return true;
  }
  return false;
}

/** Whether a match may contain a newline or depend on the ends of the text. */
export function dependsOnOtherLines(root: Syntax): boolean {
  return someNode(
    root,
    (node) =>
      node.kind === "textStart" ||
      node.kind === "textEnd" ||
      (node.kind === "literal" && node.codePoints.includes(newline)) ||
      (node.kind === "class" && classHas(node.ranges, newline)),
  );
}

/** Estimates the number of instructions of the compiled program, in which counted repetitions are expanded. */
export function programSize(node: Syntax): number {
  switch (node.kind) {
    case "literal":
      return node.codePoints.length;
    case "repeat": {
      const copies = node.max === Number.POSITIVE_INFINITY ? node.min + 1 : node.max;
      return 1 + copies * programSize(node.child);
    }
    default:
      return childrenOf(node).reduce((sum, child) => sum + programSize(child), 1);
  }
}

/** Counts the ends of ranges in all classes of the tree. */
export function classSize(node: Syntax): number {
  if (node.kind === "class") return node.ranges.length;
  return childrenOf(node).reduce((sum, child) => sum + classSize(child), 0);
}

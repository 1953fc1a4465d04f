import type { MatchTree } from "./matchTree";

/** Prints a match tree in one line, for debugging: `(and documents:3 (not content:"foo" in 5 blocks))`. */
export function printMatchTree(tree: MatchTree): string {
  switch (tree.kind) {
    case "documents":
      return `documents:${tree.set.count()}`;
    case "name":
    case "content":
    case "symbol":
      return tree.finder.toString();
    case "and":
    case "or":
      return `(${[tree.kind, ...tree.children.map(printMatchTree)].join(" ")})`;
    case "names":
    case "not":
      return `(${tree.kind} ${printMatchTree(tree.child)})`;
  }
}

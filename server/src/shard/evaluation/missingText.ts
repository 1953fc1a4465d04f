import { Bitset } from "#base/bitset";
import type { MatchTree, ShardView } from "./matchTree";

/** Counts the documents whose text is missing from the repository, and whose result depends on that text. */
export function countMissingText(view: ShardView, tree: MatchTree): number {
  const missing = view.reader.missingText;
  if (missing === undefined) return 0;
  const candidates = missing.copy().intersect(view.universe);
  if (candidates.isEmpty()) return 0;
  return bounds(tree, candidates).undecided.count();
}

/** What a subtree determines about documents without their text. */
interface Bounds {
  /** Documents that match, or would match with a suitable text. */
  readonly possible: Bitset;
  /** Documents whose text determines whether, or where, they match. */
  readonly undecided: Bitset;
}

function bounds(tree: MatchTree, candidates: Bitset): Bounds {
  switch (tree.kind) {
    case "documents":
      return decided(tree.set, candidates);
    case "name":
      return decided(tree.finder.documents, candidates);
    case "content":
    case "symbol":
      return { possible: candidates.copy(), undecided: candidates.copy() };
    case "and": {
      const children = tree.children.map((child) => bounds(child, candidates));
      const possible = candidates.copy();
      for (const child of children) possible.intersect(child.possible);
      return { possible, undecided: union(children, candidates).intersect(possible) };
    }
    case "or": {
      const children = tree.children.map((child) => bounds(child, candidates));
      const possible = new Bitset(candidates.size);
      for (const child of children) possible.unite(child.possible);
      return { possible, undecided: union(children, candidates) };
    }
    case "names":
      return bounds(tree.child, candidates);
    case "not": {
      const { possible, undecided } = bounds(tree.child, candidates);
      return { possible: candidates.copy().subtract(possible).unite(undecided), undecided };
    }
  }
}

function decided(set: Bitset, candidates: Bitset): Bounds {
  return { possible: candidates.copy().intersect(set), undecided: new Bitset(candidates.size) };
}

function union(children: readonly Bounds[], { size }: Bitset): Bitset {
  const all = new Bitset(size);
  for (const { undecided } of children) all.unite(undecided);
  return all;
}

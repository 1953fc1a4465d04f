/**
 * Error recovery by partial parses. One construct that a grammar does not know can break the parse of everything after
 * it. So a damaged text is split into items by indentation (`textItems.ts`), and each damaged item is parsed on its
 * own. If that fails, its contents are split again, and parsed between its head and its end as if nothing else existed.
 * A partial parse replaces the first tree only if it has fewer errors.
 */

import type { Node, QueryMatch, Range, Tree } from "web-tree-sitter";
import { partitionPoint } from "#base/binarySearch";
import { itemsOf, type Lines, partsOf, SourceLines } from "./textItems";
import { type Damage, damageOf } from "./unparsedRanges";

/** The limit for one text, which bounds the number of small trees. */
const maxParses = 600;
/** Adjacent items whose total length is at most this are first parsed as one group. */
const groupLength = 4000;
const maxDepth = 5;
/** Limits the context, because it is parsed again with each part. */
const maxContextLength = 4000;
/** The share of lost tokens that is acceptable for an item whose boundaries are inside other nodes. */
const maxLostShare = 0.05;

/** A tree, and the lines that it is used for, ascending. */
interface PartialParse {
  readonly tree: Tree;
  readonly lines: readonly Lines[];
}

/** The trees of one text. Each one is used for its own ranges. */
export class Trees {
  readonly #first: Tree;
  readonly #partialParses: readonly PartialParse[];
  /** The ranges of the partial parses, ascending, and their trees. */
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #trees: Tree[] = [];

  constructor(first: Tree, partialParses: readonly PartialParse[] = [], lines?: SourceLines) {
    this.#first = first;
    this.#partialParses = partialParses;
    const ranges = partialParses
      .flatMap((parse) => parse.lines.map((each) => ({ ...each, tree: parse.tree })))
      .sort((left, right) => left.from - right.from);
    for (const { from, to, tree } of ranges) {
      this.#starts.push(lines?.start(from) ?? 0);
      this.#ends.push(lines?.start(to) ?? 0);
      this.#trees.push(tree);
    }
  }

  /** Returns the root of the tree for an index. */
  rootAt(index: number): Node {
    return this.#treeAt(index).rootNode;
  }

  /** Runs a query on all trees, without duplicates. */
  matches(query: (root: Node) => QueryMatch[]): QueryMatch[] {
    const found = query(this.#first.rootNode);
    if (this.#partialParses.length === 0) return found;
    const all = [this.#first, ...this.#partialParses.map(({ tree }) => tree)];
    return all.flatMap((tree) => {
      const matches = tree === this.#first ? found : query(tree.rootNode);
      return matches.filter(({ captures }) => {
        // Context is parsed with several trees: the innermost capture decides which tree a match belongs to.
        const index = captures.reduce((last, { node }) => Math.max(last, node.startIndex), 0);
        return this.#treeAt(index) === tree;
      });
    });
  }

  delete(): void {
    this.#first.delete();
    for (const { tree } of this.#partialParses) tree.delete();
  }

  #treeAt(index: number): Tree {
    const low = partitionPoint(0, this.#starts.length, (at) => (this.#starts[at] ?? 0) <= index);
    return index < (this.#ends[low - 1] ?? 0) ? (this.#trees[low - 1] ?? this.#first) : this.#first;
  }
}

/** Parses ranges of one text. */
export interface PartialParser {
  /** Returns undefined if the budget is spent. */
  readonly parse: (ranges: Range[]) => Tree | undefined;
  readonly isSpent: () => boolean;
}

/** In these languages, macros are already blanked, and namespaces are not indented. */
const excludedGrammars: ReadonlySet<string> = new Set(["c", "cpp"]);

/** Returns the trees of a text: `first`, and partial parses of its damaged parts if the damage is large. */
export function recoverTrees(text: string, grammar: string, first: Tree, parser: PartialParser): Trees {
  if (!first.rootNode.hasError || excludedGrammars.has(grammar)) return new Trees(first);
  const damage = damageOf(first, parser.isSpent);
  if (!damage?.isLarge(text)) return new Trees(first);
  const lines = new SourceLines(text, grammar);
  return new Trees(first, new Recovery(lines, parser, damage).partialParses(), lines);
}

/** The heads before a part, and the ends after it. */
interface Context {
  readonly before: readonly Lines[];
  readonly after: readonly Lines[];
}

class Recovery {
  readonly #lines: SourceLines;
  readonly #parser: PartialParser;
  readonly #before: Damage;
  readonly #partialParses: PartialParse[] = [];
  #parses = 0;

  constructor(lines: SourceLines, parser: PartialParser, before: Damage) {
    this.#lines = lines;
    this.#parser = parser;
    this.#before = before;
  }

  partialParses(): readonly PartialParse[] {
    const { start, end } = this.#before;
    const items = this.#items({ from: 0, to: this.#lines.count });
    const damaged = items.filter(
      ({ from, to }) => this.#lines.start(to) > start && this.#lines.start(from) < end,
    );
    this.#recoverAll(damaged, { before: [], after: [] }, 0);
    return this.#partialParses;
  }

  #items(lines: Lines): Lines[] {
    return itemsOf(this.#lines, lines, (index) => this.#before.comments.isInside(index));
  }

  #recoverAll(items: readonly Lines[], context: Context, depth: number): void {
    for (let index = 0; index < items.length; ) {
      const first = items[index];
      if (first === undefined) return;
      let { to } = first;
      let next = index + 1;
      for (; next < items.length; next++) {
        const end = items[next]?.to ?? to;
        if (this.#lines.length({ from: first.from, to: end }) > groupLength) break;
        to = end;
      }
      const isDone = next > index + 1 && this.#tryParse([{ from: first.from, to }], context, true);
      if (!isDone) for (const item of items.slice(index, next)) this.#recover(item, context, depth);
      index = next;
    }
  }

  #recover(item: Lines, context: Context, depth: number): void {
    if (this.#tryParse([item], context, true)) return;
    const parts = depth < maxDepth ? partsOf(this.#lines, item) : undefined;
    if (parts !== undefined) {
      const { head, body, end } = parts;
      const inside = { before: [...context.before, head], after: [end, ...context.after] };
      const length = [...inside.before, ...inside.after].reduce(
        (sum, each) => sum + this.#lines.length(each),
        0,
      );
      if (length <= maxContextLength && this.#tryParse([head, end], context, true)) {
        this.#recoverAll(this.#items(body), inside, depth + 1);
        return;
      }
    }
    this.#tryParse([item], context, false);
  }

  /** Parses lines within a context. Returns whether the result is used: it has no errors, or far fewer than before. */
  #tryParse(own: readonly Lines[], context: Context, isWhole: boolean): boolean {
    if (this.#parses >= maxParses) return false;
    this.#parses++;
    const tree = this.#parser.parse(this.#lines.ranges([...context.before, ...own, ...context.after]));
    if (tree === undefined) {
      this.#parses = maxParses;
      return false;
    }
    const isBetter = !tree.rootNode.hasError || (!isWhole && this.#isBetter(tree, own, context));
    if (isBetter)
      this.#partialParses.push({ tree, lines: own.flatMap((each) => this.#lines.withoutConditionals(each)) });
    else tree.delete();
    return isBetter;
  }

  #isBetter(tree: Tree, own: readonly Lines[], { before }: Context): boolean {
    const damage = damageOf(tree, this.#parser.isSpent);
    if (damage === undefined) return false;
    const ranges = own.map(({ from, to }) => [this.#lines.start(from), this.#lines.start(to)] as const);
    const lost = (of: Damage) => ranges.reduce((sum, [start, end]) => sum + of.lost.lengthIn(start, end), 0);
    const after = lost(damage);
    if (after * 2 <= lost(this.#before)) return true;
    // A node across the boundary of a top-level item is an error.
    const splitsNode =
      before.length === 0 && ranges.flat().some((index) => this.#before.valid.isInside(index));
    return splitsNode && after <= ranges.reduce((sum, [start, end]) => sum + end - start, 0) * maxLostShare;
  }
}

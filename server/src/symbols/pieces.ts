/**
 * Texts that a grammar cannot read as a whole, read in pieces: one thing that it does not know may cost everything behind
 * it. Lines that begin something, at the indentation of what is around them, tell the pieces; where one is damaged, what
 * is in it is parsed by itself between its head and its end, as if nothing else were there. A piece counts only where it
 * is read better than before.
 */
import type { Node, QueryMatch, Range, Tree } from "web-tree-sitter";
import { type Damage, damageOf } from "./damage";
import { itemsOf, type Lines, partsOf, SourceLines } from "./textItems";

/** Of a text in pieces: enough for a large file, and no more than so many small trees. */
const maxParses = 600;
/** Smaller neighbours are parsed together first. */
const groupLength = 4000;
const maxDepth = 5;
/** What is around a piece is parsed with each of them. */
const maxAroundLength = 4000;
/** Of an item that was read across its borders before. */
const fewLost = 0.05;

/** A tree, and the lines it counts for: ascending. */
interface Piece {
  readonly tree: Tree;
  readonly lines: readonly Lines[];
}

/** The trees of one text; each counts for places of its own. */
export class Trees {
  readonly #first: Tree;
  readonly #pieces: readonly Piece[];
  /** Where pieces count, ascending, and which ones. */
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #trees: Tree[] = [];

  constructor(first: Tree, pieces: readonly Piece[] = [], lines?: SourceLines) {
    this.#first = first;
    this.#pieces = pieces;
    const places = pieces
      .flatMap((piece) => piece.lines.map((each) => ({ ...each, tree: piece.tree })))
      .sort((left, right) => left.from - right.from);
    for (const { from, to, tree } of places) {
      this.#starts.push(lines?.start(from) ?? 0);
      this.#ends.push(lines?.start(to) ?? 0);
      this.#trees.push(tree);
    }
  }

  /** Of the tree that tells what stands at a place. */
  rootAt(index: number): Node {
    return this.#treeAt(index).rootNode;
  }

  /** What a query finds in all of them, each of it once. */
  matches(query: (root: Node) => QueryMatch[]): QueryMatch[] {
    const found = query(this.#first.rootNode);
    if (this.#pieces.length === 0) return found;
    const all = [this.#first, ...this.#pieces.map(({ tree }) => tree)];
    return all.flatMap((tree) => {
      const matches = tree === this.#first ? found : query(tree.rootNode);
      return matches.filter(({ captures }) => {
        // What is around a piece is found with each of them: the innermost capture tells whose a match is.
        const place = captures.reduce((last, { node }) => Math.max(last, node.startIndex), 0);
        return this.#treeAt(place) === tree;
      });
    });
  }

  delete(): void {
    this.#first.delete();
    for (const { tree } of this.#pieces) tree.delete();
  }

  #treeAt(index: number): Tree {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) <= index) low = middle + 1;
      else high = middle;
    }
    return index < (this.#ends[low - 1] ?? 0) ? (this.#trees[low - 1] ?? this.#first) : this.#first;
  }
}

/** A way to trees of parts of one text. */
export interface PieceParser {
  /** Gives nothing where there is no time left. */
  readonly parse: (ranges: Range[]) => Tree | undefined;
  readonly isSpent: () => boolean;
}

/** Their macros are out of the way already, and their namespaces hold others without indentation. */
const leftAlone: ReadonlySet<string> = new Set(["c", "cpp"]);

export function treesOf(text: string, grammar: string, first: Tree, parser: PieceParser): Trees {
  if (!first.rootNode.hasError || leftAlone.has(grammar)) return new Trees(first);
  const damage = damageOf(first, parser.isSpent);
  if (!damage?.isLarge(text)) return new Trees(first);
  const lines = new SourceLines(text, grammar);
  return new Trees(first, new Mending(lines, parser, damage).pieces(), lines);
}

/** What stands around a piece: heads before it, ends behind it. */
interface Around {
  readonly before: readonly Lines[];
  readonly behind: readonly Lines[];
}

class Mending {
  readonly #lines: SourceLines;
  readonly #parser: PieceParser;
  readonly #before: Damage;
  readonly #pieces: Piece[] = [];
  #parses = 0;

  constructor(lines: SourceLines, parser: PieceParser, before: Damage) {
    this.#lines = lines;
    this.#parser = parser;
    this.#before = before;
  }

  pieces(): readonly Piece[] {
    const { start, end } = this.#before;
    const items = this.#items({ from: 0, to: this.#lines.count });
    const damaged = items.filter(
      ({ from, to }) => this.#lines.start(to) > start && this.#lines.start(from) < end,
    );
    this.#mendAll(damaged, { before: [], behind: [] }, 0);
    return this.#pieces;
  }

  #items(lines: Lines): Lines[] {
    return itemsOf(this.#lines, lines, (place) => this.#before.comments.isInside(place));
  }

  #mendAll(items: readonly Lines[], around: Around, depth: number): void {
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
      const isDone = next > index + 1 && this.#take([{ from: first.from, to }], around, true);
      if (!isDone) for (const item of items.slice(index, next)) this.#mend(item, around, depth);
      index = next;
    }
  }

  #mend(item: Lines, around: Around, depth: number): void {
    if (this.#take([item], around, true)) return;
    const parts = depth < maxDepth ? partsOf(this.#lines, item) : undefined;
    if (parts !== undefined) {
      const { head, body, end } = parts;
      const inside = { before: [...around.before, head], behind: [end, ...around.behind] };
      const length = [...inside.before, ...inside.behind].reduce(
        (sum, each) => sum + this.#lines.length(each),
        0,
      );
      if (length <= maxAroundLength && this.#take([head, end], around, true)) {
        this.#mendAll(this.#items(body), inside, depth + 1);
        return;
      }
    }
    this.#take([item], around, false);
  }

  /** Whether a piece was read: without an error, or else with far less of them than before. */
  #take(own: readonly Lines[], around: Around, isWhole: boolean): boolean {
    if (this.#parses >= maxParses) return false;
    this.#parses++;
    const tree = this.#parser.parse(this.#lines.ranges([...around.before, ...own, ...around.behind]));
    if (tree === undefined) {
      this.#parses = maxParses;
      return false;
    }
    const isBetter = !tree.rootNode.hasError || (!isWhole && this.#isBetter(tree, own, around));
    if (isBetter)
      this.#pieces.push({ tree, lines: own.flatMap((each) => this.#lines.withoutConditionals(each)) });
    else tree.delete();
    return isBetter;
  }

  #isBetter(tree: Tree, own: readonly Lines[], { before }: Around): boolean {
    const damage = damageOf(tree, this.#parser.isSpent);
    if (damage === undefined) return false;
    const places = own.map(({ from, to }) => [this.#lines.start(from), this.#lines.start(to)] as const);
    const lost = (of: Damage) => places.reduce((sum, [start, end]) => sum + of.lost.lengthIn(start, end), 0);
    const after = lost(damage);
    if (after * 2 <= lost(this.#before)) return true;
    // At the top nothing is around an item: what was read across its beginning or end was not read well.
    const isTorn = before.length === 0 && places.flat().some((place) => this.#before.read.isInside(place));
    return isTorn && after <= places.reduce((sum, [start, end]) => sum + end - start, 0) * fewLost;
  }
}

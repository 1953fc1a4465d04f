import { Bitset } from "#base/bitset";
import type { Query, Where } from "#query/query";
import type { RunMode } from "./expressionRun";
import { ContentFinder, type FewDocuments, type FinderCounts } from "./finder";
import type { Look } from "./look";
import { NameFinder } from "./names";
import type { CompiledPattern } from "./pattern";
import type { ShardReader } from "./reader";
import { SymbolFinder } from "./symbolFinder";
import type { SymbolReader } from "./symbolReader";
import type { TextWindow } from "./window";

/** One shard as one search may see it. */
export interface ShardView {
  readonly reader: ShardReader;
  /** Documents that the search covers: of visible repositories, on its revisions, not hidden by newer text. */
  readonly universe: Bitset;
  /** Absent as long as nothing was parsed. */
  readonly symbols: SymbolReader | undefined;
  ofRepositories(ids: ReadonlySet<number>): Bitset;
  ofRevisions(names: readonly string[]): Bitset;
}

/** A query with its patterns made ready. */
export interface CompiledQuery {
  readonly query: Query;
  /** By the node of the tree that holds the pattern. */
  readonly patterns: ReadonlyMap<Query, CompiledPattern>;
  /** `type:file`: text decides, but only names are shown. */
  readonly namesOnly: boolean;
}

/** A query on one shard: what is about documents as sets, what is about text as finders. */
export type MatchTree =
  | { readonly kind: "documents"; readonly set: Bitset }
  | { readonly kind: "name"; readonly finder: NameFinder }
  | { readonly kind: "content"; readonly finder: ContentFinder }
  | { readonly kind: "symbol"; readonly finder: SymbolFinder }
  | { readonly kind: "and" | "or"; readonly children: readonly MatchTree[] }
  | { readonly kind: "not"; readonly child: MatchTree };

export interface TreeContext {
  readonly view: ShardView;
  readonly window: TextWindow;
  readonly counts: FinderCounts;
  readonly mode: RunMode;
  /** The documents of the view, where those are few. */
  readonly few: FewDocuments | undefined;
}

/** What a term may find: anything, `type:file`, `type:symbol`. */
type Wanted = "all" | "names" | "symbols";

export function buildMatchTree(compiled: CompiledQuery, context: TreeContext): MatchTree {
  let terms = 0;
  const { view, window, counts, mode, few } = context;
  const { reader, symbols } = view;
  const symbol = (pattern: CompiledPattern | undefined): MatchTree =>
    symbols === undefined
      ? constant(context, false)
      : {
          kind: "symbol",
          finder: new SymbolFinder(symbols, window, { pattern, term: terms++ }, mode, counts),
        };
  const text = (pattern: CompiledPattern, where: Where): MatchTree => {
    const content = (): MatchTree => ({
      kind: "content",
      finder: new ContentFinder(reader, window, pattern, terms++, counts, few),
    });
    const name = (): MatchTree => ({
      kind: "name",
      finder: new NameFinder(reader, window, pattern, mode, few?.documents),
    });
    if (where === "content") return content();
    if (where === "name") return name();
    return { kind: "or", children: [name(), content()] };
  };
  const build = (query: Query, wanted: Wanted): MatchTree => {
    switch (query.kind) {
      case "and":
      case "or":
        return { kind: query.kind, children: query.children.map((child) => build(child, wanted)) };
      case "not":
        return { kind: "not", child: build(query.child, wanted) };
      case "text": {
        const pattern = compiled.patterns.get(query);
        if (pattern === undefined) return constant(context, false);
        if (wanted === "symbols" && query.where !== "name") return symbol(pattern);
        return text(pattern, wanted === "names" && query.where === "both" ? "name" : query.where);
      }
      case "symbol": {
        const pattern = compiled.patterns.get(query);
        return pattern === undefined ? constant(context, false) : symbol(pattern);
      }
      case "type": {
        if (query.type !== "symbol") return build(query.child, query.type === "file" ? "names" : wanted);
        const child = build(query.child, "symbols");
        // Where nothing says which symbols, it is all of them.
        return namesSymbols(query.child) ? child : { kind: "and", children: [child, symbol(undefined)] };
      }
      case "language":
        return { kind: "documents", set: ofLanguages(reader, query.names) };
      case "revision":
        return { kind: "documents", set: view.ofRevisions(query.names) };
      case "repositoryIds":
        return { kind: "documents", set: view.ofRepositories(new Set(query.ids)) };
      case "const":
        return constant(context, query.value);
      // The service leaves none of the others.
      default:
        return constant(context, false);
    }
  };
  return build(compiled.query, "all");
}

/** Whether every document that makes it true has symbols that it names. */
function namesSymbols(query: Query): boolean {
  switch (query.kind) {
    case "symbol":
      return true;
    case "text":
      return query.where !== "name";
    case "and":
      return query.children.some(namesSymbols);
    case "or":
      return query.children.every(namesSymbols);
    case "type":
      return namesSymbols(query.child);
    default:
      return false;
  }
}

function constant(context: TreeContext, value: boolean): MatchTree {
  const { documentCount } = context.view.reader.meta;
  return { kind: "documents", set: value ? Bitset.full(documentCount) : new Bitset(documentCount) };
}

function ofLanguages(reader: ShardReader, names: readonly string[]): Bitset {
  const set = new Bitset(reader.meta.documentCount);
  const wanted = reader.meta.languages.map((language) => names.includes(language));
  if (!wanted.includes(true)) return set;
  const indexes = reader.languageIndexes();
  for (let document = 0; document < indexes.length; document++)
    if (wanted[indexes[document] ?? 0]) set.add(document);
  return set;
}

/** Documents that can make the tree true; `undefined` is all. Never leaves one out that does. */
export function boundOf(tree: MatchTree): Bitset | undefined {
  switch (tree.kind) {
    case "documents":
      return tree.set.copy();
    case "name":
    case "symbol":
      return tree.finder.documents.copy();
    case "content":
      return tree.finder.documents();
    case "and": {
      let bound: Bitset | undefined;
      for (const child of tree.children) {
        const other = boundOf(child);
        if (other !== undefined) bound = bound === undefined ? other : bound.intersect(other);
      }
      return bound;
    }
    case "or": {
      let bound: Bitset | undefined;
      for (const child of tree.children) {
        const other = boundOf(child);
        if (other === undefined) return undefined;
        bound = bound === undefined ? other : bound.unite(other);
      }
      return bound;
    }
    case "not":
      return isExact(tree.child) ? boundOf(tree.child)?.invert() : undefined;
  }
}

/** Whether `boundOf` tells the tree's truth without looking into text. */
export function isExact(tree: MatchTree): boolean {
  switch (tree.kind) {
    case "documents":
    case "name":
    case "symbol":
      return true;
    case "content":
      return false;
    case "not":
      return isExact(tree.child);
    default:
      return tree.children.every(isExact);
  }
}

/**
 * Whether the document makes the tree true. What the terms that do have found is appended to `look.ranges` and
 * `look.names`; what is under a `not`, or in an `and` that fails, leaves nothing. Sets are asked before text, and
 * every side of an `or` is, because each may bring ranges.
 */
export function holds(tree: MatchTree, look: Look): boolean {
  switch (tree.kind) {
    case "documents":
      return tree.set.has(look.document);
    case "name": {
      const held = tree.finder.documents.has(look.document);
      if (held) look.names.push(tree.finder);
      return held;
    }
    case "symbol":
    case "content": {
      if (tree.kind === "symbol" && !tree.finder.documents.has(look.document)) return false;
      const count = tree.finder.find(look);
      look.count += count;
      return count > 0;
    }
    case "and": {
      const found = foundSoFar(look);
      const held =
        tree.children.every((child) => !isExact(child) || holds(child, look)) &&
        tree.children.every((child) => isExact(child) || holds(child, look));
      if (!held) forgetSince(look, found);
      return held;
    }
    case "or": {
      let any = false;
      for (const child of tree.children) any = holds(child, look) || any;
      return any;
    }
    case "not": {
      const found = foundSoFar(look);
      const held = holds(tree.child, look);
      forgetSince(look, found);
      return !held;
    }
  }
}

interface Found {
  readonly ranges: number;
  readonly names: number;
  readonly count: number;
}

function foundSoFar(look: Look): Found {
  return { ranges: look.ranges.length, names: look.names.length, count: look.count };
}

function forgetSince(look: Look, found: Found): void {
  look.ranges.length = found.ranges;
  look.names.length = found.names;
  look.count = found.count;
}

/** How many terms may bring ranges in text. */
export function countTerms(tree: MatchTree): number {
  switch (tree.kind) {
    case "content":
    case "symbol":
      return 1;
    case "and":
    case "or":
      return tree.children.reduce((sum, child) => sum + countTerms(child), 0);
    case "not":
      return countTerms(tree.child);
    default:
      return 0;
  }
}

/**
 * A match tree is a query prepared for one shard. Its leaves are sets of documents and finders:
 *
 * | leaf | from | contains |
 * |---|---|---|
 * | documents | language, revision, repository, constant | the set itself |
 * | name | a term in paths | the documents whose path matches; finds the ranges again on demand |
 * | symbol | a term in names of definitions | the documents that define such a name; finds the definitions on demand |
 * | content | a term in text | the blocks that may match, from trigrams; only reading them decides |
 *
 * The general process for a given (shard, query) is:
 *
 * - `buildMatchTree` translates the query node by node. A term for both path and text becomes `(or name content)`.
 * - `candidatesOf` combines the sets of the tree into the documents that may match.
 * - `evaluateTree` decides for one candidate at a time, and collects its ranges. In an `and`, the subtrees that are
 *   sets come first, so that text is read only where everything else matches. In an `or`, every subtree is evaluated,
 *   because each may contribute ranges.
 *
 * `printMatchTree` prints a tree in one line.
 */
import { Bitset } from "#base/bitset";
import type { Query, TextScope } from "#query/query";
import type { ShardReader } from "#shard/format/reader";
import type { TextWindow } from "#shard/format/window";
import type { SymbolReader } from "#shard/symbolFile/symbolReader";
import { ContentFinder, type FinderCounts, type SmallUniverse } from "./contentFinder";
import type { DocumentEvaluation } from "./documentEvaluation";
import type { RunMode } from "./expressionRun";
import { NameFinder } from "./nameFinder";
import type { CompiledPattern } from "./pattern";
import { SymbolFinder } from "./symbolFinder";

/** The part of one shard that one search covers. */
export interface ShardView {
  readonly reader: ShardReader;
  /** The documents of visible repositories, on the revisions of the search, that no newer text (an overlay) hides. */
  readonly universe: Bitset;
  /** Absent until a document has been parsed. */
  readonly symbols: SymbolReader | undefined;
  ofRepositories(ids: ReadonlySet<number>): Bitset;
  ofRevisions(names: readonly string[]): Bitset;
}

/** A query with its patterns compiled. */
export interface CompiledQuery {
  readonly query: Query;
  /** By the query node that contains the pattern. */
  readonly patterns: ReadonlyMap<Query, CompiledPattern>;
  /** The phrase to prefer or to require; see `EvaluationOptions.phrase`. */
  readonly phrase: CompiledPattern | undefined;
}

export type MatchTree =
  | { readonly kind: "documents"; readonly set: Bitset }
  | { readonly kind: "name"; readonly finder: NameFinder }
  | { readonly kind: "content"; readonly finder: ContentFinder }
  | { readonly kind: "symbol"; readonly finder: SymbolFinder }
  | { readonly kind: "and" | "or"; readonly children: readonly MatchTree[] }
  /** `type:file`, `type:repo`: the child decides, text included, but contributes no ranges in text. */
  | { readonly kind: "names"; readonly child: MatchTree }
  | { readonly kind: "not"; readonly child: MatchTree };

export interface TreeContext {
  readonly view: ShardView;
  readonly window: TextWindow;
  readonly counts: FinderCounts;
  readonly mode: RunMode;
  /** The documents of the view, if there are only a few. */
  readonly smallUniverse: SmallUniverse | undefined;
}

/** Where a term is searched: anywhere, in paths (`type:file`), in names of definitions (`type:symbol`). */
type TermTarget = "all" | "names" | "symbols";

export function buildMatchTree(compiled: CompiledQuery, context: TreeContext): MatchTree {
  let terms = 0;
  const { view, window, counts, mode, smallUniverse } = context;
  const { reader, symbols } = view;
  const symbol = (pattern: CompiledPattern | undefined): MatchTree =>
    symbols === undefined
      ? constant(context, false)
      : {
          kind: "symbol",
          finder: new SymbolFinder(symbols, window, { pattern, term: terms++ }, mode, counts),
        };
  const text = (pattern: CompiledPattern, where: TextScope): MatchTree => {
    const content = (): MatchTree => ({
      kind: "content",
      finder: new ContentFinder(reader, window, pattern, terms++, counts, smallUniverse),
    });
    const name = (): MatchTree => ({
      kind: "name",
      finder: new NameFinder(reader, window, pattern, mode, smallUniverse?.documents),
    });
    if (where === "content") return content();
    if (where === "name") return name();
    return { kind: "or", children: [name(), content()] };
  };
  const build = (query: Query, wanted: TermTarget): MatchTree => {
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
        if (query.type !== "symbol")
          return { kind: "names", child: build(query.child, query.type === "file" ? "names" : wanted) };
        const child = build(query.child, "symbols");
        // A query that does not restrict symbols matches all of them.
        return requiresSymbols(query.child) ? child : { kind: "and", children: [child, symbol(undefined)] };
      }
      case "language":
        return { kind: "documents", set: ofLanguages(reader, query.names) };
      case "revision":
        return { kind: "documents", set: view.ofRevisions(query.names) };
      case "repositoryIds":
        return { kind: "documents", set: view.ofRepositories(new Set(query.ids)) };
      case "const":
        return constant(context, query.value);
      // The service has replaced all other kinds.
      default:
        return constant(context, false);
    }
  };
  return build(compiled.query, "all");
}

/** Whether every document that matches the query contains a symbol that the query selects. */
function requiresSymbols(query: Query): boolean {
  switch (query.kind) {
    case "symbol":
      return true;
    case "text":
      return query.where !== "name";
    case "and":
      return query.children.some(requiresSymbols);
    case "or":
      return query.children.every(requiresSymbols);
    case "type":
      return requiresSymbols(query.child);
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
  const target = reader.meta.languages.map((language) => names.includes(language));
  if (!target.includes(true)) return set;
  const indexes = reader.languageIndexes();
  for (let document = 0; document < indexes.length; document++)
    if (target[indexes[document] ?? 0]) set.add(document);
  return set;
}

/** Documents that may match, a superset of those that do; `undefined` means all. */
export function candidatesOf(tree: MatchTree): Bitset | undefined {
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
        const other = candidatesOf(child);
        if (other !== undefined) bound = bound === undefined ? other : bound.intersect(other);
      }
      return bound;
    }
    case "or": {
      let bound: Bitset | undefined;
      for (const child of tree.children) {
        const other = candidatesOf(child);
        if (other === undefined) return undefined;
        bound = bound === undefined ? other : bound.unite(other);
      }
      return bound;
    }
    case "names":
      return candidatesOf(tree.child);
    case "not":
      return isExact(tree.child) ? candidatesOf(tree.child)?.invert() : undefined;
  }
}

/** Whether `candidatesOf` decides the tree without reading text. */
export function isExact(tree: MatchTree): boolean {
  switch (tree.kind) {
    case "documents":
    case "name":
    case "symbol":
      return true;
    case "content":
      return false;
    case "not":
    case "names":
      return isExact(tree.child);
    default:
      return tree.children.every(isExact);
  }
}

/**
 * Returns whether the document matches, and appends what the matching terms found to `evaluation.ranges` and
 * `evaluation.names`. A `not`, and an `and` that fails, contribute nothing.
 */
export function evaluateTree(tree: MatchTree, evaluation: DocumentEvaluation): boolean {
  switch (tree.kind) {
    case "documents":
      return tree.set.has(evaluation.document);
    case "name": {
      const matches = tree.finder.documents.has(evaluation.document);
      if (matches) evaluation.names.push(tree.finder);
      return matches;
    }
    case "symbol":
    case "content": {
      if (tree.kind === "symbol" && !tree.finder.documents.has(evaluation.document)) return false;
      const count = tree.finder.find(evaluation);
      evaluation.count += count;
      return count > 0;
    }
    case "and": {
      const saved = checkpoint(evaluation);
      const matches =
        tree.children.every((child) => !isExact(child) || evaluateTree(child, evaluation)) &&
        tree.children.every((child) => isExact(child) || evaluateTree(child, evaluation));
      if (!matches) rollBack(evaluation, saved);
      return matches;
    }
    case "or": {
      let any = false;
      for (const child of tree.children) any = evaluateTree(child, evaluation) || any;
      return any;
    }
    case "names": {
      const { ranges, count } = checkpoint(evaluation);
      const matches = evaluateTree(tree.child, evaluation);
      evaluation.ranges.length = ranges;
      evaluation.count = count;
      return matches;
    }
    case "not": {
      const saved = checkpoint(evaluation);
      const matches = evaluateTree(tree.child, evaluation);
      rollBack(evaluation, saved);
      return !matches;
    }
  }
}

interface Checkpoint {
  readonly ranges: number;
  readonly names: number;
  readonly count: number;
}

function checkpoint(evaluation: DocumentEvaluation): Checkpoint {
  return { ranges: evaluation.ranges.length, names: evaluation.names.length, count: evaluation.count };
}

function rollBack(evaluation: DocumentEvaluation, saved: Checkpoint): void {
  evaluation.ranges.length = saved.ranges;
  evaluation.names.length = saved.names;
  evaluation.count = saved.count;
}

/** Returns the finders that search text, whether or not they contribute ranges. */
export function contentFinders(tree: MatchTree): readonly ContentFinder[] {
  switch (tree.kind) {
    case "content":
      return [tree.finder];
    case "and":
    case "or":
      return tree.children.flatMap(contentFinders);
    case "not":
    case "names":
      return contentFinders(tree.child);
    default:
      return [];
  }
}

/** Counts the terms that may contribute ranges in text. */
export function countTerms(tree: MatchTree): number {
  switch (tree.kind) {
    case "content":
    case "symbol":
      return 1;
    case "and":
    case "or":
      return tree.children.reduce((sum, child) => sum + countTerms(child), 0);
    case "not":
    case "names":
      return countTerms(tree.child);
    default:
      return 0;
  }
}

import { Bitset } from "#base/bitset";
import type { Query } from "#query/query";
import type { RunMode } from "./expressionRun";
import { ContentFinder, type FinderCounts } from "./finder";
import type { Look } from "./look";
import { NameFinder } from "./names";
import type { CompiledPattern } from "./pattern";
import type { ShardReader } from "./reader";
import type { TextWindow } from "./window";

/** One shard as one search may see it. */
export interface ShardView {
  readonly reader: ShardReader;
  /** Documents that the search covers: of visible repositories, on its revisions, not hidden by newer text. */
  readonly universe: Bitset;
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
  | { readonly kind: "and" | "or"; readonly children: readonly MatchTree[] }
  | { readonly kind: "not"; readonly child: MatchTree };

export interface TreeContext {
  readonly view: ShardView;
  readonly window: TextWindow;
  readonly counts: FinderCounts;
  readonly mode: RunMode;
}

export function buildMatchTree(compiled: CompiledQuery, context: TreeContext): MatchTree {
  let terms = 0;
  const build = (query: Query, namesOnly: boolean): MatchTree => {
    const { reader } = context.view;
    switch (query.kind) {
      case "and":
      case "or":
        return { kind: query.kind, children: query.children.map((child) => build(child, namesOnly)) };
      case "not":
        return { kind: "not", child: build(query.child, namesOnly) };
      case "text": {
        const pattern = compiled.patterns.get(query);
        if (pattern === undefined) return constant(context, false);
        const where = namesOnly && query.where === "both" ? "name" : query.where;
        const content = (): MatchTree => ({
          kind: "content",
          finder: new ContentFinder(reader, context.window, pattern, terms++, context.counts),
        });
        const name = (): MatchTree => ({
          kind: "name",
          finder: new NameFinder(reader, context.window, pattern, context.mode),
        });
        if (where === "content") return content();
        if (where === "name") return name();
        return { kind: "or", children: [name(), content()] };
      }
      case "type":
        return query.type === "symbol"
          ? constant(context, false)
          : build(query.child, namesOnly || query.type === "file");
      case "language":
        return { kind: "documents", set: ofLanguages(reader, query.names) };
      case "revision":
        return { kind: "documents", set: context.view.ofRevisions(query.names) };
      case "repositoryIds":
        return { kind: "documents", set: context.view.ofRepositories(new Set(query.ids)) };
      case "const":
        return constant(context, query.value);
      // The symbol index does not exist, and the service leaves none of the others.
      default:
        return constant(context, false);
    }
  };
  return build(compiled.query, false);
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
    case "content": {
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

/** Every finder of text that may bring ranges. */
export function contentFinders(tree: MatchTree): ContentFinder[] {
  switch (tree.kind) {
    case "content":
      return [tree.finder];
    case "and":
    case "or":
      return tree.children.flatMap(contentFinders);
    case "not":
      return contentFinders(tree.child);
    default:
      return [];
  }
}

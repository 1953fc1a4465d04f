/**
 * Finds the documents that define a queried name. They are evaluated first, in all shards, so that a search that stops
 * at its limit has seen the most likely targets.
 */
import { Bitset } from "#base/bitset";
import type { Query } from "#query/query";
import { isSearchTarget } from "#shard/matches/definitionScore";
import type { SymbolReader } from "#shard/symbolFile/symbolReader";
import type { OpenShard } from "./shardSet";

/** A term of a query that can be a name. */
export interface QueriedName {
  readonly text: string;
  readonly caseSensitive: boolean;
}

/** Maximum number of terms that are looked up. A query with more terms is prose. */
const maxNames = 4;
/** If more documents of a shard define a name, they have no priority, because none is more relevant than the others. */
const maxDefiningDocuments = 8;
const identifier = /^[\p{L}_$][\p{L}\p{N}_$]+$/u;

/** Returns the plain terms of a query that can be names and are not negated. */
export function queriedNames(query: Query): QueriedName[] {
  return termsOf(query).slice(0, maxNames);
}

function termsOf(query: Query): QueriedName[] {
  switch (query.kind) {
    case "and":
    case "or":
      return query.children.flatMap(termsOf);
    case "type":
      return query.type === "file" ? [] : termsOf(query.child);
    case "text":
    case "symbol": {
      const { pattern } = query;
      const text = pattern.kind === "literal" ? pattern.text : pattern.source.replace(/^\^|\$$/g, "");
      const isOfText = query.kind === "symbol" || query.where !== "name";
      return isOfText && identifier.test(text) ? [{ text, caseSensitive: pattern.caseSensitive }] : [];
    }
    default:
      return [];
  }
}

/** Returns the documents that define one of the names as a type or something callable; undefined if there are none. */
export function definingDocuments(
  { symbols, reader }: OpenShard,
  names: readonly QueriedName[],
  documents: Bitset,
): Bitset | undefined {
  if (symbols === undefined) return undefined;
  const found = new Set<number>();
  for (const name of names) {
    const ofName = documentsDefining(symbols, name, documents);
    if (ofName.size <= maxDefiningDocuments) for (const document of ofName) found.add(document);
  }
  if (found.size === 0) return undefined;
  const set = new Bitset(reader.meta.documentCount);
  for (const document of found) set.add(document);
  return set;
}

/** Returns at most one document more than `maxDefiningDocuments`. */
function documentsDefining(
  symbols: SymbolReader,
  { text, caseSensitive }: QueriedName,
  documents: Bitset,
): Set<number> {
  const found = new Set<number>();
  const { from, to } = symbols.names.find(text, true);
  for (let number = from; number < to; number++) {
    if (caseSensitive && symbols.names.text(number) !== text) continue;
    for (const definition of symbols.namesakes(number, number + 1)) {
      if (found.size > maxDefiningDocuments) return found;
      if (!isSearchTarget(symbols, definition)) continue;
      const document = symbols.documentOf(definition);
      if (documents.has(document)) found.add(document);
    }
  }
  return found;
}

/**
 * What defines a name is looked at first: a search that stops at its limit has then seen the place that a person most
 * often means, in whichever shard that is.
 */
import { Bitset } from "#base/bitset";
import type { Query } from "#query/query";
import { isSought } from "#shard/definitionScore";
import type { SymbolReader } from "#shard/symbolReader";
import type { OpenShard } from "./shardSet";

export interface AskedName {
  readonly text: string;
  readonly caseSensitive: boolean;
}

/** More terms than this are prose. */
const maxNames = 4;
/** Of one shard and one name: what more documents define, none of them defines in particular. */
const maxDefiners = 8;
const identifier = /^[\p{L}_$][\p{L}\p{N}_$]+$/u;

/** Plain terms of a query that can be names, and are not negated. */
export function askedNames(query: Query): AskedName[] {
  return termsOf(query).slice(0, maxNames);
}

function termsOf(query: Query): AskedName[] {
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

/** Those of the documents that define one of the names as a type or something to call; undefined where none does. */
export function definers(
  { symbols, reader }: OpenShard,
  names: readonly AskedName[],
  documents: Bitset,
): Bitset | undefined {
  if (symbols === undefined) return undefined;
  const found = new Set<number>();
  for (const name of names) {
    const ofName = definersOf(symbols, name, documents);
    if (ofName.size <= maxDefiners) for (const document of ofName) found.add(document);
  }
  if (found.size === 0) return undefined;
  const set = new Bitset(reader.meta.documentCount);
  for (const document of found) set.add(document);
  return set;
}

/** At most one more than `maxDefiners`. */
function definersOf(
  symbols: SymbolReader,
  { text, caseSensitive }: AskedName,
  documents: Bitset,
): Set<number> {
  const found = new Set<number>();
  const { from, to } = symbols.names.find(text, true);
  for (let number = from; number < to; number++) {
    if (caseSensitive && symbols.names.text(number) !== text) continue;
    for (const definition of symbols.namesakes(number, number + 1)) {
      if (found.size > maxDefiners) return found;
      if (!isSought(symbols, definition)) continue;
      const document = symbols.documentOf(definition);
      if (documents.has(document)) found.add(document);
    }
  }
  return found;
}

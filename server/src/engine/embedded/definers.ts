/**
 * What defines a name is looked at first: a search that stops at its limit has then seen the place that a person most
 * often means, in whichever shard that is.
 */
import { Bitset } from "#base/bitset";
import type { Query } from "#query/query";
import type { OpenShard } from "./shardSet";

export interface AskedName {
  readonly text: string;
  readonly caseSensitive: boolean;
}

/** More terms than this are prose. */
const maxNames = 4;
/** Of one shard and one name: what hundreds of documents define, none of them defines in particular. */
const maxDefiners = 32;
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

/** Those of the documents that define one of the names; undefined where none does. */
export function definers(
  { symbols, reader }: OpenShard,
  names: readonly AskedName[],
  documents: Bitset,
): Bitset | undefined {
  if (symbols === undefined) return undefined;
  let found: Bitset | undefined;
  for (const { text, caseSensitive } of names) {
    const { from, to } = symbols.names.find(text, true);
    let count = 0;
    let last = -1;
    for (let number = from; number < to && count < maxDefiners; number++) {
      if (caseSensitive && symbols.names.text(number) !== text) continue;
      for (const definition of symbols.namesakes(number, number + 1)) {
        const document = symbols.documentOf(definition);
        if (document === last || !documents.has(document)) continue;
        last = document;
        found ??= new Bitset(reader.meta.documentCount);
        found.add(document);
        if (++count === maxDefiners) break;
      }
    }
  }
  return found;
}

/** How much text a search has to read, as far as the query alone tells. */
import type { Pattern, Query } from "./query";
import { compileExpression, literalTrigrams } from "./regexp";

/**
 * `names`: no text at all, only what is known of documents. `some`: what the trigrams of the index leave. `all`:
 * everything there is.
 */
export type Reading = "names" | "some" | "all";

/** Throws as `compileExpression` does. */
export function readingOf(query: Query): Reading {
  return textReading(query, false);
}

/** With `namesOnly` a term that may stand anywhere is looked for in names. */
function textReading(query: Query, namesOnly: boolean): Reading {
  switch (query.kind) {
    case "and": {
      const parts = query.children.map((child) => textReading(child, namesOnly));
      if (parts.includes("some")) return "some";
      return parts.includes("all") ? "all" : "names";
    }
    case "or": {
      const parts = query.children.map((child) => textReading(child, namesOnly));
      if (parts.includes("all")) return "all";
      return parts.includes("some") ? "some" : "names";
    }
    case "not":
      return textReading(query.child, namesOnly) === "names" ? "names" : "all";
    case "type":
      // No index knows what git does.
      if (query.type === "commit") return "all";
      return textReading(query.child, namesOnly || query.type === "file");
    case "text":
      if (query.where === "name" || (namesOnly && query.where === "both")) return "names";
      return hasTrigrams(query.pattern) ? "some" : "all";
    default:
      return "names";
  }
}

function hasTrigrams(pattern: Pattern): boolean {
  const { caseSensitive } = pattern;
  const formula =
    pattern.kind === "literal"
      ? literalTrigrams(new TextEncoder().encode(pattern.text), caseSensitive)
      : compileExpression(pattern.source, caseSensitive).trigrams;
  return formula.kind !== "all";
}

/** Whether text or symbols are looked for, and not only documents by what they are. */
export function looksForText(query: Query): boolean {
  switch (query.kind) {
    case "and":
    case "or":
      return query.children.some(looksForText);
    case "type":
      return looksForText(query.child);
    case "text":
      return query.where !== "name";
    case "symbol":
    case "author":
      return true;
    default:
      return false;
  }
}

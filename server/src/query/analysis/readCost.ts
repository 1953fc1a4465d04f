/** Estimates from the query alone how much text a search has to read. */
import type { Pattern, Query } from "#query/query";
import { compileExpression, literalTrigrams } from "#query/regexp/regexp";

/**
 * `names`: no text, only metadata of documents. `some`: the candidates that the trigram index leaves. `all`: all text.
 */
export type ReadCost = "names" | "some" | "all";

/** Estimates how much text a query reads. Throws as `compileExpression` does. */
export function readCostOf(query: Query): ReadCost {
  return costOf(query, false);
}

/** With `isNameOnly`, terms for both content and name apply to names only. */
function costOf(query: Query, isNameOnly: boolean): ReadCost {
  switch (query.kind) {
    case "and": {
      const parts = query.children.map((child) => costOf(child, isNameOnly));
      if (parts.includes("some")) return "some";
      return parts.includes("all") ? "all" : "names";
    }
    case "or": {
      const parts = query.children.map((child) => costOf(child, isNameOnly));
      if (parts.includes("all")) return "all";
      return parts.includes("some") ? "some" : "names";
    }
    case "not":
      return costOf(query.child, isNameOnly) === "names" ? "names" : "all";
    case "type":
      // Commits are not indexed.
      if (query.type === "commit") return "all";
      return costOf(query.child, isNameOnly || query.type === "file");
    case "text":
      if (query.where === "name" || (isNameOnly && query.where === "both")) return "names";
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

/** Whether a query searches for text, symbols or authors, rather than only filtering documents. */
export function searchesText(query: Query): boolean {
  switch (query.kind) {
    case "and":
    case "or":
      return query.children.some(searchesText);
    case "type":
      return searchesText(query.child);
    case "text":
      return query.where !== "name";
    case "symbol":
    case "author":
      return true;
    default:
      return false;
  }
}

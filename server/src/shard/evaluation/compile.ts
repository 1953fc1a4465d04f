import type { Kernels } from "#kernels/kernels";
import type { Pattern, Query } from "#query/query";
import type { CompiledQuery } from "./matchTree";
import { type CompiledPattern, compilePattern } from "./pattern";

/** A compiled query, with the properties that the search needs. */
export interface CompiledSearch extends CompiledQuery {
  /** Every pattern can run without a time limit. */
  readonly isSafe: boolean;
  /** The revisions that the query names outside of a `not`. If there are none, it searches the default revision. */
  readonly revisions: readonly string[];
  /** See the function `namesRevision`. */
  readonly hasRevision: boolean;
  /** See the function `dependsOnSymbols`. */
  readonly dependsOnSymbols: boolean;
}

/**
 * Compiles the patterns of a query, and the phrase if given. Throws `FAILED_TO_PARSE_QUERY` for an invalid expression.
 */
export function compileQuery(query: Query, kernels: Kernels, phrase?: Pattern): CompiledSearch {
  const patterns = new Map<Query, CompiledPattern>();
  const revisions: string[] = [];
  const visit = (node: Query, isNegated: boolean): void => {
    switch (node.kind) {
      case "and":
      case "or":
        for (const child of node.children) visit(child, isNegated);
        return;
      case "not":
        visit(node.child, !isNegated);
        return;
      case "type":
        visit(node.child, isNegated);
        return;
      case "symbol":
        patterns.set(node, compilePattern(node.pattern, kernels));
        return;
      case "text":
        patterns.set(node, compilePattern(node.pattern, kernels));
        return;
      case "revision":
        if (!isNegated) revisions.push(...node.names);
        return;
      default:
    }
  };
  visit(query, false);
  const compiledPhrase = phrase && compilePattern(phrase, kernels);
  const isSafe = [...patterns.values(), compiledPhrase].every((pattern) => pattern?.isSafe ?? true);
  return {
    query,
    patterns,
    phrase: compiledPhrase,
    isSafe,
    revisions,
    hasRevision: namesRevision(query),
    dependsOnSymbols: dependsOnSymbols(query),
  };
}

/** Whether the query names a revision anywhere, also within a `not`. */
export function namesRevision(query: Query): boolean {
  switch (query.kind) {
    case "revision":
      return true;
    case "and":
    case "or":
      return query.children.some(namesRevision);
    case "not":
    case "type":
      return namesRevision(query.child);
    default:
      return false;
  }
}

/** Whether the result depends on the symbols of documents. */
export function dependsOnSymbols(query: Query): boolean {
  switch (query.kind) {
    case "symbol":
      return true;
    case "and":
    case "or":
      return query.children.some(dependsOnSymbols);
    case "not":
      return dependsOnSymbols(query.child);
    case "type":
      return query.type === "symbol" || dependsOnSymbols(query.child);
    default:
      return false;
  }
}

import type { Kernels } from "#kernels/kernels";
import type { Query } from "#query/query";
import type { CompiledQuery } from "./matchTree";
import { type CompiledPattern, compilePattern, isSafePattern } from "./pattern";

/** What a search needs to know of its query besides the tree. */
export interface CompiledSearch extends CompiledQuery {
  /** No expression of it can run away. */
  readonly isSafe: boolean;
  /** Names of revisions that are asked for outside of a `not`; empty where only the default one counts. */
  readonly revisions: readonly string[];
  readonly hasRevision: boolean;
  /** The answer depends on what was found in documents that were parsed. */
  readonly asksForSymbols: boolean;
}

/** Throws `FAILED_TO_PARSE_QUERY` for an expression that is none. */
export function compileQuery(query: Query, kernels: Kernels): CompiledSearch {
  const patterns = new Map<Query, CompiledPattern>();
  const revisions: string[] = [];
  let namesOnly = false;
  let hasRevision = false;
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
        if (node.type === "file" || node.type === "repo") namesOnly = true;
        visit(node.child, isNegated);
        return;
      case "symbol":
        patterns.set(node, compilePattern(node.pattern, kernels));
        return;
      case "text":
        patterns.set(node, compilePattern(node.pattern, kernels));
        return;
      case "revision":
        hasRevision = true;
        if (!isNegated) revisions.push(...node.names);
        return;
      default:
    }
  };
  visit(query, false);
  const isSafe = [...patterns.values()].every(isSafePattern);
  return {
    query,
    patterns,
    namesOnly,
    isSafe,
    revisions,
    hasRevision,
    asksForSymbols: asksForSymbols(query),
  };
}

/** Whether its answer depends on what was found in documents that were parsed. */
export function asksForSymbols(query: Query): boolean {
  switch (query.kind) {
    case "symbol":
      return true;
    case "and":
    case "or":
      return query.children.some(asksForSymbols);
    case "not":
      return asksForSymbols(query.child);
    case "type":
      return query.type === "symbol" || asksForSymbols(query.child);
    default:
      return false;
  }
}

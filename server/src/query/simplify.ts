import type { Query } from "./query";

/**
 * The same question with less tree: constants folded, `and` in `and` and `or` in `or` flat, no double negation, no
 * child twice. An `and` or `or` that is left has at least two children.
 */
export function simplifyQuery(query: Query): Query {
  switch (query.kind) {
    case "and":
      return combine("and", query.children.map(simplifyQuery));
    case "or":
      return combine("or", query.children.map(simplifyQuery));
    case "not":
      return negate(simplifyQuery(query.child));
    case "type": {
      const child = simplifyQuery(query.child);
      // Of nothing there are no names either; of everything there are. What asks for commits stays such a query.
      return child.kind === "const" && !child.value && query.type !== "commit" ? child : { ...query, child };
    }
    default:
      return query;
  }
}

function combine(kind: "and" | "or", children: readonly Query[]): Query {
  const neutral = kind === "and";
  const distinct = new Map<string, Query>();
  for (const child of children) {
    for (const part of child.kind === kind ? child.children : [child]) {
      if (part.kind === "const" && part.value !== neutral) return part;
      if (part.kind !== "const") distinct.set(JSON.stringify(part), part);
    }
  }
  const kept = [...distinct.values()];
  const [only] = kept;
  if (only === undefined) return { kind: "const", value: neutral };
  return kept.length === 1 ? only : { kind, children: kept };
}

function negate(child: Query): Query {
  if (child.kind === "const") return { kind: "const", value: !child.value };
  return child.kind === "not" ? child.child : { kind: "not", child };
}

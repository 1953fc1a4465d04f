import type { Query } from "#query/query";

/** Returns the ids of repositories that may contain documents that match, of those that the caller may see. */
export function repositoryScope(
  query: Query,
  visible: ReadonlySet<number> | "all",
): ReadonlySet<number> | "all" {
  return intersection(selected(query), visible);
}

function selected(query: Query): ReadonlySet<number> | "all" {
  switch (query.kind) {
    case "repositoryIds":
      return new Set(query.ids);
    case "and":
      return query.children.map(selected).reduce(intersection, "all");
    case "or": {
      const parts = query.children.map(selected);
      return parts.includes("all") ? "all" : new Set(parts.flatMap((part) => [...part] as number[]));
    }
    case "type":
      return selected(query.child);
    case "const":
      return query.value ? "all" : new Set();
    default:
      return "all";
  }
}

function intersection(
  left: ReadonlySet<number> | "all",
  right: ReadonlySet<number> | "all",
): ReadonlySet<number> | "all" {
  if (left === "all") return right;
  return right === "all" ? left : new Set([...left].filter((id) => right.has(id)));
}

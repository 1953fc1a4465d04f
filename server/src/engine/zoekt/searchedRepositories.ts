import type { SearchPlan, UnavailablePart } from "#engine/engine";
import type { AssignedRepository, Assignments, NodeRepositories } from "./nodeRepositories";
import { repositoryScope } from "./repositoryScope";
import type { ZoektNode } from "./zoektNode";

export interface SearchedRepositoriesOptions {
  /** By name. */
  readonly nodes: ReadonlyMap<string, ZoektNode>;
  readonly repositories: NodeRepositories;
  /** The repositories that nodes should have, with the name of the node. */
  readonly expected: () => Iterable<readonly [id: number, node: string]>;
  /** Whether Trawl decides what a node has. */
  readonly isFed: (node: string) => boolean;
}

export interface SearchedRepositories {
  readonly searched: readonly AssignedRepository[];
  /** Repositories that should be on a node but are on none. */
  readonly missing: readonly UnavailablePart[];
}

/** Finds the repositories of a search that are on nodes, and those that should be. */
export function searchedRepositories(
  { query, repositories }: Pick<SearchPlan, "query" | "repositories">,
  { byId }: Assignments,
  { nodes, repositories: lists, expected, isFed }: SearchedRepositoriesOptions,
): SearchedRepositories {
  const wanted = repositoryScope(query, repositories);
  const searched = [...(wanted === "all" ? byId.keys() : wanted)].flatMap((id) => byId.get(id) ?? []);
  const leaving = searched.filter(({ isLeaving }) => isLeaving);
  const lacking = new Map<string, number>();
  for (const [id, node] of expected())
    if (!byId.has(id) && (wanted === "all" || wanted.has(id)))
      lacking.set(node, (lacking.get(node) ?? 0) + 1);
  const missing = [...lacking].map(([node, repositoryCount]) => ({
    node,
    reason: lists.isListed(node) ? "has not loaded their index" : "has not listed its index",
    repositoryCount,
  }));
  // What a fed node should have is known.
  const unknown = [...nodes.keys()]
    .filter((name) => !isFed(name) && !lists.isListed(name) && !lacking.has(name))
    .map((name) => ({ node: name, reason: "has not listed its repositories" }));
  const moving = [...new Set(leaving.map(({ node }) => node))].map((name) => ({
    node: name,
    reason: "may have removed their index, which no other node has listed",
    repositoryCount: leaving.filter(({ node }) => node === name).length,
  }));
  const all = [...missing, ...moving, ...unknown];
  return { searched, missing: wanted !== "all" && wanted.size === 0 ? [] : all };
}

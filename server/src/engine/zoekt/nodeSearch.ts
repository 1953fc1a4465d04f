/** Sends a search to nodes, each of which searches the repositories that it is asked for. */
import type { UnavailablePart } from "#engine/engine";
import type { FlushReason } from "#model/stats";
import { monotonicNow } from "#platform/clock";
import type { Limits } from "#query/limits";
import type { Query } from "#query/query";
import type { AssignedRepository, Assignments } from "./nodeRepositories";
import type { NodeReply } from "./zoektMessages";
import { NodeFailure, type ZoektNode } from "./zoektNode";
import { exactly, quoted, zoektQuery } from "./zoektQuery";

/** The repositories of a search, by node. */
export interface NodeScope {
  readonly node: ZoektNode;
  readonly repositories: readonly AssignedRepository[];
}

export interface NodeReplies {
  readonly replies: readonly (NodeReply & { readonly scope: NodeScope; readonly isLate: boolean })[];
  readonly unavailable: readonly UnavailablePart[];
  readonly reasons: readonly FlushReason[];
}

/** Share of the time until the deadline in which a node searches, and in which its response must have arrived. */
const shares = { search: 0.6, response: 0.75 };
/** How many documents a search with a limit requests from each node at first, and at most. */
export const documentCounts = { first: 100, growth: 8, max: 5000 };
/** Matches in one shard after which a node skips the rest of it, so that frequent words do not take long. */
const minShardMatches = 10_000;
const unlimited = 1e9;
/** How much smaller the next response is if one was too large, and how often that is tried. */
const reduction = 8;
const maxReductions = 2;
/** More names would make the query longer than it saves. */
const maxRepositoryNames = 200;

/**
 * Searches all nodes at the same time. Each returns the `documentCount` documents that it ranks best, or all that match if
 * the search has no limit. Rejects only with CANCELLED.
 */
export async function searchNodes(
  query: Query,
  limits: Limits,
  documentCount: number,
  scopes: readonly NodeScope[],
  { byId }: Assignments,
  maxBytes: number,
  signal: AbortSignal,
): Promise<NodeReplies> {
  const text = zoektQuery(query, { repositoryName: (id) => byId.get(id)?.name });
  if (text === undefined) return { replies: [], unavailable: [], reasons: [] };
  const found = await Promise.all(
    scopes.map((scope) => searchNode(text, limits, documentCount, scope, maxBytes, signal)),
  );
  return {
    replies: found.flatMap(({ reply }) => (reply === undefined ? [] : [reply])),
    unavailable: found.flatMap(({ unavailable }) => (unavailable === undefined ? [] : [unavailable])),
    reasons: found.flatMap(({ isReduced }) => (isReduced === true ? ["BYTE_LIMIT" as const] : [])),
  };
}

interface NodeOutcome {
  readonly reply?: NodeReplies["replies"][number];
  readonly unavailable?: UnavailablePart;
  readonly isReduced?: boolean;
}

async function searchNode(
  text: string,
  { maxMatches, deadline }: Limits,
  wantedCount: number,
  scope: NodeScope,
  maxBytes: number,
  signal: AbortSignal,
): Promise<NodeOutcome> {
  const { node, repositories } = scope;
  const isWhole = maxMatches === Number.POSITIVE_INFINITY;
  let documentCount = isWhole ? unlimited : wantedCount;
  for (let reductions = 0; ; reductions++) {
    const startedAt = monotonicNow();
    const leftMs = Math.max(0, deadline - startedAt);
    const searchMs = Math.max(1, leftMs * shares.search);
    const request = {
      // Documents are counted instead of lines if all of them are returned: their matches are not needed.
      Q: isWhole && reductions === 0 ? `type:file ${text}` : text,
      Opts: {
        Whole: true,
        MaxDocDisplayCount: documentCount,
        ShardMaxMatchCount: isWhole ? unlimited : Math.max(minShardMatches, 2 * documentCount),
        TotalMaxMatchCount: unlimited,
        MaxWallTime: Math.round(searchMs * 1e6),
      },
    };
    try {
      const body = await node.post({
        path: "/api/search",
        body: { ...request, ...restriction(request.Q, repositories) },
        timeMs: leftMs * shares.response,
        maxBytes,
        signal,
      });
      const isLate = monotonicNow() - startedAt >= searchMs;
      return { reply: { node: node.name, body, scope, isLate }, isReduced: reductions > 0 };
    } catch (error) {
      if (!(error instanceof NodeFailure)) throw error;
      if (error.kind === "tooLarge" && reductions < maxReductions) {
        documentCount = Math.min(documentCount, documentCounts.max);
        documentCount = Math.max(1, Math.floor(documentCount / reduction));
        continue;
      }
      return { unavailable: partOf(scope, error.message) };
    }
  }
}

export function partOf({ node, repositories }: NodeScope, reason: string): UnavailablePart {
  return { node: node.name, reason, repositoryCount: repositories.length };
}

/** Restricts a request to repositories: by Zoekt's ids if all have one, else by name. */
function restriction(
  query: string,
  repositories: readonly AssignedRepository[],
): { Q: string; RepoIDs?: number[] } {
  const ids = new Set(repositories.map(({ zoektId }) => zoektId));
  if (!ids.has(0) && ids.size === repositories.length) return { Q: query, RepoIDs: [...ids] };
  // The thread that evaluates the documents drops those of others.
  if (repositories.length > maxRepositoryNames) return { Q: query };
  const names = repositories.map(({ name }) => exactly(name)).join("|");
  return { Q: `${query} repo:${quoted(names)}` };
}

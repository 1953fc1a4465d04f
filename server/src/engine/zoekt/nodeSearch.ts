/** Sends a search to nodes, each of which searches the repositories that it is asked for. */
import type { UnavailablePart } from "#engine/engine";
import type { FlushReason } from "#model/stats";
import { monotonicNow, systemClock } from "#platform/clock";
import type { Query } from "#query/query";
import type { Hedging } from "./hedging";
import type { Assignments, PlacedRepository } from "./nodeRepositories";
import { countedRepositories, divide, type NodeScope } from "./replicas";
import type { MissingDocument, NodeReply } from "./zoektMessages";
import { NodeFailure, patienceMs, type ZoektNode } from "./zoektNode";
import { exactly, quoted, zoektQuery } from "./zoektQuery";

export interface NodeReplies {
  readonly replies: readonly (NodeReply & { readonly scope: NodeScope; readonly isLate: boolean })[];
  readonly unavailable: readonly UnavailablePart[];
  readonly reasons: readonly FlushReason[];
}

/** What all requests of a search have in common. */
export interface NodesRequest {
  readonly query: Query;
  /** Whether all documents that match are requested. */
  readonly isWhole: boolean;
  /** How many documents to request from each node otherwise. */
  readonly documentCount: number;
  /** After how many matches for each requested document a node skips the rest of a shard. Default: few. */
  readonly shardMatchesPerDocument?: number;
  /** How many lines to request around matches, if texts are not requested. */
  readonly contextLines?: number;
  /** Whether to request the texts of documents, too. */
  readonly hasTexts: boolean;
  /** The deadline of the whole search. */
  readonly deadline: number;
  readonly byId: Assignments["byId"];
  readonly nodes: ReadonlyMap<string, ZoektNode>;
  /** Nodes that must not stand in for others. */
  readonly avoided: ReadonlySet<string>;
  readonly hedging: Hedging;
  /** The largest response of a node. */
  readonly maxBytes: number;
}

/** Share of the time until the deadline in which a node searches, and in which its response must have arrived. */
const shares = { search: 0.6, response: 0.75 };
/** How many documents a search with a limit requests from each node at first, and at most. */
export const documentCounts = { first: 50, growth: 8, max: 5000 };
/** So that frequent words stay fast. */
const fewMatches = 4;
const unlimited = 1e9;
/** How much smaller the next response is if one was too large, and how often that is tried. */
const reduction = 8;
const maxReductions = 2;
/** More names would make the query longer than it saves. */
const maxRepositoryNames = 200;

/**
 * Searches all nodes at the same time. Each returns the `documentCount` documents that it ranks best, or all that match if
 * `isWhole`. If a node fails, or is slower than most requests, replicas on other nodes are asked instead, and
 * the reply of one of them counts for each repository. Rejects only with CANCELLED.
 */
export async function searchNodes(
  request: NodesRequest,
  scopes: readonly NodeScope[],
  signal: AbortSignal,
): Promise<NodeReplies> {
  const { query, byId, avoided } = request;
  const text = zoektQuery(query, { repositoryName: (id) => byId.get(id)?.name });
  if (text === undefined) return { replies: [], unavailable: [], reasons: [] };
  const run: Run = {
    request,
    search: (scope, until) => searchNode(text, request, scope, until),
  };
  const outcomes = await Promise.all(scopes.map((scope) => searchScope(run, scope, avoided, signal, true)));
  const found = outcomes.flat();
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

interface Run {
  readonly request: NodesRequest;
  readonly search: (scope: NodeScope, signal: AbortSignal) => Promise<NodeOutcome>;
}

/** Searches the repositories of a scope: on its node, or else on replicas. */
async function searchScope(
  run: Run,
  scope: NodeScope,
  avoided: ReadonlySet<string>,
  signal: AbortSignal,
  canHedge: boolean,
): Promise<readonly NodeOutcome[]> {
  const own = new AbortController();
  const first = run.search(scope, AbortSignal.any([signal, own.signal]));
  const now = new Set([...avoided, scope.node.name]);
  const { scopes, rest } = divide(
    scope.repositories.map(({ assigned }) => assigned),
    run.request.nodes,
    now,
  );
  if (scopes.length === 0) return [await first];
  const askOthers = async (until: AbortSignal): Promise<readonly NodeOutcome[]> => {
    const outcomes = await Promise.all(scopes.map((other) => searchScope(run, other, now, until, false)));
    return outcomes.flat();
  };
  const isLate = canHedge && (await isLaterThan(first, run.request.hedging.delayMs));
  if (!isLate || !run.request.hedging.take()) {
    const outcome = await first;
    if (outcome.unavailable === undefined) return [outcome];
    return withFailure(await askOthers(signal), outcome.unavailable, rest.length);
  }
  const second = new AbortController();
  const others = askOthers(AbortSignal.any([signal, second.signal]));
  // The loser may be canceled when nothing awaits it any more.
  for (const each of [first, others]) each.catch(() => undefined);
  const winner = await Promise.race([first, others]);
  if ("length" in winner && rest.length === 0 && winner.every(isAnswered)) {
    void cancelSilent(scope.node, first, own);
    return winner;
  }
  const outcome = await first;
  if (outcome.unavailable === undefined) {
    second.abort();
    return [outcome];
  }
  return withFailure(await others, outcome.unavailable, rest.length);
}

function isAnswered({ unavailable }: NodeOutcome): boolean {
  return unavailable === undefined;
}

/** Reports the repositories that no replica returned under the node that was asked first, with its failure. */
function withFailure(
  outcomes: readonly NodeOutcome[],
  failure: UnavailablePart,
  restCount: number,
): readonly NodeOutcome[] {
  const failedCount = outcomes.reduce(
    (count, { unavailable }) => count + (unavailable?.repositoryCount ?? 0),
    restCount,
  );
  const answered = outcomes.filter(isAnswered);
  return failedCount === 0
    ? answered
    : [...answered, { unavailable: { ...failure, repositoryCount: failedCount } }];
}

/** Whether an outcome takes longer than a delay. */
async function isLaterThan(outcome: Promise<unknown>, delayMs: number): Promise<boolean> {
  let cancel = () => {};
  const delay = new Promise<boolean>((resolve) => {
    cancel = systemClock.after(delayMs, () => resolve(true));
  });
  try {
    return await Promise.race([outcome.then(() => false), delay]);
  } finally {
    cancel();
  }
}

/** Cancels a request that nobody needs any more, but leaves it some time, to find out whether its node responds at all. */
async function cancelSilent(
  node: ZoektNode,
  outcome: Promise<unknown>,
  request: AbortController,
): Promise<void> {
  const isSilent = await isLaterThan(
    outcome.catch(() => undefined),
    patienceMs,
  );
  request.abort();
  if (isSilent) node.reportSilence();
}

async function searchNode(
  text: string,
  request: NodesRequest,
  scope: NodeScope,
  signal: AbortSignal,
): Promise<NodeOutcome> {
  const { isWhole, deadline, documentCount: wantedCount, hasTexts, hedging, maxBytes } = request;
  const { contextLines = 0, shardMatchesPerDocument = fewMatches } = request;
  const { node } = scope;
  const repositories = scope.repositories.map(({ placed }) => placed);
  const counted = countedRepositories(scope);
  let documentCount = isWhole ? unlimited : wantedCount;
  for (let reductions = 0; ; reductions++) {
    const startedAt = monotonicNow();
    const leftMs = Math.max(0, deadline - startedAt);
    const searchMs = Math.max(1, leftMs * shares.search);
    const sent = {
      // Documents are counted instead of lines if all of them are returned: their matches are not needed.
      Q: isWhole && reductions === 0 ? `type:file ${text}` : text,
      Opts: {
        Whole: hasTexts,
        // Smaller than lines, if several matches are near each other.
        ChunkMatches: !hasTexts,
        NumContextLines: hasTexts ? 0 : contextLines,
        MaxDocDisplayCount: documentCount,
        ShardMaxMatchCount: isWhole ? unlimited : shardMatchesPerDocument * documentCount,
        TotalMaxMatchCount: unlimited,
        MaxWallTime: Math.round(searchMs * 1e6),
      },
    };
    try {
      const body = await node.post({
        path: "/api/search",
        body: { ...sent, ...restriction(sent.Q, repositories) },
        timeMs: leftMs * shares.response,
        maxBytes,
        signal,
      });
      const durationMs = monotonicNow() - startedAt;
      hedging.record(durationMs);
      return {
        reply: {
          node: node.name,
          body,
          hasTexts,
          ...(counted === undefined ? {} : { repositories: counted }),
          scope,
          isLate: durationMs >= searchMs,
        },
        isReduced: reductions > 0,
      };
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

/** Requests the texts of documents that a node has listed. Returns undefined if it fails. Rejects only with CANCELLED. */
export async function requestTexts(
  { deadline, maxBytes }: Pick<NodesRequest, "deadline" | "maxBytes">,
  { node, repositories }: NodeScope,
  documents: readonly MissingDocument[],
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const byRepository = new Map<string, string[]>();
  for (const { repository, path } of documents) {
    const paths = byRepository.get(repository);
    if (paths === undefined) byRepository.set(repository, [path]);
    else paths.push(path);
  }
  const conditions = [...byRepository].map(([name, names]) => {
    const paths = names.map(exactly).join("|");
    return `( case:yes repo:${quoted(exactly(name))} file:${quoted(paths)} )`;
  });
  const leftMs = Math.max(0, deadline - monotonicNow());
  const Q = `type:file ( ${conditions.join(" or ")} )`;
  const Opts = { Whole: true, MaxDocDisplayCount: unlimited, ShardMaxMatchCount: unlimited };
  const placed = repositories.map((repository) => repository.placed);
  const requested = placed.filter(({ name }) => byRepository.has(name));
  const body = {
    Q,
    Opts,
    ...(hasZoektIds(requested) && { RepoIDs: requested.map(({ zoektId }) => zoektId) }),
  };
  try {
    const timeMs = leftMs * shares.response;
    return await node.post({ path: "/api/search", body, timeMs, maxBytes, signal });
  } catch (error) {
    if (error instanceof NodeFailure) return undefined;
    throw error;
  }
}

export function partOf({ node, repositories }: NodeScope, reason: string): UnavailablePart {
  return { node: node.name, reason, repositoryCount: repositories.length };
}

/** Restricts a request to repositories: by Zoekt's ids if all have one, else by name. */
export function restriction(
  query: string,
  repositories: readonly PlacedRepository[],
): { Q: string; RepoIDs?: number[] } {
  if (hasZoektIds(repositories)) return { Q: query, RepoIDs: repositories.map(({ zoektId }) => zoektId) };
  // The thread that evaluates the documents drops those of others.
  if (repositories.length > maxRepositoryNames) return { Q: query };
  const names = repositories.map(({ name }) => exactly(name)).join("|");
  return { Q: `${query} repo:${quoted(names)}` };
}

/** Whether each repository has an id of its own on its node. */
function hasZoektIds(repositories: readonly PlacedRepository[]): boolean {
  const ids = new Set(repositories.map(({ zoektId }) => zoektId));
  return !ids.has(0) && ids.size === repositories.length;
}

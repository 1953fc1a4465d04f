import { throwIfAborted } from "#base/error";
import type {
  CountRequest,
  DocumentRequest,
  Engine,
  EngineResult,
  IndexedDocument,
  SearchPlan,
  SymbolRequest,
  SymbolsResult,
  UnavailablePart,
} from "#engine/engine";
import type { FileMatch } from "#model/match";
import type { RepositoryId } from "#model/repository";
import { addReason } from "#model/stats";
import { dependsOnSymbols } from "#shard/evaluation/compile";
import { mergeResults } from "./mergeResults";
import type { Assignments, NodeRepositories } from "./nodeRepositories";
import { describe, emptyResult, evaluate, hasEnough, searchCall } from "./nodeResult";
import { documentCounts, type NodeScope, partOf, searchNodes } from "./nodeSearch";
import { readFromNode } from "./readDocument";
import { repositoryScope } from "./repositoryScope";
import type { VerifyThreads } from "./verifyThreads";
import type { CandidatesCall } from "./zoektMessages";
import type { ZoektNode } from "./zoektNode";

export interface ZoektEngineOptions {
  readonly nodes: readonly ZoektNode[];
  readonly repositories: NodeRepositories;
  readonly threads: VerifyThreads;
  /** Searches the repositories that it has shards of. Closed together with this engine. */
  readonly embedded: Engine;
  /** The repositories of which the embedded engine has shards. */
  readonly embeddedIds: () => Iterable<number>;
  /** The repositories that nodes should have, with the name of the node. */
  readonly expected: () => Iterable<readonly [id: number, node: string]>;
  /** The largest response of a node to one request. */
  readonly maxResponseBytes: number;
}

/** Files are passed to a streaming search in pieces of this many. */
const filesPerPiece = 100;

/**
 * Searches repositories on Zoekt nodes, and all others with the embedded engine.
 *
 * A search works as follows:
 *
 * - Send the query to each node that has repositories of the search (`nodeSearch.ts`). `zoektQuery.ts` translates it so
 *   that at least the documents that match are returned, with their text.
 * - Evaluate the query itself on these documents (`verifyTask.ts`), with the code of the embedded engine. So positions,
 *   chunks and scores do not depend on the engine, nor on which node responds first.
 * - Merge the files with those of the embedded engine.
 *
 * A node that fails or responds late is left out. The result then names it.
 */
export class ZoektEngine implements Engine {
  readonly #options: ZoektEngineOptions;

  constructor(options: ZoektEngineOptions) {
    this.#options = options;
  }

  async search(
    plan: SearchPlan,
    signal: AbortSignal,
    onFiles?: (files: readonly FileMatch[]) => Promise<void> | void,
  ): Promise<EngineResult> {
    throwIfAborted(signal);
    const startedAt = performance.now();
    const assignments = await this.#options.repositories.current(signal);
    const [local, remote] = await Promise.all([
      this.#searchEmbedded(plan, assignments, signal),
      this.#searchNodes(plan, assignments, signal),
    ]);
    throwIfAborted(signal);
    const merged = local === undefined ? remote : mergeResults(remote, local, plan.limits);
    const duration = Math.round((performance.now() - startedAt) * 1e6);
    const result = { ...merged, stats: { ...merged.stats, duration } };
    if (onFiles === undefined) return result;
    for (let at = 0; at < result.files.length; at += filesPerPiece) {
      await onFiles(result.files.slice(at, at + filesPerPiece));
      throwIfAborted(signal);
    }
    return { ...result, files: [] };
  }

  /** Names of files and languages come only from repositories of the embedded engine. */
  count(request: CountRequest, signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
    return this.#options.embedded.count(request, signal);
  }

  /** Definitions come only from repositories of the embedded engine. The result reports that others may be missing. */
  async findSymbols(request: SymbolRequest, signal: AbortSignal): Promise<SymbolsResult> {
    const { byId } = await this.#options.repositories.current(signal);
    const result = await this.#options.embedded.findSymbols(request, signal);
    const isComplete = !idsOf(request.repositories, byId.keys()).some((id) => byId.has(id));
    return isComplete ? result : { ...result, flushReason: addReason(result.flushReason, "ENGINE_PARTIAL") };
  }

  async readDocuments(
    requests: readonly DocumentRequest[],
    signal: AbortSignal,
  ): Promise<readonly (IndexedDocument | undefined)[]> {
    const { byId } = await this.#options.repositories.current(signal);
    const local = requests.filter(({ repositoryId }) => !byId.has(repositoryId));
    const found = local.length === 0 ? [] : await this.#options.embedded.readDocuments(local, signal);
    return await Promise.all(
      requests.map(async (request) => {
        const repository = byId.get(request.repositoryId);
        if (repository === undefined) return found[local.indexOf(request)];
        const node = this.#options.nodes.find(({ name }) => name === repository.node);
        return (
          node && (await readFromNode(node, repository, request, this.#options.maxResponseBytes, signal))
        );
      }),
    );
  }

  async close(): Promise<void> {
    const { nodes, repositories, threads, embedded } = this.#options;
    repositories.close();
    await Promise.all([embedded.close(), threads.close(), ...nodes.map((node) => node.close())]);
  }

  /** Returns undefined if the embedded engine has no repository of the search. */
  async #searchEmbedded(
    plan: SearchPlan,
    { byId }: Assignments,
    signal: AbortSignal,
  ): Promise<EngineResult | undefined> {
    const stored = [...this.#options.embeddedIds()].filter((id) => !byId.has(id));
    const ids = new Set(stored) as ReadonlySet<number> as ReadonlySet<RepositoryId>;
    const { repositories } = plan;
    const searched =
      repositories === "all" ? ids : (new Set([...ids].filter((id) => repositories.has(id))) as typeof ids);
    if (searched.size === 0) return undefined;
    const unsaved = plan.unsaved.filter(({ repositoryId }) => !byId.has(repositoryId));
    return await this.#options.embedded.search({ ...plan, repositories: searched, unsaved }, signal);
  }

  /** Requests few documents at first, because their text is most of the cost, and more if these have too few matches. */
  async #searchNodes(plan: SearchPlan, assignments: Assignments, signal: AbortSignal): Promise<EngineResult> {
    const { query, description } = plan;
    const { scopes, missing } = this.#scopesOf(plan, assignments);
    if (description !== undefined || dependsOnSymbols(query) || plan.grouping?.by === "symbol") {
      const what = description === undefined ? "symbols" : "descriptions";
      return emptyResult(scopes.map((scope) => partOf(scope, `cannot search ${what}`)));
    }
    let best: EngineResult | undefined;
    for (let count = documentCounts.first; ; count *= documentCounts.growth) {
      const documentCount = Math.min(count, documentCounts.max);
      const { result, omittedCount } = await this.#searchOnce(
        plan,
        { scopes, missing, documentCount },
        assignments,
        signal,
      );
      // A node that failed this time has already returned some documents.
      if (best !== undefined && result.stats.totalMatchCount < best.stats.totalMatchCount) return best;
      if (omittedCount === 0 || documentCount === documentCounts.max || hasEnough(result, plan.limits))
        return result;
      best = result;
    }
  }

  async #searchOnce(
    plan: SearchPlan,
    { scopes, missing, documentCount }: NodeRequests,
    assignments: Assignments,
    signal: AbortSignal,
  ): Promise<{ result: EngineResult; omittedCount: number }> {
    const { query, limits } = plan;
    const { maxResponseBytes, threads } = this.#options;
    const found = await searchNodes(
      query,
      limits,
      documentCount,
      scopes,
      assignments,
      maxResponseBytes,
      signal,
    );
    const scoped = new Set(scopes.flatMap(({ repositories }) => repositories.map(({ id }) => id)));
    const unsaved = plan.unsaved.filter(({ repositoryId }) => scoped.has(repositoryId));
    const failed = [...missing, ...found.unavailable];
    if (found.replies.length === 0 && unsaved.length === 0)
      return { result: emptyResult(failed, found.reasons), omittedCount: 0 };
    const load: CandidatesCall = {
      kind: "candidates",
      replies: found.replies.map(({ node, body }) => ({ node, body })),
      others: unsaved.map(({ repositoryId }) => repositoryId),
    };
    const call = searchCall({ ...plan, unsaved }, [...scoped]);
    const result =
      (await threads.withCandidates(load, assignments, signal, (loaded) => evaluate(loaded, call, signal))) ??
      (await threads.withOwnThread(load, assignments, signal, (loaded) =>
        evaluate(loaded, { ...call, lane: "slow" }, signal),
      ));
    if (result === undefined) throw new Error("A search on a thread of its own must not report tooSlow");
    return describe(result, found, failed, limits.maxMatches === Number.POSITIVE_INFINITY);
  }

  /** Divides the repositories of a search among nodes, and finds those that should be on a node but are not. */
  #scopesOf(
    { query, repositories }: SearchPlan,
    { byId }: Assignments,
  ): { scopes: NodeScope[]; missing: UnavailablePart[] } {
    const { nodes, expected } = this.#options;
    const wanted = repositoryScope(query, repositories);
    const byNode = new Map(nodes.map((node) => [node.name, { node, repositories: [] as never[] } as Scope]));
    for (const id of wanted === "all" ? byId.keys() : wanted) {
      const repository = byId.get(id);
      if (repository !== undefined) byNode.get(repository.node)?.repositories.push(repository);
    }
    const lacking = new Map<string, number>();
    for (const [id, node] of expected())
      if (!byId.has(id) && (wanted === "all" || wanted.has(id)))
        lacking.set(node, (lacking.get(node) ?? 0) + 1);
    const missing = [...lacking].map(([node, repositoryCount]) => ({
      node,
      reason: this.#options.repositories.isListed(node)
        ? "has not loaded their index"
        : "has not listed its index",
      repositoryCount,
    }));
    const isUnknown = ({ name }: ZoektNode) =>
      !this.#options.repositories.isListed(name) && !lacking.has(name);
    const unknown = nodes
      .filter(isUnknown)
      .map(({ name }) => ({ node: name, reason: "has not listed its repositories" }));
    return {
      scopes: [...byNode.values()].filter((scope) => scope.repositories.length > 0),
      missing: wanted !== "all" && wanted.size === 0 ? [] : [...missing, ...unknown],
    };
  }
}

interface NodeRequests {
  readonly scopes: readonly NodeScope[];
  readonly missing: readonly UnavailablePart[];
  readonly documentCount: number;
}

interface Scope {
  readonly node: ZoektNode;
  readonly repositories: NodeScope["repositories"][number][];
}

function idsOf(repositories: ReadonlySet<RepositoryId> | "all", all: Iterable<number>): number[] {
  return [...(repositories === "all" ? all : repositories)];
}

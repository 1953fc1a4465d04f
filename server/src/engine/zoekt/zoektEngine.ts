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
import { Hedging } from "./hedging";
import { mergeResults } from "./mergeResults";
import type { AssignedRepository, Assignments, NodeRepositories } from "./nodeRepositories";
import { describe, emptyResult, evaluate, hasEnough, isOutOfTime, searchCall } from "./nodeResult";
import { documentCounts, partOf, searchNodes } from "./nodeSearch";
import { readFromNode } from "./readDocument";
import { divide, type NodeScope } from "./replicas";
import { repositoryScope } from "./repositoryScope";
import type { VerifyThreads } from "./verifyThreads";
import type { CandidatesCall } from "./zoektMessages";
import { NodeFailure, type ZoektNode } from "./zoektNode";

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
  /** Whether Trawl decides what a node has. */
  readonly isFed: (node: string) => boolean;
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
 * If a node fails or responds late, replicas of its repositories are asked. If there are none, it is left out, and the
 * result names it.
 */
export class ZoektEngine implements Engine {
  readonly #options: ZoektEngineOptions;
  readonly #nodes: ReadonlyMap<string, ZoektNode>;
  readonly #hedging = new Hedging();

  constructor(options: ZoektEngineOptions) {
    this.#options = options;
    this.#nodes = new Map(options.nodes.map((node) => [node.name, node]));
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
        return await this.#readDocument(repository, request, signal);
      }),
    );
  }

  /** Asks another replica if a node fails. */
  async #readDocument(
    repository: AssignedRepository,
    request: DocumentRequest,
    signal: AbortSignal,
  ): Promise<IndexedDocument | undefined> {
    const avoided = new Set<string>();
    for (;;) {
      const [scope] = divide([repository], this.#nodes, avoided).scopes;
      if (scope === undefined) return undefined;
      try {
        return await readFromNode(scope.node, repository, request, this.#options.maxResponseBytes, signal);
      } catch (error) {
        if (!(error instanceof NodeFailure)) throw error;
        avoided.add(scope.node.name);
      }
    }
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
    const searched = this.#searchedRepositories(plan, assignments);
    const missing = this.#missingParts(plan, assignments);
    const avoided = new Set<string>();
    const { scopes: first } = divide(searched, this.#nodes);
    if (description !== undefined || dependsOnSymbols(query) || plan.grouping?.by === "symbol") {
      const what = description === undefined ? "symbols" : "descriptions";
      return emptyResult(first.map((scope) => partOf(scope, `cannot search ${what}`)));
    }
    let best: EngineResult | undefined;
    for (let count: number = documentCounts.first; ; ) {
      const documentCount = Math.min(count, documentCounts.max);
      const { scopes } = divide(searched, this.#nodes, avoided);
      const request = { scopes: scopes.length === 0 ? first : scopes, missing, documentCount, avoided };
      const { result, omittedCount, incomplete } = await this.#searchOnce(plan, request, assignments, signal);
      // A node that failed this time has already returned some documents.
      if (best !== undefined && result.stats.totalMatchCount < best.stats.totalMatchCount) return best;
      const canAvoid =
        [...incomplete].some((node) => !avoided.has(node)) &&
        hasOtherReplicas(request.scopes, incomplete, avoided);
      if (canAvoid && !isOutOfTime(plan.limits)) {
        for (const node of incomplete) avoided.add(node);
        continue;
      }
      if (omittedCount === 0 || documentCount === documentCounts.max || hasEnough(result, plan.limits))
        return result;
      best = result;
      count *= documentCounts.growth;
    }
  }

  async #searchOnce(
    plan: SearchPlan,
    { scopes, missing, documentCount, avoided }: NodeRequests,
    assignments: Assignments,
    signal: AbortSignal,
  ): Promise<{ result: EngineResult; omittedCount: number; incomplete: ReadonlySet<string> }> {
    const { query, limits } = plan;
    const { maxResponseBytes: maxBytes, threads } = this.#options;
    const { byId } = assignments;
    const shared = { query, limits, documentCount, byId, nodes: this.#nodes, avoided };
    const found = await searchNodes({ ...shared, hedging: this.#hedging, maxBytes }, scopes, signal);
    const scoped = new Set(scopes.flatMap(({ repositories }) => repositories.map(({ placed }) => placed.id)));
    const unsaved = plan.unsaved.filter(({ repositoryId }) => scoped.has(repositoryId));
    const failed = [...missing, ...found.unavailable];
    if (found.replies.length === 0 && unsaved.length === 0)
      return { result: emptyResult(failed, found.reasons), omittedCount: 0, incomplete: new Set() };
    const load: CandidatesCall = {
      kind: "candidates",
      replies: found.replies.map(({ node, body, repositories }) => ({
        node,
        body,
        ...(repositories === undefined ? {} : { repositories }),
      })),
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

  #searchedRepositories({ query, repositories }: SearchPlan, { byId }: Assignments): AssignedRepository[] {
    const wanted = repositoryScope(query, repositories);
    return [...(wanted === "all" ? byId.keys() : wanted)].flatMap((id) => byId.get(id) ?? []);
  }

  /** Finds the repositories of a search that should be on a node but are on none. */
  #missingParts({ query, repositories }: SearchPlan, { byId }: Assignments): UnavailablePart[] {
    const { nodes, expected, isFed } = this.#options;
    const wanted = repositoryScope(query, repositories);
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
    // What a fed node should have is known.
    const isUnknown = ({ name }: ZoektNode) =>
      !isFed(name) && !this.#options.repositories.isListed(name) && !lacking.has(name);
    const unknown = nodes
      .filter(isUnknown)
      .map(({ name }) => ({ node: name, reason: "has not listed its repositories" }));
    return wanted !== "all" && wanted.size === 0 ? [] : [...missing, ...unknown];
  }
}

interface NodeRequests {
  readonly scopes: readonly NodeScope[];
  readonly missing: readonly UnavailablePart[];
  readonly documentCount: number;
  readonly avoided: ReadonlySet<string>;
}

/** Whether repositories that incomplete nodes were asked for have replicas on further nodes. */
function hasOtherReplicas(
  scopes: readonly NodeScope[],
  incomplete: ReadonlySet<string>,
  avoided: ReadonlySet<string>,
): boolean {
  const isFurther = ({ node }: { readonly node: string }) => !incomplete.has(node) && !avoided.has(node);
  return scopes.some(
    ({ node, repositories }) =>
      incomplete.has(node.name) &&
      repositories.some(({ assigned }) => [assigned, ...assigned.replicas].some(isFurther)),
  );
}

function idsOf(repositories: ReadonlySet<RepositoryId> | "all", all: Iterable<number>): number[] {
  return [...(repositories === "all" ? all : repositories)];
}

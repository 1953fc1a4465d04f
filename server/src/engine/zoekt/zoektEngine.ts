import { throwIfAborted } from "#base/error";
import { UnsavedSymbols } from "#engine/embedded/unsavedSymbols";
import type {
  CountRequest,
  DocumentCounts,
  DocumentRequest,
  Engine,
  EngineResult,
  FilesHandler,
  IndexedDocument,
  SearchPlan,
  SymbolRequest,
  SymbolsResult,
} from "#engine/engine";
import type { FileMatch } from "#model/match";
import type { RepositoryId } from "#model/repository";
import type { SymbolParsers } from "#symbols/parsing/parsers";
import { CacheUse } from "./cacheUse";
import { CandidateParser } from "./candidateParser";
import { mergeDefinitions, searchDefinitions } from "./definitionSearch";
import { type DocumentScope, type DocumentSearchOptions, searchDocuments } from "./documentSearch";
import { Hedging } from "./hedging";
import { mergeResults } from "./mergeResults";
import { mergeCounts } from "./nodeCounts";
import type { AssignedRepository, Assignments } from "./nodeRepositories";
import { readFromNode } from "./readDocument";
import { RecentCounts } from "./recentCounts";
import { divide } from "./replicas";
import { type SearchedRepositoriesOptions, searchedRepositories } from "./searchedRepositories";
import { StreamedParts } from "./streamedParts";
import type { VerifyThreads } from "./verifyThreads";
import { NodeFailure, type ZoektNode } from "./zoektNode";

export interface ZoektEngineOptions extends Omit<SearchedRepositoriesOptions, "nodes"> {
  readonly nodes: readonly ZoektNode[];
  readonly threads: VerifyThreads;
  /** The parsers for documents of nodes. */
  readonly parsers: Pick<SymbolParsers, "symbols" | "packedSymbols" | "size">;
  /** Searches the repositories that it has shards of. Closed together with this engine. */
  readonly embedded: Engine;
  /** The repositories of which the embedded engine has shards. */
  readonly embeddedIds: () => Iterable<number>;
  /** The largest response of a node to one request. */
  readonly maxResponseBytes: number;
}

/**
 * Searches repositories on Zoekt nodes, and all others with the embedded engine.
 *
 * A search works as follows:
 *
 * - Send the query to each node that has repositories of the search (`nodeSearch.ts`). `zoektQuery.ts` translates it so
 *   that at least the documents that match are returned, with their text, or only the lines that match
 *   (`matchedLines.ts`). Then the hashes of new documents of the result are computed from their texts, which are requested
 *   later.
 * - Evaluate the query itself on these documents (`verifyTask.ts`), with the code of the embedded engine. So positions,
 *   chunks and scores do not depend on the engine, nor on which node responds first.
 * - Merge the files with those of the embedded engine.
 *
 * If a node fails or responds late, replicas of its repositories are asked. If there are none, it is left out, and the
 * result names it.
 */
export class ZoektEngine implements Engine {
  readonly #options: ZoektEngineOptions;
  readonly #searchOptions: DocumentSearchOptions;
  readonly #counts: RecentCounts;

  constructor(options: ZoektEngineOptions) {
    this.#options = options;
    const { nodes, parsers, maxResponseBytes: maxBytes } = options;
    this.#searchOptions = {
      ...options,
      nodes: new Map(nodes.map((node) => [node.name, node])),
      parser: new CandidateParser(parsers),
      unsavedSymbols: new UnsavedSymbols(parsers),
      hedging: new Hedging(),
      cacheUse: { texts: new CacheUse(), facts: new CacheUse() },
      maxBytes,
    };
    this.#counts = new RecentCounts(this.#searchOptions);
  }

  async search(plan: SearchPlan, signal: AbortSignal, onFiles?: FilesHandler): Promise<EngineResult> {
    throwIfAborted(signal);
    const startedAt = performance.now();
    const assignments = await this.#options.repositories.current(signal);
    const { searched, missing } = searchedRepositories(plan, assignments, this.#searchOptions);
    const byNode = groupByNode(searched);
    const scope = { assignments, searched, missing, nodeCount: Math.max(1, byNode.length) };
    const isDivisible =
      plan.grouping === undefined && plan.description === undefined && plan.limits.maxDisplayedMatches > 0;
    const result = await (onFiles === undefined || !isDivisible
      ? this.#searchAll(plan, scope, signal)
      : this.#searchParts(plan, scope, byNode, signal, onFiles));
    throwIfAborted(signal);
    const duration = Math.round((performance.now() - startedAt) * 1e6);
    const timed = { ...result, stats: { ...result.stats, duration } };
    if (onFiles === undefined || result.files.length === 0) return timed;
    await onFiles(result.files);
    return { ...timed, files: [] };
  }

  async #searchAll(plan: SearchPlan, scope: DocumentScope, signal: AbortSignal): Promise<EngineResult> {
    const [local, remote] = await Promise.all([
      this.#searchEmbedded(plan, scope.assignments, signal),
      searchDocuments(plan, scope, this.#searchOptions, signal),
    ]);
    return local === undefined ? remote : mergeResults(remote, local, plan.limits);
  }

  /** Searches each node on its own, and passes on files as soon as one has responded. */
  async #searchParts(
    plan: SearchPlan,
    whole: DocumentScope,
    byNode: readonly (readonly AssignedRepository[])[],
    caller: AbortSignal,
    onFiles: FilesHandler,
  ): Promise<EngineResult> {
    // If one part fails, the others stop, and pass on no more files.
    const failed = new AbortController();
    const signal = AbortSignal.any([caller, failed.signal]);
    const parts = byNode.length === 0 ? [[]] : byNode;
    const embedded = this.#searchEmbedded(plan, whole.assignments, signal);
    const count = parts.length + (embedded === undefined ? 0 : 1);
    const streamed = new StreamedParts(count, plan.limits, signal, onFiles);
    const local = async () => {
      const result = await embedded;
      if (result !== undefined) streamed.report(parts.length, result);
    };
    const remote = async (searched: readonly AssignedRepository[], part: number) => {
      const haveAllEnough = (result: EngineResult) => streamed.hasEnough(part, result);
      // What is missing counts once.
      const missing = part === 0 ? whole.missing : [];
      const onFirstFiles = (files: readonly FileMatch[]) => streamed.show(part, files);
      const scope = { ...whole, searched, missing, onFirstFiles, haveAllEnough };
      streamed.report(part, await searchDocuments(plan, scope, this.#searchOptions, signal));
    };
    try {
      await Promise.all([local(), ...parts.map(remote)]);
      return await streamed.finish();
    } catch (error) {
      failed.abort();
      throw error;
    }
  }

  async count(request: CountRequest, signal: AbortSignal): Promise<DocumentCounts> {
    const { embedded, repositories } = this.#options;
    const { byId } = await repositories.current(signal);
    const wanted = request.repositories;
    const onNodes = [...(wanted === "all" ? byId.keys() : wanted)].flatMap((id) => byId.get(id) ?? []);
    const stored = this.#embeddedRepositories(wanted, byId);
    const counted = await Promise.all([
      ...(stored.size === 0 ? [] : [embedded.count({ ...request, repositories: stored }, signal)]),
      ...(onNodes.length === 0 ? [] : [this.#counts.count(request, onNodes, signal)]),
    ]);
    return mergeCounts(counted);
  }

  async findSymbols(request: SymbolRequest, signal: AbortSignal): Promise<SymbolsResult> {
    const assignments = await this.#options.repositories.current(signal);
    const [local, remote] = await Promise.all([
      this.#options.embedded.findSymbols(request, signal),
      searchDefinitions(request, assignments, this.#searchOptions, signal),
    ]);
    return mergeDefinitions(local, remote, request.limit);
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
      const [scope] = divide([repository], this.#searchOptions.nodes, avoided).scopes;
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
  #searchEmbedded(
    plan: SearchPlan,
    { byId }: Assignments,
    signal: AbortSignal,
  ): Promise<EngineResult> | undefined {
    const searched = this.#embeddedRepositories(plan.repositories, byId);
    if (searched.size === 0) return undefined;
    const unsaved = plan.unsaved.filter(({ repositoryId }) => !byId.has(repositoryId));
    return this.#options.embedded.search(
      { ...plan, repositories: searched, unsaved, acceptsPacked: false },
      signal,
    );
  }

  /** The wanted repositories that are on no node. */
  #embeddedRepositories(
    wanted: ReadonlySet<RepositoryId> | "all",
    byId: Assignments["byId"],
  ): ReadonlySet<RepositoryId> {
    const stored = [...this.#options.embeddedIds()].filter((id) => !byId.has(id)) as RepositoryId[];
    return new Set(wanted === "all" ? stored : stored.filter((id) => wanted.has(id)));
  }
}

function groupByNode(repositories: readonly AssignedRepository[]): AssignedRepository[][] {
  const byNode = new Map<string, AssignedRepository[]>();
  for (const repository of repositories) {
    const ofNode = byNode.get(repository.node);
    if (ofNode === undefined) byNode.set(repository.node, [repository]);
    else ofNode.push(repository);
  }
  return [...byNode.values()];
}

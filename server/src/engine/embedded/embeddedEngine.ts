import { isServiceError } from "#base/error";
import { untilAborted } from "#base/untilAborted";
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
import type { Limits } from "#query/limits";
import { dependsOnSymbols } from "#shard/evaluation/compile";
import type { SymbolParsers } from "#symbols/parsing/parsers";
import { runDescription } from "./descriptionRun";
import { chooseSymbols } from "./findSymbols";
import { FoundMatches } from "./foundMatches";
import { limitedEmit } from "./limitedEmit";
import type {
  CountCall,
  RepositoryOverlay,
  SearchCall,
  SearchThread,
  SymbolsCall,
  UnsavedText,
  WorkerCall,
  WorkerResponse,
} from "./searchMessages";
import { planStages, runSearch, type SearchRun } from "./searchRun";
import { SearchWorkers, type SearchWorkersOptions } from "./searchWorkers";
import { UnsavedSymbols } from "./unsavedSymbols";

export interface EmbeddedEngineOptions extends SearchWorkersOptions {
  /** Called with the preferred repositories of each search. */
  readonly onUse?: (repositoryIds: readonly number[]) => void;
  /** The parsers for unsaved documents, which have no symbols without them. */
  readonly parsers?: Pick<SymbolParsers, "symbols">;
}

/**
 * Searches the shards of a directory on worker threads.
 *
 * A search works as follows:
 *
 * - Attach the symbols of unsaved documents, waiting briefly for those that are still being parsed.
 * - Send the search to the workers with shards of its repositories (`SearchWorkers`). Each one evaluates the shards that
 *   it owns, best first, until it has enough hits (`search.ts`). The first worker also searches the unsaved documents.
 * - Merge the hits, keep the best up to the display limit, and load their files from the workers that found them
 *   (`searchRun.ts`). If a worker has only a few, or if most of them will be in the result, it loads their files right away.
 *   A streaming search receives its files during evaluation instead.
 * - If a worker reports that an expression runs too long, discard all of this and run the whole search again on the
 *   slow thread, so that it cannot hold up other searches.
 *
 * The other operations send a call to these workers and merge their responses. A worker that has exited is treated as
 * having found nothing; a search then reports ENGINE_PARTIAL.
 */
export class EmbeddedEngine implements Engine {
  readonly #options: EmbeddedEngineOptions;
  readonly #workers: SearchWorkers;
  readonly #unsaved: UnsavedSymbols;

  constructor(options: EmbeddedEngineOptions) {
    this.#options = options;
    this.#unsaved = new UnsavedSymbols(options.parsers);
    this.#workers = new SearchWorkers(options);
  }

  /** Starts the search workers now, so that the first search does not wait for them. */
  start(): void {
    this.#workers.start();
  }

  /** Sets the overlay of a repository, or removes it (`undefined`). Resolves when all workers use it. */
  setOverlay(repositoryId: number, overlay: RepositoryOverlay | undefined): Promise<void> {
    return this.#workers.setOverlay(repositoryId, overlay);
  }

  async search(plan: SearchPlan, signal: AbortSignal, onFiles?: FilesHandler): Promise<EngineResult> {
    const startedAt = performance.now();
    this.#options.onUse?.(plan.preferred);
    const emit = onFiles && limitedEmit(plan.limits.maxDisplayedMatches, onFiles, signal);
    const limits = withCandidates(plan);
    const stages = planStages(limits, emit !== undefined);
    const unsaved = await this.#unsaved.textsOf(
      plan.unsaved,
      dependsOnSymbols(plan.query) || plan.grouping?.by === "symbol",
      signal,
    );
    const until = { ...limits, deadline: stages.searchUntil };
    const acceptsPacked = plan.acceptsPacked === true && emit === undefined;
    const threads = this.#workers.threadsFor(plan.repositories);
    const call = {
      ...searchCall({ ...plan, limits: until, unsaved }, emit !== undefined),
      acceptsPacked,
      maxEarlyMatches:
        emit === undefined && isLarge(plan) ? plan.limits.maxDisplayedMatches / threads.length : 0,
    };
    const onDamage = (files: readonly string[]) => this.#workers.reportDamage(files);
    const shared = { threads, limits, stages, acceptsPacked, emit, onDamage };
    const maySkipShards =
      threads.length > 1 && Number.isFinite(limits.maxMatches) && plan.grouping === undefined;
    const foundMatches = maySkipShards ? new FoundMatches().buffer : undefined;
    const callFor = (index: number) => ({ ...callForWorker(call, index), foundMatches });
    const { description } = plan;
    const found =
      description === undefined
        ? await this.#search({ ...shared, callFor }, call, signal)
        : await runDescription(
            {
              ...shared,
              countCallFor: (index, until) => ({
                kind: "describe",
                description,
                search: callFor(index),
                until,
              }),
            },
            signal,
          );
    const duration = Math.round((performance.now() - startedAt) * 1e6);
    return { ...found, stats: { ...found.stats, duration } };
  }

  async count(request: CountRequest, signal: AbortSignal): Promise<DocumentCounts> {
    const { by, repositories, revisions } = request;
    const ids = repositories === "all" ? repositories : [...repositories];
    const call: CountCall = { kind: "count", by, repositories: ids, revisions };
    const threads = this.#workers.threadsFor(repositories);
    const responses = await callAll(threads, "counted", () => call, signal);
    const sum = new Map<string, number>();
    for (const { counts } of responses)
      for (const [key, count] of counts) sum.set(key, (sum.get(key) ?? 0) + count);
    return { counts: sum, isComplete: true };
  }

  async findSymbols(request: SymbolRequest, signal: AbortSignal): Promise<SymbolsResult> {
    this.#options.onUse?.(request.preferred);
    const unsaved = await this.#unsaved.textsOf(request.unsaved, true, signal);
    const repositories = request.repositories === "all" ? "all" : [...request.repositories];
    const call: SymbolsCall = { ...request, kind: "symbols", repositories, unsaved, searchesUnsaved: true };
    const threads = this.#workers.threadsFor(repositories);
    const responses = await callAll(threads, "symbols", (index) => callForWorker(call, index), signal);
    this.#reportDamage(responses);
    return chooseSymbols(responses, request.limit, threads.length);
  }

  async readDocuments(
    requests: readonly DocumentRequest[],
    signal: AbortSignal,
  ): Promise<readonly (IndexedDocument | undefined)[]> {
    const threads = this.#workers.threadsFor(requests.map(({ repositoryId }) => repositoryId));
    const responses = await callAll(threads, "read", () => ({ kind: "read", requests }), signal);
    this.#reportDamage(responses);
    return requests.map((_, at) => responses.map(({ documents }) => documents[at]).find((each) => each));
  }

  #reportDamage(responses: readonly { readonly damagedFiles: readonly string[] }[]): void {
    for (const { damagedFiles } of responses) this.#workers.reportDamage(damagedFiles);
  }

  async #search(run: SearchRun, call: SearchCall, signal: AbortSignal): Promise<EngineResult> {
    const found = await runSearch(run, signal);
    return found === "tooSlow" ? await this.#searchSlow(run, call, signal) : found;
  }

  async #searchSlow(run: SearchRun, call: SearchCall, signal: AbortSignal): Promise<EngineResult> {
    return await this.#workers.withSlowThread(async (thread) => {
      run.emit?.restart();
      const maxEarlyMatches = (call.maxEarlyMatches ?? 0) * run.threads.length;
      const callFor = (): SearchCall => ({ ...call, lane: "slow", maxEarlyMatches });
      const result = await runSearch({ ...run, threads: [thread], callFor }, signal);
      if (result === "tooSlow") throw new Error("A search on the slow thread must not report tooSlow");
      return result;
    });
  }

  close(): Promise<void> {
    return this.#workers.close();
  }
}

/**
 * Finding the best few matches takes more candidates than are shown: documents are evaluated in the order of their
 * shard, and their score depends on what is found in them. Each worker collects as many matches as are requested, but
 * at least this many, which takes only a few milliseconds.
 */
const minCandidates = 300;

/** Smaller results usually contain only the best of what is found. */
const minLargeResult = 1000;

/** Whether a result may be large, and contain most of what is found. */
function isLarge({ limits, grouping }: SearchPlan): boolean {
  const { maxMatches, maxDisplayedMatches, returnsContent } = limits;
  const isWhole = grouping === undefined && !returnsContent;
  return isWhole && maxDisplayedMatches >= minLargeResult && maxMatches <= 2 * maxDisplayedMatches;
}

/**
 * Requests one more match than wanted, to find out whether there are more. For a description, the number of documents
 * is limited instead.
 */
function withCandidates({ limits, description }: SearchPlan): Limits {
  if (description !== undefined) return { ...limits, maxMatches: Number.POSITIVE_INFINITY };
  const wanted = limits.maxMatches + 1;
  return {
    ...limits,
    maxMatches: limits.maxDisplayedMatches === 0 ? wanted : Math.max(wanted, minCandidates),
  };
}

function searchCall(
  plan: Omit<SearchPlan, "unsaved"> & { readonly unsaved: readonly UnsavedText[] },
  isStreamed: boolean,
): SearchCall {
  return {
    kind: "search",
    query: plan.query,
    phrase: plan.limits.maxDisplayedMatches === 0 ? undefined : plan.phrase,
    repositories: plan.repositories === "all" ? "all" : [...plan.repositories],
    limits: plan.limits,
    unsaved: plan.unsaved,
    searchesUnsaved: true,
    preferred: plan.preferred,
    starLevels: plan.starLevels,
    isStreamed,
    lane: "fast",
    grouping: plan.grouping,
  };
}

/** The first worker searches the unsaved documents; the others only need to know which documents these hide. */
function callForWorker<Call extends SearchCall | SymbolsCall>(call: Call, index: number): Call {
  if (index === 0) return call;
  const unsaved = call.unsaved.map(({ symbols: _, ...each }) => ({ ...each, text: "" }));
  return { ...call, unsaved, searchesUnsaved: false };
}

/** Sends a call to some threads. Returns the responses of those that have not exited. */
async function callAll<Kind extends "counted" | "symbols" | "read">(
  threads: readonly SearchThread[],
  kind: Kind,
  callFor: (index: number) => WorkerCall,
  signal: AbortSignal,
): Promise<Extract<WorkerResponse, { readonly kind: Kind }>[]> {
  const responses = await Promise.all(
    threads.map((thread, index) => callWorker(thread, callFor(index), signal)),
  );
  return responses.filter(
    (each): each is Extract<WorkerResponse, { readonly kind: Kind }> => each?.kind === kind,
  );
}

/** Returns the response of a thread, or undefined if it has exited. */
async function callWorker(
  thread: SearchThread,
  call: WorkerCall,
  signal: AbortSignal,
): Promise<WorkerResponse | undefined> {
  try {
    return await untilAborted(thread.run(call, signal), signal);
  } catch (error) {
    if (isServiceError(error, "ENGINE_UNAVAILABLE")) return undefined;
    throw error;
  }
}

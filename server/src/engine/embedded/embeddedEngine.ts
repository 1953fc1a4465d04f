import { join } from "node:path";
import { isServiceError, ServiceError } from "#base/error";
import type {
  CountRequest,
  DocumentRequest,
  Engine,
  EngineResult,
  IndexedDocument,
  SearchPlan,
  SymbolAnswer,
  SymbolRequest,
} from "#engine/engine";
import type { FileMatch } from "#model/match";
import type { Limits } from "#query/limits";
import { asksForSymbols } from "#shard/compile";
import type { DirectoryChange, Manifest, ShardDirectory } from "#shard/directory";
import type { SymbolParsers } from "#symbols/parsers";
import { chooseSymbols } from "./findSymbols";
import { limitedEmit } from "./limitedEmit";
import { runSearch, type SearchRun } from "./searchRun";
import type {
  CountCall,
  RepositoryOverlay,
  RepositoryShards,
  SearchCall,
  SearchThread,
  ShardUpdate,
  SymbolsCall,
  UnsavedText,
  WorkerAnswer,
  WorkerCall,
} from "./task";
import { UnsavedSymbols } from "./unsavedSymbols";

export interface EmbeddedEngineOptions {
  readonly directory: ShardDirectory;
  readonly workerCount: number;
  /** Starts a search worker; `onExit` is told when it has ended. */
  readonly startThread: (onExit: () => void) => SearchThread;
  /** Shard files that do not hold what they should, each told once; their repositories must be indexed again. */
  readonly onDamage: (file: string) => void;
  /** Why a file cannot be opened at the moment, told once; it is tried again. */
  readonly onUnreadable?: (reason: string) => void;
  /** Told of the repositories that a search prefers. */
  readonly onUse?: (repositoryIds: readonly number[]) => void;
  /** What is not saved is parsed by these; without them it has no symbols. */
  readonly parsers?: Pick<SymbolParsers, "symbols">;
}

/** The slow lane gives its memory back after this long without a search. */
const slowIdleMs = 30_000;

const restartDelayMs = 200;

interface Worker {
  readonly index: number;
  thread: SearchThread;
}

/**
 * Search over the shards of a directory, on worker threads. Each shard file belongs to one worker, the one with the
 * least text when the file came; a repository's overlay belongs to one too. Updates and searches reach all workers in
 * one order, so a search sees the same set on each.
 */
export class EmbeddedEngine implements Engine {
  readonly #options: EmbeddedEngineOptions;
  readonly #workers: Worker[] = [];
  readonly #owners = new Map<string, number>();
  readonly #repositoryOwners = new Map<number, number>();
  readonly #loads: number[];
  readonly #overlays = new Map<number, RepositoryOverlay>();
  /** Damaged files, and reasons why others are not opened. */
  readonly #reported = new Set<string>();
  readonly #unsubscribe: () => void;
  readonly #unsaved: UnsavedSymbols;
  #slow: SearchThread | undefined;
  #slowSearches = 0;
  #slowTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: EmbeddedEngineOptions) {
    this.#options = options;
    this.#unsaved = new UnsavedSymbols(options.parsers);
    this.#loads = new Array<number>(options.workerCount).fill(0);
    for (const manifest of this.#manifests()) this.#assign(manifest);
    for (let index = 0; index < options.workerCount; index++) this.#workers.push(this.#startWorker(index));
    this.#unsubscribe = options.directory.onChange((change) => this.#onChange(change));
  }

  #manifests(): Manifest[] {
    return [...this.#options.directory.manifests().values()].sort((a, b) => a.repositoryId - b.repositoryId);
  }

  #startWorker(index: number): Worker {
    const worker: Worker = { index, thread: this.#options.startThread(() => this.#restart(worker)) };
    void this.#update(worker.thread, this.#wholeUpdate(index));
    return worker;
  }

  #restart(worker: Worker): void {
    // Not at once: a thread that cannot start must not be started in a loop.
    setTimeout(() => {
      if (this.#isClosed) return;
      worker.thread = this.#options.startThread(() => this.#restart(worker));
      void this.#update(worker.thread, this.#wholeUpdate(worker.index));
    }, restartDelayMs).unref();
  }

  /** Everything; for `index` undefined, all of it owned. */
  #wholeUpdate(index: number | undefined): ShardUpdate {
    const manifests = this.#manifests();
    return {
      kind: "update",
      repositories: manifests.map((manifest) => this.#describe(manifest)),
      removed: [],
      overlays: [...this.#overlays].map(([repositoryId, overlay]) => ({ repositoryId, overlay })),
      ...this.#ownership(manifests, index),
    };
  }

  #ownership(manifests: readonly Manifest[], index: number | undefined) {
    const files = manifests.flatMap((manifest) => manifest.segments.map((segment) => segment.file));
    const ids = manifests.map((manifest) => manifest.repositoryId);
    return {
      ownedFiles: files.filter((file) => index === undefined || this.#owners.get(file) === index),
      ownedRepositories: ids.filter((id) => index === undefined || this.#repositoryOwners.get(id) === index),
    };
  }

  #describe(manifest: Manifest): RepositoryShards {
    const { directory } = this.#options;
    return {
      id: manifest.repositoryId,
      isFolder: manifest.kind === "folder",
      revisions: manifest.revisions,
      ...(manifest.defaultRevision === undefined ? {} : { defaultRevision: manifest.defaultRevision }),
      segments: manifest.segments.map((segment) => {
        const symbols = directory.symbols.of(segment.file);
        return {
          file: segment.file,
          path: directory.pathOf(segment),
          ...(symbols === undefined
            ? {}
            : { symbols: { file: symbols, path: join(directory.folder, symbols) } }),
        };
      }),
    };
  }

  #assign(manifest: Manifest): void {
    for (const segment of manifest.segments) {
      if (this.#owners.has(segment.file)) continue;
      const least = this.#loads.indexOf(Math.min(...this.#loads));
      this.#owners.set(segment.file, least);
      this.#loads[least] = (this.#loads[least] ?? 0) + segment.contentBytes + 1;
    }
    if (!this.#repositoryOwners.has(manifest.repositoryId)) {
      this.#repositoryOwners.set(manifest.repositoryId, manifest.repositoryId % this.#options.workerCount);
    }
  }

  /** Resolves when all workers have the new set open, so that the files of the old one may go. */
  async #onChange(change: DirectoryChange): Promise<void> {
    const manifests = change.kind === "published" ? change.manifests : [];
    for (const manifest of manifests) this.#assign(manifest);
    const removed = change.kind === "removed" ? change.repositoryIds : [];
    for (const id of removed) this.#overlays.delete(id);
    const update = {
      kind: "update" as const,
      repositories: manifests.map((manifest) => this.#describe(manifest)),
      removed,
      overlays: [],
    };
    await this.#broadcast((index) => ({ ...update, ...this.#ownership(manifests, index) }));
    this.#forgetFiles();
  }

  #forgetFiles(): void {
    const bytes = new Map<string, number>();
    for (const { segments } of this.#options.directory.manifests().values()) {
      for (const { file, contentBytes } of segments)
        bytes.set(file, (bytes.get(file) ?? 0) + contentBytes + 1);
    }
    this.#loads.fill(0);
    for (const [file, owner] of this.#owners) {
      const load = bytes.get(file);
      if (load === undefined) {
        this.#owners.delete(file);
        this.#reported.delete(file);
      } else {
        this.#loads[owner] = (this.#loads[owner] ?? 0) + load;
      }
    }
  }

  /** Lays a working tree over a repository's default revision, or takes it away. */
  async setOverlay(repositoryId: number, overlay: RepositoryOverlay | undefined): Promise<void> {
    if (overlay !== undefined) this.#overlays.set(repositoryId, overlay);
    else if (!this.#overlays.delete(repositoryId)) return;
    await this.#broadcast(() => ({
      kind: "update",
      repositories: [],
      removed: [],
      overlays: [{ repositoryId, overlay }],
      ownedFiles: [],
      ownedRepositories: [],
    }));
  }

  async #broadcast(updateFor: (index: number | undefined) => ShardUpdate): Promise<void> {
    const updates = this.#workers.map((worker) => this.#update(worker.thread, updateFor(worker.index)));
    if (this.#slow !== undefined) updates.push(this.#update(this.#slow, updateFor(undefined)));
    await Promise.all(updates);
  }

  async #update(thread: SearchThread, update: ShardUpdate): Promise<void> {
    try {
      const answer = await thread.run(update);
      if (answer.kind !== "updated") return;
      this.#reportDamage(answer.damagedFiles);
      for (const reason of answer.unreadable) this.#report(reason, this.#options.onUnreadable);
    } catch (error) {
      // A thread that ends is started again with the whole set.
      if (!isServiceError(error, "ENGINE_UNAVAILABLE")) throw error;
    }
  }

  #reportDamage(files: readonly string[]): void {
    for (const file of files) if (file !== "") this.#report(file, this.#options.onDamage);
  }

  #report(what: string, tell: ((what: string) => void) | undefined): void {
    if (this.#reported.has(what)) return;
    this.#reported.add(what);
    tell?.(what);
  }

  async search(
    plan: SearchPlan,
    signal: AbortSignal,
    onFiles?: (files: readonly FileMatch[]) => Promise<void> | void,
  ): Promise<EngineResult> {
    const startedAt = performance.now();
    this.#options.onUse?.(plan.preferred);
    const emit = onFiles && limitedEmit(plan.limits.maxDisplayedMatches, onFiles, signal);
    const limits = withCandidates(plan.limits);
    const unsaved = await this.#unsaved.textsOf(plan.unsaved, asksForSymbols(plan.query), signal);
    const call = callOf({ ...plan, limits, unsaved }, emit !== undefined);
    const onDamage = (files: readonly string[]) => this.#reportDamage(files);
    const threads = this.#workers.map((worker) => worker.thread);
    const run = { threads, limits, emit, onDamage, callFor: (index: number) => partOf(call, index) };
    const result = await runSearch(run, signal);
    const { files, stats, exhaustive } =
      result === "tooSlow" ? await this.#searchSlow(run, call, signal) : result;
    const duration = Math.round((performance.now() - startedAt) * 1e6);
    return { files, stats: { ...stats, duration }, exhaustive };
  }

  async count(request: CountRequest, signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
    const { by, repositories, revisions } = request;
    const ids = repositories === "all" ? repositories : [...repositories];
    const call: CountCall = { kind: "count", by, repositories: ids, revisions };
    const answers = await this.#askAll("counted", () => call, signal);
    const sum = new Map<string, number>();
    for (const { counts } of answers)
      for (const [key, count] of counts) sum.set(key, (sum.get(key) ?? 0) + count);
    return sum;
  }

  async findSymbols(request: SymbolRequest, signal: AbortSignal): Promise<SymbolAnswer> {
    this.#options.onUse?.(request.preferred);
    const unsaved = await this.#unsaved.textsOf(request.unsaved, true, signal);
    const repositories = request.repositories === "all" ? "all" : [...request.repositories];
    const call: SymbolsCall = { ...request, kind: "symbols", repositories, unsaved, searchesUnsaved: true };
    const answers = await this.#askAll("symbols", (index) => partOf(call, index), signal);
    return chooseSymbols(answers, request.limit, this.#workers.length);
  }

  async readDocuments(
    requests: readonly DocumentRequest[],
    signal: AbortSignal,
  ): Promise<readonly (IndexedDocument | undefined)[]> {
    const answers = await this.#askAll("read", () => ({ kind: "read", requests }), signal);
    return requests.map((_, at) => answers.map(({ documents }) => documents[at]).find((each) => each));
  }

  /** The answers of all workers, less those that are gone. */
  async #askAll<Kind extends "counted" | "symbols" | "read">(
    kind: Kind,
    callFor: (index: number) => WorkerCall,
    signal: AbortSignal,
  ): Promise<Extract<WorkerAnswer, { readonly kind: Kind }>[]> {
    const answers = await Promise.all(
      this.#workers.map(({ thread, index }) => askOne(thread, callFor(index), signal)),
    );
    const ofKind = answers.filter(
      (each): each is Extract<WorkerAnswer, { readonly kind: Kind }> => each?.kind === kind,
    );
    for (const answer of ofKind) if ("damagedFiles" in answer) this.#reportDamage(answer.damagedFiles);
    return ofKind;
  }

  async #searchSlow(run: SearchRun, call: SearchCall, signal: AbortSignal): Promise<EngineResult> {
    const thread = this.#slowThread();
    run.emit?.restart();
    this.#slowSearches++;
    try {
      const callFor = (): SearchCall => ({ ...call, lane: "slow" });
      const result = await runSearch({ ...run, threads: [thread], callFor }, signal);
      if (result === "tooSlow") throw new Error("The slow lane has no other lane");
      return result;
    } finally {
      this.#slowSearches--;
      this.#slowTimer = setTimeout(() => this.#endSlow(), slowIdleMs).unref();
    }
  }

  #slowThread(): SearchThread {
    if (this.#isClosed) throw new ServiceError("ENGINE_UNAVAILABLE", "The engine is closed.");
    clearTimeout(this.#slowTimer);
    if (this.#slow === undefined) {
      const thread = this.#options.startThread(() => {
        if (this.#slow === thread) this.#slow = undefined;
      });
      this.#slow = thread;
      void this.#update(thread, this.#wholeUpdate(undefined));
    }
    return this.#slow;
  }

  #endSlow(): void {
    if (this.#slowSearches > 0) return;
    void this.#slow?.close();
    this.#slow = undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unsubscribe();
    clearTimeout(this.#slowTimer);
    await Promise.all([...this.#workers.map((worker) => worker.thread.close()), this.#slow?.close()]);
  }
}

/**
 * To show the best few, more must be seen than are shown: documents are looked at in the order of what they are, and
 * only then judged by what was found in them. Each worker sees as many as are wanted, and never fewer than this, so
 * that a first page costs a few milliseconds.
 */
const leastCandidates = 300;

/** One more than is wanted, because only that tells whether there is more. */
function withCandidates(limits: Limits): Limits {
  const wanted = limits.maxMatches + 1;
  return {
    ...limits,
    maxMatches: limits.maxDisplayedMatches === 0 ? wanted : Math.max(wanted, leastCandidates),
  };
}

function callOf(
  plan: Omit<SearchPlan, "unsaved"> & { readonly unsaved: readonly UnsavedText[] },
  streams: boolean,
): SearchCall {
  return {
    kind: "search",
    query: plan.query,
    repositories: plan.repositories === "all" ? "all" : [...plan.repositories],
    limits: plan.limits,
    unsaved: plan.unsaved,
    searchesUnsaved: true,
    preferred: plan.preferred,
    streams,
    lane: "fast",
  };
}

/** Unsaved documents are searched by the first worker; the others only need to know what they hide. */
function partOf<Call extends SearchCall | SymbolsCall>(call: Call, index: number): Call {
  if (index === 0) return call;
  const unsaved = call.unsaved.map(({ symbols: _, ...each }) => ({ ...each, text: "" }));
  return { ...call, unsaved, searchesUnsaved: false };
}

/** The answer of a thread, unless that is gone. */
async function askOne(
  thread: SearchThread,
  call: WorkerCall,
  signal: AbortSignal,
): Promise<WorkerAnswer | undefined> {
  try {
    return await thread.run(call, signal);
  } catch (error) {
    if (isServiceError(error, "ENGINE_UNAVAILABLE")) return undefined;
    throw error;
  }
}

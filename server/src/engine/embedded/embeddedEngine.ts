import { isServiceError } from "#base/error";
import type { Engine, EngineResult, SearchPlan } from "#engine/engine";
import type { FileMatch } from "#model/match";
import type { Thread } from "#platform/workers";
import type { Limits } from "#query/limits";
import type { DirectoryChange, Manifest, ShardDirectory } from "#shard/directory";
import { collect, cutFile } from "./collect";
import type {
  RepositoryOverlay,
  RepositoryShards,
  SearchAnswer,
  SearchCall,
  ShardUpdate,
  WorkerAnswer,
  WorkerCall,
} from "./task";

export type SearchThread = Thread<WorkerCall, WorkerAnswer>;

export interface EmbeddedEngineOptions {
  readonly directory: ShardDirectory;
  readonly workerCount: number;
  /** Starts a search worker; `onExit` is told when it has ended. */
  readonly startThread: (onExit: () => void) => SearchThread;
  /** Shard files that do not hold what they should, each told once; their repositories must be indexed again. */
  readonly onDamage: (file: string) => void;
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
  readonly #reportedDamage = new Set<string>();
  readonly #unsubscribe: () => void;
  #slow: SearchThread | undefined;
  #slowSearches = 0;
  #slowTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: EmbeddedEngineOptions) {
    this.#options = options;
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
    return {
      id: manifest.repositoryId,
      isFolder: manifest.kind === "folder",
      revisions: manifest.revisions,
      ...(manifest.defaultRevision === undefined ? {} : { defaultRevision: manifest.defaultRevision }),
      segments: manifest.segments.map((segment) => ({
        file: segment.file,
        path: this.#options.directory.pathOf(segment),
      })),
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
    if (change.kind === "removed") this.#overlays.delete(change.repositoryId);
    const update = {
      kind: "update" as const,
      repositories: manifests.map((manifest) => this.#describe(manifest)),
      removed: change.kind === "removed" ? [change.repositoryId] : [],
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
        this.#reportedDamage.delete(file);
      } else {
        this.#loads[owner] = (this.#loads[owner] ?? 0) + load;
      }
    }
  }

  /** Lays a working tree over a repository's default revision, or takes it away. */
  async setOverlay(repositoryId: number, overlay: RepositoryOverlay | undefined): Promise<void> {
    if (overlay === undefined) this.#overlays.delete(repositoryId);
    else this.#overlays.set(repositoryId, overlay);
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
      if (answer.kind === "updated") this.#reportDamage(answer.damagedFiles);
    } catch (error) {
      // A thread that ends is started again with the whole set.
      if (!isServiceError(error, "ENGINE_UNAVAILABLE")) throw error;
    }
  }

  #reportDamage(files: readonly string[]): void {
    for (const file of files) {
      if (file === "" || this.#reportedDamage.has(file)) continue;
      this.#reportedDamage.add(file);
      this.#options.onDamage(file);
    }
  }

  async search(
    plan: SearchPlan,
    signal: AbortSignal,
    onFiles?: (files: readonly FileMatch[]) => void,
  ): Promise<EngineResult> {
    const startedAt = performance.now();
    const searched = { ...plan, limits: withCandidates(plan.limits, onFiles !== undefined) };
    const emit = onFiles === undefined ? undefined : limited(plan.limits.maxDisplayedMatches, onFiles);
    const answers = await this.#searchFast(searched, signal, emit);
    const done = answers ?? (await this.#searchSlow(searched, signal, emit));
    const result = collect(done.answers, searched.limits, done.lost, emit?.shown());
    for (const answer of done.answers) this.#reportDamage(answer.damagedFiles);
    const duration = Math.round((performance.now() - startedAt) * 1e6);
    return { ...result, stats: { ...result.stats, duration } };
  }

  /** `undefined` where an expression needs the slow lane. */
  async #searchFast(
    plan: SearchPlan,
    signal: AbortSignal,
    emit: LimitedEmit | undefined,
  ): Promise<{ answers: SearchAnswer[]; lost: number } | undefined> {
    const given = new AbortController();
    const both = AbortSignal.any([signal, given.signal]);
    let tooSlow = false;
    const runs = this.#workers.map(async (worker) => {
      try {
        const answer = await worker.thread.run(
          this.#call(plan, worker.index, emit !== undefined),
          both,
          (files) => emit?.push(files as FileMatch[]),
        );
        if (answer.kind === "tooSlow") {
          tooSlow = true;
          given.abort();
        }
        return answer.kind === "answer" ? answer : undefined;
      } catch (error) {
        if (tooSlow || isServiceError(error, "ENGINE_UNAVAILABLE")) return undefined;
        given.abort();
        throw error;
      }
    });
    const answers = (await Promise.all(runs)).filter((answer) => answer !== undefined);
    return tooSlow ? undefined : { answers, lost: runs.length - answers.length };
  }

  async #searchSlow(
    plan: SearchPlan,
    signal: AbortSignal,
    emit: LimitedEmit | undefined,
  ): Promise<{ answers: SearchAnswer[]; lost: number }> {
    const thread = this.#slowThread();
    emit?.restart();
    this.#slowSearches++;
    try {
      const call: SearchCall = { ...this.#call(plan, undefined, emit !== undefined), lane: "slow" };
      const answer = await thread.run(call, signal, (files) => emit?.push(files as FileMatch[]));
      return answer.kind === "answer" ? { answers: [answer], lost: 0 } : { answers: [], lost: 1 };
    } catch (error) {
      if (!isServiceError(error, "ENGINE_UNAVAILABLE")) throw error;
      return { answers: [], lost: 1 };
    } finally {
      this.#slowSearches--;
      this.#slowTimer = setTimeout(() => this.#endSlow(), slowIdleMs).unref();
    }
  }

  #slowThread(): SearchThread {
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

  #call(plan: SearchPlan, index: number | undefined, streams: boolean): SearchCall {
    const searchesUnsaved = index === undefined || index === 0;
    return {
      kind: "search",
      query: plan.query,
      repositories: plan.repositories === "all" ? "all" : [...plan.repositories],
      limits: plan.limits,
      unsaved: plan.unsaved.map((each) => (searchesUnsaved ? each : { ...each, text: "" })),
      searchesUnsaved,
      preferred: plan.preferred,
      streams,
      lane: "fast",
    };
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
 * only then judged by what was found in them. Four times as many cost a millisecond or two.
 */
const candidatesPerMatch = 4;
const candidates = { least: 600, most: 2000 };

function withCandidates(limits: Limits, streams: boolean): Limits {
  if (streams || limits.maxDisplayedMatches === 0) return limits;
  const wanted = Math.min(
    Math.max(limits.maxMatches * candidatesPerMatch, candidates.least),
    candidates.most,
  );
  return { ...limits, maxMatches: Math.max(limits.maxMatches, wanted) };
}

interface LimitedEmit {
  push(files: readonly FileMatch[]): void;
  /** After a change of lane: what was handed over already is not handed over again. */
  restart(): void;
  shown(): number;
}

/** Hands files on until the limit on display is reached. */
function limited(maxMatches: number, onFiles: (files: readonly FileMatch[]) => void): LimitedEmit {
  const seen = new Set<string>();
  let shown = 0;
  let restarted = false;
  return {
    push(files) {
      const fresh: FileMatch[] = [];
      for (const file of files) {
        if (shown >= maxMatches) break;
        const key = `${file.repositoryId} ${file.blobSha} ${file.origin} ${file.path}`;
        if (restarted && seen.has(key)) continue;
        seen.add(key);
        const cut = cutFile(file, maxMatches - shown);
        shown += cut.nameRanges.length + cut.chunks.reduce((sum, chunk) => sum + chunk.matchRanges.length, 0);
        fresh.push(cut);
      }
      if (fresh.length > 0) onFiles(fresh);
    },
    restart() {
      restarted = true;
    },
    shown: () => shown,
  };
}

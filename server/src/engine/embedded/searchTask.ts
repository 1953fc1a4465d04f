import { setImmediate as nextTurn } from "node:timers/promises";
import { isServiceError } from "#base/error";
import type { FileMatch } from "#model/match";
import type { FlushReason } from "#model/stats";
import { noStats } from "#model/stats";
import type { Task, TaskContext } from "#platform/workers";
import { loadChecksum } from "#shard/checksum";
import { type CompiledSearch, compileQuery } from "#shard/compile";
import { type EvaluationCounts, ShardEvaluation } from "#shard/evaluate";
import { type TextWindow, threadWindow } from "#shard/window";
import { runGuarded } from "./guard";
import { presentFile, type ShardHit } from "./presentFile";
import { type OpenShard, ShardSet } from "./shardSet";
import {
  compareOrder,
  type SearchAnswer,
  type SearchCall,
  type ShardOrder,
  type WorkerAnswer,
  type WorkerCall,
} from "./task";
import { shardsOf } from "./universe";

/** How long a search runs before it lets others on its thread go on. */
const sliceMs = 8;
/** What a guarded step may take beyond its slice before its expression counts as running away. */
const graceMs = 25;
/** After so many runaways the whole search leaves the fast lane; there it changes to the linear engine for good. */
const maxRunaways = 3;
/** What the linear engine may take for one document. */
const linearMs = { fast: 50, slow: 2000 };

/** Worker side of the embedded engine: one set of open shards, any number of searches that take turns. */
export function createSearchTask(): Task<WorkerCall, WorkerAnswer> {
  let set: ShardSet | undefined;
  const window = threadWindow();
  return async (call, context) => {
    const checksum = await loadChecksum();
    set ??= new ShardSet(checksum);
    if (call.kind === "update") {
      set.apply(call);
      return { kind: "updated", damagedFiles: set.snapshot.damagedFiles };
    }
    const search = new Search(set, window, call, context);
    return search.run(await shardsOf(set.snapshot, call, checksum));
  };
}

class Search {
  readonly #call: SearchCall;
  readonly #context: TaskContext;
  readonly #window: TextWindow;
  readonly #startedAt = performance.now();
  readonly #damaged: Set<string>;
  readonly #counts: EvaluationCounts = {
    ngramLookups: 0,
    ngramMatches: 0,
    indexBytesLoaded: 0,
    filesConsidered: 0,
    filesLoaded: 0,
    filesSkipped: 0,
    regexpsConsidered: 0,
  };
  readonly #evaluations: { readonly shard: OpenShard; readonly evaluation: ShardEvaluation }[] = [];
  #compiled: CompiledSearch;
  #compileMs: number;
  #runaways = 0;
  #isTooSlow = false;
  #reason: FlushReason = "NONE";
  #matchCount = 0;
  #shardsScanned = 0;
  #shardsSkipped = 0;
  #shardsFiltered = 0;
  #shownMatches = 0;
  #shownBytes = 0;
  #bytesLoaded = 0;

  constructor(set: ShardSet, window: TextWindow, call: SearchCall, context: TaskContext) {
    this.#call = call;
    this.#context = context;
    this.#window = window;
    this.#damaged = new Set(set.snapshot.damagedFiles);
    this.#compiled = compileQuery(call.query, window.kernels);
    this.#compileMs = performance.now() - this.#startedAt;
  }

  async run(shards: readonly (readonly [OpenShard, ShardEvaluation["view"]])[]): Promise<WorkerAnswer> {
    for (const [shard, view] of shards) {
      if (this.#isOver()) {
        this.#shardsSkipped++;
        continue;
      }
      const evaluation = new ShardEvaluation(view, this.#compiled, {
        window: this.#window,
        counts: this.#counts,
        maxMatches: this.#call.limits.maxMatches,
        countOnly: this.#call.limits.maxDisplayedMatches === 0,
        isPreferred: (document) => this.#isPreferred(shard, document),
      });
      await this.#evaluate(shard, evaluation);
      if (this.#isTooSlow) return { kind: "tooSlow" };
    }
    const searchMs = performance.now() - this.#startedAt - this.#compileMs;
    const files = this.#call.streams ? [] : await this.#bestFiles();
    return this.#answer(files, searchMs);
  }

  #isOver(): boolean {
    if (this.#context.cancelled() || this.#reason === "BYTE_LIMIT") return true;
    if (Date.now() >= this.#call.limits.deadline) {
      this.#reason = "TIME_LIMIT";
      return true;
    }
    return this.#matchCount >= this.#call.limits.maxMatches;
  }

  #isPreferred(shard: OpenShard, document: number): boolean {
    if (this.#call.preferred.length === 0) return false;
    const part = shard.parts.find((each) => document >= each.firstDocument && document < each.endDocument);
    return part !== undefined && this.#call.preferred.includes(part.repository.shards.id);
  }

  /** Runs one shard to its end. Damage is counted, and what the shard gave before is dropped. */
  async #evaluate(shard: OpenShard, evaluation: ShardEvaluation): Promise<void> {
    try {
      const mayMatch = await this.#prepare(evaluation);
      if (mayMatch === undefined) return;
      if (!mayMatch) {
        this.#shardsFiltered++;
        return;
      }
      this.#shardsScanned++;
      this.#evaluations.push({ shard, evaluation });
      await this.#stepThrough(shard, evaluation);
      this.#matchCount += evaluation.matchCount;
    } catch (error) {
      if (!isServiceError(error, "SHARD_DAMAGED")) throw error;
      this.#damaged.add(shard.file);
      if (this.#evaluations.at(-1)?.evaluation === evaluation) this.#evaluations.pop();
    }
  }

  /** `undefined` where names could not be searched in time. */
  async #prepare(evaluation: ShardEvaluation): Promise<boolean | undefined> {
    let mayMatch = false;
    const prepare = (mode: "backtracking" | "linear") => () => {
      mayMatch = evaluation.prepare(mode);
    };
    if (this.#compiled.isSafe) {
      prepare("backtracking")();
      return mayMatch;
    }
    if (this.#runaways < maxRunaways && runGuarded(prepare("backtracking"), sliceMs + graceMs))
      return mayMatch;
    this.#runAway();
    if (this.#isTooSlow) return undefined;
    await nextTurn();
    if (runGuarded(prepare("linear"), this.#linearTime())) return mayMatch;
    this.#giveUpLinear();
    return undefined;
  }

  async #stepThrough(shard: OpenShard, evaluation: ShardEvaluation): Promise<void> {
    let shown = 0;
    for (;;) {
      const sliceEnd = performance.now() + sliceMs;
      const done = this.#step(evaluation, () => performance.now() >= sliceEnd || this.#context.cancelled());
      if (done === undefined) {
        await this.#passRunaway(evaluation);
        if (this.#isTooSlow) return;
      }
      if (this.#call.streams) shown = this.#stream(shard, evaluation, shown);
      if (done === true) return;
      await nextTurn();
      this.#window.forget();
      if (this.#context.cancelled() || this.#reason === "BYTE_LIMIT") return;
      if (Date.now() >= this.#call.limits.deadline) {
        this.#reason = "TIME_LIMIT";
        return;
      }
    }
  }

  /** `undefined` where an expression ran away. */
  #step(evaluation: ShardEvaluation, isOver: () => boolean): boolean | undefined {
    if (this.#compiled.isSafe) return this.#countLoaded(() => evaluation.step("backtracking", isOver));
    const isLinear = this.#call.lane === "slow" && this.#runaways >= maxRunaways;
    let done: boolean | undefined;
    const limit = isLinear ? sliceMs + this.#linearTime() : sliceMs + graceMs;
    const ended = this.#countLoaded(() =>
      runGuarded(() => {
        done = evaluation.step(isLinear ? "linear" : "backtracking", isOver);
      }, limit),
    );
    return ended ? done : undefined;
  }

  #countLoaded<Result>(run: () => Result): Result {
    const before = this.#window.bytesLoaded;
    try {
      return run();
    } finally {
      this.#bytesLoaded += this.#window.bytesLoaded - before;
    }
  }

  /** The document that took too long, by the linear engine; past its time, the document is given up. */
  async #passRunaway(evaluation: ShardEvaluation): Promise<void> {
    this.#window.forget();
    this.#runAway();
    if (this.#isTooSlow) return;
    await nextTurn();
    if (
      this.#runaways <= maxRunaways &&
      runGuarded(() => evaluation.lookAtCurrent("linear"), this.#linearTime())
    )
      return;
    this.#giveUpLinear();
    evaluation.skipCurrent();
  }

  #runAway(): void {
    this.#runaways++;
    this.#isTooSlow = this.#call.lane === "fast" && this.#runaways >= maxRunaways;
  }

  #linearTime(): number {
    return Math.max(1, Math.min(linearMs[this.#call.lane], this.#call.limits.deadline - Date.now()));
  }

  #giveUpLinear(): void {
    this.#window.forget();
    this.#reason = "TIME_LIMIT";
    if (this.#call.lane === "fast") this.#isTooSlow = true;
  }

  /** Hands over what was found since `from`, and gives where it stopped. */
  #stream(shard: OpenShard, evaluation: ShardEvaluation, from: number): number {
    const files: FileMatch[] = [];
    let at = from;
    for (; at < evaluation.hits.length && this.#shownMatches < this.#call.limits.maxDisplayedMatches; at++) {
      const hit = evaluation.hits[at];
      if (hit === undefined) break;
      const file = this.#present({ shard, evaluation, hit });
      if (file === undefined) break;
      files.push(file);
    }
    if (files.length > 0) this.#context.emit(files);
    return at;
  }

  /** The best hits of all shards with their chunks. */
  async #bestFiles(): Promise<SearchAnswer["files"]> {
    const hits: ShardHit[] = [];
    for (const { shard, evaluation } of this.#evaluations) {
      for (const hit of evaluation.hits) hits.push({ shard, evaluation, hit });
    }
    hits.sort(
      (left, right) =>
        right.hit.score - left.hit.score ||
        compareOrder(left.shard.order, right.shard.order) ||
        left.hit.document - right.hit.document,
    );
    const files: SearchAnswer["files"][number][] = [];
    let sliceEnd = performance.now() + sliceMs;
    for (const hit of hits) {
      if (this.#shownMatches >= this.#call.limits.maxDisplayedMatches) break;
      if (performance.now() >= sliceEnd) {
        await nextTurn();
        if (this.#context.cancelled()) break;
        sliceEnd = performance.now() + sliceMs;
      }
      const file = this.#present(hit);
      if (file === undefined) break;
      files.push({ order: hit.shard.order, document: hit.hit.document, file });
    }
    return files;
  }

  #present(hit: ShardHit): FileMatch | undefined {
    try {
      const [file, byteCount] = presentFile(hit, this.#window, this.#compiled, this.#call.limits);
      if (this.#shownBytes + byteCount > this.#call.limits.maxAnswerBytes) {
        this.#reason = "BYTE_LIMIT";
        return undefined;
      }
      this.#shownBytes += byteCount;
      this.#shownMatches += hit.hit.matchCount;
      return file;
    } catch (error) {
      if (!isServiceError(error, "SHARD_DAMAGED")) throw error;
      this.#damaged.add(hit.shard.file);
      return undefined;
    }
  }

  #answer(files: SearchAnswer["files"], searchMs: number): SearchAnswer {
    const shardCounts = this.#evaluations.map(({ shard, evaluation }) => ({
      order: shard.order satisfies ShardOrder,
      matchCount: evaluation.matchCount,
      fileCount: evaluation.fileCount,
    }));
    const unfinished = this.#evaluations.some(({ evaluation }) => !evaluation.finished);
    return {
      kind: "answer",
      files,
      shardCounts,
      wasCut: unfinished || this.#shardsSkipped > 0,
      damagedFiles: [...this.#damaged],
      stats: {
        ...noStats,
        ...this.#counts,
        totalMatchCount: this.#matchCount,
        fileCount: shardCounts.reduce((sum, { fileCount }) => sum + fileCount, 0),
        contentBytesLoaded: this.#bytesLoaded,
        crashes: this.#damaged.size,
        shardFilesConsidered: this.#shardsScanned + this.#shardsFiltered,
        shardsScanned: this.#shardsScanned,
        shardsSkipped: this.#shardsSkipped,
        shardsSkippedFilter: this.#shardsFiltered,
        matchTreeConstruction: Math.round(this.#compileMs * 1e6),
        matchTreeSearch: Math.round(searchMs * 1e6),
        flushReason: this.#damaged.size > 0 ? "SHARD_DAMAGED" : this.#reason,
      },
    };
  }
}

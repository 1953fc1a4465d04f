import { setImmediate as nextTurn } from "node:timers/promises";
import { isServiceError } from "#base/error";
import type { FileMatch } from "#model/match";
import type { FlushReason } from "#model/stats";
import { noStats } from "#model/stats";
import { runGuarded } from "#platform/guard";
import type { TaskContext } from "#platform/workers";
import { type CompiledSearch, compileQuery } from "#shard/compile";
import { type EvaluationCounts, ShardEvaluation } from "#shard/evaluate";
import type { TextWindow } from "#shard/window";
import { damagedFileOf, lacksSymbols } from "./lacks";
import { presentFile, type ShardHit } from "./presentFile";
import { type OpenShard, partOf, type ShardSet } from "./shardSet";
import {
  areDefiners,
  type Pick,
  type PresentAnswer,
  type PresentedFile,
  type SearchAnswer,
  type SearchCall,
  type ShardHits,
  type TooSlow,
} from "./task";
import type { SearchedShards } from "./universe";

/** Files are handed over about so much at once: more would keep the main thread from others for too long. */
const pieceBytes = 128 * 1024;
/** How long a search runs before it lets others on its thread go on. */
const sliceMs = 8;
/** Behind its deadline a search may take so long to present what it has found. */
const presentingMs = 1000;
/**
 * What a guarded step may take beyond its slice before its expression counts as running away. A long document with
 * many matches takes as much and is in the slow lane for it, where nobody else waits.
 */
const graceMs = { fast: 25, slow: 400 };
/** After so many runaways the whole search leaves the fast lane; there it changes to the linear engine for good. */
const maxRunaways = 3;
/** What the linear engine may take for one document. */
const linearMs = { fast: 50, slow: 2000 };

/** One search on one worker: goes through its shards in slices, then presents what was chosen of its hits. */
export class Search {
  readonly #call: SearchCall;
  readonly #context: TaskContext;
  readonly #window: TextWindow;
  readonly #startedAt = performance.now();
  readonly #damaged: Set<string>;
  readonly #lacksFiles: boolean;
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
  #lacksSymbols = false;
  #bytesLoaded = 0;

  constructor(set: ShardSet, window: TextWindow, call: SearchCall, context: TaskContext) {
    this.#call = call;
    this.#context = context;
    this.#window = window;
    const { damagedFiles, lacksFiles } = set.snapshot;
    this.#damaged = new Set(damagedFiles);
    this.#lacksFiles = lacksFiles;
    this.#compiled = compileQuery(call.query, window.kernels);
    this.#compileMs = performance.now() - this.#startedAt;
  }

  async run({ views, damagedFiles }: SearchedShards): Promise<SearchAnswer | TooSlow> {
    for (const file of damagedFiles) this.#damaged.add(file);
    for (const [shard, view] of views) {
      this.#lacksSymbols ||= this.#compiled.asksForSymbols && lacksSymbols(view);
      const isWhole = areDefiners(shard.order);
      if (this.#isOver(isWhole)) {
        this.#shardsSkipped++;
        continue;
      }
      const evaluation = new ShardEvaluation(view, this.#compiled, {
        window: this.#window,
        counts: this.#counts,
        maxMatches: isWhole ? Number.POSITIVE_INFINITY : this.#call.limits.maxMatches,
        countOnly: this.#call.limits.maxDisplayedMatches === 0,
        isPreferred: (document) => this.#isPreferred(shard, document),
      });
      await this.#evaluate(shard, evaluation);
      if (this.#isTooSlow) return { kind: "tooSlow" };
    }
    return this.#answer(performance.now() - this.#startedAt - this.#compileMs);
  }

  /** The files of some hits, handed over in pieces until the time for that is over. */
  async present(picks: readonly Pick[], context: TaskContext): Promise<PresentAnswer> {
    const latest = this.#call.limits.deadline + presentingMs;
    let files: (PresentedFile | undefined)[] = [];
    let bytes = 0;
    let isLate = false;
    let sliceEnd = performance.now() + sliceMs;
    for (const { shard, hit, maxRanges } of picks) {
      if (bytes >= pieceBytes || performance.now() >= sliceEnd) {
        await context.emit(files);
        this.#window.forget();
        files = [];
        bytes = 0;
        isLate = Date.now() >= latest;
        if (isLate || context.cancelled()) break;
        sliceEnd = performance.now() + sliceMs;
      }
      const evaluated = this.#evaluations[shard];
      const found = evaluated?.evaluation.hits[hit];
      const presented = evaluated && found && this.#present({ ...evaluated, hit: found }, maxRanges);
      files.push(presented);
      bytes += presented?.byteCount ?? 0;
      if (this.#shownBytes > this.#call.limits.maxAnswerBytes) break;
    }
    return { kind: "presented", files, isLate, damagedFiles: [...this.#damaged] };
  }

  /** `isWhole`: whatever was found before. */
  #isOver(isWhole: boolean): boolean {
    if (this.#context.cancelled() || this.#reason === "BYTE_LIMIT") return true;
    if (Date.now() >= this.#call.limits.deadline) {
      this.#reason = "TIME_LIMIT";
      return true;
    }
    return !isWhole && this.#matchCount >= this.#call.limits.maxMatches;
  }

  #isPreferred(shard: OpenShard, document: number): boolean {
    if (this.#call.preferred.length === 0) return false;
    const part = partOf(shard, document);
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
      this.#damaged.add(damagedFileOf(shard));
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
    if (this.#runaways < maxRunaways && runGuarded(prepare("backtracking"), this.#guardTime()))
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
      if (this.#call.streams) shown = await this.#stream(shard, evaluation, shown);
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
    const limit = isLinear ? sliceMs + this.#linearTime() : this.#guardTime();
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

  #guardTime(): number {
    return sliceMs + graceMs[this.#call.lane];
  }

  #linearTime(): number {
    return Math.max(1, Math.min(linearMs[this.#call.lane], this.#call.limits.deadline - Date.now()));
  }

  #giveUpLinear(): void {
    this.#window.forget();
    this.#reason = "TIME_LIMIT";
    if (this.#call.lane === "fast") this.#isTooSlow = true;
  }

  /** Hands over what was found since `from`, piece by piece, and gives where it stopped. */
  async #stream(shard: OpenShard, evaluation: ShardEvaluation, from: number): Promise<number> {
    let files: FileMatch[] = [];
    let bytes = 0;
    const handOver = async () => {
      await this.#context.emit(files);
      this.#window.forget();
      files = [];
      bytes = 0;
    };
    let at = from;
    for (; at < evaluation.hits.length && this.#shownMatches < this.#call.limits.maxDisplayedMatches; at++) {
      const hit = evaluation.hits[at];
      if (hit === undefined) break;
      const presented = this.#present({ shard, evaluation, hit }, hit.matchCount);
      if (presented === undefined) continue;
      if (this.#shownBytes > this.#call.limits.maxAnswerBytes) {
        this.#reason = "BYTE_LIMIT";
        break;
      }
      this.#shownMatches += hit.matchCount;
      files.push(presented.file);
      bytes += presented.byteCount;
      if (bytes < pieceBytes) continue;
      await handOver();
      if (this.#context.cancelled()) break;
    }
    if (files.length > 0) await handOver();
    return at;
  }

  #present(hit: ShardHit, maxRanges: number): PresentedFile | undefined {
    try {
      const presented = presentFile(hit, this.#window, this.#compiled, this.#call.limits, maxRanges);
      this.#shownBytes += presented.byteCount;
      return presented;
    } catch (error) {
      if (!isServiceError(error, "SHARD_DAMAGED")) throw error;
      this.#damaged.add(damagedFileOf(hit.shard));
      return undefined;
    }
  }

  #flushReason(): FlushReason {
    if (this.#damaged.size > 0) return "SHARD_DAMAGED";
    if (this.#reason !== "NONE") return this.#reason;
    if (this.#lacksSymbols) return "INDEXING";
    return this.#lacksFiles ? "ENGINE_PARTIAL" : "NONE";
  }

  #answer(searchMs: number): SearchAnswer {
    const hits = this.#evaluations.map(({ shard, evaluation }) =>
      columnsOf(shard, evaluation, this.#call.streams),
    );
    const unfinished = this.#evaluations.some(({ evaluation }) => !evaluation.finished);
    return {
      kind: "answer",
      token: 0,
      hits,
      wasCut: unfinished || this.#shardsSkipped > 0,
      damagedFiles: [...this.#damaged],
      stats: {
        ...noStats,
        ...this.#counts,
        totalMatchCount: this.#matchCount,
        fileCount: hits.reduce((sum, shard) => sum + shard.fileCount, 0),
        contentBytesLoaded: this.#bytesLoaded,
        crashes: this.#damaged.size,
        shardFilesConsidered: this.#shardsScanned + this.#shardsFiltered,
        shardsScanned: this.#shardsScanned,
        shardsSkipped: this.#shardsSkipped,
        shardsSkippedFilter: this.#shardsFiltered,
        matchTreeConstruction: Math.round(this.#compileMs * 1e6),
        matchTreeSearch: Math.round(searchMs * 1e6),
        flushReason: this.#flushReason(),
      },
    };
  }
}

function columnsOf(shard: OpenShard, evaluation: ShardEvaluation, isStreamed: boolean): ShardHits {
  const hits = isStreamed ? [] : evaluation.hits;
  const documents = new Uint32Array(hits.length);
  const scores = new Float64Array(hits.length);
  const matchCounts = new Uint32Array(hits.length);
  for (const [at, hit] of hits.entries()) {
    documents[at] = hit.document;
    scores[at] = hit.score;
    matchCounts[at] = hit.matchCount;
  }
  const { matchCount, fileCount } = evaluation;
  return { order: shard.order, matchCount, fileCount, documents, scores, matchCounts };
}

/** Parsing what is searchable already: one shard after the other, behind everything else. */
import { join } from "node:path";
import { isServiceError } from "#base/error";
import type { ShardWithSymbols } from "#indexing/knownContents";
import type { SymbolAnswer, SymbolTask } from "#indexing/symbolTask";
import type { Overlay } from "#overlay/overlay";
import { type Clock, systemClock } from "#platform/clock";
import type { Log } from "#platform/log";
import type { Pool } from "#platform/workers";
import type { Manifest, Segment, ShardDirectory } from "#shard/directory";
import { AfterChanges } from "./afterChanges";
import type { Work, WorkAnswer } from "./work";

export interface SymbolizerOptions {
  readonly directory: ShardDirectory;
  /** Two threads: a working tree does not wait for a shard. */
  readonly pool: Pool<Work, WorkAnswer>;
  readonly log: Log;
  /** Threads that parse. */
  readonly parserCount: () => number;
  /** Text is being indexed, which comes first, or indexing rests. */
  readonly isBusy: () => boolean;
  /** When a repository was last changed, in milliseconds since 1970. */
  readonly changedAt: (repositoryId: number) => number;
  /** A shard file turned out not to hold what it should. */
  readonly onDamage: (file: string) => void;
  /** A working tree has symbols now. */
  readonly onOverlay: (repositoryId: number, overlay: Overlay & { readonly symbols: Uint8Array }) => void;
  readonly clock?: Clock;
}

const settleMs = 100;
const busyMs = 300;
const retryMs = 60_000;
/** Of a shard, until what was parsed so far can be searched. */
const budgetMs = 10_000;
/** Of a working tree: what is left has no symbols until it is committed. */
const overlayBudgetMs = 20_000;

interface Candidate {
  readonly manifest: Manifest;
  readonly segment: Segment;
}

export class Symbolizer {
  readonly #options: SymbolizerOptions;
  readonly #clock: Clock;
  readonly #runs: AfterChanges;
  /** Shards that could not be parsed, or only in part, for as long as this process lives. */
  readonly #left = new Set<string>();
  /** By shard: documents that the last run left. */
  readonly #pendingCounts = new Map<string, number>();
  readonly #lastUsed = new Map<number, number>();
  /** The overlay that counts, by repository. */
  readonly #overlays = new Map<number, Overlay>();
  readonly #overlaySymbols = new Map<number, ShardWithSymbols>();

  constructor(options: SymbolizerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#runs = new AfterChanges({ ...options, settleMs, run: () => this.#runAll() });
  }

  /** Whether nothing is left to be parsed of what is indexed. */
  get isAtRest(): boolean {
    return this.#runs.isIdle && this.#next() === undefined;
  }

  /** Repositories that somebody works with come first. */
  use(repositoryIds: readonly number[]): void {
    for (const id of repositoryIds) this.#lastUsed.set(id, this.#clock.now());
  }

  /** Whether all documents of a repository were parsed. */
  isReady(repositoryId: number): boolean {
    const { directory } = this.#options;
    const manifest = directory.manifest(repositoryId);
    return manifest?.segments.every(({ file }) => directory.symbols.isComplete(file)) === true;
  }

  /** A working tree differs from its default revision, or (`undefined`) no longer does. */
  setOverlay(repositoryId: number, overlay: Overlay | undefined): void {
    if (overlay === undefined) {
      this.#overlays.delete(repositoryId);
      this.#overlaySymbols.delete(repositoryId);
      return;
    }
    this.#overlays.set(repositoryId, overlay);
    this.#parseOverlay(repositoryId, overlay).catch((error: unknown) => {
      if (this.#runs.signal.aborted || isServiceError(error, "CANCELLED")) return;
      this.#options.log.warn("A working tree could not be parsed.", { error });
    });
  }

  close(): Promise<void> {
    return this.#runs.close();
  }

  async #parseOverlay(repositoryId: number, overlay: Overlay): Promise<void> {
    const before = this.#overlaySymbols.get(repositoryId);
    const answer = await this.#run({
      target: { kind: "memory", shard: overlay.bytes },
      known: [...(before === undefined ? [] : [before]), ...this.#knownShards(repositoryId, true)],
      parserCount: 1,
      budgetMs: overlayBudgetMs,
    });
    if (answer.kind !== "symbolBytes" || this.#overlays.get(repositoryId) !== overlay) return;
    const symbols = answer.bytes;
    this.#overlaySymbols.set(repositoryId, { kind: "memory", shard: overlay.bytes, symbols });
    this.#options.onOverlay(repositoryId, { ...overlay, symbols });
  }

  /** Never rejects. */
  async #runAll(): Promise<void> {
    const { signal } = this.#runs;
    for (let next = this.#next(); next !== undefined && !signal.aborted; next = this.#next()) {
      if (this.#options.isBusy()) return this.#runs.later(busyMs);
      try {
        await this.#parseShard(next);
      } catch (error) {
        if (signal.aborted || isServiceError(error, "CANCELLED")) return;
        const { file } = next.segment;
        // It was put together with others meanwhile.
        if (!this.#counts(next)) continue;
        this.#options.log.warn(`${file} could not be parsed.`, { error });
        this.#leave(file);
      }
    }
  }

  #counts({ manifest, segment }: Candidate): boolean {
    const { segments = [] } = this.#options.directory.manifest(manifest.repositoryId) ?? {};
    return segments.some(({ file }) => file === segment.file);
  }

  /** Tries it again later. */
  #leave(file: string): void {
    this.#left.add(file);
    this.#clock.after(retryMs, () => {
      this.#left.delete(file);
      this.#runs.later();
    });
  }

  /** What was committed last before the rest, and what somebody works with before all. */
  #next(): Candidate | undefined {
    const { directory, changedAt } = this.#options;
    let best: Candidate | undefined;
    let bestRank: readonly number[] = [];
    for (const manifest of directory.manifests().values()) {
      for (const segment of manifest.segments) {
        if (directory.symbols.isComplete(segment.file) || this.#left.has(segment.file)) continue;
        const { repositoryId } = manifest;
        const used = this.#lastUsed.get(repositoryId) ?? 0;
        const rank = [used, segment.isDelta ? 1 : 0, changedAt(repositoryId)];
        if (best !== undefined && !isAbove(rank, bestRank)) continue;
        best = { manifest, segment };
        bestRank = rank;
      }
    }
    return best;
  }

  async #parseShard({ manifest, segment }: Candidate): Promise<void> {
    const { directory, parserCount, onDamage } = this.#options;
    const { file } = segment;
    const own = directory.symbols.of(file);
    const answer = await this.#run({
      target: { kind: "disk", shardPath: directory.pathOf(segment), draftPath: directory.newDraft() },
      ...(own === undefined ? {} : { own: join(directory.folder, own) }),
      known: this.#knownShards(manifest.repositoryId, false).filter(
        ({ shard }) => shard !== directory.pathOf(segment),
      ),
      parserCount: parserCount(),
      budgetMs,
    });
    if (answer.kind === "damagedShard") {
      this.#left.add(file);
      onDamage(file);
    } else if (answer.kind === "symbolDraft") {
      await directory.publishSymbols(file, answer.draft);
      const { pendingCount } = answer.draft.summary;
      // Whatever the reason, a shard of which nothing more was parsed must not keep this thread busy for ever.
      if (pendingCount > 0 && pendingCount >= (this.#pendingCounts.get(file) ?? Number.POSITIVE_INFINITY))
        this.#leave(file);
      if (pendingCount === 0) this.#pendingCounts.delete(file);
      else this.#pendingCounts.set(file, pendingCount);
    }
  }

  /** Shards with symbols, those of the repository first. */
  #knownShards(repositoryId: number, isForItAlone: boolean): ShardWithSymbols[] {
    const { directory } = this.#options;
    const own = directory.manifest(repositoryId);
    const others = isForItAlone ? [] : directory.manifests().values();
    const files = new Set([...(own === undefined ? [] : [own]), ...others].flatMap(filesOf));
    return [...files].flatMap((file): ShardWithSymbols[] => {
      const symbols = directory.symbols.of(file);
      if (symbols === undefined) return [];
      const shard = join(directory.folder, file);
      return [{ kind: "disk", shard, symbols: join(directory.folder, symbols) }];
    });
  }

  async #run(task: SymbolTask): Promise<SymbolAnswer> {
    const answer = await this.#options.pool.run({ kind: "symbols", ...task }, this.#runs.signal);
    const isOwn =
      answer.kind === "symbolDraft" || answer.kind === "symbolBytes" || answer.kind === "damagedShard";
    if (!isOwn) throw new Error(`An index worker answered ${answer.kind}`);
    return answer;
  }
}

function filesOf({ segments }: Manifest): string[] {
  return segments.map(({ file }) => file);
}

function isAbove(left: readonly number[], right: readonly number[]): boolean {
  for (const [at, value] of left.entries()) if (value !== right[at]) return value > (right[at] ?? 0);
  return false;
}

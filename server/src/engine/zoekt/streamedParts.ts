/** Passes on the files of a search that is divided into parts, one for each node, as the parts return them. */
import { throwIfAborted } from "#base/error";
import { untilAborted } from "#base/untilAborted";
import type { EngineResult } from "#engine/engine";
import type { FileMatch } from "#model/match";
import type { Limits } from "#query/limits";
import { mergeResults, withinLimits, withReasons } from "./mergeResults";

export type FilesHandler = (files: readonly FileMatch[]) => Promise<void> | void;

/** Files are passed on in pieces of this many. */
const filesPerPiece = 100;

/**
 * Each part may show its share of the limit at once, and at least one file. What is left is for the best of all other files,
 * once all parts have returned. So files of a fast node do not displace better ones, and the files are the same whichever
 * part returns first, unless single files exceed a share.
 */
export class StreamedParts {
  readonly #count: number;
  readonly #limits: Limits;
  readonly #signal: AbortSignal;
  readonly #onFiles: FilesHandler;
  /** What each part has found so far. */
  readonly #results = new Map<number, EngineResult>();
  readonly #shown = new Set<string>();
  #shownMatches = 0;
  /** The calls of `#onFiles`, one after the other. */
  #emitted = Promise.resolve();
  #resolveAll = () => {};
  /** Resolves when each part has returned something. */
  readonly #all = new Promise<void>((resolve) => {
    this.#resolveAll = resolve;
  });

  constructor(count: number, limits: Limits, signal: AbortSignal, onFiles: FilesHandler) {
    this.#count = count;
    this.#limits = limits;
    this.#signal = signal;
    this.#onFiles = onFiles;
  }

  /** Receives what a part has found so far. Shows its share the first time. */
  report(part: number, result: EngineResult): void {
    const isFirst = !this.#results.has(part);
    this.#results.set(part, result);
    if (!isFirst) return;
    const { maxDisplayedMatches, maxResponseBytes } = this.#limits;
    const share = {
      maxDisplayedMatches: Math.floor(maxDisplayedMatches / this.#count),
      maxResponseBytes: maxResponseBytes / this.#count,
    };
    const { files } = withinLimits(result.files, share);
    const whole = files.filter((file) => result.files.includes(file));
    const [best] = result.files;
    const fits = best !== undefined && best.rangeCount <= maxDisplayedMatches - this.#shownMatches;
    this.#emit(whole.length === 0 && fits ? [best] : whole);
    if (this.#results.size === this.#count) this.#resolveAll();
  }

  /** Reports what a part has found so far. Returns whether all parts together have found enough to show. */
  async hasEnough(part: number, result: EngineResult): Promise<boolean> {
    this.report(part, result);
    await untilAborted(this.#all, this.#signal);
    const found = [...this.#results.values()].reduce((sum, { stats }) => sum + stats.actualMatchCount, 0);
    return found >= this.#limits.maxDisplayedMatches;
  }

  /** Shows the rest, once each part has reported its last result. Returns the result without files. */
  async finish(): Promise<EngineResult> {
    const results = [...this.#results.values()];
    const rest = results.flatMap(({ files }) => files.filter((file) => !this.#shown.has(keyOf(file))));
    const { files, isTruncated } = withinLimits(
      rest.sort((one, other) => other.score - one.score || one.repositoryId - other.repositoryId),
      { ...this.#limits, maxDisplayedMatches: this.#limits.maxDisplayedMatches - this.#shownMatches },
    );
    this.#emit(files);
    await this.#emitted;
    const merged = results
      .map((result): EngineResult => ({ ...result, files: [] }))
      .reduce((left, right) => mergeResults(left, right, this.#limits));
    const stats = withReasons(merged.stats, isTruncated ? ["MATCH_LIMIT"] : []);
    return {
      ...merged,
      stats: { ...stats, actualMatchCount: this.#shownMatches },
      isExhaustive: merged.isExhaustive && !isTruncated,
    };
  }

  #emit(files: readonly FileMatch[]): void {
    for (const file of files) {
      this.#shown.add(keyOf(file));
      this.#shownMatches += file.rangeCount;
    }
    this.#emitted = this.#emitted.then(async () => {
      for (let at = 0; at < files.length; at += filesPerPiece) {
        throwIfAborted(this.#signal);
        await this.#onFiles(files.slice(at, at + filesPerPiece));
      }
      throwIfAborted(this.#signal);
    });
    // `finish` reports it.
    this.#emitted.catch(() => undefined);
  }
}

function keyOf({ repositoryId, path, blobSha, origin }: FileMatch): string {
  return `${repositoryId}\0${path}\0${blobSha}\0${origin}`;
}

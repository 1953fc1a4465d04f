/** Passes on the files of a search that is divided into parts, one for each node, as the parts return them. */
import { throwIfAborted } from "#base/error";
import { untilAborted } from "#base/untilAborted";
import { fileBytes } from "#engine/embedded/resultPiece";
import type { EngineResult, FilesHandler } from "#engine/engine";
import { type FileMatch, fileKey } from "#model/match";
import type { Limits } from "#query/limits";
import { mergeResults, withinLimits, withReasons } from "./mergeResults";

/** Files are passed on in pieces of this many. */
const filesPerPiece = 100;

/**
 * Each part may show its share of the limits at once, and at least one file unless there are more parts than matches to
 * show. What is left is for the best of all other files, once all parts have returned. So files of a fast node do not
 * displace better ones, and the files are the same whichever part returns first, unless single files exceed a share.
 */
export class StreamedParts {
  readonly #count: number;
  readonly #limits: Limits;
  readonly #signal: AbortSignal;
  readonly #onFiles: FilesHandler;
  /** What each part has found so far. */
  readonly #results = new Map<number, EngineResult>();
  readonly #shown = new Set<string>();
  /** What each part has shown before all have returned. */
  readonly #shownOf: { readonly matches: number; readonly bytes: number }[] = [];
  #shownMatches = 0;
  #shownBytes = 0;
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
    this.show(part, result.files);
    if (this.#results.size === this.#count) this.#resolveAll();
  }

  /** Shows what is left of a part's share, of its best files. */
  show(part: number, best: readonly FileMatch[]): void {
    const { maxDisplayedMatches, maxResponseBytes } = this.#limits;
    const left = this.#left();
    const shown = this.#shownOf[part] ?? { matches: 0, bytes: 0 };
    const share = {
      maxDisplayedMatches: Math.min(
        Math.floor(maxDisplayedMatches / this.#count) - shown.matches,
        left.maxDisplayedMatches,
      ),
      maxResponseBytes: Math.min(maxResponseBytes / this.#count - shown.bytes, left.maxResponseBytes),
    };
    if (share.maxDisplayedMatches <= 0) return;
    const files = best.filter((file) => !this.#shown.has(fileKey(file)));
    const whole = wholeFiles(files, share);
    const isFirst = shown.matches === 0 && whole.length === 0;
    const before = { matches: this.#shownMatches, bytes: this.#shownBytes };
    this.#emit(isFirst ? wholeFiles(files.slice(0, 1), left) : whole);
    this.#shownOf[part] = {
      matches: shown.matches + this.#shownMatches - before.matches,
      bytes: shown.bytes + this.#shownBytes - before.bytes,
    };
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
    const rest = results.flatMap(({ files }) => files.filter((file) => !this.#shown.has(fileKey(file))));
    const { files, isTruncated } = withinLimits(
      rest.sort((one, other) => other.score - one.score || one.repositoryId - other.repositoryId),
      this.#left(),
    );
    this.#emit(files);
    await this.#emitted;
    const merged = results
      .map((result): EngineResult => ({ ...result, files: [] }))
      .reduce((left, right) => mergeResults(left, right, this.#limits));
    const stats = withReasons(merged.stats, isTruncated ? ["MATCH_LIMIT"] : []);
    // The result of a node that failed after it had found files lacks these.
    const totalMatchCount = Math.max(stats.totalMatchCount, this.#shownMatches);
    const fileCount = Math.max(stats.fileCount, this.#shown.size);
    return {
      ...merged,
      stats: { ...stats, totalMatchCount, fileCount, actualMatchCount: this.#shownMatches },
      isExhaustive: merged.isExhaustive && !isTruncated,
    };
  }

  /** The limits for what may still be shown. */
  #left(): ShownLimits {
    const { maxDisplayedMatches, maxResponseBytes } = this.#limits;
    return {
      maxDisplayedMatches: maxDisplayedMatches - this.#shownMatches,
      maxResponseBytes: maxResponseBytes - this.#shownBytes,
    };
  }

  #emit(files: readonly FileMatch[]): void {
    for (const file of files) {
      this.#shown.add(fileKey(file));
      this.#shownMatches += file.rangeCount;
      this.#shownBytes += fileBytes(file);
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

type ShownLimits = Pick<Limits, "maxDisplayedMatches" | "maxResponseBytes">;

/** Returns the first files that are within the limits with all of their ranges. */
function wholeFiles(all: readonly FileMatch[], limits: ShownLimits): readonly FileMatch[] {
  return withinLimits(all, limits).files.filter((file, at) => file === all[at]);
}

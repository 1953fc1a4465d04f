/** Merges the results of the embedded engine and of Zoekt nodes, which search different repositories. */
import { truncateFile } from "#engine/embedded/collect";
import { fileBytes } from "#engine/embedded/resultPiece";
import type { CountedGroups, EngineResult } from "#engine/engine";
import type { FileMatch } from "#model/match";
import { addStats, type FlushReason, noStats, type SearchStats } from "#model/stats";
import type { Limits } from "#query/limits";

export function mergeResults(left: EngineResult, right: EngineResult, limits: Limits): EngineResult {
  const all = [...left.files, ...right.files].sort((one, other) => other.score - one.score);
  const { files, isTruncated } = withinLimits(all, limits);
  const reasons: FlushReason[] = isTruncated ? ["MATCH_LIMIT"] : [];
  const sum = withReasons(addStats(left.stats, right.stats), reasons);
  const phraseMatchCount = (left.phraseMatchCount ?? 0) + (right.phraseMatchCount ?? 0);
  const groups = mergeGroups(left.groups, right.groups);
  const unavailable = [...(left.unavailable ?? []), ...(right.unavailable ?? [])];
  return {
    files,
    stats: { ...sum, actualMatchCount: files.reduce((count, { rangeCount }) => count + rangeCount, 0) },
    isExhaustive: left.isExhaustive && right.isExhaustive && !isTruncated,
    phraseMatchCount,
    ...(groups === undefined ? {} : { groups }),
    ...(unavailable.length === 0 ? {} : { unavailable }),
  };
}

export function withReasons(stats: SearchStats, reasons: readonly FlushReason[]): SearchStats {
  return reasons.reduce((sum, flushReason) => addStats(sum, { ...noStats, flushReason }), stats);
}

/** Returns the first files, the last of them with fewer ranges if all of its are too many. */
export function withinLimits(
  all: readonly FileMatch[],
  { maxDisplayedMatches, maxResponseBytes }: Pick<Limits, "maxDisplayedMatches" | "maxResponseBytes">,
): { files: FileMatch[]; isTruncated: boolean } {
  const files: FileMatch[] = [];
  let left = maxDisplayedMatches;
  let bytes = 0;
  for (const file of all) {
    bytes += fileBytes(file);
    if (left <= 0 || bytes > maxResponseBytes) return { files, isTruncated: true };
    files.push(truncateFile(file, left));
    left -= file.rangeCount;
  }
  return { files, isTruncated: left < 0 };
}

function mergeGroups(
  left: CountedGroups | undefined,
  right: CountedGroups | undefined,
): CountedGroups | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  const counts = new Map(left.counts);
  for (const [key, { matchCount, fileCount }] of right.counts) {
    const known = counts.get(key) ?? { matchCount: 0, fileCount: 0 };
    counts.set(key, { matchCount: known.matchCount + matchCount, fileCount: known.fileCount + fileCount });
  }
  return {
    counts,
    repositories: new Set([...left.repositories, ...right.repositories]),
    lines: new Map([...left.lines, ...right.lines]),
  };
}

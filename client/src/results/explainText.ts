/** Explains what a search cost and why its results may be incomplete. Pure: does not use VS Code. */

import type { ResultSet } from "#client/search/resultSet";
import { type RepositoryCounts, statusOf } from "#client/search/status";
import type { L10n } from "#client/text/l10n";

export function explainText(set: ResultSet, counts: RepositoryCounts, l10n: L10n): string {
  const { request, end, state } = set;
  const { summary, notes } = statusOf({ set, waitReason: undefined, server: "running", ...counts }, l10n);
  const lines = [
    l10n.t("Query: {0}", [state.query, ...state.narrowed].join(" · ")),
    l10n.t("Query with defaults from the settings: {0}", request.query),
    "",
    summary,
    ...notes.map(({ text }) => text),
  ];
  if (end === undefined) return `${lines.join("\n")}\n`;
  const { stats, isSearchExhaustive } = end;
  const number = (value: number) => value.toLocaleString();
  lines.push(
    isSearchExhaustive
      ? l10n.t("Results are complete.")
      : l10n.t("Results may be incomplete ({0}).", stats.flushReason),
    "",
    l10n.t("How the search ran"),
    l10n.t(
      "  The index ruled out {0} of {1} shards, and {2} of {3} files of the others.",
      number(stats.shardsSkippedFilter),
      number(stats.shardsSkippedFilter + stats.shardsScanned + stats.shardsSkipped),
      number(Math.max(0, stats.shardFilesConsidered - stats.filesConsidered)),
      number(stats.shardFilesConsidered),
    ),
    l10n.t(
      "  {0} files could match; {1} were read, {2} of text; {3} have a match.",
      number(stats.filesConsidered),
      number(stats.filesLoaded),
      bytesText(stats.contentBytesLoaded),
      number(stats.fileCount),
    ),
    l10n.t(
      "  {0} index lookups ({1}) returned {2} candidates.",
      number(stats.ngramLookups),
      bytesText(stats.indexBytesLoaded),
      number(stats.ngramMatches),
    ),
    ...(stats.regexpsConsidered === 0
      ? []
      : [l10n.t("  Regular expressions were run over {0} text ranges.", number(stats.regexpsConsidered))]),
    ...(stats.shardsSkipped === 0
      ? []
      : [
          l10n.t(
            "  {0} shards were not searched, because the match limit or time limit was reached.",
            number(stats.shardsSkipped),
          ),
        ]),
    ...(stats.filesSkipped === 0
      ? []
      : [l10n.t("  {0} files that could match were not read.", number(stats.filesSkipped))]),
    ...(stats.crashes === 0 ? [] : [l10n.t("  {0} shards could not be searched.", number(stats.crashes))]),
    "",
    l10n.t("Where the time went"),
    l10n.t("  Waiting for a worker: {0}", durationText(stats.wait)),
    l10n.t("  Preparing: {0}", durationText(stats.matchTreeConstruction)),
    l10n.t("  Searching, summed over all workers: {0}", durationText(stats.matchTreeSearch)),
    l10n.t("  From plan to response: {0}", durationText(stats.duration)),
  );
  return `${lines.join("\n")}\n`;
}

function durationText(nanoseconds: number): string {
  const ms = nanoseconds / 1e6;
  return ms < 10 ? `${ms.toFixed(1)} ms` : ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

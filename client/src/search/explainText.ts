/** What a search cost and why its answer is as it is, in plain words. Pure: knows no VS Code. */
import type { L10n } from "#client/l10n";
import type { ResultSet } from "./resultSet";
import { type IndexFacts, statusOf } from "./status";

export function explainText(set: ResultSet, facts: IndexFacts, l10n: L10n): string {
  const { request, end, state } = set;
  const { summary, notes } = statusOf({ set, waits: undefined, server: "running", ...facts }, l10n);
  const lines = [
    l10n.t("You asked: {0}", [state.query, ...state.narrowed].join(" · ")),
    l10n.t("The query with everything that settings add to it: {0}", request.query),
    "",
    summary,
    ...notes.map(({ text }) => text),
  ];
  if (end === undefined) return `${lines.join("\n")}\n`;
  const { stats, isSearchExhaustive } = end;
  const number = (value: number) => value.toLocaleString();
  lines.push(
    isSearchExhaustive
      ? l10n.t("The answer is complete: nothing can have been left out.")
      : l10n.t("The answer may be incomplete ({0}).", stats.flushReason),
    "",
    l10n.t("How it was found"),
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
      "  {0} entries of the index were looked up ({1}) and gave {2} candidates.",
      number(stats.ngramLookups),
      bytesText(stats.indexBytesLoaded),
      number(stats.ngramMatches),
    ),
    ...(stats.regexpsConsidered === 0
      ? []
      : [l10n.t("  Expressions were run over {0} stretches of text.", number(stats.regexpsConsidered))]),
    ...(stats.shardsSkipped === 0
      ? []
      : [
          l10n.t(
            "  {0} shards were not searched, because enough was found or time was up.",
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
    l10n.t("  Searching, on all workers together: {0}", durationText(stats.matchTreeSearch)),
    l10n.t("  From the plan to the answer: {0}", durationText(stats.duration)),
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

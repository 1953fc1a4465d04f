/** The lines below the box: what was found, and why it may be incomplete. Pure: does not use VS Code. */
import type { L10n } from "#client/text/l10n";
import { withFilter } from "#contract/queryText";
import type { RepositoryItem } from "#contract/repositories";
import type { BoxAction, BoxNote, BoxStatus } from "#webview/messages";
import { matchCountOf, type ResultSet } from "./resultSet";
import { allMatches } from "./searchState";

export interface RepositoryCounts {
  /** Counts: all repositories, those that are not up to date, and those that are archived. */
  readonly repositories: number;
  readonly indexing: number;
  readonly archived: number;
}

/** Matches, files and repositories whose rows the user removed. */
export interface Dismissed {
  readonly matches: number;
  readonly files: number;
  readonly repositories: number;
}

export interface StatusInput extends RepositoryCounts {
  /** The search that is shown, if any. */
  readonly set: ResultSet | undefined;
  /** Why the text in the box has not been searched for yet. */
  readonly waitReason: "short" | "costly" | "enter" | "invalid" | undefined;
  readonly server: "idle" | "starting" | "running" | "failed";
  /** Whether the team's server rejects the key. */
  readonly isKeyRejected?: boolean;
  /** The query of the search with its words as one quoted phrase, if they form one. */
  readonly phraseQuery?: string | undefined;
  readonly dismissed?: Dismissed;
}

export function countRepositories(
  items: readonly Pick<RepositoryItem, "state" | "isArchived">[],
): RepositoryCounts {
  return {
    repositories: items.length,
    indexing: items.filter(({ state }) => state !== "ready" && state !== "failed" && state !== "evicted")
      .length,
    archived: items.filter(({ isArchived }) => isArchived).length,
  };
}

/**
 * Whether a search that was incomplete may be complete the next time although nothing is being indexed. A failed
 * repository makes each search incomplete, so that only pending definitions are then worth another one.
 */
export function mayComplete(items: readonly Pick<RepositoryItem, "state" | "symbolsReady">[]): boolean {
  const hasFailed = items.some(({ state }) => state === "failed");
  return !hasFailed || items.some(({ state, symbolsReady }) => state === "ready" && !symbolsReady);
}

export function statusOf(input: StatusInput, l10n: L10n): BoxStatus {
  const { set, waitReason, server } = input;
  if (server === "failed") return { isRunning: false, summary: "", notes: [serverNote(l10n)] };
  if (waitReason !== undefined)
    return { isRunning: false, summary: waitReasonText(waitReason, l10n), notes: [] };
  if (set === undefined) {
    const summary = server === "starting" ? l10n.t("Starting the search server...") : "";
    return { isRunning: false, summary, notes: [] };
  }
  if (set.outcome === "failed") return { isRunning: false, summary: "", notes: failureNotes(set, l10n) };
  const isRunning = set.outcome === "running";
  const isInResults = true;
  const counts = countsOf(set, input.dismissed, l10n);
  if (set.end === undefined) {
    const summary =
      set.outcome === "canceled" ? [counts, l10n.t("canceled")] : [counts || l10n.t("Searching...")];
    return { isRunning, isInResults, summary: summary.filter((part) => part !== "").join(" · "), notes: [] };
  }
  const notes = [
    ...phraseNotes(set, input, l10n),
    ...completenessNotes(set, input, l10n),
    ...contentNotes(set, l10n),
  ];
  if (set.end.stats.totalMatchCount > 0 || set.files.length > 0) {
    return { isRunning, isInResults, summary: counts, notes };
  }
  const suggestions = { title: l10n.t("Also try:"), actions: suggestionsFor(set, input, l10n) };
  return { isRunning, isInResults, summary: noResultsText(set, input, l10n), suggestions, notes };
}

function waitReasonText(waitReason: NonNullable<StatusInput["waitReason"]>, l10n: L10n): string {
  if (waitReason === "short") return l10n.t("Type three characters, or press Enter to search.");
  // The error is shown above.
  if (waitReason === "invalid") return "";
  if (waitReason === "costly") return l10n.t("This reads every file: press Enter to search.");
  return l10n.t("Press Enter to search.");
}

const nothingDismissed: Dismissed = { matches: 0, files: 0, repositories: 0 };

/**
 * "143 matches · 38 files · 12 repositories · 41 ms", for narrowed results "12 matches · 5 of 38 files · ..."; empty if
 * nothing was found so far.
 */
function countsOf(set: ResultSet, dismissed: Dismissed = nothingDismissed, l10n: L10n): string {
  const { end, files, repositories, beforeNarrowing } = set;
  const found = files.reduce((count, file) => count + matchCountOf(file), 0);
  const matches = Math.max(end?.stats.totalMatchCount ?? 0, found) - dismissed.matches;
  if (matches === 0) return "";
  if (end !== undefined && files.length === 0 && isCommitSearch(set.state.query)) {
    return [commitsText(matches, l10n), durationText(end.stats.duration, l10n)].join(" · ");
  }
  const fileCount = Math.max(end?.stats.fileCount ?? 0, files.length) - dismissed.files;
  const isEstimate = end !== undefined && !end.isSearchExhaustive;
  return [
    isEstimate ? l10n.t("about {0}", matchesText(matches, l10n)) : matchesText(matches, l10n),
    shareText(fileCount, beforeNarrowing?.files, filesText, l10n),
    shareText(
      repositories.size - dismissed.repositories,
      beforeNarrowing?.repositories,
      repositoriesText,
      l10n,
    ),
    ...(end === undefined ? [] : [durationText(end.stats.duration, l10n)]),
  ].join(" · ");
}

/** "5 of 38 files", or "5 files" if there is no total. */
function shareText(
  count: number,
  total: number | undefined,
  text: (count: number, l10n: L10n) => string,
  l10n: L10n,
): string {
  if (total === undefined || total < count) return text(count, l10n);
  return l10n.t("{0} of {1}", count.toLocaleString(), text(total, l10n));
}

export function matchesText(count: number, l10n: L10n): string {
  return count === 1 ? l10n.t("1 match") : l10n.t("{0} matches", count.toLocaleString());
}

export function filesText(count: number, l10n: L10n): string {
  return count === 1 ? l10n.t("1 file") : l10n.t("{0} files", count.toLocaleString());
}

export function commitsText(count: number, l10n: L10n): string {
  return count === 1 ? l10n.t("1 commit") : l10n.t("{0} commits", count.toLocaleString());
}

/** Formats the number of results: of commits if the query searches for them, otherwise of matches. */
export function foundText(query: string, count: number, l10n: L10n): string {
  return isCommitSearch(query) ? commitsText(count, l10n) : matchesText(count, l10n);
}

function isCommitSearch(query: string): boolean {
  return /(?:^|[\s(])type:commit(?:$|[\s)])/.test(query);
}

export function repositoriesText(count: number, l10n: L10n): string {
  return count === 1 ? l10n.t("1 repository") : l10n.t("{0} repositories", count.toLocaleString());
}

function durationText(nanoseconds: number, l10n: L10n): string {
  const ms = Math.max(1, Math.round(nanoseconds / 1e6));
  return ms < 1000 ? l10n.t("{0} ms", ms) : l10n.t("{0} s", (ms / 1000).toFixed(1));
}

function noResultsText(
  { request, beforeNarrowing }: ResultSet,
  { repositories }: StatusInput,
  l10n: L10n,
): string {
  if (repositories === 0) return l10n.t("No repositories are indexed yet.");
  if (beforeNarrowing !== undefined) {
    return l10n.t(
      "No results in the {0} that matched before narrowing.",
      filesText(beforeNarrowing.files, l10n),
    );
  }
  if (/(?:^|[\s(-])(?:repo|r|context|scope|reposet):/.test(request.query)) return l10n.t("No results.");
  return l10n.t("No results in {0}.", repositoriesText(repositories, l10n));
}

function suggestionsFor({ state, request }: ResultSet, input: StatusInput, l10n: L10n): BoxAction[] {
  const { query, caseSensitivity } = state;
  if (input.repositories === 0) return [{ title: l10n.t("add a folder"), command: "repos.addFolder" }];
  const isSensitive =
    caseSensitivity === "sensitive" ||
    (caseSensitivity === "smart" && /\p{Lu}/u.test(withoutFilterWords(query)));
  const mentions = (pattern: RegExp) => pattern.test(request.query);
  const explicitCase = /(?<=^|[\s(])case:(?:yes|auto)(?=$|[\s)])/g;
  const ignored = query.replace(explicitCase, "case:no");
  const actions: (BoxAction | false)[] = [
    ignored !== query && { title: l10n.t("ignore case"), change: { query: ignored } },
    ignored === query &&
      isSensitive &&
      !/(?:^|[\s(])case:/.test(query) && {
        title: l10n.t("ignore case"),
        change: { caseSensitivity: "insensitive" },
      },
    state.isWholeWord && { title: l10n.t("parts of words"), change: { isWholeWord: false } },
    state.isRegex && { title: l10n.t("without regular expressions"), change: { isRegex: false } },
    !mentions(/(?:^|[\s(-])(?:rev|branch|b|revision):|repo:\S+@/) && {
      title: l10n.t("all branches"),
      change: { query: withFilter(query, { prefix: "rev", value: allBranches, isNegated: false }) },
    },
    input.archived > 0 &&
      mentions(/(?:^|[\s(])archived:no(?:$|[\s)])/) &&
      !/archived:/.test(query) && {
        title: l10n.t("include archived ({0})", input.archived),
        change: { query: withFilter(query, { prefix: "archived", value: "yes", isNegated: false }) },
      },
  ];
  return actions.filter((action) => action !== false);
}

/** Value of `rev:` that matches every branch. */
export const allBranches = "refs/heads/**";

/** Removes filters: capital letters in their values do not make a search case-sensitive. */
function withoutFilterWords(query: string): string {
  return query.replace(/(?<=^|[\s(-])[a-z]+:(?:"(?:\\.|[^"\\])*"|\S*)/g, "");
}

function searchAgain(l10n: L10n): BoxAction {
  return { title: l10n.t("Search Again"), command: "search.rerun" };
}

function serverNote(l10n: L10n): BoxNote {
  return {
    text: l10n.t("The search server is not running."),
    severity: "error",
    actions: [
      { title: l10n.t("Restart Server"), command: "server.restart" },
      { title: l10n.t("Show Logs"), command: "server.showLogs" },
    ],
  };
}

function failureNotes({ problem }: ResultSet, l10n: L10n): BoxNote[] {
  if (problem === undefined) return [];
  if (problem.errorCode === "SERVER_GONE") {
    const note = {
      text: l10n.t("The search server stopped before it responded."),
      severity: "error",
    } as const;
    return [
      { ...note, actions: [searchAgain(l10n), { title: l10n.t("Show Logs"), command: "server.showLogs" }] },
    ];
  }
  // A parse error is already shown at its location in the query, with quick fixes.
  const canRetry = problem.errorCode !== "FAILED_TO_PARSE_QUERY";
  return [{ text: problem.message, severity: "error", actions: canRetry ? [searchAgain(l10n)] : [] }];
}

/** Explains why the results may be incomplete. */
function completenessNotes(
  set: ResultSet,
  { indexing, isKeyRejected = false }: StatusInput,
  l10n: L10n,
): BoxNote[] {
  const { end } = set;
  if (end === undefined || end.isSearchExhaustive) return [];
  const { serverProblem } = end;
  const retry: BoxAction = isKeyRejected
    ? { title: l10n.t("Log In Again"), command: "server.logIn" }
    : searchAgain(l10n);
  const server: BoxNote[] =
    serverProblem === undefined ? [] : [{ text: serverProblem, severity: "warning", actions: [retry] }];
  // The reason of a response of which only the team's part is missing.
  if (serverProblem !== undefined && end.stats.flushReason === "ENGINE_PARTIAL") return server;
  return [...server, ...reasonNotes(set, end, indexing, l10n)];
}

function reasonNotes(
  { request }: ResultSet,
  end: NonNullable<ResultSet["end"]>,
  indexing: number,
  l10n: L10n,
): BoxNote[] {
  const { flushReason, actualMatchCount, totalMatchCount, duration, filesMissing, repositoriesEvicted } =
    end.stats;
  const shown = actualMatchCount.toLocaleString();
  const warning = (text: string, actions: BoxAction[] = [searchAgain(l10n)]): BoxNote[] => [
    { text, severity: "warning", actions },
  ];
  switch (flushReason) {
    case "MATCH_LIMIT": {
      const canShowMore = (request.matches ?? 0) < allMatches;
      const all: BoxAction[] = canShowMore ? [{ title: l10n.t("Show All"), command: "search.all" }] : [];
      return totalMatchCount > actualMatchCount
        ? warning(l10n.t("Stopped at {0} of about {1}.", shown, totalMatchCount.toLocaleString()), all)
        : warning(l10n.t("Stopped at {0}.", shown), all);
    }
    case "TIME_LIMIT":
      return warning(l10n.t("Stopped after {0} with {1} results.", durationText(duration, l10n), shown), [
        { title: l10n.t("Try Again"), command: "search.rerun" },
      ]);
    case "BYTE_LIMIT":
      return warning(l10n.t("Stopped at {0}: the results reached their size limit.", shown), []);
    case "INDEXING":
      return warning(indexingText(indexing, l10n));
    case "RIGHTS_UNKNOWN":
      return warning(l10n.t("It is not known yet which repositories you may see."));
    case "REPOSITORY_EVICTED":
      return warning(evictedText(repositoriesEvicted, l10n));
    case "REVISION_NOT_INDEXED":
      return warning(l10n.t("A revision that is not indexed could not be read completely in time."));
    case "SHARD_DAMAGED":
      return warning(l10n.t("Part of the index is damaged and is being rebuilt."));
    case "ENGINE_PARTIAL":
      if (filesMissing > 0) return warning(missingText(filesMissing, l10n), [showSkipped(l10n)]);
      return warning(
        /(?:^|[\s(-])(?:(?:sym|symbol|s):|type:symbol)/.test(request.query)
          ? l10n.t("Definitions cannot be searched yet.")
          : l10n.t("Part of the query could not be evaluated."),
        [],
      );
    case "NONE":
      return warning(l10n.t("Results may be incomplete."));
  }
}

function indexingText(count: number, l10n: L10n): string {
  if (count === 0) return l10n.t("Indexing had not finished; results may be incomplete.");
  return count === 1
    ? l10n.t("1 repository is still indexing; results may be incomplete.")
    : l10n.t("{0} repositories are still indexing; results may be incomplete.", count.toLocaleString());
}

function evictedText(count: number, l10n: L10n): string {
  return count === 1
    ? l10n.t("1 repository is not indexed, to save disk space. Add repo: and its name to index it again.")
    : l10n.t(
        "{0} repositories are not indexed, to save disk space. Add repo: and a name to index one again.",
        count.toLocaleString(),
      );
}

function missingText(count: number, l10n: L10n): string {
  return count === 1
    ? l10n.t("1 file could not be searched: its content is missing from the repository.")
    : l10n.t(
        "{0} files could not be searched: their content is missing from the repository.",
        count.toLocaleString(),
      );
}

function showSkipped(l10n: L10n): BoxAction {
  return { title: l10n.t("Why?"), command: "repos.showSkipped" };
}

/** Offers to search only for the phrase. */
function phraseNotes({ end }: ResultSet, { phraseQuery }: StatusInput, l10n: L10n): BoxNote[] {
  const count = end?.phraseMatchCount ?? 0;
  if (phraseQuery === undefined || count === 0) return [];
  const action = { title: l10n.t("Only the Phrase"), change: { query: phraseQuery } };
  return [
    { text: phraseText(count, end?.isSearchExhaustive === true, l10n), severity: "info", actions: [action] },
  ];
}

function phraseText(count: number, isExhaustive: boolean, l10n: L10n): string {
  return isExhaustive
    ? l10n.t("{0} exact", count.toLocaleString())
    : l10n.t("{0}+ exact", count.toLocaleString());
}

/** Returns notes about the results, besides their counts. */
function contentNotes({ end, files }: ResultSet, l10n: L10n): BoxNote[] {
  const skipped = end?.stats.filesSkipped ?? 0;
  const unsaved = files
    .filter(({ origin }) => origin === "unsaved")
    .reduce((sum, file) => sum + matchCountOf(file), 0);
  const notes: BoxNote[] = [];
  if (skipped > 0) {
    const text =
      skipped === 1 ? l10n.t("1 file skipped.") : l10n.t("{0} files skipped.", skipped.toLocaleString());
    notes.push({ text, severity: "info", actions: [showSkipped(l10n)] });
  }
  if (unsaved > 0) {
    const text =
      unsaved === 1
        ? l10n.t("1 result from an unsaved file.")
        : l10n.t("{0} results from unsaved files.", unsaved.toLocaleString());
    notes.push({ text, severity: "info", actions: [] });
  }
  return notes;
}

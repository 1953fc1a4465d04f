/** The lines under the box: what was found, and why that may not be all. Pure: knows no VS Code. */
import type { L10n } from "#client/l10n";
import type { RepositoryItem } from "#contract/repositories";
import type { BoxAction, BoxNote, BoxStatus } from "#webview/messages";
import { withFilter } from "./queryText";
import { matchCountOf, type ResultSet } from "./resultSet";
import { allMatches } from "./searchState";

export interface IndexFacts {
  /** Repositories known, those of them that are not up to date, and those that are archived. */
  readonly repositories: number;
  readonly indexing: number;
  readonly archived: number;
}

export interface StatusFacts extends IndexFacts {
  /** The search that is shown, if any. */
  readonly set: ResultSet | undefined;
  /** Why the text in the box has not been searched for yet. */
  readonly waits: "short" | "costly" | "enter" | "mend" | undefined;
  readonly server: "idle" | "starting" | "running" | "failed";
}

export function indexFacts(items: readonly Pick<RepositoryItem, "state" | "isArchived">[]): IndexFacts {
  return {
    repositories: items.length,
    indexing: items.filter(({ state }) => state !== "ready" && state !== "failed").length,
    archived: items.filter(({ isArchived }) => isArchived).length,
  };
}

export function statusOf(facts: StatusFacts, l10n: L10n): BoxStatus {
  const { set, waits, server } = facts;
  if (server === "failed") return { isRunning: false, summary: "", notes: [serverNote(l10n)] };
  if (waits !== undefined) return { isRunning: false, summary: waitingText(waits, l10n), notes: [] };
  if (set === undefined) {
    const summary = server === "starting" ? l10n.t("Starting the search server…") : "";
    return { isRunning: false, summary, notes: [] };
  }
  if (set.outcome === "failed") return { isRunning: false, summary: "", notes: failureNotes(set, l10n) };
  const isRunning = set.outcome === "running";
  const counts = countsOf(set, l10n);
  if (set.end === undefined) {
    const summary =
      set.outcome === "cancelled" ? [counts, l10n.t("cancelled")] : [counts || l10n.t("Searching…")];
    return { isRunning, summary: summary.filter((part) => part !== "").join(" · "), notes: [] };
  }
  const notes = [...limitNotes(set, facts, l10n), ...contentNotes(set, l10n)];
  if (set.end.stats.totalMatchCount > 0 || set.files.length > 0) return { isRunning, summary: counts, notes };
  const suggestions = { title: l10n.t("Also try:"), actions: suggestionsFor(set, facts, l10n) };
  return { isRunning, summary: nothingText(set, facts, l10n), suggestions, notes };
}

function waitingText(waits: NonNullable<StatusFacts["waits"]>, l10n: L10n): string {
  if (waits === "short") return l10n.t("Type three characters, or press Enter to search.");
  // What is to be mended stands above.
  if (waits === "mend") return "";
  if (waits === "costly") return l10n.t("This reads every file: press Enter to search.");
  return l10n.t("Press Enter to search.");
}

/** "143 matches · 38 files · 12 repositories · 41 ms"; empty where nothing was found so far. */
function countsOf({ state: { query }, end, files, repositories }: ResultSet, l10n: L10n): string {
  const found = files.reduce((count, file) => count + matchCountOf(file), 0);
  const matches = Math.max(end?.stats.totalMatchCount ?? 0, found);
  if (matches === 0) return "";
  if (end !== undefined && files.length === 0 && asksForCommits(query)) {
    return [commitsText(matches, l10n), durationText(end.stats.duration, l10n)].join(" · ");
  }
  const fileCount = Math.max(end?.stats.fileCount ?? 0, files.length);
  const isAbout = end !== undefined && !end.isSearchExhaustive;
  return [
    isAbout ? l10n.t("about {0}", matchesText(matches, l10n)) : matchesText(matches, l10n),
    fileCount === 1 ? l10n.t("1 file") : l10n.t("{0} files", fileCount.toLocaleString()),
    repositoriesText(repositories.size, l10n),
    ...(end === undefined ? [] : [durationText(end.stats.duration, l10n)]),
  ].join(" · ");
}

function matchesText(count: number, l10n: L10n): string {
  return count === 1 ? l10n.t("1 match") : l10n.t("{0} matches", count.toLocaleString());
}

function commitsText(count: number, l10n: L10n): string {
  return count === 1 ? l10n.t("1 commit") : l10n.t("{0} commits", count.toLocaleString());
}

function asksForCommits(query: string): boolean {
  return /(?:^|[\s(])type:commit(?:$|[\s)])/.test(query);
}

export function repositoriesText(count: number, l10n: L10n): string {
  return count === 1 ? l10n.t("1 repository") : l10n.t("{0} repositories", count.toLocaleString());
}

function durationText(nanoseconds: number, l10n: L10n): string {
  const ms = Math.max(1, Math.round(nanoseconds / 1e6));
  return ms < 1000 ? l10n.t("{0} ms", ms) : l10n.t("{0} s", (ms / 1000).toFixed(1));
}

function nothingText({ request }: ResultSet, { repositories }: StatusFacts, l10n: L10n): string {
  if (repositories === 0) return l10n.t("No repositories are indexed yet.");
  if (/(?:^|[\s(-])(?:repo|r|context|scope|reposet):/.test(request.query)) return l10n.t("No results.");
  return l10n.t("No results in {0}.", repositoriesText(repositories, l10n));
}

function suggestionsFor({ state, request }: ResultSet, facts: StatusFacts, l10n: L10n): BoxAction[] {
  const { query, caseSensitivity } = state;
  if (facts.repositories === 0) return [{ title: l10n.t("add a folder"), command: "repos.addFolder" }];
  const isSensitive =
    caseSensitivity === "sensitive" || (caseSensitivity === "smart" && /\p{Lu}/u.test(withoutFilters(query)));
  const says = (pattern: RegExp) => pattern.test(request.query);
  const saidCase = /(?<=^|[\s(])case:(?:yes|auto)(?=$|[\s)])/g;
  const ignored = query.replace(saidCase, "case:no");
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
    !says(/(?:^|[\s(-])(?:rev|branch|b|revision):|repo:\S+@/) && {
      title: l10n.t("all branches"),
      change: { query: withFilter(query, { prefix: "rev", value: allBranches, isNegated: false }) },
    },
    facts.archived > 0 &&
      says(/(?:^|[\s(])archived:no(?:$|[\s)])/) &&
      !/archived:/.test(query) && {
        title: l10n.t("include archived ({0})", facts.archived),
        change: { query: withFilter(query, { prefix: "archived", value: "yes", isNegated: false }) },
      },
  ];
  return actions.filter((action) => action !== false);
}

/** Value of `rev:` that means every branch. */
export const allBranches = "refs/heads/**";

/** Words whose capitals count; those of a filter's value are its own. */
function withoutFilters(query: string): string {
  return query.replace(/(?<=^|[\s(-])[a-z]+:(?:"(?:\\.|[^"\\])*"|\S*)/g, "");
}

function again(l10n: L10n): BoxAction {
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
    const note = { text: l10n.t("The search server ended before it answered."), severity: "error" } as const;
    return [{ ...note, actions: [again(l10n), { title: l10n.t("Show Logs"), command: "server.showLogs" }] }];
  }
  // What is wrong with the text stands there already, with its place and a way to mend it.
  const isOwn = problem.errorCode !== "FAILED_TO_PARSE_QUERY";
  return [{ text: problem.message, severity: "error", actions: isOwn ? [again(l10n)] : [] }];
}

/** Why the answer may not be all there is. */
function limitNotes(set: ResultSet, { indexing }: StatusFacts, l10n: L10n): BoxNote[] {
  const { end, request } = set;
  if (end === undefined || end.isSearchExhaustive) return [];
  const { flushReason, actualMatchCount, totalMatchCount, duration } = end.stats;
  const shown = actualMatchCount.toLocaleString();
  const warning = (text: string, actions: BoxAction[] = [again(l10n)]): BoxNote[] => [
    { text, severity: "warning", actions },
  ];
  switch (flushReason) {
    case "MATCH_LIMIT": {
      const isMore = (request.matches ?? 0) < allMatches;
      const all: BoxAction[] = isMore ? [{ title: l10n.t("Show All"), command: "search.all" }] : [];
      return totalMatchCount > actualMatchCount
        ? warning(l10n.t("Stopped at {0} of about {1}.", shown, totalMatchCount.toLocaleString()), all)
        : warning(l10n.t("Stopped at {0}.", shown), all);
    }
    case "TIME_LIMIT":
      return warning(l10n.t("Stopped after {0} with {1} results.", durationText(duration, l10n), shown));
    case "BYTE_LIMIT":
      return warning(l10n.t("Stopped at {0}: an answer cannot be larger.", shown), []);
    case "INDEXING":
      return warning(indexingText(indexing, l10n));
    case "REVISION_NOT_INDEXED":
      return warning(l10n.t("Not all of a revision that is not indexed could be read in time."));
    case "SHARD_DAMAGED":
      return warning(l10n.t("Part of the index is damaged and is being built anew."));
    case "ENGINE_PARTIAL":
      return warning(
        /(?:^|[\s(-])(?:(?:sym|symbol|s):|type:symbol)/.test(request.query)
          ? l10n.t("Definitions cannot be searched for yet.")
          : l10n.t("Part of the query could not be answered."),
        [],
      );
    case "NONE":
      return warning(l10n.t("The answer may be incomplete."));
  }
}

function indexingText(count: number, l10n: L10n): string {
  if (count === 0) return l10n.t("Indexing was not finished.");
  return count === 1
    ? l10n.t("1 repository still indexing.")
    : l10n.t("{0} repositories still indexing.", count.toLocaleString());
}

/** What is true of the answer beside its counts. */
function contentNotes({ end, files }: ResultSet, l10n: L10n): BoxNote[] {
  const skipped = end?.stats.filesSkipped ?? 0;
  const unsaved = files
    .filter(({ origin }) => origin === "unsaved")
    .reduce((sum, file) => sum + matchCountOf(file), 0);
  const why: BoxAction = { title: l10n.t("Why?"), command: "repos.showSkipped" };
  const notes: BoxNote[] = [];
  if (skipped > 0) {
    const text =
      skipped === 1 ? l10n.t("1 file skipped.") : l10n.t("{0} files skipped.", skipped.toLocaleString());
    notes.push({ text, severity: "info", actions: [why] });
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

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResultSet } from "#client/search/resultSet";
import { type QueryDefaults, type SearchState, searchRequest } from "#client/search/searchState";
import { type StatusFacts, statusOf } from "#client/search/status";
import type { FileMatch, SearchStats } from "#contract/search";
import { english } from "#test/support/english";
import { fileMatch } from "#test/support/fileMatch";
import type { BoxAction, BoxStatus } from "#webview/messages";

const defaults: QueryDefaults = { scope: "", revisions: "", includeArchived: false };
const state: SearchState = {
  query: "retry",
  caseSensitivity: "smart",
  isWholeWord: false,
  isRegex: false,
  narrowed: [],
};
const files = [
  fileMatch("o/api", "src/a.ts", { number: 1, text: "retry" }, { number: 4, text: "retry", matches: 2 }),
  fileMatch("o/web", "b.ts", { number: 2, text: "retry" }),
];

const nothing: StatusFacts = {
  set: undefined,
  waits: undefined,
  server: "running",
  repositories: 214,
  indexing: 0,
  archived: 0,
};

interface Ended extends Partial<SearchStats> {
  readonly isExhaustive?: boolean;
}

function set(change: Partial<ResultSet> = {}, ended?: Ended, settings = defaults): ResultSet {
  const found = change.files ?? [];
  const names = new Set(found.map(({ repository }) => repository));
  const info = { displayName: "", webUrl: "", externalWebUrl: "", codeHostType: "github" } as const;
  const whole: ResultSet = {
    id: 1,
    state,
    request: searchRequest(change.state ?? state, settings, 2000),
    startedAt: 0,
    files: [],
    repositories: new Map([...names].map((name, id) => [id, { id, name, ...info }])),
    outcome: "done",
    ...change,
  };
  if (ended === undefined) return whole;
  const { isExhaustive = true, ...stats } = ended;
  const zeros = { totalMatchCount: 0, actualMatchCount: 0, fileCount: 0, filesSkipped: 0, duration: 41e6 };
  return {
    ...whole,
    end: {
      stats: { ...zeros, flushReason: "NONE", ...stats } as SearchStats,
      repositoryInfo: [],
      isSearchExhaustive: isExhaustive,
    },
  };
}

const all: Ended = { totalMatchCount: 4, actualMatchCount: 4, fileCount: 2 };
const limited = (flushReason: SearchStats["flushReason"], change: Ended = {}): Ended => ({
  ...all,
  isExhaustive: false,
  flushReason,
  ...change,
});

/** As a person reads it: the line, then the notes, with ways out in brackets. */
function read({ isRunning, summary, suggestions, notes }: BoxStatus): string {
  const ways = (actions: readonly BoxAction[]) => actions.map(({ title }) => ` [${title}]`).join("");
  const also = suggestions === undefined ? "" : ` ${suggestions.title}${ways(suggestions.actions)}`;
  return [
    `${isRunning ? "… " : ""}${summary}${also}`,
    ...notes.map(({ text, severity, actions }) => `${severity}: ${text}${ways(actions)}`),
  ].join("\n");
}

function check(name: string, facts: Partial<StatusFacts>, expected: string): void {
  test(name, () => assert.equal(read(statusOf({ ...nothing, ...facts }, english)), expected));
}

check("nothing is said before a search", {}, "");
check("a server that starts", { server: "starting" }, "Starting the search server…");
check(
  "a server that failed",
  { server: "failed", set: set({ files }, all) },
  "\nerror: The search server is not running. [Restart Server] [Show Logs]",
);
check("a short text", { waits: "short" }, "Type three characters, or press Enter to search.");
check(
  "a costly text",
  { waits: "costly", set: set({ files }, all) },
  "This reads every file: press Enter to search.",
);
check("filters alone", { waits: "enter" }, "Press Enter to search.");
check("an error that stands above", { waits: "mend", set: set({ files }, all) }, "");
check("a search that begins", { set: set({ outcome: "running" }) }, "… Searching…");
check(
  "a search that runs",
  { set: set({ outcome: "running", files }) },
  "… 4 matches · 2 files · 2 repositories",
);
check(
  "a search that was cancelled",
  { set: set({ outcome: "cancelled", files }) },
  "4 matches · 2 files · 2 repositories · cancelled",
);
check("cancelled before anything was found", { set: set({ outcome: "cancelled" }) }, "cancelled");
check("all of it", { set: set({ files }, all) }, "4 matches · 2 files · 2 repositories · 41 ms");
check(
  "one of each, and a long time",
  {
    set: set(
      { files: files.slice(1) },
      { totalMatchCount: 1, actualMatchCount: 1, fileCount: 1, duration: 2.34e9 },
    ),
  },
  "1 match · 1 file · 1 repository · 2.3 s",
);
check(
  "no time at all",
  { set: set({ files }, { ...all, duration: 0 }) },
  "4 matches · 2 files · 2 repositories · 1 ms",
);

check(
  "the limit of matches, with more behind it",
  { set: set({ files }, limited("MATCH_LIMIT", { actualMatchCount: 2000, totalMatchCount: 12_345 })) },
  "about 12,345 matches · 2 files · 2 repositories · 41 ms\nwarning: Stopped at 2,000 of about 12,345. [Show All]",
);
check(
  "the limit of matches, and nobody knows how many more",
  { set: set({ files }, limited("MATCH_LIMIT")) },
  "about 4 matches · 2 files · 2 repositories · 41 ms\nwarning: Stopped at 4. [Show All]",
);
check(
  "the last limit of matches",
  { set: { ...set({ files }, limited("MATCH_LIMIT")), request: { query: "retry", matches: 100_000 } } },
  "about 4 matches · 2 files · 2 repositories · 41 ms\nwarning: Stopped at 4.",
);
const counts = "about 4 matches · 2 files · 2 repositories · 41 ms";
const reasons: readonly [SearchStats["flushReason"], Partial<StatusFacts>, string][] = [
  ["TIME_LIMIT", {}, "Stopped after 41 ms with 4 results. [Search Again]"],
  ["BYTE_LIMIT", {}, "Stopped at 4: an answer cannot be larger."],
  ["INDEXING", { indexing: 3 }, "3 repositories still indexing. [Search Again]"],
  ["INDEXING", { indexing: 1 }, "1 repository still indexing. [Search Again]"],
  ["INDEXING", {}, "Indexing was not finished. [Search Again]"],
  [
    "REVISION_NOT_INDEXED",
    {},
    "Not all of a revision that is not indexed could be read in time. [Search Again]",
  ],
  ["SHARD_DAMAGED", {}, "Part of the index is damaged and is being built anew. [Search Again]"],
  ["ENGINE_PARTIAL", {}, "Part of the query could not be answered."],
  ["NONE", {}, "The answer may be incomplete. [Search Again]"],
];
for (const [reason, facts, text] of reasons) {
  check(
    `${reason} ${JSON.stringify(facts)}`,
    { ...facts, set: set({ files }, limited(reason)) },
    `${counts}\nwarning: ${text}`,
  );
}
check(
  "definitions, which are not there yet",
  { set: { ...set({ files }, limited("ENGINE_PARTIAL")), request: { query: "retry sym:f case:auto" } } },
  `${counts}\nwarning: Definitions cannot be searched for yet.`,
);
check(
  "commits, which no view lists",
  {
    set: set(
      { state: { ...state, query: "fix type:commit" } },
      { totalMatchCount: 3, actualMatchCount: 3, fileCount: 0 },
    ),
  },
  "3 commits · 41 ms",
);
check(
  "what indexing hides is not told of an answer that it cannot change",
  { indexing: 3, set: set({ files }, all) },
  "4 matches · 2 files · 2 repositories · 41 ms",
);

const unsaved: FileMatch[] = files.map((file) => ({ ...file, origin: "unsaved" }));
check(
  "limits come before what is skipped, and that before what is unsaved",
  { set: set({ files: unsaved }, limited("TIME_LIMIT", { filesSkipped: 7 })) },
  `${counts}\nwarning: Stopped after 41 ms with 4 results. [Search Again]\ninfo: 7 files skipped. [Why?]\ninfo: 4 results from unsaved files.`,
);
check(
  "one of each",
  { set: set({ files: unsaved.slice(1) }, { totalMatchCount: 1, fileCount: 1, filesSkipped: 1 }) },
  "1 match · 1 file · 1 repository · 41 ms\ninfo: 1 file skipped. [Why?]\ninfo: 1 result from an unsaved file.",
);

const none: Ended = { totalMatchCount: 0 };
const nothingFor = (change: Partial<SearchState>, settings = defaults) =>
  set({ state: { ...state, ...change } }, none, settings);
const misses: readonly [what: Partial<SearchState>, facts: Partial<StatusFacts>, expected: string][] = [
  [{}, {}, "No results in 214 repositories. Also try: [all branches]"],
  [{}, { repositories: 1 }, "No results in 1 repository. Also try: [all branches]"],
  [{}, { repositories: 0 }, "No repositories are indexed yet. Also try: [add a folder]"],
  [{ query: "Retry" }, {}, "No results in 214 repositories. Also try: [ignore case] [all branches]"],
  [{ query: "retry repo:Web" }, {}, "No results. Also try: [all branches]"],
  [{ query: "retry context:us" }, {}, "No results. Also try: [all branches]"],
  [{ query: "retry rev:v1" }, {}, "No results in 214 repositories. Also try:"],
  [
    { caseSensitivity: "sensitive" },
    {},
    "No results in 214 repositories. Also try: [ignore case] [all branches]",
  ],
  [
    { query: "Retry", caseSensitivity: "insensitive" },
    {},
    "No results in 214 repositories. Also try: [all branches]",
  ],
  [{ query: "case:yes retry" }, {}, "No results in 214 repositories. Also try: [ignore case] [all branches]"],
  [
    { isWholeWord: true, isRegex: true },
    {},
    "No results in 214 repositories. Also try: [parts of words] [without regular expressions] [all branches]",
  ],
  [{}, { archived: 37 }, "No results in 214 repositories. Also try: [all branches] [include archived (37)]"],
  [
    { query: "retry archived:no" },
    { archived: 37 },
    "No results in 214 repositories. Also try: [all branches]",
  ],
];
for (const [what, facts, expected] of misses) {
  check(`nothing found ${JSON.stringify([what, facts])}`, { ...facts, set: nothingFor(what) }, expected);
}
check(
  "archived repositories were searched already",
  { archived: 37, set: nothingFor({}, { ...defaults, includeArchived: true }) },
  "No results in 214 repositories. Also try: [all branches]",
);
check(
  "all revisions were searched already",
  { set: nothingFor({}, { ...defaults, revisions: "rev:*" }) },
  "No results in 214 repositories. Also try:",
);
check(
  "nothing found so far",
  { indexing: 2, set: set({}, { ...none, isExhaustive: false, flushReason: "INDEXING" }) },
  "No results in 214 repositories. Also try: [all branches]\nwarning: 2 repositories still indexing. [Search Again]",
);

test("what is tried changes the box, and nothing else", () => {
  const actions = (change: Partial<SearchState>, archived = 0) =>
    statusOf({ ...nothing, archived, set: nothingFor(change) }, english).suggestions?.actions;
  assert.deepEqual(actions({ query: "a or B", caseSensitivity: "sensitive" }, 1), [
    { title: "ignore case", change: { caseSensitivity: "insensitive" } },
    { title: "all branches", change: { query: "(a or B) rev:refs/heads/**" } },
    { title: "include archived (1)", change: { query: "(a or B) archived:yes" } },
  ]);
  assert.deepEqual(actions({ query: "(case:auto B) c" })?.[0], {
    title: "ignore case",
    change: { query: "(case:no B) c" },
  });
});

const failed = (errorCode: string, message: string) =>
  set({ outcome: "failed", problem: { errorCode, message } });
check(
  "a server that ended",
  { set: failed("SERVER_GONE", "read ECONNRESET") },
  "\nerror: The search server ended before it answered. [Search Again] [Show Logs]",
);
check(
  "a query that was refused",
  { set: failed("FAILED_TO_PARSE_QUERY", "Expected a term at offset 3.") },
  "\nerror: Expected a term at offset 3.",
);
check(
  "any other error",
  { set: failed("OVERLOADED", "Too many searches at once.") },
  "\nerror: Too many searches at once. [Search Again]",
);

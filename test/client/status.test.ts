import assert from "node:assert/strict";
import { test } from "node:test";
import { countsBeforeNarrowing, type ResultSet } from "#client/search/resultSet";
import { type QueryDefaults, type SearchState, searchRequest } from "#client/search/searchState";
import { type StatusInput, statusOf } from "#client/search/status";
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

const idle: StatusInput = {
  set: undefined,
  waitReason: undefined,
  server: "running",
  repositories: 214,
  indexing: 0,
  archived: 0,
};

interface Ended extends Partial<SearchStats> {
  readonly isExhaustive?: boolean;
  readonly phraseMatchCount?: number;
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
  const { isExhaustive = true, phraseMatchCount = 0, ...stats } = ended;
  const zeros = {
    totalMatchCount: 0,
    actualMatchCount: 0,
    fileCount: 0,
    filesSkipped: 0,
    filesMissing: 0,
    duration: 41e6,
  };
  return {
    ...whole,
    end: {
      stats: { ...zeros, flushReason: "NONE", ...stats } as SearchStats,
      repositoryInfo: [],
      isSearchExhaustive: isExhaustive,
      phraseMatchCount,
    },
  };
}

const allFound: Ended = { totalMatchCount: 4, actualMatchCount: 4, fileCount: 2 };
const limited = (flushReason: SearchStats["flushReason"], change: Ended = {}): Ended => ({
  ...allFound,
  isExhaustive: false,
  flushReason,
  ...change,
});

/** Formats the status as lines: the summary, then the notes, with actions in brackets. */
function statusText({ isRunning, summary, suggestions, notes }: BoxStatus): string {
  const actionTitles = (actions: readonly BoxAction[]) => actions.map(({ title }) => ` [${title}]`).join("");
  const suggested =
    suggestions === undefined ? "" : ` ${suggestions.title}${actionTitles(suggestions.actions)}`;
  return [
    `${isRunning ? "… " : ""}${summary}${suggested}`,
    ...notes.map(({ text, severity, actions }) => `${severity}: ${text}${actionTitles(actions)}`),
  ].join("\n");
}

function check(name: string, facts: Partial<StatusInput>, expected: string): void {
  test(name, () => assert.equal(statusText(statusOf({ ...idle, ...facts }, english)), expected));
}

check("no status before a search", {}, "");
check("a server that starts", { server: "starting" }, "Starting the search server...");
check(
  "a server that failed",
  { server: "failed", set: set({ files }, allFound) },
  "\nerror: The search server is not running. [Restart Server] [Show Logs]",
);
check("a short query", { waitReason: "short" }, "Type three characters, or press Enter to search.");
check(
  "a costly query",
  { waitReason: "costly", set: set({ files }, allFound) },
  "This reads every file: press Enter to search.",
);
check("a query of filters only", { waitReason: "enter" }, "Press Enter to search.");
check("an error that is shown above", { waitReason: "invalid", set: set({ files }, allFound) }, "");
check("a search that starts", { set: set({ outcome: "running" }) }, "… Searching...");
check(
  "a search that runs",
  { set: set({ outcome: "running", files }) },
  "… 4 matches · 2 files · 2 repositories",
);
check(
  "a search that was canceled",
  { set: set({ outcome: "canceled", files }) },
  "4 matches · 2 files · 2 repositories · canceled",
);
check("canceled before anything was found", { set: set({ outcome: "canceled" }) }, "canceled");
check("complete results", { set: set({ files }, allFound) }, "4 matches · 2 files · 2 repositories · 41 ms");
check(
  "singular counts, and a long duration",
  {
    set: set(
      { files: files.slice(1) },
      { totalMatchCount: 1, actualMatchCount: 1, fileCount: 1, duration: 2.34e9 },
    ),
  },
  "1 match · 1 file · 1 repository · 2.3 s",
);
check(
  "results of which some were dismissed",
  { set: set({ files }, allFound), dismissed: { matches: 3, files: 1, repositories: 1 } },
  "1 match · 1 file · 1 repository · 41 ms",
);
check(
  "a duration of zero",
  { set: set({ files }, { ...allFound, duration: 0 }) },
  "4 matches · 2 files · 2 repositories · 1 ms",
);

check(
  "the match limit, with more matches",
  { set: set({ files }, limited("MATCH_LIMIT", { actualMatchCount: 2000, totalMatchCount: 12_345 })) },
  "about 12,345 matches · 2 files · 2 repositories · 41 ms\nwarning: Stopped at 2,000 of about 12,345. [Show All]",
);
check(
  "the match limit, and an unknown number of further matches",
  { set: set({ files }, limited("MATCH_LIMIT")) },
  "about 4 matches · 2 files · 2 repositories · 41 ms\nwarning: Stopped at 4. [Show All]",
);
check(
  "the highest match limit",
  { set: { ...set({ files }, limited("MATCH_LIMIT")), request: { query: "retry", matches: 100_000 } } },
  "about 4 matches · 2 files · 2 repositories · 41 ms\nwarning: Stopped at 4.",
);
const counts = "about 4 matches · 2 files · 2 repositories · 41 ms";
const reasons: readonly [SearchStats["flushReason"], Partial<StatusInput>, string][] = [
  ["TIME_LIMIT", {}, "Stopped after 41 ms with 4 results. [Try Again]"],
  ["BYTE_LIMIT", {}, "Stopped at 4: the results reached their size limit."],
  [
    "INDEXING",
    { indexing: 3 },
    "3 repositories are still indexing; results may be incomplete. [Search Again]",
  ],
  ["INDEXING", { indexing: 1 }, "1 repository is still indexing; results may be incomplete. [Search Again]"],
  ["INDEXING", {}, "Indexing had not finished; results may be incomplete. [Search Again]"],
  [
    "REVISION_NOT_INDEXED",
    {},
    "A revision that is not indexed could not be read completely in time. [Search Again]",
  ],
  ["SHARD_DAMAGED", {}, "Part of the index is damaged and is being rebuilt. [Search Again]"],
  ["ENGINE_PARTIAL", {}, "Part of the query could not be evaluated."],
  ["NONE", {}, "Results may be incomplete. [Search Again]"],
];
for (const [reason, facts, text] of reasons) {
  check(
    `${reason} ${JSON.stringify(facts)}`,
    { ...facts, set: set({ files }, limited(reason)) },
    `${counts}\nwarning: ${text}`,
  );
}
check(
  "definitions, which are not indexed yet",
  { set: { ...set({ files }, limited("ENGINE_PARTIAL")), request: { query: "retry sym:f case:auto" } } },
  `${counts}\nwarning: Definitions cannot be searched yet.`,
);
check(
  "commits",
  {
    set: set(
      { state: { ...state, query: "fix type:commit" } },
      { totalMatchCount: 3, actualMatchCount: 3, fileCount: 0 },
    ),
  },
  "3 commits · 41 ms",
);
check(
  "indexing is not mentioned for results that it cannot change",
  { indexing: 3, set: set({ files }, allFound) },
  "4 matches · 2 files · 2 repositories · 41 ms",
);

for (const [filesMissing, text] of [
  [1, "1 file could not be searched: its content is missing from the repository."],
  [1200, "1,200 files could not be searched: their content is missing from the repository."],
] as const) {
  check(
    `${filesMissing} files whose text is missing`,
    { set: set({ files }, limited("ENGINE_PARTIAL", { filesMissing })) },
    `${counts}\nwarning: ${text} [Why?]`,
  );
}

for (const [reason, other] of [
  ["ENGINE_PARTIAL", ""],
  ["MATCH_LIMIT", "\nwarning: Stopped at 4. [Show All]"],
] as const) {
  const found = set({ files }, limited(reason));
  const end = found.end && { ...found.end, serverProblem: "The team's part is missing." };
  check(
    `a team's server that is missing, and ${reason}`,
    { set: { ...found, ...(end === undefined ? {} : { end }) } },
    `${counts}\nwarning: The team's part is missing. [Search Again]${other}`,
  );
  check(
    `a team's server that rejects the key, and ${reason}`,
    { set: { ...found, ...(end === undefined ? {} : { end }) }, isKeyRejected: true },
    `${counts}\nwarning: The team's part is missing. [Log In Again]${other}`,
  );
}

const unsaved: FileMatch[] = files.map((file) => ({ ...file, origin: "unsaved" }));
check(
  "limits come before skipped files, and these before unsaved ones",
  { set: set({ files: unsaved }, limited("TIME_LIMIT", { filesSkipped: 7 })) },
  `${counts}\nwarning: Stopped after 41 ms with 4 results. [Try Again]\ninfo: 7 files skipped. [Why?]\ninfo: 4 results from unsaved files.`,
);
check(
  "one of each",
  { set: set({ files: unsaved.slice(1) }, { totalMatchCount: 1, fileCount: 1, filesSkipped: 1 }) },
  "1 match · 1 file · 1 repository · 41 ms\ninfo: 1 file skipped. [Why?]\ninfo: 1 result from an unsaved file.",
);

const none: Ended = { totalMatchCount: 0 };
const nothingFor = (change: Partial<SearchState>, settings = defaults) =>
  set({ state: { ...state, ...change } }, none, settings);
const misses: readonly [what: Partial<SearchState>, facts: Partial<StatusInput>, expected: string][] = [
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
  "No results in 214 repositories. Also try: [all branches]\nwarning: 2 repositories are still indexing; results may be incomplete. [Search Again]",
);

test("suggestions change the box, and nothing else", () => {
  const actions = (change: Partial<SearchState>, archived = 0) =>
    statusOf({ ...idle, archived, set: nothingFor(change) }, english).suggestions?.actions;
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

check(
  "words that also occur as a phrase",
  { set: set({ files }, { ...allFound, phraseMatchCount: 18 }), phraseQuery: '"return new Error"' },
  `4 matches · 2 files · 2 repositories · 41 ms\ninfo: 18 exact [Only the Phrase]`,
);
check(
  "a phrase that occurs once",
  { set: set({ files }, { ...allFound, phraseMatchCount: 1 }), phraseQuery: '"a b"' },
  `4 matches · 2 files · 2 repositories · 41 ms\ninfo: 1 exact [Only the Phrase]`,
);
check(
  "a phrase in a search that stopped early",
  {
    set: set({ files }, { ...limited("TIME_LIMIT"), phraseMatchCount: 16 }),
    phraseQuery: '"a b"',
  },
  [
    "about 4 matches · 2 files · 2 repositories · 41 ms",
    "info: 16+ exact [Only the Phrase]",
    "warning: Stopped after 41 ms with 4 results. [Try Again]",
  ].join("\n"),
);
check(
  "a box that was edited since",
  { set: set({ files }, { ...allFound, phraseMatchCount: 18 }) },
  "4 matches · 2 files · 2 repositories · 41 ms",
);

const failed = (errorCode: string, message: string) =>
  set({ outcome: "failed", problem: { errorCode, message } });
check(
  "a server that crashed",
  { set: failed("SERVER_GONE", "read ECONNRESET") },
  "\nerror: The search server stopped before it responded. [Search Again] [Show Logs]",
);
check(
  "a query that could not be parsed",
  { set: failed("FAILED_TO_PARSE_QUERY", "Expected a term at offset 3.") },
  "\nerror: Expected a term at offset 3.",
);
check(
  "any other error",
  { set: failed("OVERLOADED", "Too many searches at once.") },
  "\nerror: Too many searches at once. [Search Again]",
);

check(
  "narrowed results count what remains",
  {
    set: set(
      {
        files,
        state: { ...state, narrowed: ["timeout"] },
        beforeNarrowing: { files: 38, repositories: 12 },
      },
      allFound,
    ),
  },
  "4 matches · 2 of 38 files · 2 of 12 repositories · 41 ms",
);
check(
  "no results among narrowed ones",
  {
    set: set(
      { state: { ...state, narrowed: ["x", "y"] }, beforeNarrowing: { files: 1, repositories: 1 } },
      {},
    ),
  },
  "No results in the 1 file that matched before narrowing. Also try: [all branches]",
);

test("counts before narrowing are those of the same search", () => {
  const found = set({ files }, allFound);
  const once = { ...state, narrowed: ["x"] };
  const counts = { files: 2, repositories: 2 };
  assert.equal(countsBeforeNarrowing(state, found), undefined);
  assert.deepEqual(countsBeforeNarrowing(once, found), counts);
  assert.equal(countsBeforeNarrowing({ ...once, isRegex: true }, found), undefined);
  assert.equal(countsBeforeNarrowing(once, set({ files }, limited("MATCH_LIMIT"))), undefined);
  const narrowed = set({ state: once, beforeNarrowing: counts }, {});
  assert.deepEqual(countsBeforeNarrowing({ ...state, narrowed: ["x", "y"] }, narrowed), counts);
});

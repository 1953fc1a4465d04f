/** What happens to results after a search: repeated searches, rows that suggest more, documents and blame. */
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { ResultCommands } from "#client/results/resultCommands";
import { Suggestions } from "#client/results/resultSuggestions";
import { Results } from "#client/results/results";
import { ResultsDocuments } from "#client/results/resultsDocument";
import type { ResultSet } from "#client/search/resultSet";
import { Searches } from "#client/search/searches";
import type { SearchState } from "#client/search/searchState";
import { fileMatch } from "#test/support/fileMatch";
import { EventEmitter, executed, TabInputText, Uri, window, workspace } from "#test/support/vscode";

const state: SearchState = {
  query: "foo",
  caseSensitivity: "smart",
  isWholeWord: false,
  isRegex: false,
  narrowed: [],
};
const stats = {
  totalMatchCount: 0,
  actualMatchCount: 0,
  fileCount: 0,
  filesSkipped: 0,
  filesMissing: 0,
  duration: 1e6,
};
const incomplete = { isSearchExhaustive: false, repositoryInfo: [] };
const defaults = () => ({ scope: "", revisions: "", includeArchived: true });

beforeEach(() => {
  executed.length = 0;
});

async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
}

/** A service whose searches end because indexing has not finished. */
function indexingService() {
  let searchCount = 0;
  const service = {
    call: async (operation: string) => {
      if (operation === "readQuery") return { filters: [], problems: [] };
      searchCount++;
      return { ...incomplete, stats: { ...stats, flushReason: "INDEXING" } };
    },
  } as never;
  return { service, searchCount: () => searchCount };
}

/** Runs a search, reports each list of repositories, and waits an hour after each. Returns the search counts. */
async function searchCounts(
  timers: { tick(ms: number): void },
  ...lists: readonly (readonly object[])[]
): Promise<number[]> {
  const { service, searchCount } = indexingService();
  const searches = new Searches(service, defaults);
  const changed = new EventEmitter();
  const repositories = {
    items: new Map<number, unknown>(),
    clones: new Map(),
    onChange: changed.event,
    load: async () => undefined,
  };
  const searchView = { welcome: null, columns: 80, onChange: new EventEmitter().event };
  new Results({
    service,
    searches,
    repositories: repositories as never,
    teamServer: { state: { state: "off" }, onChange: new EventEmitter().event as never },
    snapshots: {} as never,
    memento: { get: () => undefined } as never,
    box: () => ({}) as never,
    defaults,
    searchView: searchView as never,
  });
  const counts = [];
  for (const [index, list] of lists.entries()) {
    repositories.items = new Map(list.entries());
    if (index === 0) await searches.run(state);
    changed.fire();
    for (let minute = 0; minute < 60; minute++) {
      timers.tick(60_000);
      await settle();
    }
    counts.push(searchCount());
  }
  return counts;
}

const repository = (repositoryState: string, symbolsReady = true) => ({
  repoName: "r",
  state: repositoryState,
  symbolsReady,
});

test("a search is not repeated because of a failed repository", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  assert.deepEqual(await searchCounts(t.mock.timers, [repository("ready"), repository("failed")]), [1]);
});

test("a search is repeated when indexing has finished, once if a repository failed", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const counts = await searchCounts(
    t.mock.timers,
    [repository("indexing"), repository("failed")],
    [repository("ready"), repository("failed")],
  );
  assert.deepEqual(counts, [1, 2]);
});

test("a search is repeated while definitions are pending", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const [count = 0] = await searchCounts(t.mock.timers, [repository("ready", false), repository("failed")]);
  assert.ok(count > 2);
});

test("an empty result suggests what its warnings suggest", () => {
  const set = (change: object): ResultSet => ({
    id: 1,
    state,
    request: { query: "foo" },
    startedAt: 0,
    files: [],
    repositories: new Map(),
    outcome: "done",
    end: { ...incomplete, stats: { ...stats, ...change } } as never,
  });
  const titles = (change: object) =>
    new Suggestions({
      service: {} as never,
      repositories: { items: new Map([[1, repository("ready")]]) as never },
      teamServer: { state: { state: "off" } },
      current: () => set(change),
      dismissed: () => undefined,
      box: () => ({}) as never,
      searchView: { welcome: null },
    }).rows.map(({ action }) => action.title);
  assert.deepEqual(titles({ flushReason: "TIME_LIMIT" }), ["all branches", "Try Again"]);
  assert.deepEqual(titles({ flushReason: "ENGINE_PARTIAL", filesMissing: 2 }), [
    "all branches",
    "Show Skipped Files",
  ]);
});

test("only the file of the result is blamed", async () => {
  const file = fileMatch("r", "a.ts", { number: 1, text: "foo" });
  const row = { kind: "file", file, lineCount: 1 } as never;
  const blamed = async (opened: Uri | undefined, active: Uri) => {
    executed.length = 0;
    Object.assign(window, { activeTextEditor: { document: { uri: active } } });
    const { commands } = new ResultCommands({
      tree: { view: { selection: [], onDidChangeSelection: () => undefined }, latest: () => undefined },
      opener: { open: async () => opened },
    } as never);
    await commands["search.blame"](row);
    return executed.some(([command]) => command === "trawl.blame.toggleFile");
  };
  assert.equal(await blamed(new Uri("/a.ts"), new Uri("/a.ts")), true);
  assert.equal(await blamed(undefined, new Uri("/b.ts")), false);
  assert.equal(await blamed(new Uri("/a.ts"), new Uri("/b.ts")), false);
});

test("a saved results document closes its own editors, and has a name", async () => {
  const file = fileMatch("r", "a.ts", { number: 1, text: "foo" });
  let text = "";
  const open = (uri: Uri) => ({ uri, version: 1, getText: () => text });
  const tabs = [new Uri("/other"), new Uri("/foo.trawl-results")].map((uri) => ({
    input: new TabInputText(uri),
  }));
  const closed: unknown[] = [];
  let proposed = "";
  Object.assign(workspace, {
    openTextDocument: async (uri: Uri) => open(uri),
    fs: { ...workspace.fs, stat: () => Promise.reject(new Error()) },
  });
  Object.assign(window, {
    activeColorTheme: { kind: 1 },
    withProgress: (_: unknown, run: () => unknown) => run(),
    showSaveDialog: async ({ defaultUri }: { readonly defaultUri?: Uri }) => {
      proposed = defaultUri?.path ?? "";
      return new Uri("/saved");
    },
    tabGroups: {
      all: [{ tabs }],
      close: async (chosen: readonly unknown[]) => {
        closed.push(...chosen);
      },
    },
  });
  const service = {
    call: async (operation: string, _: unknown, options?: { onEvent(event: unknown): void }) => {
      if (operation === "readQuery") return { filters: [], problems: [] };
      options?.onEvent({ event: "files", data: { files: [file], repositoryInfo: [] } });
      return { ...incomplete, stats };
    },
  } as never;
  const documents = new ResultsDocuments({
    service,
    repositories: { items: new Map(), load: async () => undefined } as never,
    tree: { order: "relevance", latest: () => ({ set: { state, request: {} } }) } as never,
    defaults,
  });
  await documents.commands["search.openResultsEditor"]();
  const uri = new Uri("/foo.trawl-results");
  text = await documents.provideTextDocumentContent(uri as never);
  Object.assign(window, { activeTextEditor: { document: open(uri) } });
  await documents.commands["results.save"]();
  assert.deepEqual(closed, [tabs[1]]);
  assert.match(proposed, /\/foo\.trawl-results$/);
  assert.ok(!executed.some(([command]) => command === "workbench.action.closeActiveEditor"));
});

/** Saved & Recent: the view, its commands, and the recording of searches. */

import { applyEdits, modify } from "jsonc-parser";
import * as vscode from "vscode";
import { matchCountOf, type ResultSet } from "#client/search/resultSet";
import type { SearchBox } from "#client/search/searchBox";
import type { Searches } from "#client/search/searches";
import { type HistoryEntry, isSameSearch, SearchHistory } from "#client/search/searchHistory";
import type { SearchState } from "#client/search/searchState";
import { foundText } from "#client/search/status";
import { clickedRow } from "#client/workbench/clickedRow";
import type { Handlers } from "#client/workbench/declarations";
import { ago } from "#client/workbench/format";
import type { savedSearchCommands } from "./contributions";
import { ResultArchive } from "./resultArchive";
import { SavedSearches, savedSearchesKey } from "./savedSearches";
import { type GroupNode, type SavedNode, SavedTree } from "./savedTree";
import { sharedFiles, TeamFileLenses, TeamSearches } from "./teamSearches";

type RunnableSearch = Pick<SavedNode, "state" | "entry">;

export class Saved implements vscode.Disposable {
  readonly history: SearchHistory;
  readonly #saved: SavedSearches;
  readonly #archive: ResultArchive;
  readonly #team = new TeamSearches();
  readonly #tree: SavedTree;
  readonly #view: vscode.TreeView<GroupNode | SavedNode>;
  readonly #searches: Searches;
  readonly #box: SearchBox;
  readonly #subscriptions: vscode.Disposable;

  constructor(context: vscode.ExtensionContext, searches: Searches, box: () => SearchBox) {
    this.history = new SearchHistory(context.workspaceState);
    this.#saved = new SavedSearches(context.globalState);
    context.globalState.setKeysForSync([savedSearchesKey]);
    void this.#saved.restore();
    this.#archive = new ResultArchive(context.storageUri ?? context.globalStorageUri);
    this.#tree = new SavedTree(this.#saved, this.history, this.#team);
    this.#view = vscode.window.createTreeView("trawl.saved", { treeDataProvider: this.#tree });
    this.#searches = searches;
    this.#box = {
      get state() {
        return box().state;
      },
      show: (...args) => box().show(...args),
    };
    this.#subscriptions = vscode.Disposable.from(
      this.#team,
      this.#view,
      vscode.languages.registerCodeLensProvider(
        [{ language: "jsonc" }, { language: "json" }],
        new TeamFileLenses(),
      ),
      searches.onSettle((set) => void this.#record(set)),
    );
  }

  get commands(): Handlers<typeof savedSearchCommands> {
    return {
      "search.save": () => this.#save(),
      "search.openSaved": () => this.#openSaved(),
      "search.runSaved": async (node?: RunnableSearch) => {
        const search = node ?? (await clickedRow(this.#view));
        if (search !== undefined && "state" in search) await this.#run(search);
      },
      "search.deleteSaved": (node: SavedNode) => this.#delete(node),
      "search.history": () => this.#openHistory(),
      "search.clearHistory": () => this.#clearHistory(),
    };
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  /** Adds a search to the history, unless it was replaced while it ran. */
  async #record(set: ResultSet): Promise<void> {
    if (set.outcome !== "done" || this.#searches.current?.id !== set.id) return;
    const entry: HistoryEntry = {
      id: `${set.startedAt.toString(36)}-${set.id}`,
      state: set.state,
      ranAt: set.startedAt,
      matchCount:
        set.end?.stats.totalMatchCount ?? set.files.reduce((sum, file) => sum + matchCountOf(file), 0),
      fileCount: set.end?.stats.fileCount ?? set.files.length,
      isExhaustive: set.end?.isSearchExhaustive ?? false,
    };
    const evicted = await this.history.add(entry);
    await this.#archive.remove(evicted.map(({ id }) => id));
    await this.#archive.save(entry.id, set).then(undefined, () => undefined);
    const saved = this.#saved.all.find(({ state }) => isSameSearch(state, set.state));
    if (saved === undefined) this.#tree.refresh();
    else {
      this.#tree.setNewMatches(saved.name, this.#saved.newMatchesIn(saved.state, set.files));
      await this.#saved.markSeen(saved.state, set.files, set.startedAt);
    }
  }

  /** Shows the stored results of a recent search; runs any other. */
  async #run({ state, entry }: RunnableSearch): Promise<void> {
    const stored = entry === undefined ? undefined : await this.#archive.load(entry.id);
    if (stored === undefined) {
      await this.#box.show({ ...state }, { shouldFocus: false });
      return;
    }
    await this.#box.show({ ...state }, { shouldFocus: false, shouldRun: false });
    this.#searches.restore(stored);
  }

  async #delete({ group, name, entry }: SavedNode): Promise<void> {
    if (group === "mine") await this.#saved.remove(name);
    if (entry !== undefined) {
      await this.history.remove(entry.id);
      await this.#archive.remove([entry.id]);
    }
    this.#tree.refresh();
  }

  async #clearHistory(): Promise<void> {
    await this.history.clear();
    await this.#archive.clear();
    this.#tree.refresh();
  }

  async #save(): Promise<void> {
    const { state } = this.#box;
    const targets = [
      {
        label: vscode.l10n.t("For Me"),
        description: vscode.l10n.t("in VS Code, with Settings Sync"),
        uri: undefined,
      },
      ...sharedFiles().map(({ folder, path, uri }) => ({
        label: vscode.l10n.t("For the Team"),
        description: `${folder.name}/${path}`,
        uri,
      })),
    ];
    const target =
      targets.length === 1
        ? targets[0]
        : await vscode.window.showQuickPick(targets, {
            title: vscode.l10n.t("Save Search"),
            placeHolder: state.query,
          });
    if (target === undefined) return;
    const name = await vscode.window.showInputBox({
      title: vscode.l10n.t("Save Search"),
      prompt: vscode.l10n.t("Name of the search"),
      value: [state.query, ...state.narrowed].join(" "),
      validateInput: (text) =>
        text.trim() === "" ? vscode.l10n.t("Enter a name for the search.") : undefined,
    });
    if (name === undefined) return;
    if (target.uri === undefined) {
      await this.#saved.save({ name: name.trim(), state });
      const { current } = this.#searches;
      if (current?.outcome === "done" && isSameSearch(current.state, state)) {
        await this.#saved.markSeen(state, current.files, Date.now());
      }
      this.#tree.refresh();
    } else await addToTeamFile(target.uri, name.trim(), state);
  }

  async #openSaved(): Promise<void> {
    const team = await this.#team.files();
    const picked = await vscode.window.showQuickPick(
      [
        ...separated(
          vscode.l10n.t("Team"),
          team.flatMap(({ searches }) => searches),
        ),
        ...separated(vscode.l10n.t("Mine"), this.#saved.all),
      ],
      { title: vscode.l10n.t("Open Saved Search"), matchOnDescription: true },
    );
    if (picked?.search !== undefined) await this.#run(picked.search);
  }

  async #openHistory(): Promise<void> {
    const picked = await vscode.window.showQuickPick(
      this.history.entries.map((entry) => ({
        label: [entry.state.query, ...entry.state.narrowed].join(" › ").replaceAll(/\s+/g, " "),
        description: `${foundText(entry.state.query, entry.matchCount, vscode.l10n)} · ${ago(entry.ranAt)}`,
        entry,
      })),
      { title: vscode.l10n.t("Search History"), matchOnDescription: true },
    );
    if (picked !== undefined) await this.#run({ state: picked.entry.state, entry: picked.entry });
  }
}

interface SearchItem extends vscode.QuickPickItem {
  readonly search?: { readonly state: SearchState };
}

function separated(
  label: string,
  searches: readonly { readonly name: string; readonly state: SearchState }[],
): SearchItem[] {
  if (searches.length === 0) return [];
  return [
    { label, kind: vscode.QuickPickItemKind.Separator },
    ...searches.map((search) => ({
      label: search.name,
      description: search.name === search.state.query ? "" : search.state.query,
      search,
    })),
  ];
}

/** Appends a search to the team's file, keeping comments and layout, and opens the file so that it can be committed. */
async function addToTeamFile(uri: vscode.Uri, name: string, state: SearchState): Promise<void> {
  const text = await vscode.workspace.fs.readFile(uri).then(
    (bytes) => new TextDecoder().decode(bytes),
    () => '{\n  "searches": []\n}\n',
  );
  const entry = {
    ...(name === state.query ? {} : { name }),
    query: state.query,
    ...(state.caseSensitivity === "smart" ? {} : { case: state.caseSensitivity }),
    ...(state.isRegex ? { regex: true } : {}),
    ...(state.isWholeWord ? { wholeWord: true } : {}),
  };
  const edits = modify(text, ["searches", -1], entry, {
    isArrayInsertion: true,
    formattingOptions: { insertSpaces: true, tabSize: 2, eol: "\n" },
  });
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(applyEdits(text, edits)));
  await vscode.window.showTextDocument(uri);
}

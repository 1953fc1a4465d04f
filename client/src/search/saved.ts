/** Saved & Recent: the view, its commands, and the keeping of what was run. */
import { applyEdits, modify } from "jsonc-parser";
import * as vscode from "vscode";
import { clickedRow } from "#client/clickedRow";
import type { Commands } from "#client/commands";
import { ago } from "#client/words";
import { type HistoryEntry, isSameSearch, SearchHistory } from "./history";
import { ResultArchive } from "./resultArchive";
import { matchCountOf, type ResultSet } from "./resultSet";
import { SavedSearches } from "./savedSearches";
import { type GroupNode, type SavedNode, SavedTree } from "./savedTree";
import type { SearchBox } from "./searchBox";
import type { Searches } from "./searches";
import type { SearchState } from "./searchState";
import { sharedFiles, TeamFileLenses, TeamSearches } from "./teamSearches";

type Searched = Pick<SavedNode, "state" | "entry">;

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
    this.#archive = new ResultArchive(context.storageUri ?? context.globalStorageUri);
    this.#tree = new SavedTree(this.#saved, this.history, this.#team);
    this.#view = vscode.window.createTreeView("trawl.saved", { treeDataProvider: this.#tree });
    this.#searches = searches;
    this.#box = {
      get state() {
        return box().state;
      },
      show: (...words) => box().show(...words),
    };
    this.#subscriptions = vscode.Disposable.from(
      this.#team,
      this.#view,
      vscode.languages.registerCodeLensProvider(
        [{ language: "jsonc" }, { language: "json" }],
        new TeamFileLenses(),
      ),
      searches.onSettle((set) => void this.#keep(set)),
    );
  }

  get commands(): Commands {
    return {
      "search.save": () => this.#save(),
      "search.openSaved": () => this.#openSaved(),
      "search.runSaved": async (node?: Searched) => {
        const searched = node ?? (await clickedRow(this.#view));
        if (searched !== undefined && "state" in searched) await this.#run(searched);
      },
      "search.deleteSaved": (node: SavedNode) => this.#delete(node),
      "search.history": () => this.#openHistory(),
      "search.clearHistory": () => this.#clearHistory(),
    };
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  /** A search that was typed over while it ran is no history. */
  async #keep(set: ResultSet): Promise<void> {
    if (set.outcome !== "done" || this.#searches.present?.id !== set.id) return;
    const entry: HistoryEntry = {
      id: `${set.startedAt.toString(36)}-${set.id}`,
      state: set.state,
      ranAt: set.startedAt,
      matchCount:
        set.end?.stats.totalMatchCount ?? set.files.reduce((sum, file) => sum + matchCountOf(file), 0),
      fileCount: set.end?.stats.fileCount ?? set.files.length,
      isExhaustive: set.end?.isSearchExhaustive ?? false,
    };
    const gone = await this.history.add(entry);
    await this.#archive.remove(gone.map(({ id }) => id));
    await this.#archive.save(entry.id, set).then(undefined, () => undefined);
    const saved = this.#saved.all.find(({ state }) => isSameSearch(state, set.state));
    if (saved === undefined) this.#tree.refresh();
    else {
      this.#tree.tellNews(saved.name, this.#saved.newsIn(saved.state, set.files));
      await this.#saved.look(saved.state, set.files, set.startedAt);
    }
  }

  /** A recent search comes back as it was; any other is run. */
  async #run({ state, entry }: Searched): Promise<void> {
    const kept = entry === undefined ? undefined : await this.#archive.load(entry.id);
    if (kept === undefined) {
      await this.#box.show({ ...state }, { isFocused: false });
      return;
    }
    await this.#box.show({ ...state }, { isFocused: false, isRun: false });
    this.#searches.restore(kept);
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
    const places = [
      { label: vscode.l10n.t("For Me"), description: vscode.l10n.t("in this installation"), uri: undefined },
      ...sharedFiles().map(({ folder, path, uri }) => ({
        label: vscode.l10n.t("For the Team"),
        description: `${folder.name}/${path}`,
        uri,
      })),
    ];
    const place =
      places.length === 1
        ? places[0]
        : await vscode.window.showQuickPick(places, {
            title: vscode.l10n.t("Save Search"),
            placeHolder: state.query,
          });
    if (place === undefined) return;
    const name = await vscode.window.showInputBox({
      title: vscode.l10n.t("Save Search"),
      prompt: vscode.l10n.t("Name of the search"),
      value: [state.query, ...state.narrowed].join(" "),
      validateInput: (text) => (text.trim() === "" ? vscode.l10n.t("A search needs a name.") : undefined),
    });
    if (name === undefined) return;
    if (place.uri === undefined) {
      await this.#saved.save({ name: name.trim(), state });
      const { present } = this.#searches;
      if (present?.outcome === "done" && isSameSearch(present.state, state)) {
        await this.#saved.look(state, present.files, Date.now());
      }
      this.#tree.refresh();
    } else await addToTeamFile(place.uri, name.trim(), state);
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
        description: `${vscode.l10n.t("{0} matches", entry.matchCount.toLocaleString())} · ${ago(entry.ranAt)}`,
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

/** Adds at the end of the list, keeps comments and layout, and opens the file for the commit. */
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

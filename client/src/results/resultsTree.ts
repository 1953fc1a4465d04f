/** The Results view: the current search and the pinned ones, as a tree. */
import * as vscode from "vscode";
import { shortNames } from "#client/model/grouping";
import type { Repositories } from "#client/model/repositories";
import type { ResultSet } from "#client/search/resultSet";
import type { SearchViewInfo } from "#client/search/searchBox";
import type { Searches } from "#client/search/searches";
import { allMatches } from "#client/search/searchState";
import { setContext } from "#client/workbench/commands";
import { withLabels } from "#client/workbench/rows";
import type { FileMatch } from "#contract/search";
import type { ViewMode } from "./resultGroups";
import { resultItem } from "./resultItems";
import { lineCountOf } from "./resultLines";
import type { ResultLocations } from "./resultLocations";
import { type Arrangement, ResultModel } from "./resultModel";
import { type MoreNode, parentOf, type ResultNode, type SetNode, setOf } from "./resultNodes";
import { sortOrders } from "./resultOrder";
import { type SuggestionNode, type Suggestions, suggestionItem } from "./resultSuggestions";
import { inRowOrder } from "./selectedRows";

export type ResultRow = ResultNode | SuggestionNode;

export interface ResultsTreeOptions {
  readonly searches: Searches;
  readonly locations: ResultLocations;
  readonly repositories: Repositories;
  readonly suggestions: Suggestions;
  readonly memento: vscode.Memento;
  readonly searchView: SearchViewInfo;
  readonly drag: vscode.TreeDragAndDropController<ResultRow>;
  readonly tooltip: (
    node: ResultNode,
    token: vscode.CancellationToken,
  ) => Promise<vscode.MarkdownString | undefined>;
}

const orderKey = "trawl.sortOrder";
const viewModeKey = "trawl.viewMode";
/** Minimum interval between refreshes: VS Code redraws a tree that changes more often only after a pause of 200 ms. */
const refreshMs = 250;
const progressAfterMs = 400;
/** Expanding all rows does not show all lines of files with many if there are more lines than this. */
const maxExpandedRows = 20_000;

export class ResultsTree implements vscode.TreeDataProvider<ResultRow>, vscode.Disposable {
  readonly view: vscode.TreeView<ResultRow>;
  readonly #options: ResultsTreeOptions;
  #current: ResultModel | undefined;
  readonly #pinned = new Map<number, ResultModel>();
  #arrangement: Arrangement;
  #shortNames: ReadonlyMap<string, string> = new Map();
  #timer: NodeJS.Timeout | undefined;
  #refreshedAt = 0;
  /** How often all rows were expanded. Part of their ids since then, so that VS Code forgets which rows it has collapsed. */
  #expansions = 0;
  #expandsCopies = false;
  /** Set while a running search has a progress bar, or is about to get one. */
  #progress: NodeJS.Timeout | undefined;
  /** Values of context keys as set last. */
  readonly #contextValues = new Map<string, boolean>();
  readonly #changed = new vscode.EventEmitter<ResultRow | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #subscriptions: vscode.Disposable;

  constructor(options: ResultsTreeOptions) {
    this.#options = options;
    const { searches, locations, repositories, memento } = options;
    const stored = memento.get(orderKey);
    const order = sortOrders.find((each) => each === stored) ?? "relevance";
    this.#arrangement = { order, viewMode: viewModeOf(memento) };
    this.view = vscode.window.createTreeView("trawl.results", {
      treeDataProvider: this,
      canSelectMany: true,
      dragAndDropController: options.drag,
    });
    this.#subscriptions = vscode.Disposable.from(
      this.view,
      this.#changed,
      searches.onChange(() => this.#schedule()),
      locations.onChange(() => this.#schedule()),
      repositories.onChange(() => {
        this.#shortNames = shortNames(
          [...(repositories.items?.values() ?? [])].map(({ repoName }) => repoName),
        );
        this.#schedule();
      }),
      options.suggestions.onChange(() => this.#schedule()),
      options.searchView.onChange(() => this.#schedule()),
      this.view.onDidExpandElement(() => this.#setContext("trawl.resultsCollapsed", false)),
    );
  }

  dispose(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#progress);
    this.#subscriptions.dispose();
  }

  get arrangement(): Arrangement {
    return this.#arrangement;
  }

  /** Arranges the rows, and remembers it for the workspace. */
  async arrange(change: Partial<Arrangement>): Promise<void> {
    this.#arrangement = { ...this.#arrangement, ...change };
    this.#refresh();
    const { memento } = this.#options;
    if (change.order !== undefined) await memento.update(orderKey, change.order);
    if (change.viewMode !== undefined) await memento.update(viewModeKey, change.viewMode);
  }

  async collapseAll(): Promise<void> {
    await vscode.commands.executeCommand("trawl.results.focus");
    await vscode.commands.executeCommand("list.collapseAll");
    this.#setContext("trawl.resultsCollapsed", true);
  }

  /** Expands all rows, and shows more lines of long files unless VS Code would have to load too many rows. */
  async expandAll(): Promise<void> {
    const [selected] = this.view.selection;
    this.#expansions++;
    const files = this.#models().flatMap(({ set }) => set.files);
    const lines = files.reduce((sum, file) => sum + lineCountOf(file), 0);
    this.#expandsCopies = lines <= maxExpandedRows;
    if (this.#expandsCopies) for (const model of this.#models()) model.expandFiles();
    this.#setContext("trawl.resultsCollapsed", false);
    this.#refresh();
    if (selected !== undefined) await this.view.reveal(selected, { select: true, focus: true });
  }

  /** The model of the current search; `undefined` before the first search. */
  get current(): ResultModel | undefined {
    return this.#current;
  }

  /** Returns the model of the current search with the results that the rows may show only at their next refresh. */
  latest(): ResultModel | undefined {
    if (this.#timer !== undefined) this.#refresh();
    return this.#current;
  }

  #models(): readonly ResultModel[] {
    return [...(this.#current === undefined ? [] : [this.#current]), ...this.#pinned.values()];
  }

  /** Returns the model that a row belongs to. */
  modelOf(node: ResultNode): ResultModel | undefined {
    const pinned = setOf(node);
    return pinned === undefined ? this.#current : this.#pinned.get(pinned.set.id);
  }

  /** Returns the rows in the order of the tree. */
  sorted(nodes: readonly ResultNode[]): readonly ResultNode[] {
    const isNode = (row: ResultRow): row is ResultNode => row.kind !== "suggestion";
    return inRowOrder<ResultNode>(nodes, {
      children: (row) => this.getChildren(row).filter(isNode),
      parent: parentOf,
    });
  }

  /** Removes rows and selects the one that takes the position of the last. */
  async dismiss(nodes: readonly ResultNode[]): Promise<void> {
    const rows = this.sorted(nodes);
    const last = rows.at(-1);
    const model = last && this.modelOf(last);
    if (last === undefined || model === undefined) return;
    const neighbors = model.neighbors(last);
    for (const each of new Set(rows.map((row) => this.modelOf(row)))) {
      each?.dismiss(rows.filter((row) => this.modelOf(row) === each));
    }
    this.#refresh();
    const dismissed = new Set(rows.map(({ id }) => id));
    const next = neighbors.find((row) => !dismissed.has(row.id) && model.has(row));
    if (next !== undefined && this.view.visible) await this.view.reveal(next, { select: true, focus: true });
  }

  async showMore(node: MoreNode): Promise<void> {
    const model = this.modelOf(node);
    if (model === undefined) return;
    if (node.of === "unfetched") {
      await this.#options.searches.run(model.set.state, allMatches);
    } else {
      model.extend(node);
      this.#refresh();
    }
  }

  /** Selects the row of a result, unless the view is hidden. */
  async select(file: FileMatch, lineNumber: number | undefined): Promise<void> {
    const before = this.#current?.version;
    const row = this.#current?.rowOf(file, lineNumber);
    if (row === undefined || !this.view.visible) return;
    if (this.#current?.version !== before) this.#refresh();
    await this.view.reveal(row, { select: true, focus: false });
  }

  getChildren(row?: ResultRow): ResultRow[] {
    if (row?.kind === "suggestion") return [];
    if (row !== undefined) return [...(this.modelOf(row)?.children(row) ?? [])];
    const { searches, suggestions } = this.#options;
    const sets = searches.pinned.map((set): SetNode => ({ kind: "set", id: setId(set), set }));
    return [...suggestions.rows, ...sets, ...(this.#current?.children() ?? [])];
  }

  getTreeItem(row: ResultRow): vscode.TreeItem {
    if (row.kind === "suggestion") return withLabels(suggestionItem(row));
    const { repositories, locations, searchView } = this.#options;
    const sources = {
      repositories,
      shortName: (name: string) => this.#shortNames.get(name) ?? name,
      locationOf: (file: FileMatch) => locations.of(file),
      columns: searchView.columns,
    };
    const item = withLabels(resultItem(row, sources));
    const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    if (this.#expansions > 0) item.id = `${this.#expansions} ${row.id}`;
    if (this.#expandsCopies && row.kind === "file" && item.collapsibleState === Collapsed) {
      item.collapsibleState = Expanded;
    }
    return item;
  }

  getParent(row: ResultRow): ResultRow | undefined {
    return row.kind === "suggestion" ? undefined : parentOf(row);
  }

  async resolveTreeItem(
    item: vscode.TreeItem,
    row: ResultRow,
    token: vscode.CancellationToken,
  ): Promise<vscode.TreeItem> {
    if (row.kind !== "suggestion") item.tooltip = await this.#options.tooltip(row, token);
    return item;
  }

  /** Shows a progress bar above the rows while a slow search runs. */
  #showProgress(): void {
    const { searches } = this.#options;
    const isRunning = () => searches.current?.outcome === "running";
    if (this.#progress !== undefined || !isRunning()) return;
    this.#progress = setTimeout(async () => {
      if (isRunning()) {
        await vscode.window.withProgress({ location: { viewId: "trawl.results" } }, async () => {
          await new Promise<void>((resolve) => {
            const subscription = searches.onChange(() => {
              if (isRunning()) return;
              subscription.dispose();
              resolve();
            });
          });
        });
      }
      this.#progress = undefined;
    }, progressAfterMs);
  }

  #schedule(): void {
    this.#updateContext();
    this.#showProgress();
    if (this.#timer !== undefined) return;
    const wait = Math.max(0, this.#refreshedAt + refreshMs - performance.now());
    this.#timer = setTimeout(() => this.#refresh(), wait);
  }

  #refresh(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#updateModels();
    this.#updateContext();
    const { message = "", description } = this.#options.suggestions;
    this.#changed.fire(undefined);
    // After the rows, because VS Code applies only the first of several changes at once.
    if (this.view.message !== message) this.view.message = message;
    this.view.description = description;
    this.#refreshedAt = performance.now();
  }

  #updateModels(): void {
    const { current, pinned } = this.#options.searches;
    if (current === undefined) this.#current = undefined;
    else if (this.#current?.set.id === current.id) this.#current.update(current, this.#arrangement);
    else {
      this.#current = new ResultModel(current, this.#arrangement);
      this.#expandsCopies = false;
    }
    for (const id of this.#pinned.keys()) {
      if (!pinned.some((set) => set.id === id)) this.#pinned.delete(id);
    }
    for (const set of pinned) {
      const known = this.#pinned.get(set.id);
      if (known !== undefined) known.update(set, this.#arrangement);
      else {
        this.#pinned.set(
          set.id,
          new ResultModel(set, this.#arrangement, { kind: "set", id: setId(set), set }),
        );
      }
    }
  }

  #updateContext(): void {
    const { current, pinned } = this.#options.searches;
    const { files = [], commits = [] } = current ?? {};
    this.#setContext("trawl.resultsAsTree", this.#arrangement.viewMode === "tree");
    this.#setContext("trawl.hasResults", files.length > 0 || commits.length > 0 || pinned.length > 0);
    // F4 and Shift+F4 step through the matches of files, not through commits.
    this.#setContext("trawl.resultsActive", files.length > 0);
    this.#setContext("trawl.searching", current?.outcome === "running");
    this.#setContext("trawl.searched", current !== undefined);
  }

  #setContext(key: `trawl.${string}`, value: boolean): void {
    if (this.#contextValues.get(key) === value) return;
    this.#contextValues.set(key, value);
    setContext(key, value);
  }
}

/** Returns the mode that was chosen in the workspace, by default that of VS Code's Search. */
function viewModeOf(memento: vscode.Memento): ViewMode {
  const mode = memento.get(viewModeKey) ?? vscode.workspace.getConfiguration("search").get("defaultViewMode");
  return mode === "tree" ? "tree" : "list";
}

function setId(set: ResultSet): string {
  return `pinned ${set.id}`;
}

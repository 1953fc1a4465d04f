/** The view "Results": the present search and those that were pinned, as a tree. */
import * as vscode from "vscode";
import { setContext } from "#client/commands";
import { shortNames } from "#client/repositories/grouping";
import type { Repositories } from "#client/repositories/repositories";
import type { FileMatch } from "#contract/search";
import { type Advice, type AdviceNode, adviceItem } from "./resultAdvice";
import { resultItem } from "./resultItems";
import { ResultModel } from "./resultModel";
import { type MoreNode, parentOf, type ResultNode, type SetNode, setOf } from "./resultNodes";
import { type SortOrder, sortOrders } from "./resultOrder";
import type { ResultPlaces } from "./resultPlaces";
import type { ResultSet } from "./resultSet";
import type { Searches } from "./searches";
import { allMatches } from "./searchState";

export type ResultRow = ResultNode | AdviceNode;

export interface ResultsTreeOptions {
  readonly searches: Searches;
  readonly places: ResultPlaces;
  readonly repositories: Repositories;
  readonly advice: Advice;
  readonly memory: vscode.Memento;
  readonly tooltip: (
    node: ResultNode,
    token: vscode.CancellationToken,
  ) => Promise<vscode.MarkdownString | undefined>;
}

const orderKey = "trawl.sortOrder";
/** A running search draws its rows anew so often at most. */
const refreshMs = 100;
const progressAfterMs = 400;

export class ResultsTree implements vscode.TreeDataProvider<ResultRow>, vscode.Disposable {
  readonly view: vscode.TreeView<ResultRow>;
  readonly #options: ResultsTreeOptions;
  #present: ResultModel | undefined;
  readonly #pinned = new Map<number, ResultModel>();
  #order: SortOrder;
  #shortNames: ReadonlyMap<string, string> = new Map();
  #timer: NodeJS.Timeout | undefined;
  #refreshedAt = 0;
  /** There while a search runs that has a bar, or gets one soon. */
  #progress: NodeJS.Timeout | undefined;
  /** Context keys as they were set last. */
  readonly #told = new Map<string, boolean>();
  readonly #changed = new vscode.EventEmitter<ResultRow | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #subscriptions: vscode.Disposable;

  constructor(options: ResultsTreeOptions) {
    this.#options = options;
    const { searches, places, repositories, memory } = options;
    const kept = memory.get(orderKey);
    this.#order = sortOrders.find((order) => order === kept) ?? "relevance";
    this.view = vscode.window.createTreeView("trawl.results", { treeDataProvider: this });
    this.#subscriptions = vscode.Disposable.from(
      this.view,
      this.#changed,
      searches.onChange(() => this.#schedule()),
      places.onChange(() => this.#schedule()),
      repositories.onChange(() => {
        this.#shortNames = shortNames(
          [...(repositories.items?.values() ?? [])].map(({ repoName }) => repoName),
        );
        this.#schedule();
      }),
      options.advice.onChange(() => this.#schedule()),
    );
  }

  dispose(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#progress);
    this.#subscriptions.dispose();
  }

  get order(): SortOrder {
    return this.#order;
  }

  async sortBy(order: SortOrder): Promise<void> {
    this.#order = order;
    this.#refresh();
    await this.#options.memory.update(orderKey, order);
  }

  /** What the rows of the present search are made of; `undefined` before the first. */
  get present(): ResultModel | undefined {
    return this.#present;
  }

  /** Of a row: the results that it belongs to. */
  modelOf(node: ResultNode): ResultModel | undefined {
    const pinned = setOf(node);
    return pinned === undefined ? this.#present : this.#pinned.get(pinned.set.id);
  }

  /** Takes a row away, and selects the one that comes to stand in its place. */
  async dismiss(node: ResultNode): Promise<void> {
    const model = this.modelOf(node);
    if (model === undefined) return;
    const near = model.near(node);
    model.dismiss(node);
    this.#refresh();
    const next = near.find((row) => model.has(row));
    if (next !== undefined && this.view.visible) await this.view.reveal(next, { select: true, focus: true });
  }

  async showMore(node: MoreNode): Promise<void> {
    const model = this.modelOf(node);
    if (model === undefined) return;
    if (node.of === "answer") {
      await this.#options.searches.run(model.set.state, allMatches);
    } else {
      model.extend(node);
      this.#refresh();
    }
  }

  /** Selects the row of a result, unless the view is hidden. */
  async select(file: FileMatch, lineNumber: number | undefined): Promise<void> {
    const before = this.#present?.version;
    const row = this.#present?.rowOf(file, lineNumber);
    if (row === undefined || !this.view.visible) return;
    if (this.#present?.version !== before) this.#refresh();
    await this.view.reveal(row, { select: true, focus: false });
  }

  getChildren(row?: ResultRow): ResultRow[] {
    if (row?.kind === "advice") return [];
    if (row !== undefined) return [...(this.modelOf(row)?.children(row) ?? [])];
    const { searches, advice } = this.#options;
    const sets = searches.pinned.map((set): SetNode => ({ kind: "set", id: setId(set), set }));
    return [...advice.rows, ...sets, ...(this.#present?.children() ?? [])];
  }

  getTreeItem(row: ResultRow): vscode.TreeItem {
    if (row.kind === "advice") return adviceItem(row);
    const { repositories, places } = this.#options;
    return resultItem(row, {
      repositories,
      shortName: (name) => this.#shortNames.get(name) ?? name,
      placeOf: (file) => places.of(file),
    });
  }

  getParent(row: ResultRow): ResultRow | undefined {
    return row.kind === "advice" ? undefined : parentOf(row);
  }

  async resolveTreeItem(
    item: vscode.TreeItem,
    row: ResultRow,
    token: vscode.CancellationToken,
  ): Promise<vscode.TreeItem> {
    if (row.kind !== "advice") item.tooltip = await this.#options.tooltip(row, token);
    return item;
  }

  /** A bar above the rows of a search that takes a while. */
  #showProgress(): void {
    const { searches } = this.#options;
    const isRunning = () => searches.present?.outcome === "running";
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
    this.#tellContext();
    this.#showProgress();
    if (this.#timer !== undefined) return;
    const wait = Math.max(0, this.#refreshedAt + refreshMs - performance.now());
    this.#timer = setTimeout(() => this.#refresh(), wait);
  }

  #refresh(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#takeSets();
    this.#tellContext();
    this.view.message = this.#options.advice.message ?? "";
    this.#changed.fire(undefined);
    this.#refreshedAt = performance.now();
  }

  #takeSets(): void {
    const { present, pinned } = this.#options.searches;
    if (present === undefined) this.#present = undefined;
    else if (this.#present?.set.id === present.id) this.#present.update(present, this.#order);
    else this.#present = new ResultModel(present, this.#order);
    for (const id of this.#pinned.keys()) {
      if (!pinned.some((set) => set.id === id)) this.#pinned.delete(id);
    }
    for (const set of pinned) {
      const known = this.#pinned.get(set.id);
      if (known !== undefined) known.update(set, this.#order);
      else {
        this.#pinned.set(set.id, new ResultModel(set, this.#order, { kind: "set", id: setId(set), set }));
      }
    }
  }

  #tellContext(): void {
    const { present, pinned } = this.#options.searches;
    const { files = [], commits = [] } = present ?? {};
    this.#tell("trawl.hasResults", files.length > 0 || commits.length > 0 || pinned.length > 0);
    // The keys that go from match to match go through files.
    this.#tell("trawl.resultsActive", files.length > 0);
    this.#tell("trawl.searching", present?.outcome === "running");
    this.#tell("trawl.searched", present !== undefined);
  }

  #tell(key: `trawl.${string}`, value: boolean): void {
    if (this.#told.get(key) === value) return;
    this.#told.set(key, value);
    setContext(key, value);
  }
}

function setId(set: ResultSet): string {
  return `pinned ${set.id}`;
}

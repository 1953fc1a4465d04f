/**
 * A view of history, hidden until its first use. Rows are loaded while the view is visible; hiding it cancels the
 * requests, and showing it again restarts them. An error becomes a row that retries when clicked.
 */
import * as vscode from "vscode";
import { callError } from "#client/server/callError";
import { agoValidForMs, count } from "#client/workbench/format";
import { childrenOf, type Row, runClickedRows, treeItemOf } from "#client/workbench/rows";

export interface HistoryContent {
  /** Shown after the title. */
  readonly description: string;
  readonly rows: () => readonly Row[] | Promise<readonly Row[]>;
}

/** Longest delay before ages are checked again, in milliseconds. */
const maxAgingMs = 3_600_000;

export class HistoryTree implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  readonly #id: string;
  readonly #view: vscode.TreeView<Row>;
  readonly #clicks: vscode.Disposable;
  readonly #changed = new vscode.EventEmitter<Row | Row[] | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  #content: HistoryContent | undefined;
  #request = new vscode.CancellationTokenSource();
  /** The number of running requests. */
  #pending = 0;
  /** Whether the view was hidden before all rows were loaded. */
  #wasInterrupted = false;
  /** By row that shows an age: the time when the age changes. */
  readonly #ageChanges = new Map<Row, number>();
  #aging: NodeJS.Timeout | undefined;
  /** When ages are checked next. */
  #nextAging = Number.POSITIVE_INFINITY;

  /** `id` without `trawl.`. */
  constructor(id: string) {
    this.#id = id;
    this.#view = vscode.window.createTreeView(`trawl.${id}`, { treeDataProvider: this });
    this.#clicks = runClickedRows(id, this.#view);
    this.#view.onDidChangeVisibility(({ visible }) => {
      if (visible) this.#resume();
      else this.#interrupt();
      this.#refreshAges();
    });
  }

  dispose(): void {
    clearTimeout(this.#aging);
    this.#request.cancel();
    this.#clicks.dispose();
    this.#view.dispose();
    this.#changed.dispose();
  }

  /** Canceled when the rows being loaded are no longer needed. */
  get token(): vscode.CancellationToken {
    return this.#request.token;
  }

  /** Shows new content, and focuses the view unless `preserveFocus` is set. */
  async show(
    content: HistoryContent,
    { preserveFocus = false }: { readonly preserveFocus?: boolean } = {},
  ): Promise<void> {
    this.#content = content;
    this.refresh();
    // The view does not exist until this key is set.
    await vscode.commands.executeCommand("setContext", `trawl.${this.#id}Shown`, true);
    await vscode.commands.executeCommand(`trawl.${this.#id}.focus`, { preserveFocus });
  }

  /** Reloads all rows. */
  refresh(): void {
    this.#request.cancel();
    this.#request = new vscode.CancellationTokenSource();
    this.#wasInterrupted = false;
    this.#ageChanges.clear();
    this.#view.description = this.#content?.description ?? "";
    this.#changed.fire(undefined);
  }

  /** Redraws a row and its children. */
  redraw(row: Row): void {
    this.#changed.fire(row);
  }

  /** Cancels loading. */
  stop(): void {
    this.#request.cancel();
  }

  getTreeItem(row: Row): vscode.TreeItem {
    if (row.date !== undefined && !Number.isNaN(row.date)) {
      const until = Date.now() + agoValidForMs(row.date);
      this.#ageChanges.set(row, until);
      if (until < this.#nextAging) this.#refreshAgesAt(until);
    }
    return treeItemOf(row, this.#id);
  }

  getParent(row: Row): Row | undefined {
    return row.parent;
  }

  async getChildren(row?: Row): Promise<Row[]> {
    if (row !== undefined && row.children === undefined) return [];
    const request = this.#request;
    try {
      return await this.track(row === undefined ? this.#topRows() : childrenOf(row));
    } catch (error) {
      // Rows of a superseded request are loaded by its successor.
      return request === this.#request ? [this.errorRow(error, row)] : [];
    }
  }

  /** Tracks a request for rows, so that hiding the view cancels it and showing the view restarts it. */
  async track<Value>(work: Promise<Value>): Promise<Value> {
    this.#addPending(1);
    try {
      return await work;
    } finally {
      this.#addPending(-1);
    }
  }

  async #topRows(): Promise<Row[]> {
    return [...((await this.#content?.rows()) ?? [])];
  }

  /** Returns a row that is shown in place of rows that could not be loaded. */
  errorRow(error: unknown, parent?: Row): Row {
    const isStopped = error instanceof vscode.CancellationError;
    const label = isStopped ? vscode.l10n.t("Stopped") : callError(error).message;
    const hint = isStopped ? vscode.l10n.t("click to continue") : vscode.l10n.t("click to try again");
    return {
      id: `${parent?.id ?? ""}/problem`,
      ...(parent === undefined ? {} : { parent }),
      item: () => ({
        label,
        description: hint,
        tooltip: label,
        iconPath: new vscode.ThemeIcon(isStopped ? "debug-stop" : "error"),
      }),
      run: () => this.refresh(),
    };
  }

  #addPending(step: 1 | -1): void {
    const wasBusy = this.#pending > 0;
    this.#pending += step;
    const isBusy = this.#pending > 0;
    if (wasBusy === isBusy) return;
    void vscode.commands.executeCommand("setContext", `trawl.${this.#id}Busy`, isBusy);
  }

  /** Redraws rows whose age is out of date, and waits for the next one while the view is visible. */
  #refreshAges(): void {
    this.#nextAging = Number.POSITIVE_INFINITY;
    if (!this.#view.visible) return;
    const now = Date.now();
    const aged = [...this.#ageChanges].filter(([, until]) => until <= now).map(([row]) => row);
    for (const row of aged) this.#ageChanges.delete(row);
    if (aged.length > 0) this.#changed.fire(aged);
    let next = now + maxAgingMs;
    for (const until of this.#ageChanges.values()) next = Math.min(next, until);
    this.#refreshAgesAt(next);
  }

  #refreshAgesAt(time: number): void {
    clearTimeout(this.#aging);
    this.#nextAging = time;
    this.#aging = setTimeout(() => this.#refreshAges(), time - Date.now());
  }

  #interrupt(): void {
    if (this.#pending === 0) return;
    this.#wasInterrupted = true;
    this.#request.cancel();
  }

  #resume(): void {
    if (this.#wasInterrupted) this.refresh();
  }
}

/** Returns the row that loads the next page. */
export function loadMoreRow(
  {
    remaining,
    perPage,
    parent,
  }: { readonly remaining: number; readonly perPage: number; readonly parent?: Row },
  run: () => void,
): Row {
  return {
    id: `${parent?.id ?? ""}/more`,
    ...(parent === undefined ? {} : { parent }),
    item: () => ({
      label: vscode.l10n.t("Load {0} More", Math.min(perPage, remaining)),
      description: vscode.l10n.t("{0} left", count(remaining)),
      iconPath: new vscode.ThemeIcon("ellipsis"),
    }),
    run,
  };
}

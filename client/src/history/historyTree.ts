/**
 * A view of history: rows that are asked for when it is looked at, and given up when it goes away.
 *
 * It is not there before its first use. What fails is a row, and a click on it tries again.
 */
import * as vscode from "vscode";
import { callError } from "#client/callError";
import { childrenOf, type Row, runClickedRows, treeItemOf } from "#client/rows";
import { count } from "#client/words";

export interface HistoryContent {
  /** Stands behind the title. */
  readonly description: string;
  readonly rows: () => readonly Row[] | Promise<readonly Row[]>;
}

export class HistoryTree implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  readonly #id: string;
  readonly #view: vscode.TreeView<Row>;
  readonly #clicks: vscode.Disposable;
  readonly #changed = new vscode.EventEmitter<Row | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  #content: HistoryContent | undefined;
  #work = new vscode.CancellationTokenSource();
  /** Rows that are being asked for. */
  #asked = 0;
  /** Whether the view went away before all rows were there. */
  #isCut = false;

  /** `id` without `trawl.`. */
  constructor(id: string) {
    this.#id = id;
    this.#view = vscode.window.createTreeView(`trawl.${id}`, { treeDataProvider: this });
    this.#clicks = runClickedRows(id, this.#view);
    this.#view.onDidChangeVisibility(({ visible }) => (visible ? this.#goOn() : this.#cut()));
  }

  dispose(): void {
    this.#work.cancel();
    this.#clicks.dispose();
    this.#view.dispose();
    this.#changed.dispose();
  }

  /** Cancelled when what it was asked for is not wanted any more. */
  get token(): vscode.CancellationToken {
    return this.#work.token;
  }

  /** Shows other rows. `keepsFocus`: the keyboard stays where it is. */
  async show(
    content: HistoryContent,
    { keepsFocus = false }: { readonly keepsFocus?: boolean } = {},
  ): Promise<void> {
    this.#content = content;
    this.refresh();
    // There is no view to go to before the key is set.
    await vscode.commands.executeCommand("setContext", `trawl.${this.#id}Shown`, true);
    await vscode.commands.executeCommand(`trawl.${this.#id}.focus`, { preserveFocus: keepsFocus });
  }

  /** Asks for all rows anew. */
  refresh(): void {
    this.#work.cancel();
    this.#work = new vscode.CancellationTokenSource();
    this.#isCut = false;
    this.#view.description = this.#content?.description ?? "";
    this.#changed.fire(undefined);
  }

  /** Draws a row and what is below it anew. */
  redraw(row: Row): void {
    this.#changed.fire(row);
  }

  /** Gives up what is being asked for. */
  stop(): void {
    this.#work.cancel();
  }

  getTreeItem(row: Row): vscode.TreeItem {
    return treeItemOf(row, this.#id);
  }

  getParent(row: Row): Row | undefined {
    return row.parent;
  }

  async getChildren(row?: Row): Promise<Row[]> {
    if (row !== undefined && row.children === undefined) return [];
    const work = this.#work;
    try {
      return await this.counted(row === undefined ? this.#topRows() : childrenOf(row));
    } catch (error) {
      // What is not wanted any more is asked for anew elsewhere.
      return work === this.#work ? [this.problem(error, row)] : [];
    }
  }

  /** Work for rows: it is given up when the view goes away, and then asked for anew. */
  async counted<Value>(work: Promise<Value>): Promise<Value> {
    this.#count(1);
    try {
      return await work;
    } finally {
      this.#count(-1);
    }
  }

  async #topRows(): Promise<Row[]> {
    return [...((await this.#content?.rows()) ?? [])];
  }

  /** Stands for rows that are not there. */
  problem(error: unknown, parent?: Row): Row {
    const isStopped = error instanceof vscode.CancellationError;
    const label = isStopped ? vscode.l10n.t("Stopped") : callError(error).message;
    const again = isStopped ? vscode.l10n.t("click to go on") : vscode.l10n.t("click to try again");
    return {
      id: `${parent?.id ?? ""}/problem`,
      ...(parent === undefined ? {} : { parent }),
      item: () => ({
        label,
        description: again,
        tooltip: label,
        iconPath: new vscode.ThemeIcon(isStopped ? "debug-stop" : "error"),
      }),
      run: () => this.refresh(),
    };
  }

  #count(step: 1 | -1): void {
    const wasBusy = this.#asked > 0;
    this.#asked += step;
    const isBusy = this.#asked > 0;
    if (wasBusy === isBusy) return;
    void vscode.commands.executeCommand("setContext", `trawl.${this.#id}Busy`, isBusy);
  }

  #cut(): void {
    if (this.#asked === 0) return;
    this.#isCut = true;
    this.#work.cancel();
  }

  #goOn(): void {
    if (this.#isCut) this.refresh();
  }
}

/** The last of rows that come a page at a time. */
export function loadMoreRow(
  { left, perPage, parent }: { readonly left: number; readonly perPage: number; readonly parent?: Row },
  run: () => void,
): Row {
  return {
    id: `${parent?.id ?? ""}/more`,
    ...(parent === undefined ? {} : { parent }),
    item: () => ({
      label: vscode.l10n.t("Load {0} More", Math.min(perPage, left)),
      description: vscode.l10n.t("{0} left", count(left)),
      iconPath: new vscode.ThemeIcon("ellipsis"),
    }),
    run,
  };
}

/** The commands for rows of results. */

import * as vscode from "vscode";
import type { Repositories } from "#client/model/repositories";
import type { SearchBox } from "#client/search/searchBox";
import type { Searches } from "#client/search/searches";
import { matchesText } from "#client/search/status";
import { clickedRow } from "#client/workbench/clickedRow";
import type { Handlers } from "#client/workbench/declarations";
import { type Filter, withFilter } from "#contract/queryText";
import { arrangeCommands } from "./arrangeCommands";
import type { resultCommands } from "./contributions";
import { type Facet, type FacetItem, facetsOf } from "./facets";
import type { Opener, OpenOptions } from "./opener";
import { isLastResult, nextResult, type ResultPosition } from "./resultCursor";
import { filterOf, type Narrowing, narrowedQuery } from "./resultFilters";
import { linesOf } from "./resultLines";
import { fileOf, type ResultNode, repositoryOf, setOf } from "./resultNodes";
import type { Suggestions } from "./resultSuggestions";
import type { ResultRow, ResultsTree } from "./resultsTree";

interface ResultCommandOptions {
  readonly tree: ResultsTree;
  readonly opener: Opener;
  readonly suggestions: Suggestions;
  readonly searches: Searches;
  readonly repositories: Pick<Repositories, "clones" | "items">;
  readonly box: () => SearchBox;
}

/** How long "Go to Next Result" waits for a running search to find more. */
const waitForEndMs = 1000;
/** A second click on a row within this time is a double click: it opens the file permanently, not as a preview. */
const doubleClickMs = 500;
/** Rows that the arrow keys pass faster than this are not previewed. */
const previewDelayMs = 150;

export class ResultCommands implements vscode.Disposable {
  readonly #options: ResultCommandOptions;
  /** The result that was opened last, from which "next" continues. */
  #position: ResultPosition | undefined;
  #lastClick: { readonly id: string; readonly at: number } | undefined;
  /** When this extension told VS Code to select the focused row, which is reported as a click. */
  #selectRequestedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #selectedCount = 0;
  #selectionQueue: Promise<void> = Promise.resolve();
  /** True while this extension selects a row itself, which must not open a preview. */
  #isSelecting = false;
  readonly #subscription: vscode.Disposable;

  constructor(options: ResultCommandOptions) {
    this.#options = options;
    this.#subscription = options.tree.view.onDidChangeSelection(({ selection }) => this.#selected(selection));
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#subscription.dispose();
  }

  get commands(): Handlers<typeof resultCommands> {
    const { searches } = this.#options;
    const exclude = (what: Narrowing) => (node?: ResultNode, selected?: readonly ResultNode[]) =>
      this.#narrow(this.#rows(node, selected), what, true, node);
    const only = (what: Narrowing) => (node?: ResultNode) => this.#narrow(this.#rows(node), what, false);
    return {
      "search.preview": () => this.#clicked(),
      "search.open": (node?: ResultNode) => this.#open(node, {}),
      "search.openToSide": (node?: ResultNode) => this.#open(node, { toSide: true }),
      "search.openSnapshot": (node?: ResultNode) => this.#open(node, { target: "snapshot" }),
      "search.openOnHost": (node?: ResultNode) => this.#openOnHost(node),
      "search.fileHistory": (node?: ResultNode) => this.#showHistory(node),
      "search.blame": (node?: ResultNode) => this.#blame(node),
      "search.next": () => this.#step(1),
      "search.previous": () => this.#step(-1),
      "search.copyPath": (node?: ResultNode, selected?: readonly ResultNode[]) =>
        this.#copyPaths(this.#rows(node, selected)),
      "search.copyMatch": (node?: ResultNode, selected?: readonly ResultNode[]) =>
        this.#copyTexts(this.#rows(node, selected)),
      "search.dismiss": (node?: ResultNode, selected?: readonly ResultNode[]) =>
        this.#dismiss(this.#rows(node, selected)),
      "search.selectLast": () => this.#selectLast(),
      "search.showMore": () => this.#showMore(),
      ...arrangeCommands(this.#options.tree),
      "search.filterBy": () => this.#filterBy(),
      "search.pin": () => searches.pin(),
      "search.unpin": (node?: ResultNode) => {
        const row = node ?? this.#selection;
        const set = row && setOf(row);
        if (set !== undefined) searches.unpin(set.set.id);
      },
      "search.excludeFile": exclude("file"),
      "search.excludeFolder": exclude("folder"),
      "search.excludeRepository": exclude("repository"),
      "search.excludeExtension": exclude("extension"),
      "search.excludeTests": exclude("tests"),
      "search.onlyFile": only("file"),
      "search.onlyFolder": only("folder"),
      "search.onlyRepository": only("repository"),
    };
  }

  get #selection(): ResultNode | undefined {
    const row = this.#options.tree.view.selection.at(-1);
    return row === undefined || row.kind === "suggestion" ? undefined : row;
  }

  /** Returns the rows that a command applies to: those of a menu, or else all selected ones. */
  #rows(node?: ResultNode, selected?: readonly ResultNode[]): readonly ResultNode[] {
    // VS Code passes `undefined` for a row that has been replaced since.
    const rows: readonly (ResultRow | undefined)[] =
      selected ?? (node === undefined ? this.#options.tree.view.selection : [node]);
    return rows.filter((row): row is ResultNode => row !== undefined && row.kind !== "suggestion");
  }

  /** Keeps only the last row selected: a key that moves the focus adds its row if another than the focused one is selected. */
  async #selectLast(): Promise<void> {
    const { view } = this.#options.tree;
    const last = view.selection.at(-1);
    if (last !== undefined && view.selection.length > 1) {
      await view.reveal(last, { select: true, focus: true });
    }
  }

  #selected(selection: readonly ResultRow[]): void {
    clearTimeout(this.#timer);
    const wereSeveralSelected = this.#selectedCount > 1;
    this.#selectedCount = selection.length;
    // What remains of a selection of several rows was not chosen to be opened.
    if (this.#isSelecting || selection.length > 1 || wereSeveralSelected) return;
    const { view } = this.#options.tree;
    this.#timer = setTimeout(async () => {
      const row = await clickedRow(view);
      if (row !== undefined) await this.#preview(row);
    }, previewDelayMs);
  }

  async #clicked(): Promise<void> {
    clearTimeout(this.#timer);
    const now = performance.now();
    const node = await clickedRow(this.#options.tree.view);
    if (node === undefined || node.kind === "suggestion") return;
    const isSecond = this.#lastClick?.id === node.id && now - this.#lastClick.at < doubleClickMs;
    this.#lastClick = { id: node.id, at: now };
    const isDoubleClickMode =
      vscode.workspace.getConfiguration("workbench.list").get("openMode") === "doubleClick";
    const isRequested = now - this.#selectRequestedAt < doubleClickMs;
    this.#selectRequestedAt = Number.NEGATIVE_INFINITY;
    if (isSecond || isRequested || isDoubleClickMode) await this.#open(node, {});
    else await this.#preview(node);
  }

  /** Ignores errors: opening the row reports them. */
  async #preview(row: ResultRow): Promise<void> {
    const position = row.kind === "suggestion" ? undefined : positionOf(row, false);
    if (position === undefined) return;
    await this.#show(position, { preserveFocus: true, preview: true }).catch(() => undefined);
  }

  /** Returns the URI of the file that it opened, if any. */
  async #open(node: ResultNode | undefined, options: OpenOptions): Promise<vscode.Uri | undefined> {
    clearTimeout(this.#timer);
    const row = node ?? this.#selection;
    const position = row && positionOf(row, true);
    if (position !== undefined) return await this.#show(position, options);
    if (row?.kind === "more") await this.#options.tree.showMore(row);
    else if (node === undefined) {
      this.#selectRequestedAt = performance.now();
      await vscode.commands.executeCommand("list.select");
    }
    return undefined;
  }

  async #show(position: ResultPosition, options: OpenOptions): Promise<vscode.Uri | undefined> {
    this.#position = position;
    const { opener } = this.#options;
    const line = position.line ?? linesOf(position.file)[0];
    return await opener.open(position.file, line, options);
  }

  async #step(step: 1 | -1): Promise<void> {
    const { tree, searches } = this.#options;
    const files = () => [...(tree.latest()?.files() ?? [])];
    // A running search may still find results after the last one.
    if (searches.isRunning && isLastResult(files(), this.#position, step)) await waitForEnd(searches);
    const position = nextResult(files(), this.#position, step);
    if (position === undefined) return;
    await this.#show(position, { preview: true });
    // Selections run one after the other, because a row that must be created first is selected late.
    this.#selectionQueue = this.#selectionQueue.then(async () => {
      if (this.#position !== position) return;
      await this.#withoutPreview(() => tree.select(position.file, position.line?.lineNumber)).catch(
        () => undefined,
      );
    });
    await this.#selectionQueue;
  }

  async #withoutPreview(select: () => Promise<void>): Promise<void> {
    this.#isSelecting = true;
    try {
      await select();
    } finally {
      this.#isSelecting = false;
    }
  }

  async #showHistory(node: ResultNode | undefined): Promise<void> {
    const row = node ?? this.#selection;
    const file = row && fileOf(row)?.file;
    if (file === undefined) return;
    const { repository, repositoryId, fileName, branches, commit } = file;
    const defaultBranch = this.#options.repositories.items?.get(repositoryId)?.defaultBranch;
    const isOnDefault =
      commit === "" ||
      branches.some((name) => name === `refs/heads/${defaultBranch}` || name === defaultBranch);
    const target = { repository, path: fileName.text, ...(isOnDefault ? {} : { ref: commit }) };
    await vscode.commands.executeCommand("trawl.history.file", target);
  }

  async #blame(node: ResultNode | undefined): Promise<void> {
    const opened = await this.#open(node, {});
    const active = vscode.window.activeTextEditor?.document.uri;
    if (opened === undefined || `${active}` !== `${opened}`) return;
    await vscode.commands.executeCommand("trawl.blame.toggleFile", true);
  }

  async #openOnHost(node: ResultNode | undefined): Promise<void> {
    const row = node ?? this.#selection;
    const file = row && fileOf(row)?.file;
    const url = file === undefined ? row && repositoryOf(row)?.externalWebUrl : file.externalWebUrl;
    if (url === undefined || !/^https?:\/\//.test(url)) {
      vscode.window.setStatusBarMessage(vscode.l10n.t("This repository has no page on a code host."), 5000);
      return;
    }
    await vscode.env.openExternal(vscode.Uri.parse(url, true));
  }

  /** Copies the paths of rows, each once. */
  async #copyPaths(rows: readonly ResultNode[]): Promise<void> {
    await copyLines([...new Set(this.#options.tree.sorted(rows).map((row) => this.#pathOf(row)))]);
  }

  /** Copies lines of code, and the paths of other rows. */
  async #copyTexts(rows: readonly ResultNode[]): Promise<void> {
    const copied = this.#options.tree.sorted(rows).filter(({ kind }) => kind !== "more");
    await copyLines(copied.map((row) => (row.kind === "line" ? row.line.text : this.#pathOf(row))));
  }

  /** Returns the path on this computer if there is a clone, else the path in the repository. */
  #pathOf(node: ResultNode): string | undefined {
    const file = fileOf(node)?.file;
    const repository = repositoryOf(node);
    const path = node.kind === "folder" ? node.folder.path : file?.fileName.text;
    const clone = this.#options.repositories.clones.get(file?.repositoryId ?? repository?.repositoryId ?? 0);
    if (clone !== undefined && !clone.isBare) {
      return vscode.Uri.joinPath(vscode.Uri.file(clone.folder), path ?? "").fsPath;
    }
    const name = file?.repository ?? repository?.name;
    return path === undefined ? name : `${name}/${path}`;
  }

  async #showMore(): Promise<void> {
    const { suggestions, tree } = this.#options;
    const row = await clickedRow(tree.view);
    if (row?.kind === "suggestion") await suggestions.apply(row);
    if (row?.kind === "more") await tree.showMore(row);
    if (row?.kind === "commit") {
      const { repository, hash } = row.commit;
      await vscode.commands.executeCommand("trawl.commit.open", { repository, ref: hash });
    }
  }

  async #dismiss(rows: readonly ResultNode[]): Promise<void> {
    const { tree, searches } = this.#options;
    const unpinned = new Set(rows.filter((row) => row.kind === "set").map(({ set }) => set.id));
    for (const id of unpinned) searches.unpin(id);
    const others = rows.filter((row) => !unpinned.has(tree.modelOf(row)?.set.id ?? -1));
    await this.#withoutPreview(() => tree.dismiss(others.filter(({ kind }) => kind !== "set")));
  }

  /** Narrows the search of `clicked`, by default of the last row, with a filter for each of its rows. */
  async #narrow(
    rows: readonly ResultNode[],
    what: Narrowing,
    isNegated: boolean,
    clicked?: ResultNode,
  ): Promise<void> {
    const row = clicked ?? rows.at(-1);
    const { tree, box } = this.#options;
    const model = row && tree.modelOf(row);
    if (row === undefined || model === undefined) return;
    const { set } = model;
    const filters = rows
      .filter((each) => tree.modelOf(each) === model)
      .map((each) => filterOf(each, what, isNegated));
    // "Search In" a file or folder means the one in this repository.
    const repository = isNegated || what === "repository" ? undefined : filterOf(row, "repository", false);
    await box().show({ ...set.state, query: narrowedQuery(set.state.query, [repository, ...filters]) });
  }

  /** Lets the user choose a repository, language or folder of the current results to search in, or to exclude. */
  async #filterBy(): Promise<void> {
    const set = this.#options.tree.latest()?.set;
    if (set === undefined) return;
    const chosen = await pickFacet(facetsOf(set, vscode.l10n));
    if (chosen === undefined) return;
    await this.#options.box().show({ ...set.state, query: withFilter(set.state.query, chosen) });
  }
}

/** Returns what a row opens. With `isFileOpened`, a file's row opens the file at its first match. */
function positionOf(node: ResultNode, isFileOpened: boolean): ResultPosition | undefined {
  if (node.kind === "line") return { file: node.parent.file, line: node.line };
  if (node.kind === "file" && (isFileOpened || node.lineCount === 0))
    return { file: node.file, line: undefined };
  return undefined;
}

interface FacetPick extends vscode.QuickPickItem {
  readonly item?: FacetItem;
}

/** Returns the filter for a chosen facet, negated if the user chose to exclude it; `undefined` if they chose none. */
async function pickFacet(facets: readonly Facet[]): Promise<Filter | undefined> {
  const { l10n } = vscode;
  const exclude = { iconPath: new vscode.ThemeIcon("exclude"), tooltip: l10n.t("Exclude") };
  const picker = vscode.window.createQuickPick<FacetPick>();
  picker.title = l10n.t("Filter Results");
  picker.placeholder = l10n.t("Search only in a repository, language or folder");
  picker.items = facets
    .filter(({ items }) => items.length > 0)
    .flatMap(({ title, items }): FacetPick[] => [
      { label: title, kind: vscode.QuickPickItemKind.Separator },
      ...items.map((item) => ({
        label: item.text,
        description: matchesText(item.count, l10n),
        buttons: [exclude],
        item,
      })),
    ]);
  try {
    return await new Promise<Filter | undefined>((resolve) => {
      const end = (item: FacetItem | undefined, isNegated: boolean) =>
        resolve(item && { prefix: item.prefix, value: item.value, isNegated });
      picker.onDidAccept(() => end(picker.selectedItems[0]?.item, false));
      picker.onDidTriggerItemButton(({ item }) => end(item.item, true));
      picker.onDidHide(() => resolve(undefined));
      picker.show();
    });
  } finally {
    picker.dispose();
  }
}

async function waitForEnd(searches: Searches): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(end, waitForEndMs);
    const subscription = searches.onFinish(() => end());
    function end(): void {
      clearTimeout(timer);
      subscription.dispose();
      resolve();
    }
  });
}

async function copyLines(lines: readonly (string | undefined)[]): Promise<void> {
  const known = lines.filter((line) => line !== undefined);
  if (known.length > 0) await vscode.env.clipboard.writeText(known.join("\n"));
}

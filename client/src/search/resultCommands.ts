/** What can be done with rows of results. */
import * as vscode from "vscode";
import { clickedRow } from "#client/clickedRow";
import type { Commands } from "#client/commands";
import type { Repositories } from "#client/repositories/repositories";
import type { Advice } from "./resultAdvice";
import { isLastResult, nextResult, type ResultPlace } from "./resultCursor";
import { filterOf, type Narrowing, narrowedQuery } from "./resultFilters";
import { fileOf, type ResultNode, repositoryOf, setOf } from "./resultNodes";
import { type SortOrder, sortOrders } from "./resultOrder";
import type { ResultRow, ResultsTree } from "./resultsTree";
import type { HowToOpen, Opener } from "./reveal";
import type { SearchBox } from "./searchBox";
import type { Searches } from "./searches";

interface ResultCommandOptions {
  readonly tree: ResultsTree;
  readonly opener: Opener;
  readonly advice: Advice;
  readonly searches: Searches;
  readonly repositories: Pick<Repositories, "clones">;
  readonly box: () => SearchBox;
}

/** Nobody waits longer for the end of a search to go on. */
const endsWithinMs = 1000;
/** A second click on a row within this time opens it for good. */
const doubleClickMs = 500;
/** A row that arrows pass by quickly is not opened. */
const previewDelayMs = 150;

export class ResultCommands implements vscode.Disposable {
  readonly #options: ResultCommandOptions;
  /** The result that was opened last: where "next" goes on. */
  #place: ResultPlace | undefined;
  #lastClick: { readonly id: string; readonly at: number } | undefined;
  /** When VS Code was asked to select the row that has the keyboard; that comes back as a click. */
  #askedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> = Promise.resolve();
  /** Rows that this extension selects itself are not opened for it. */
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

  get commands(): Commands {
    const { searches } = this.#options;
    const exclude = (what: Narrowing) => (node?: ResultNode) => this.#narrow(node, what, true);
    const only = (what: Narrowing) => (node?: ResultNode) => this.#narrow(node, what, false);
    return {
      "search.preview": () => this.#clicked(),
      "search.open": (node?: ResultNode) => this.#open(node, {}),
      "search.openToSide": (node?: ResultNode) => this.#open(node, { toSide: true }),
      "search.openSnapshot": (node?: ResultNode) => this.#open(node, { target: "snapshot" }),
      "search.openOnHost": (node?: ResultNode) => this.#openOnHost(node),
      "search.next": () => this.#go(1),
      "search.previous": () => this.#go(-1),
      "search.copyPath": (node?: ResultNode) => this.#copy(node, (row) => this.#pathOf(row)),
      "search.copyMatch": (node?: ResultNode) =>
        this.#copy(node, (row) => (row.kind === "line" ? row.line.text : undefined)),
      "search.dismiss": (node?: ResultNode) => this.#dismiss(node),
      "search.showMore": () => this.#showMore(),
      "search.sort": () => this.#sort(),
      "search.collapseAll": () => collapseAll(),
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
    return row === undefined || row.kind === "advice" ? undefined : row;
  }

  #selected(selection: readonly ResultRow[]): void {
    clearTimeout(this.#timer);
    if (this.#isSelecting) return;
    const { view } = this.#options.tree;
    const last = selection.at(-1);
    if (last !== undefined && selection.length > 1) void view.reveal(last, { select: true, focus: true });
    this.#timer = setTimeout(async () => {
      const row = await clickedRow(view);
      if (row !== undefined) await this.#preview(row);
    }, previewDelayMs);
  }

  async #clicked(): Promise<void> {
    clearTimeout(this.#timer);
    const now = performance.now();
    const node = await clickedRow(this.#options.tree.view);
    if (node === undefined || node.kind === "advice") return;
    const isSecond = this.#lastClick?.id === node.id && now - this.#lastClick.at < doubleClickMs;
    this.#lastClick = { id: node.id, at: now };
    const isDoubleClickMode =
      vscode.workspace.getConfiguration("workbench.list").get("openMode") === "doubleClick";
    const isAsked = now - this.#askedAt < doubleClickMs;
    this.#askedAt = Number.NEGATIVE_INFINITY;
    if (isSecond || isAsked || isDoubleClickMode) await this.#open(node, {});
    else await this.#preview(node);
  }

  /** Of what a row says nothing can be wrong that is not said when it is opened. */
  async #preview(row: ResultRow): Promise<void> {
    const place = row.kind === "advice" ? undefined : placeOf(row, false);
    if (place === undefined) return;
    await this.#show(place, { preserveFocus: true, preview: true }).catch(() => undefined);
  }

  async #open(node: ResultNode | undefined, how: HowToOpen): Promise<void> {
    clearTimeout(this.#timer);
    const row = node ?? this.#selection;
    const place = row && placeOf(row, true);
    if (place !== undefined) await this.#show(place, how);
    else if (row?.kind === "more") await this.#options.tree.showMore(row);
    else if (node === undefined) {
      this.#askedAt = performance.now();
      await vscode.commands.executeCommand("list.select");
    }
  }

  async #show(place: ResultPlace, how: HowToOpen): Promise<void> {
    this.#place = place;
    await this.#options.opener.open(place.file, place.line, how);
  }

  async #go(step: 1 | -1): Promise<void> {
    const { tree, searches } = this.#options;
    const files = () => [...(tree.present?.files() ?? [])];
    // Of a search that is under way there may be more behind the last one.
    if (searches.isRunning && isLastResult(files(), this.#place, step)) await endOf(searches);
    const place = nextResult(files(), this.#place, step);
    if (place === undefined) return;
    await this.#show(place, { preview: true });
    // One after the other, for a row that has to be made first is selected late.
    this.#turn = this.#turn.then(async () => {
      if (this.#place !== place) return;
      await this.#selecting(() => tree.select(place.file, place.line?.lineNumber)).catch(() => undefined);
    });
    await this.#turn;
  }

  async #selecting(select: () => Promise<void>): Promise<void> {
    this.#isSelecting = true;
    try {
      await select();
    } finally {
      this.#isSelecting = false;
    }
  }

  async #openOnHost(node: ResultNode | undefined): Promise<void> {
    const row = node ?? this.#selection;
    const file = row && fileOf(row)?.file;
    const url = file === undefined ? row && repositoryOf(row)?.externalWebUrl : file.externalWebUrl;
    if (url === undefined || !/^https?:\/\//.test(url)) {
      vscode.window.setStatusBarMessage(vscode.l10n.t("Its repository has no page on a code host."), 5000);
      return;
    }
    await vscode.env.openExternal(vscode.Uri.parse(url, true));
  }

  async #copy(node: ResultNode | undefined, textOf: (node: ResultNode) => string | undefined): Promise<void> {
    const row = node ?? this.#selection;
    const text = row && textOf(row);
    if (text !== undefined) await vscode.env.clipboard.writeText(text);
  }

  /** The path on this computer, where there is a clone. */
  #pathOf(node: ResultNode): string | undefined {
    const file = fileOf(node)?.file;
    const repository = repositoryOf(node);
    const clone = this.#options.repositories.clones.get(file?.repositoryId ?? repository?.repositoryId ?? 0);
    if (clone !== undefined && !clone.isBare) {
      return vscode.Uri.joinPath(vscode.Uri.file(clone.folder), file?.fileName.text ?? "").fsPath;
    }
    return file === undefined ? repository?.name : `${file.repository}/${file.fileName.text}`;
  }

  async #showMore(): Promise<void> {
    const { advice, tree } = this.#options;
    const row = await clickedRow(tree.view);
    if (row?.kind === "advice") await advice.take(row);
    if (row?.kind === "more") await tree.showMore(row);
    if (row?.kind === "commit") {
      const { repository, hash } = row.commit;
      await vscode.commands.executeCommand("trawl.commit.open", { repository, ref: hash });
    }
  }

  async #dismiss(node: ResultNode | undefined): Promise<void> {
    const row = node ?? this.#selection;
    if (row?.kind === "set") this.#options.searches.unpin(row.set.id);
    else if (row !== undefined) await this.#selecting(() => this.#options.tree.dismiss(row));
  }

  async #narrow(node: ResultNode | undefined, what: Narrowing, isNegated: boolean): Promise<void> {
    const row = node ?? this.#selection;
    const { tree, box } = this.#options;
    const set = row && tree.modelOf(row)?.set;
    if (row === undefined || set === undefined) return;
    const filter = filterOf(row, what, isNegated);
    // "Search In" a file or folder means the one in this repository.
    const repository = isNegated || what === "repository" ? undefined : filterOf(row, "repository", false);
    await box().show({ ...set.state, query: narrowedQuery(set.state.query, [repository, filter]) });
  }

  async #sort(): Promise<void> {
    const { tree } = this.#options;
    const items = sortOrders.map((order) => ({
      label: orderText(order),
      description: order === tree.order ? vscode.l10n.t("current") : "",
      order,
    }));
    const picked = await vscode.window.showQuickPick(items, {
      placeHolder: vscode.l10n.t("Sort results by"),
    });
    if (picked !== undefined) await tree.sortBy(picked.order);
  }
}

/** What a row opens. `isFileOpened`: a file's row opens the file at its first match. */
function placeOf(node: ResultNode, isFileOpened: boolean): ResultPlace | undefined {
  if (node.kind === "line") return { file: node.parent.file, line: node.line };
  if (node.kind === "file" && (isFileOpened || node.lineCount === 0))
    return { file: node.file, line: undefined };
  return undefined;
}

function orderText(order: SortOrder): string {
  switch (order) {
    case "relevance":
      return vscode.l10n.t("Relevance");
    case "repository":
      return vscode.l10n.t("Repository");
    case "path":
      return vscode.l10n.t("Path");
    case "matchCount":
      return vscode.l10n.t("Match Count");
  }
}

async function collapseAll(): Promise<void> {
  await vscode.commands.executeCommand("trawl.results.focus");
  await vscode.commands.executeCommand("list.collapseAll");
}

async function endOf(searches: Searches): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(end, endsWithinMs);
    const subscription = searches.onFinish(() => end());
    function end(): void {
      clearTimeout(timer);
      subscription.dispose();
      resolve();
    }
  });
}

/** Searching without leaving the editor: a quick pick that speaks the same query language as the search box. */
import * as vscode from "vscode";
import { CallError, callError } from "#client/callError";
import { type Commands, setContext } from "#client/commands";
import { shortNames } from "#client/repositories/grouping";
import type { ServiceClient } from "#client/serviceClient";
import { setting } from "#client/settings";
import type { FileMatch } from "#contract/search";
import { type QuickLine, quickLines } from "./quickLines";
import { type HowToOpen, hasSnapshot, type Opener } from "./reveal";
import type { SearchBox } from "./searchBox";
import { type QueryDefaults, type SearchState, searchRequest } from "./searchState";

interface QuickSearchOptions {
  readonly service: Pick<ServiceClient, "call">;
  readonly defaults: () => Promise<QueryDefaults>;
  readonly box: () => SearchBox;
  readonly opener: Pick<Opener, "openRange">;
}

/** More than a person reads in a list. */
const matchesAtMost = 100;
const delayMs = 100;
/** One character is in every file. */
const charactersAtLeast = 2;

interface MatchItem extends vscode.QuickPickItem {
  readonly line?: QuickLine;
  readonly isShowAll?: true;
}

export class QuickSearch implements vscode.Disposable {
  readonly #options: QuickSearchOptions;
  /** What the list was left with; it is there again the next time. */
  #text = "";
  #pick: vscode.QuickPick<MatchItem> | undefined;
  #running: vscode.CancellationTokenSource | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: QuickSearchOptions) {
    this.#options = options;
  }

  get commands(): Commands {
    return {
      "search.quick": () => this.#show(),
      "search.quickComplete": () => this.#complete(),
    };
  }

  dispose(): void {
    this.#pick?.dispose();
  }

  #show(): void {
    const pick = vscode.window.createQuickPick<MatchItem>();
    this.#pick = pick;
    pick.title = vscode.l10n.t("Quick Search");
    pick.placeholder = vscode.l10n.t(
      "Search code in all repositories. Start with > for file names, @ for definitions",
    );
    pick.value = this.#text;
    keepOrder(pick);
    setContext("trawl.quickSearchVisible", true);
    pick.onDidChangeValue((text) => {
      this.#text = text;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#search(pick, text), delayMs);
    });
    pick.onDidAccept(() => void this.#accept(pick));
    pick.onDidTriggerItemButton(({ item, button }) => {
      if (item.line === undefined) return;
      pick.hide();
      void this.#open(item.line, button === toSide ? { toSide: true } : { target: "snapshot" });
    });
    pick.onDidHide(() => {
      clearTimeout(this.#timer);
      this.#running?.cancel();
      setContext("trawl.quickSearchVisible", false);
      this.#pick = undefined;
      pick.dispose();
    });
    pick.show();
    void this.#search(pick, this.#text);
  }

  async #accept(pick: vscode.QuickPick<MatchItem>): Promise<void> {
    const [item] = pick.activeItems;
    pick.hide();
    if (item?.line !== undefined) await this.#open(item.line, {});
    else if (item?.isShowAll) await this.#options.box().show(stateOf(this.#text));
  }

  async #open({ file, range }: QuickLine, how: HowToOpen): Promise<void> {
    await this.#options.opener.openRange(file, range, how).catch((error: unknown) => {
      if (error instanceof vscode.CancellationError) return;
      vscode.window.setStatusBarMessage(`$(error) ${callError(error).message}`, 5000);
    });
  }

  async #search(pick: vscode.QuickPick<MatchItem>, text: string): Promise<void> {
    this.#running?.cancel();
    const state = stateOf(text);
    if (state.query.trim().length < charactersAtLeast) {
      pick.items = [];
      pick.busy = false;
      return;
    }
    const source = new vscode.CancellationTokenSource();
    this.#running = source;
    const isPresent = () => this.#running === source && this.#pick === pick;
    pick.busy = true;
    try {
      const request = searchRequest(state, await this.#options.defaults(), matchesAtMost);
      const { files, stats } = await this.#options.service.call("search", request, { token: source.token });
      if (isPresent()) pick.items = [...itemsOf(files), lastItem(stats.totalMatchCount)];
    } catch (error) {
      if (isPresent()) pick.items = [problemItem(error)];
    } finally {
      if (isPresent()) pick.busy = false;
      source.dispose();
    }
  }

  /** Tab: the first proposal of the service takes its place in the text. */
  async #complete(): Promise<void> {
    const pick = this.#pick;
    if (pick === undefined) return;
    const { value } = pick;
    const start = prefixedType(value) === undefined ? 0 : 1;
    const query = value.slice(start);
    const proposals = await this.#options.service.call("completeQuery", {
      query,
      offset: query.length,
      limit: 1,
    });
    const [first] = proposals.items;
    if (first === undefined || pick.value !== value) return;
    const after = query.slice(proposals.offset + proposals.length);
    const completed = value.slice(0, start) + query.slice(0, proposals.offset) + first.text + after;
    pick.value = completed;
    this.#text = completed;
    void this.#search(pick, completed);
  }
}

const toSide: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("split-horizontal"),
  tooltip: vscode.l10n.t("Open to the Side"),
};
const asSnapshot: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("git-commit"),
  tooltip: vscode.l10n.t("Open Snapshot at Indexed Commit"),
};

/** VS Code sorts by label unless it is told not to, and its types leave the way to tell it out. */
function keepOrder(pick: vscode.QuickPick<MatchItem>): void {
  (pick as { sortByLabel?: boolean }).sortByLabel = false;
}

/** What is looked for where the text begins with a sign for it. */
function prefixedType(text: string): "file" | "symbol" | undefined {
  if (text.startsWith(">")) return "file";
  return text.startsWith("@") ? "symbol" : undefined;
}

function stateOf(text: string): SearchState {
  const type = prefixedType(text);
  const query = (type === undefined ? text : text.slice(1)).trim();
  return {
    query: type !== undefined && query !== "" ? `type:${type} ${query}` : query,
    caseSensitivity: setting("search.caseSensitivity"),
    isRegex: setting("search.mode") === "regex",
    isWholeWord: false,
    narrowed: [],
  };
}

function itemsOf(files: readonly FileMatch[]): MatchItem[] {
  const names = shortNames([...new Set(files.map(({ repository }) => repository))]);
  const items: MatchItem[] = [];
  let repository: string | undefined;
  for (const line of quickLines(files)) {
    if (line.file.repository !== repository) {
      repository = line.file.repository;
      items.push({ label: names.get(repository) ?? repository, kind: vscode.QuickPickItemKind.Separator });
    }
    items.push({
      label: line.text,
      description: line.place,
      alwaysShow: true,
      buttons: hasSnapshot(line.file) ? [toSide, asSnapshot] : [toSide],
      line,
    });
  }
  return items;
}

function lastItem(count: number): MatchItem {
  return count === 0
    ? { label: vscode.l10n.t("No results"), alwaysShow: true, isShowAll: true }
    : {
        label: vscode.l10n.t("Show all in view"),
        description: vscode.l10n.t("{0} matches", count.toLocaleString()),
        iconPath: new vscode.ThemeIcon("list-tree"),
        alwaysShow: true,
        isShowAll: true,
      };
}

function problemItem(error: unknown): MatchItem {
  const message = error instanceof CallError ? error.message : vscode.l10n.t("The search failed.");
  return { label: message, iconPath: new vscode.ThemeIcon("error"), alwaysShow: true };
}

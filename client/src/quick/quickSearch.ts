/** Quick Search: a quick pick that accepts the queries of the search box. */

import * as vscode from "vscode";
import { shortNames } from "#client/model/grouping";
import { hasSnapshot, type Opener, type OpenOptions } from "#client/results/opener";
import { checkQuery } from "#client/search/queryAnalysis";
import type { SearchBox } from "#client/search/searchBox";
import { type QueryDefaults, type SearchState, searchRequest } from "#client/search/searchState";
import { foundText } from "#client/search/status";
import { CallError, callError } from "#client/server/callError";
import type { ServiceClient } from "#client/server/serviceClient";
import { setContext } from "#client/workbench/commands";
import type { Handlers } from "#client/workbench/declarations";
import { setting } from "#client/workbench/settings";
import type { FileMatch } from "#contract/search";
import type { quickSearchCommands } from "./contributions";
import { type QuickLine, quickLines } from "./quickLines";

interface QuickSearchOptions {
  readonly service: Pick<ServiceClient, "call">;
  readonly defaults: () => Promise<QueryDefaults>;
  readonly box: () => SearchBox;
  readonly opener: Pick<Opener, "openRange">;
}

/** More than users read in a list. */
const maxMatches = 100;
const delayMs = 100;
/** Nearly every file contains a given single character. */
const minCharacters = 2;

interface MatchItem extends vscode.QuickPickItem {
  readonly line?: QuickLine;
  readonly isShowAll?: true;
}

export class QuickSearch implements vscode.Disposable {
  readonly #options: QuickSearchOptions;
  /** The last text, restored the next time. */
  #text = "";
  #pick: vscode.QuickPick<MatchItem> | undefined;
  #running: vscode.CancellationTokenSource | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: QuickSearchOptions) {
    this.#options = options;
  }

  get commands(): Handlers<typeof quickSearchCommands> {
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

  async #open({ file, range }: QuickLine, options: OpenOptions): Promise<void> {
    await this.#options.opener.openRange(file, range, options).catch((error: unknown) => {
      if (error instanceof vscode.CancellationError) return;
      vscode.window.setStatusBarMessage(`$(error) ${callError(error).message}`, 5000);
    });
  }

  async #search(pick: vscode.QuickPick<MatchItem>, text: string): Promise<void> {
    this.#running?.cancel();
    const state = stateOf(text);
    if (state.query.trim().length < minCharacters) {
      pick.items = [];
      pick.busy = false;
      return;
    }
    const source = new vscode.CancellationTokenSource();
    this.#running = source;
    const isCurrent = () => this.#running === source && this.#pick === pick;
    pick.busy = true;
    try {
      await checkQuery(this.#options.service, state);
      const request = searchRequest(state, await this.#options.defaults(), maxMatches);
      if (!isCurrent()) return;
      const { files, stats } = await this.#options.service.call("search", request, { token: source.token });
      if (isCurrent()) pick.items = [...itemsOf(files), lastItem(state.query, stats.totalMatchCount)];
    } catch (error) {
      if (isCurrent()) pick.items = [problemItem(error)];
    } finally {
      if (isCurrent()) pick.busy = false;
      source.dispose();
    }
  }

  /** Inserts the first completion of the service when Tab is pressed. */
  async #complete(): Promise<void> {
    const pick = this.#pick;
    if (pick === undefined) return;
    const { value } = pick;
    const start = prefixedType(value) === undefined ? 0 : 1;
    const query = value.slice(start);
    const completions = await this.#options.service.call("completeQuery", {
      query,
      offset: query.length,
      limit: 1,
    });
    const [first] = completions.items;
    if (first === undefined || pick.value !== value) return;
    const after = query.slice(completions.offset + completions.length);
    const completed = value.slice(0, start) + query.slice(0, completions.offset) + first.text + after;
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

/** Turns off sorting by label, with a property that VS Code's type declarations lack. */
function keepOrder(pick: vscode.QuickPick<MatchItem>): void {
  (pick as { sortByLabel?: boolean }).sortByLabel = false;
}

/** Returns the type of search that the first character selects: `>` for files, `@` for symbols. */
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
      description: line.location,
      alwaysShow: true,
      buttons: hasSnapshot(line.file) ? [toSide, asSnapshot] : [toSide],
      line,
    });
  }
  return items;
}

function lastItem(query: string, count: number): MatchItem {
  return count === 0
    ? { label: vscode.l10n.t("No results"), alwaysShow: true, isShowAll: true }
    : {
        label: vscode.l10n.t("Show All in Search View"),
        description: foundText(query, count, vscode.l10n),
        iconPath: new vscode.ThemeIcon("list-tree"),
        alwaysShow: true,
        isShowAll: true,
      };
}

function problemItem(error: unknown): MatchItem {
  const message = error instanceof CallError ? error.message : vscode.l10n.t("The search failed.");
  return { label: message, iconPath: new vscode.ThemeIcon("error"), alwaysShow: true };
}

/** The view "Saved & Recent": the team's searches, the person's own, and those that were run. */
import * as vscode from "vscode";
import { ago } from "#client/words";
import type { HistoryEntry, SearchHistory } from "./history";
import type { News, SavedSearches } from "./savedSearches";
import type { SearchState } from "./searchState";
import type { TeamSearches } from "./teamSearches";

export interface SavedNode {
  readonly kind: "search";
  readonly group: "team" | "mine" | "recent";
  readonly name: string;
  readonly state: SearchState;
  readonly description: string;
  /** Of a recent one. */
  readonly entry?: HistoryEntry;
}

export interface GroupNode {
  readonly kind: "group";
  readonly group: SavedNode["group"];
  readonly children: readonly SavedNode[];
}

export class SavedTree implements vscode.TreeDataProvider<GroupNode | SavedNode> {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.#changed.event;
  /** News by name of the saved search. */
  readonly #news = new Map<string, News>();
  readonly #saved: SavedSearches;
  readonly #history: SearchHistory;
  readonly #team: TeamSearches;

  constructor(saved: SavedSearches, history: SearchHistory, team: TeamSearches) {
    this.#saved = saved;
    this.#history = history;
    this.#team = team;
    team.onChange(() => this.refresh());
  }

  refresh(): void {
    this.#changed.fire();
  }

  /** `undefined` where there is nothing new. */
  tellNews(name: string, news: News | undefined): void {
    if (news === undefined || news.count === 0) this.#news.delete(name);
    else this.#news.set(name, news);
    this.refresh();
  }

  async getChildren(node?: GroupNode | SavedNode): Promise<(GroupNode | SavedNode)[]> {
    if (node !== undefined) return node.kind === "group" ? [...node.children] : [];
    const groups: readonly GroupNode[] = [
      { kind: "group", group: "team", children: await this.#teamNodes() },
      { kind: "group", group: "mine", children: this.#saved.all.map((search) => this.#mine(search)) },
      { kind: "group", group: "recent", children: this.#history.entries.map(recent) },
    ];
    return groups.filter(({ children }) => children.length > 0);
  }

  getTreeItem(node: GroupNode | SavedNode): vscode.TreeItem {
    return node.kind === "group" ? groupItem(node) : this.#searchItem(node);
  }

  async #teamNodes(): Promise<readonly SavedNode[]> {
    const files = await this.#team.files();
    return files.flatMap(({ folder, searches }) =>
      searches.map(({ name, state, description }) => ({
        kind: "search" as const,
        group: "team" as const,
        name,
        state,
        description: [files.length > 1 ? folder.name : "", description]
          .filter((part) => part !== "")
          .join(" · "),
      })),
    );
  }

  #mine({ name, state }: { readonly name: string; readonly state: SearchState }): SavedNode {
    const news = this.#news.get(name);
    const description =
      news === undefined
        ? name === state.query
          ? ""
          : state.query
        : vscode.l10n.t("{0} new since {1}", news.count, new Date(news.since).toLocaleString());
    return { kind: "search", group: "mine", name, state, description };
  }

  #searchItem({ group, name, state, description, entry }: SavedNode): vscode.TreeItem {
    const item = new vscode.TreeItem(oneLine(name));
    // A team may give two searches one name.
    if (group !== "team") item.id = `${group} ${entry?.id ?? name}`;
    item.description = oneLine(description);
    item.contextValue = `search ${group}`;
    const hasNews = group === "mine" && this.#news.has(name);
    item.iconPath = hasNews
      ? new vscode.ThemeIcon("circle-filled", new vscode.ThemeColor("charts.blue"))
      : new vscode.ThemeIcon(group === "recent" ? "history" : "bookmark");
    item.tooltip = [state.query, ...state.narrowed, ...flagWords(state)].join("\n");
    item.command = { title: vscode.l10n.t("Run Search"), command: "trawl.search.runSaved" };
    return item;
  }
}

function recent(entry: HistoryEntry): SavedNode {
  const { state, matchCount, ranAt } = entry;
  const count = vscode.l10n.t("{0} matches", matchCount.toLocaleString());
  return {
    kind: "search",
    group: "recent",
    name: [state.query, ...state.narrowed].join(" › "),
    state,
    description: `${count} · ${ago(ranAt)}`,
    entry,
  };
}

function groupItem({ group, children }: GroupNode): vscode.TreeItem {
  const title = {
    team: vscode.l10n.t("Team"),
    mine: vscode.l10n.t("Mine"),
    recent: vscode.l10n.t("Recent"),
  }[group];
  const item = new vscode.TreeItem(title, vscode.TreeItemCollapsibleState.Expanded);
  item.id = `group ${group}`;
  item.description = String(children.length);
  item.contextValue = `group ${group}`;
  return item;
}

function flagWords(state: SearchState): string[] {
  return [
    ...(state.caseSensitivity === "sensitive" ? [vscode.l10n.t("Match Case")] : []),
    ...(state.isWholeWord ? [vscode.l10n.t("Whole Word")] : []),
    ...(state.isRegex ? [vscode.l10n.t("Regular Expression")] : []),
  ];
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

/** The tree of the Saved & Recent view: the team's searches, the user's own, and recent ones. */
import * as vscode from "vscode";
import type { HistoryEntry, SearchHistory } from "#client/search/searchHistory";
import type { SearchState } from "#client/search/searchState";
import { foundText } from "#client/search/status";
import { ago } from "#client/workbench/format";
import { withLabels } from "#client/workbench/rows";
import type { NewMatches, SavedSearches } from "./savedSearches";
import type { TeamSearches } from "./teamSearches";

export interface SavedNode {
  readonly kind: "search";
  readonly group: "team" | "mine" | "recent";
  readonly name: string;
  readonly state: SearchState;
  readonly description: string;
  /** Set for a recent search. */
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
  /** New matches by name of the saved search. */
  readonly #newMatches = new Map<string, NewMatches>();
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

  /** Sets the new matches of a saved search; `undefined` clears them. */
  setNewMatches(name: string, newMatches: NewMatches | undefined): void {
    if (newMatches === undefined || newMatches.count === 0) this.#newMatches.delete(name);
    else this.#newMatches.set(name, newMatches);
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
    return withLabels(node.kind === "group" ? groupItem(node) : this.#searchItem(node));
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
    const newMatches = this.#newMatches.get(name);
    const description =
      newMatches === undefined
        ? name === state.query
          ? ""
          : state.query
        : vscode.l10n.t("{0} new since {1}", newMatches.count, new Date(newMatches.since).toLocaleString());
    return { kind: "search", group: "mine", name, state, description };
  }

  #searchItem({ group, name, state, description, entry }: SavedNode): vscode.TreeItem {
    const item = new vscode.TreeItem(oneLine(name));
    // Two searches of a team may have the same name.
    if (group !== "team") item.id = `${group} ${entry?.id ?? name}`;
    item.description = oneLine(description);
    item.contextValue = `search ${group}`;
    const hasNewMatches = group === "mine" && this.#newMatches.has(name);
    item.iconPath = hasNewMatches
      ? new vscode.ThemeIcon("circle-filled", new vscode.ThemeColor("charts.blue"))
      : new vscode.ThemeIcon(group === "recent" ? "history" : "bookmark");
    item.tooltip = [state.query, ...state.narrowed, ...flagWords(state)].join("\n");
    item.command = { title: vscode.l10n.t("Run Search"), command: "trawl.search.runSaved" };
    return item;
  }
}

function recent(entry: HistoryEntry): SavedNode {
  const { state, matchCount, ranAt } = entry;
  const count = foundText(state.query, matchCount, vscode.l10n);
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

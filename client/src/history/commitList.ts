/** The view "Commits": those that lead to a revision, newest first, by day, a page at a time. */
import * as vscode from "vscode";
import { revisionName } from "#client/files/revisionTitle";
import type { Row } from "#client/rows";
import type { ApiCall } from "#client/search/apiCall";
import { visible } from "#client/search/resultLines";
import type { ServiceClient } from "#client/serviceClient";
import { count } from "#client/words";
import type { SentOf } from "#contract/service";
import type { CommitPlace } from "./commitDetails";
import { type CommitFilter, filterParts } from "./commitFilter";
import { CommitPages, commitsPerPage } from "./commitPages";
import { commitRow } from "./commitRows";
import { type DayOfCommits, dayOf, daysOf } from "./commitText";
import { HistoryTree, loadMoreRow } from "./historyTree";

/** Which commits. */
export interface CommitScope {
  readonly repository: string;
  readonly filter: CommitFilter;
}

export interface CommitListOptions {
  readonly service: Pick<ServiceClient, "call">;
  /** What a repository is called here. */
  readonly label: (repository: string) => string;
  readonly open: (place: CommitPlace) => Promise<void>;
}

export class CommitList implements vscode.Disposable {
  readonly tree = new HistoryTree("commits");
  readonly #options: CommitListOptions;
  #scope: CommitScope | undefined;

  constructor(options: CommitListOptions) {
    this.#options = options;
  }

  dispose(): void {
    this.tree.dispose();
  }

  /** What is shown. */
  get scope(): CommitScope | undefined {
    return this.#scope;
  }

  async show(scope: CommitScope): Promise<void> {
    this.#scope = scope;
    const { repository, filter } = scope;
    const pages = new CommitPages(this.#options.service, requestOf(scope));
    const isFiltered = Object.keys(filter).length > 0;
    await vscode.commands.executeCommand("setContext", "trawl.commitsFiltered", isFiltered);
    const { ref } = filter;
    const told = ref === undefined ? filter : { ...filter, ref: revisionName(ref) };
    const parts = [this.#options.label(repository), ...filterParts(told)];
    await this.tree.show({
      description: parts.map(visible).join(" · "),
      rows: () => this.#rows(scope, pages),
    });
  }

  async #rows(scope: CommitScope, pages: CommitPages): Promise<readonly Row[]> {
    let problem: unknown;
    try {
      await pages.load(this.tree.token);
    } catch (error) {
      if (this.#scope !== scope || pages.found.length === 0) throw error;
      // What came before it failed stays.
      problem = error;
    }
    const rows = daysOf(pages.found).map((day) => this.#dayRow(scope, day, pages.call));
    if (problem !== undefined) return [...rows, this.tree.problem(problem)];
    if (rows.length === 0) return [{ id: "none", item: () => ({ label: vscode.l10n.t("No commits") }) }];
    if (pages.left <= 0) return rows;
    const more = loadMoreRow({ left: pages.left, perPage: commitsPerPage }, () => {
      pages.wantMore();
      this.tree.refresh();
    });
    return [...rows, more];
  }

  #dayRow({ repository, filter }: CommitScope, { day, commits }: DayOfCommits, call: ApiCall): Row {
    const { open } = this.#options;
    const row: Row = {
      id: `${day} ${commits[0]?.hash}`,
      call,
      item: () => ({
        label: dayText(day),
        description: count(commits.length),
        iconPath: new vscode.ThemeIcon("calendar"),
        contextValue: "commits",
        collapsibleState: vscode.TreeItemCollapsibleState.Expanded,
      }),
      children: () =>
        commits.map((commit) => commitRow(commit, { parent: row, repository, path: filter.path, open })),
    };
    return row;
  }
}

function requestOf({ repository: repo, filter }: CommitScope): SentOf<"commits"> {
  const { message, ...same } = filter;
  return { repo, ...same, ...(message === undefined ? {} : { query: message }) };
}

function dayText(day: number): string {
  if (Number.isNaN(day)) return vscode.l10n.t("No date");
  const today = dayOf(Date.now());
  if (day === today) return vscode.l10n.t("Today");
  if (day === dayOf(today - 1)) return vscode.l10n.t("Yesterday");
  return new Date(day).toLocaleDateString(vscode.env.language, {
    weekday: "short",
    year: "numeric",
    month: "short",
    day: "numeric",
  });
}

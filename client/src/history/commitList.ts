/** The Commits view: the commits reachable from a revision, newest first, loaded in pages, grouped by day if days have several. */
import * as vscode from "vscode";
import { revisionName } from "#client/documents/revisionTitle";
import type { ApiCall } from "#client/server/apiCall";
import type { ServiceClient } from "#client/server/serviceClient";
import { visible } from "#client/text/visible";
import { count } from "#client/workbench/format";
import type { Row } from "#client/workbench/rows";
import type { CommitItem } from "#contract/commits";
import type { RequestInput } from "#contract/service";
import type { CommitRef } from "./commitDetails";
import { type CommitFilter, filterParts } from "./commitFilter";
import { CommitPages, commitsPerPage } from "./commitPages";
import { commitRow } from "./commitRows";
import { type DayOfCommits, dayOf, daysOf, isWorthGrouping } from "./commitText";
import { HistoryTree, loadMoreRow } from "./historyTree";

/** The commits to list. */
export interface CommitScope {
  readonly repository: string;
  readonly filter: CommitFilter;
}

export interface CommitListOptions {
  readonly service: Pick<ServiceClient, "call">;
  /** Returns the display name of a repository. */
  readonly label: (repository: string) => string;
  readonly openCommit: (commit: CommitRef) => Promise<void>;
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

  /** The commits that are shown. */
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
    const displayed = ref === undefined ? filter : { ...filter, ref: revisionName(ref) };
    const parts = [this.#options.label(repository), ...filterParts(displayed)];
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
      if (this.#scope !== scope || pages.loaded.length === 0) throw error;
      // Keeps the pages that were loaded before the error.
      problem = error;
    }
    // The first page decides for all of them, so that loading more keeps the rows where they are.
    const isGrouped = isWorthGrouping(pages.loaded.slice(0, commitsPerPage));
    const rows = isGrouped
      ? daysOf(pages.loaded).map((day) => this.#dayRow(scope, day, pages.call))
      : pages.loaded.map((commit) => this.#commitRow(scope, commit));
    if (problem !== undefined) return [...rows, this.tree.errorRow(problem)];
    if (rows.length === 0) return [{ id: "none", item: () => ({ label: vscode.l10n.t("No commits") }) }];
    if (pages.remaining <= 0) return rows;
    const more = loadMoreRow({ remaining: pages.remaining, perPage: commitsPerPage }, () => {
      pages.requestMore();
      this.tree.refresh();
    });
    return [...rows, more];
  }

  #dayRow(scope: CommitScope, { day, commits }: DayOfCommits, call: ApiCall): Row {
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
      children: () => commits.map((commit) => this.#commitRow(scope, commit, row)),
    };
    return row;
  }

  #commitRow({ repository, filter }: CommitScope, commit: CommitItem, parent?: Row): Row {
    const { openCommit } = this.#options;
    return commitRow(commit, { parent, repository, path: filter.path, openCommit });
  }
}

function requestOf({ repository: repo, filter }: CommitScope): RequestInput<"commits"> {
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

/** The view "Commits": those that lead to a revision, newest first, by day, a page at a time. */
import * as vscode from "vscode";
import type { Row } from "#client/rows";
import { visible } from "#client/search/resultLines";
import type { ServiceClient } from "#client/serviceClient";
import { ago, count } from "#client/words";
import type { CommitItem } from "#contract/commits";
import type { SentOf } from "#contract/service";
import { shortHash } from "./blameText";
import type { CommitPlace } from "./commitDetails";
import { type CommitFilter, filterParts } from "./commitFilter";
import { type DayOfCommits, dayOf, daysOf, refNames, wholeMessage } from "./commitText";
import { HistoryTree } from "./historyTree";

/** Which commits. */
export interface CommitScope {
  readonly repository: string;
  readonly filter: CommitFilter;
}

/** The row of a commit. */
export interface CommitRow extends Row {
  readonly repository: string;
  /** Full SHA. */
  readonly ref: string;
  /** The whole of it. */
  readonly message: string;
  /** Of a list of one file: its name in this commit. */
  readonly path?: string;
}

export interface CommitListOptions {
  readonly service: Pick<ServiceClient, "call">;
  /** What a repository is called here. */
  readonly label: (repository: string) => string;
  readonly open: (place: CommitPlace) => Promise<void>;
}

const perPage = 50;

export class CommitList implements vscode.Disposable {
  readonly tree = new HistoryTree("commits");
  readonly #options: CommitListOptions;
  #scope: CommitScope | undefined;
  #found: CommitItem[] = [];
  /** Of all pages; absent until the first is there. */
  #total: number | undefined;
  /** So many commits have been asked for. */
  #wanted = perPage;

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
    this.#found = [];
    this.#total = undefined;
    this.#wanted = perPage;
    const { repository, filter } = scope;
    const isFiltered = Object.keys(filter).length > 0;
    await vscode.commands.executeCommand("setContext", "trawl.commitsFiltered", isFiltered);
    const parts = [this.#options.label(repository), ...filterParts(filter)];
    await this.tree.show({ description: parts.map(visible).join(" · "), rows: () => this.#rows(scope) });
  }

  async #rows(scope: CommitScope): Promise<readonly Row[]> {
    let problem: unknown;
    try {
      await this.#load(scope);
    } catch (error) {
      if (this.#scope !== scope || this.#found.length === 0) throw error;
      // What came before it failed stays.
      problem = error;
    }
    const rows = daysOf(this.#found).map((day) => this.#dayRow(scope, day));
    if (problem !== undefined) return [...rows, this.tree.problem(problem)];
    if (rows.length === 0) return [{ id: "none", item: () => ({ label: vscode.l10n.t("No commits") }) }];
    const left = (this.#total ?? 0) - this.#found.length;
    return left > 0 ? [...rows, this.#moreRow(left)] : rows;
  }

  async #load(scope: CommitScope): Promise<void> {
    const { token } = this.tree;
    while (this.#found.length < Math.min(this.#wanted, this.#total ?? this.#wanted)) {
      const page = this.#found.length / perPage + 1;
      const { items, total } = await this.#options.service.call("commits", requestOf(scope, page), { token });
      if (token.isCancellationRequested || this.#scope !== scope) throw new vscode.CancellationError();
      this.#found.push(...items);
      // Another page may be shorter than it should be; behind it there is nothing.
      this.#total = items.length < perPage ? this.#found.length : total;
    }
  }

  #dayRow(scope: CommitScope, { day, commits }: DayOfCommits): Row {
    const row: Row = {
      id: `${day} ${commits[0]?.hash}`,
      item: () => ({
        label: dayText(day),
        description: count(commits.length),
        iconPath: new vscode.ThemeIcon("calendar"),
        collapsibleState: vscode.TreeItemCollapsibleState.Expanded,
      }),
      children: () => commits.map((commit) => this.#commitRow(scope, commit, row)),
    };
    return row;
  }

  #commitRow({ repository, filter }: CommitScope, commit: CommitItem, parent: Row): CommitRow {
    const { hash, authorName, authorEmail, date, refs, path, oldPath } = commit;
    const time = new Date(date);
    const isRenamed = oldPath !== undefined && oldPath !== path;
    const name = isRenamed ? `${oldPath} → ${path}` : path !== undefined && path !== filter.path ? path : "";
    const parts = [authorName, ago(time.getTime()), ...refNames(refs).map((ref) => `⟨${ref}⟩`), name];
    return {
      id: `${parent.id}/${hash}`,
      parent,
      repository,
      ref: hash,
      message: wholeMessage(commit),
      ...(path === undefined ? {} : { path }),
      item: () => ({
        label: visible(commit.message).trim() || vscode.l10n.t("(no message)"),
        description: parts
          .filter((part) => part !== "")
          .map(visible)
          .join(" · "),
        tooltip: [
          ...wholeMessage(commit).split("\n"),
          "",
          `${authorName} <${authorEmail}> · ${time.toLocaleString(vscode.env.language)}`,
          shortHash(hash),
        ]
          .map(visible)
          .join("\n"),
        iconPath: new vscode.ThemeIcon("git-commit"),
        contextValue: path === undefined ? "commit" : "commit file",
      }),
      run: () => this.#options.open({ repository, ref: hash }),
    };
  }

  #moreRow(left: number): Row {
    return {
      id: "more",
      item: () => ({
        label: vscode.l10n.t("Load {0} More", Math.min(perPage, left)),
        description: vscode.l10n.t("{0} left", count(left)),
        iconPath: new vscode.ThemeIcon("ellipsis"),
      }),
      run: () => {
        this.#wanted = this.#found.length + perPage;
        this.tree.refresh();
      },
    };
  }
}

function requestOf({ repository: repo, filter }: CommitScope, page: number): SentOf<"commits"> {
  const { message, ...same } = filter;
  return { repo, page, perPage, ...same, ...(message === undefined ? {} : { query: message }) };
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

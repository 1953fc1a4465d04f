/** The Authors view: the authors of a repository, a folder or a file, with their commit counts. */
import * as vscode from "vscode";
import { revisionName } from "#client/documents/revisionTitle";
import { getCall } from "#client/server/apiCall";
import type { ServiceClient } from "#client/server/serviceClient";
import { visible } from "#client/text/visible";
import { ago, count } from "#client/workbench/format";
import type { Row } from "#client/workbench/rows";
import { setting } from "#client/workbench/settings";
import type { CommitAuthor } from "#contract/commits";
import { literalExpression } from "./commitFilter";
import type { CommitScope } from "./commitList";
import { HistoryTree, loadMoreRow } from "./historyTree";

/** What to count commits in. */
export interface AuthorScope {
  readonly repository: string;
  readonly path?: string;
  readonly ref?: string;
}

export interface AuthorListOptions {
  readonly service: Pick<ServiceClient, "call">;
  readonly label: (repository: string) => string;
  readonly showCommits: (scope: CommitScope) => Promise<void>;
}

const perPage = 100;

export class AuthorList implements vscode.Disposable {
  readonly tree = new HistoryTree("authors");
  readonly #options: AuthorListOptions;
  #scope: AuthorScope | undefined;
  #pages = 1;

  constructor(options: AuthorListOptions) {
    this.#options = options;
  }

  dispose(): void {
    this.tree.dispose();
  }

  async show(scope: AuthorScope): Promise<void> {
    this.#scope = scope;
    this.#pages = 1;
    const { repository, path, ref } = scope;
    const parts = [
      this.#options.label(repository),
      path,
      ref === undefined ? undefined : revisionName(ref),
    ].filter((part) => part !== undefined);
    await this.tree.show({ description: parts.map(visible).join(" · "), rows: () => this.#rows(scope) });
  }

  async #rows(scope: AuthorScope): Promise<readonly Row[]> {
    const { token } = this.tree;
    const { repository: repo, ...location } = scope;
    const found: CommitAuthor[] = [];
    let total = 0;
    for (let page = 1; page <= this.#pages; page++) {
      const followRenames = setting("history.followRenames");
      const request = { repo, ...location, followRenames, page, perPage };
      const response = await this.#options.service.call("authors", request, { token });
      if (this.#scope !== scope) throw new vscode.CancellationError();
      found.push(...response.items);
      total = response.total;
    }
    const rows = found.map((author) => this.#authorRow(scope, author));
    if (rows.length === 0) return [{ id: "none", item: () => ({ label: vscode.l10n.t("No commits") }) }];
    if (total <= found.length) return rows;
    const more = loadMoreRow({ remaining: total - found.length, perPage }, () => {
      this.#pages++;
      this.tree.refresh();
    });
    return [...rows, more];
  }

  #authorRow({ repository, ...location }: AuthorScope, author: CommitAuthor): Row {
    const { name, email, commitCount, lastActiveAt } = author;
    const last = Date.parse(lastActiveAt);
    const commits =
      commitCount === 1 ? vscode.l10n.t("1 commit") : vscode.l10n.t("{0} commits", count(commitCount));
    const expression = literalExpression(email === "" ? name : `${name} <${email}>`);
    return {
      id: `author ${name} <${email}>`,
      ...(Number.isNaN(last) ? {} : { date: last }),
      call: getCall("/api/commits/authors", { repo: repository, ...location }),
      item: () => ({
        label: visible(name) || visible(email),
        description: Number.isNaN(last)
          ? commits
          : [commits, vscode.l10n.t("last {0}", ago(last))].join(" · "),
        tooltip: [
          `${visible(name)} <${visible(email)}>`,
          ...(Number.isNaN(last) ? [] : [new Date(last).toLocaleString(vscode.env.language)]),
          vscode.l10n.t("Click to show these commits"),
        ].join("\n"),
        iconPath: new vscode.ThemeIcon("account"),
        contextValue: "author",
      }),
      run: () => this.#options.showCommits({ repository, filter: { ...location, author: expression } }),
    };
  }
}

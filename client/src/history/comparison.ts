/** The view "Compare": two revisions of a repository, and what differs between them. */
import * as vscode from "vscode";
import { pickRevision } from "#client/files/revisionPicker";
import type { Row } from "#client/rows";
import { visible } from "#client/search/resultLines";
import type { ServiceClient } from "#client/serviceClient";
import { shortHash } from "./blameText";
import { type Changes, changeRows, changesText, openAllChanges } from "./changeRows";
import { HistoryTree } from "./historyTree";

/** What is compared, as the person named it. */
export interface ComparisonScope {
  readonly repository: string;
  readonly base: string;
  readonly head: string;
  /** Whether only counts what `head` changed since both were the same: three dots, where git writes them. */
  readonly isSinceFork: boolean;
  /** A file, or a folder. */
  readonly path?: string;
}

export class Comparison implements vscode.Disposable {
  readonly tree = new HistoryTree("compare");
  readonly #service: Pick<ServiceClient, "call">;
  readonly #label: (repository: string) => string;
  #scope: ComparisonScope | undefined;
  #changes: Changes | undefined;

  /** `label`: what a repository is called here. */
  constructor(service: Pick<ServiceClient, "call">, label: (repository: string) => string) {
    this.#service = service;
    this.#label = label;
  }

  dispose(): void {
    this.tree.dispose();
  }

  async show(scope: ComparisonScope): Promise<void> {
    this.#scope = scope;
    this.#changes = undefined;
    const { repository, path } = scope;
    const parts = [this.#label(repository), rangeText(scope), path].filter((part) => part !== undefined);
    await this.tree.show({ description: parts.map(visible).join(" · "), rows: () => this.#rows(scope) });
  }

  async swap(): Promise<void> {
    await this.#change(({ base, head }) => ({ base: head, head: base }));
  }

  async toggleDots(): Promise<void> {
    await this.#change(({ isSinceFork }) => ({ isSinceFork: !isSinceFork }));
  }

  /** Every file that differs, in one editor. */
  async openAll(): Promise<void> {
    const scope = this.#scope;
    if (scope === undefined) return;
    const changes = this.#changes ?? (await this.#compare(scope));
    await openAllChanges(changes, `${this.#label(scope.repository)} · ${rangeText(scope)}`);
  }

  async #change(part: (scope: ComparisonScope) => Partial<ComparisonScope>): Promise<void> {
    const scope = this.#scope;
    if (scope !== undefined) await this.show({ ...scope, ...part(scope) });
  }

  #rows(scope: ComparisonScope): readonly Row[] {
    const { base, head, isSinceFork } = scope;
    return [
      this.#sideRow(scope, "base", vscode.l10n.t("From"), base),
      this.#sideRow(scope, "head", vscode.l10n.t("To"), head),
      {
        id: "dots",
        item: () => ({
          label: isSinceFork
            ? vscode.l10n.t("Changes since the two parted")
            : vscode.l10n.t("All differences"),
          description: isSinceFork ? "..." : "..",
          tooltip: isSinceFork
            ? vscode.l10n.t("Click to show everything that differs")
            : vscode.l10n.t("Click to show only what changed since the two parted"),
          iconPath: new vscode.ThemeIcon(isSinceFork ? "git-pull-request" : "git-compare"),
        }),
        run: () => this.toggleDots(),
      },
      this.#filesRow(scope),
    ];
  }

  #sideRow(scope: ComparisonScope, side: "base" | "head", title: string, ref: string): Row {
    return {
      id: side,
      item: () => ({
        label: visible(shortRef(ref)),
        description: title,
        tooltip: vscode.l10n.t("Click to choose another revision"),
        iconPath: new vscode.ThemeIcon("git-commit"),
      }),
      run: async () => {
        const picked = await pickRevision(this.#service, scope.repository, title);
        if (picked !== undefined) await this.show({ ...scope, [side]: picked });
      },
    };
  }

  #filesRow(scope: ComparisonScope): Row {
    const row: Row = {
      // Another row for each comparison, so that what is open in one is not so in the next.
      id: `files ${rangeText(scope)}`,
      repository: scope.repository,
      item: () => ({
        label: vscode.l10n.t("Changed Files"),
        description: this.#changes === undefined ? "" : changesText(this.#changes.files),
        iconPath: new vscode.ThemeIcon("diff-multiple"),
        contextValue: "comparison",
        collapsibleState: vscode.TreeItemCollapsibleState.Expanded,
      }),
      children: async () => {
        if (this.#changes === undefined) {
          const changes = await this.#compare(scope, this.tree.token);
          if (this.#scope !== scope) return [];
          this.#changes = changes;
          this.tree.redraw(row);
        }
        return changeRows(this.#changes, row, this.tree);
      },
    };
    return row;
  }

  async #compare(
    { repository: repo, base, head, isSinceFork, path }: ComparisonScope,
    token?: vscode.CancellationToken,
  ): Promise<Changes> {
    const options = token === undefined ? {} : { token };
    const commitOf = async (ref: string) => (await this.#service.call("commit", { repo, ref }, options)).hash;
    const [from, to] = await Promise.all([commitOf(base), commitOf(head)]);
    const { files, mergeBase } = await this.#service.call(
      "diff",
      { repo, base: from, head: to, mergeBase: isSinceFork, ...(path === undefined ? {} : { path }) },
      options,
    );
    return { repository: repo, base: mergeBase ?? from, head: to, files };
  }
}

function rangeText({ base, head, isSinceFork }: ComparisonScope): string {
  return `${shortRef(base)}${isSinceFork ? "..." : ".."}${shortRef(head)}`;
}

function shortRef(ref: string): string {
  if (/^[0-9a-f]{40,}$/.test(ref)) return shortHash(ref);
  return ref.replace(/^refs\/(?:heads|tags|remotes)\//, "");
}

/** The Compare view: two revisions of a repository, the commits that only one of them has, and the changed files. */
import * as vscode from "vscode";
import type { RevisionPicker } from "#client/browse/revisionPicker";
import { revisionName } from "#client/documents/revisionTitle";
import { type ApiCall, getCall } from "#client/server/apiCall";
import type { ServiceClient } from "#client/server/serviceClient";
import { visible } from "#client/text/visible";
import type { Row } from "#client/workbench/rows";
import { foldersOf } from "./changedFiles";
import { type Changes, changeRows, changesText, openAllChanges } from "./changeRows";
import type { CommitRef } from "./commitDetails";
import { CommitPages } from "./commitPages";
import { commitFolderRow, commitRow } from "./commitRows";
import { HistoryTree } from "./historyTree";
import { pickPath } from "./pathPicker";

/** What to compare, as the user named it. */
export interface ComparisonScope {
  readonly repository: string;
  readonly base: string;
  readonly head: string;
  /** Whether to show only what `head` changed since the merge base: `...` in git. */
  readonly isSinceMergeBase: boolean;
  /** A file, or a folder. */
  readonly path?: string;
}

export interface ComparisonOptions {
  readonly service: Pick<ServiceClient, "call">;
  readonly revisions: RevisionPicker;
  /** Returns the display name of a repository. */
  readonly label: (repository: string) => string;
  readonly openCommit: (commit: CommitRef) => Promise<void>;
}

type Side = "base" | "head";

/** The SHAs of both sides. */
type Sides = Readonly<Record<Side, string>>;

/** The row of one side. */
export interface SideRow extends Row {
  readonly side: Side;
  /** As the user named it. */
  readonly ref: string;
}

export class Comparison implements vscode.Disposable {
  readonly tree = new HistoryTree("compare");
  readonly #options: ComparisonOptions;
  #scope: ComparisonScope | undefined;
  #changes: Changes | undefined;

  constructor(options: ComparisonOptions) {
    this.#options = options;
  }

  dispose(): void {
    this.tree.dispose();
  }

  async show(scope: ComparisonScope): Promise<void> {
    this.#scope = scope;
    this.#changes = undefined;
    const { repository, path } = scope;
    const parts = [this.#options.label(repository), rangeText(scope), path];
    await this.tree.show({
      description: parts
        .filter((part) => part !== undefined)
        .map(visible)
        .join(" · "),
      rows: () => this.#rows(scope),
    });
  }

  /** Asks for another revision of one side. */
  async chooseRevision(side: Side): Promise<void> {
    const scope = this.#scope;
    if (scope === undefined) return;
    const title =
      side === "base"
        ? vscode.l10n.t("Compare From")
        : vscode.l10n.t("Compare {0} To", revisionName(scope.base));
    const picked = await this.#options.revisions.pick(scope.repository, title, scope[side]);
    if (picked !== undefined) await this.show({ ...scope, [side]: picked });
  }

  async swap(): Promise<void> {
    await this.#change(({ base, head, ...rest }) => ({ ...rest, base: head, head: base }));
  }

  async toggleDots(): Promise<void> {
    await this.#change((scope) => ({ ...scope, isSinceMergeBase: !scope.isSinceMergeBase }));
  }

  /** Asks for the file or folder to limit the comparison to. */
  async choosePath(): Promise<void> {
    const folders = foldersOf(this.#changes?.files ?? []).map(({ folder }) => folder);
    const known = this.#scope?.path === undefined ? folders.filter((folder) => folder !== "") : [];
    const picked = await pickPath(vscode.l10n.t("Limit Comparison to Path"), known);
    if (picked === undefined) return;
    await this.#change(({ path: _, ...rest }) => (picked === "" ? rest : { ...rest, path: picked }));
  }

  /** Opens all changes in one editor. */
  async openAll(): Promise<void> {
    const scope = this.#scope;
    if (scope === undefined) return;
    const changes = this.#changes ?? (await this.#compare(scope, await this.#sides(scope)));
    await openAllChanges(changes, `${this.#options.label(scope.repository)} · ${rangeText(scope)}`);
  }

  async #change(other: (scope: ComparisonScope) => ComparisonScope): Promise<void> {
    if (this.#scope !== undefined) await this.show(other(this.#scope));
  }

  #rows(scope: ComparisonScope): readonly Row[] {
    const sides = this.#sides(scope, this.tree.token);
    return [
      this.#sideRow(scope, "base"),
      this.#sideRow(scope, "head"),
      this.#commitsRow(scope, sides, "ahead"),
      this.#commitsRow(scope, sides, "behind"),
      this.#filesRow(scope, sides),
    ];
  }

  #sideRow(scope: ComparisonScope, side: Side): SideRow {
    const { repository, [side]: ref } = scope;
    return {
      id: side,
      side,
      repository,
      ref,
      item: () => ({
        label: visible(revisionName(ref)),
        description: side === "base" ? vscode.l10n.t("From") : vscode.l10n.t("To"),
        tooltip: vscode.l10n.t("Open Commit {0}", visible(revisionName(ref))),
        iconPath: new vscode.ThemeIcon("git-commit"),
        contextValue: "side",
      }),
      run: () => this.#options.openCommit({ repository, ref }),
    };
  }

  /** Returns the row of the commits that only one side has. */
  #commitsRow(scope: ComparisonScope, sides: Promise<Sides>, direction: "ahead" | "behind"): Row {
    const { service, openCommit } = this.#options;
    const { repository, path } = scope;
    const [tip, excluded] = direction === "ahead" ? (["head", "base"] as const) : (["base", "head"] as const);
    const only = path === undefined ? {} : { path };
    const pages = sides.then(
      (each) =>
        new CommitPages(service, { repo: repository, ref: each[tip], notIn: each[excluded], ...only }),
    );
    return commitFolderRow(
      {
        id: `${direction} ${rangeText(scope)} ${path ?? ""}`,
        label: direction === "ahead" ? vscode.l10n.t("Ahead") : vscode.l10n.t("Behind"),
        icon: direction === "ahead" ? "arrow-up" : "arrow-down",
        tooltip: vscode.l10n.t(
          "Commits in {0} that are not in {1}",
          visible(revisionName(scope[tip])),
          visible(revisionName(scope[excluded])),
        ),
        pages,
        rowOf: (commit, parent) => commitRow(commit, { parent, repository, path, openCommit }),
      },
      this.tree,
    );
  }

  #filesRow(scope: ComparisonScope, sides: Promise<Sides>): Row {
    const row: Row = {
      // The id names the comparison, so that the next one starts with its own expanded folders.
      id: `files ${rangeText(scope)} ${scope.path ?? ""}`,
      repository: scope.repository,
      call: callOf(scope),
      item: () => ({
        label: vscode.l10n.t("Changed Files"),
        description: [
          this.#changes === undefined ? "" : changesText(this.#changes.files),
          scope.isSinceMergeBase ? vscode.l10n.t("since common ancestor") : "",
        ]
          .filter((part) => part !== "")
          .join(" · "),
        iconPath: new vscode.ThemeIcon("diff-multiple"),
        contextValue: "comparison",
        collapsibleState: vscode.TreeItemCollapsibleState.Expanded,
      }),
      children: async () => {
        if (this.#changes === undefined) {
          const changes = await this.#compare(scope, await sides, this.tree.token);
          if (this.#scope !== scope) return [];
          this.#changes = changes;
          this.tree.redraw(row);
        }
        return changeRows(this.#changes, row, this.tree);
      },
    };
    return row;
  }

  async #sides(
    { repository: repo, base, head }: ComparisonScope,
    token?: vscode.CancellationToken,
  ): Promise<Sides> {
    const options = token === undefined ? {} : { token };
    const commitOf = async (ref: string) =>
      (await this.#options.service.call("commit", { repo, ref }, options)).hash;
    const [from, to] = await Promise.all([commitOf(base), commitOf(head)]);
    return { base: from, head: to };
  }

  async #compare(
    { repository: repo, isSinceMergeBase, path }: ComparisonScope,
    { base, head }: Sides,
    token?: vscode.CancellationToken,
  ): Promise<Changes> {
    const { files, mergeBase } = await this.#options.service.call(
      "diff",
      {
        repo,
        base,
        head,
        mergeBase: isSinceMergeBase,
        hunks: false,
        ...(path === undefined ? {} : { path }),
      },
      token === undefined ? {} : { token },
    );
    return { repository: repo, base: mergeBase ?? base, head, files };
  }
}

function callOf({ repository: repo, base, head, path, isSinceMergeBase }: ComparisonScope): ApiCall {
  return getCall("/api/diff", { repo, base, head, path, ...(isSinceMergeBase ? { mergeBase: true } : {}) });
}

function rangeText({ base, head, isSinceMergeBase }: ComparisonScope): string {
  return `${revisionName(base)}${isSinceMergeBase ? "..." : ".."}${revisionName(head)}`;
}

/** The view "Compare": two revisions of a repository, what each has that the other has not, and what differs. */
import * as vscode from "vscode";
import type { RevisionPicker } from "#client/files/revisionPicker";
import { revisionName } from "#client/files/revisionTitle";
import type { Row } from "#client/rows";
import { type ApiCall, getCall } from "#client/search/apiCall";
import { visible } from "#client/search/resultLines";
import type { ServiceClient } from "#client/serviceClient";
import { foldersOf } from "./changedFiles";
import { type Changes, changeRows, changesText, openAllChanges } from "./changeRows";
import type { CommitPlace } from "./commitDetails";
import { CommitPages } from "./commitPages";
import { commitFolderRow, commitRow } from "./commitRows";
import { HistoryTree } from "./historyTree";
import { pickPath } from "./pathPicker";

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

export interface ComparisonOptions {
  readonly service: Pick<ServiceClient, "call">;
  readonly revisions: RevisionPicker;
  /** What a repository is called here. */
  readonly label: (repository: string) => string;
  readonly open: (place: CommitPlace) => Promise<void>;
}

/** SHAs of what is compared. */
interface Sides {
  readonly base: string;
  readonly head: string;
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

  async swap(): Promise<void> {
    await this.#change(({ base, head, ...rest }) => ({ ...rest, base: head, head: base }));
  }

  async toggleDots(): Promise<void> {
    await this.#change((scope) => ({ ...scope, isSinceFork: !scope.isSinceFork }));
  }

  /** Asks for the file or folder that alone is to be compared. */
  async choosePath(): Promise<void> {
    const folders = foldersOf(this.#changes?.files ?? []).map(({ folder }) => folder);
    const known = this.#scope?.path === undefined ? folders.filter((folder) => folder !== "") : [];
    const picked = await pickPath(vscode.l10n.t("Compare Only"), known);
    if (picked === undefined) return;
    await this.#change(({ path: _, ...rest }) => (picked === "" ? rest : { ...rest, path: picked }));
  }

  /** Every file that differs, in one editor. */
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
    const { base, head, isSinceFork, path } = scope;
    const sides = this.#sides(scope, this.tree.token);
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
      {
        id: "path",
        item: () => ({
          label: path === undefined ? vscode.l10n.t("All files") : visible(path),
          description: path === undefined ? "" : vscode.l10n.t("only"),
          tooltip: vscode.l10n.t("Click to compare only a file or a folder"),
          iconPath: new vscode.ThemeIcon("filter"),
        }),
        run: () => this.choosePath(),
      },
      this.#commitsRow(scope, sides, "ahead"),
      this.#commitsRow(scope, sides, "behind"),
      this.#filesRow(scope, sides),
    ];
  }

  #sideRow(scope: ComparisonScope, side: "base" | "head", title: string, ref: string): Row {
    return {
      id: side,
      item: () => ({
        label: visible(revisionName(ref)),
        description: title,
        tooltip: vscode.l10n.t("Click to choose another revision"),
        iconPath: new vscode.ThemeIcon("git-commit"),
      }),
      run: async () => {
        const picked = await this.#options.revisions.pick(scope.repository, title, ref);
        if (picked !== undefined) await this.show({ ...scope, [side]: picked });
      },
    };
  }

  /** Commits that one side has and the other has not. */
  #commitsRow(scope: ComparisonScope, sides: Promise<Sides>, which: "ahead" | "behind"): Row {
    const { service, open } = this.#options;
    const { repository, path } = scope;
    const [has, hasNot] = which === "ahead" ? (["head", "base"] as const) : (["base", "head"] as const);
    const only = path === undefined ? {} : { path };
    const pages = sides.then(
      (each) => new CommitPages(service, { repo: repository, ref: each[has], notIn: each[hasNot], ...only }),
    );
    return commitFolderRow(
      {
        id: `${which} ${rangeText(scope)} ${path ?? ""}`,
        label: which === "ahead" ? vscode.l10n.t("Ahead") : vscode.l10n.t("Behind"),
        icon: which === "ahead" ? "arrow-up" : "arrow-down",
        tooltip: vscode.l10n.t(
          "Commits in {0} that are not in {1}",
          visible(revisionName(scope[has])),
          visible(revisionName(scope[hasNot])),
        ),
        pages,
        rowOf: (commit, parent) => commitRow(commit, { parent, repository, path, open }),
      },
      this.tree,
    );
  }

  #filesRow(scope: ComparisonScope, sides: Promise<Sides>): Row {
    const row: Row = {
      // Another row for each comparison, so that what is open in one is not so in the next.
      id: `files ${rangeText(scope)} ${scope.path ?? ""}`,
      repository: scope.repository,
      call: callOf(scope),
      item: () => ({
        label: vscode.l10n.t("Changed Files"),
        description: this.#changes === undefined ? "" : changesText(this.#changes.files),
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
    { repository: repo, isSinceFork, path }: ComparisonScope,
    { base, head }: Sides,
    token?: vscode.CancellationToken,
  ): Promise<Changes> {
    const { files, mergeBase } = await this.#options.service.call(
      "diff",
      { repo, base, head, mergeBase: isSinceFork, hunks: false, ...(path === undefined ? {} : { path }) },
      token === undefined ? {} : { token },
    );
    return { repository: repo, base: mergeBase ?? base, head, files };
  }
}

function callOf({ repository: repo, base, head, path, isSinceFork }: ComparisonScope): ApiCall {
  return getCall("/api/diff", { repo, base, head, path, ...(isSinceFork ? { mergeBase: true } : {}) });
}

function rangeText({ base, head, isSinceFork }: ComparisonScope): string {
  return `${revisionName(base)}${isSinceFork ? "..." : ".."}${revisionName(head)}`;
}

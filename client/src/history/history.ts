/** The history views (commits, one commit, comparison, authors) and their commands. */

import * as vscode from "vscode";
import { browsedFile, committedFile, selectedCommittedLines } from "#client/browse/browsedFile";
import { pickRepository, type RevisionPicker } from "#client/browse/revisionPicker";
import type { IndexedFiles } from "#client/documents/indexedFiles";
import { linesText, revisionName } from "#client/documents/revisionTitle";
import { snapshotDocument } from "#client/documents/snapshots";
import { shortNames } from "#client/model/grouping";
import type { Repositories } from "#client/model/repositories";
import type { CommitNode } from "#client/results/resultNodes";
import type { SearchBox } from "#client/search/searchBox";
import type { ServiceClient } from "#client/server/serviceClient";
import type { Handlers } from "#client/workbench/declarations";
import { AuthorList, type AuthorScope } from "./authorList";
import { shortHash } from "./blameText";
import { pathOf } from "./changedFiles";
import { openChange } from "./changeRows";
import { CommitDetails, type CommitRef, changesOf, openCommitChanges } from "./commitDetails";
import { CommitList } from "./commitList";
import { wholeMessage } from "./commitText";
import { Comparison, type SideRow } from "./comparison";
import type { commitCommands, historyCommands } from "./contributions";
import { pickFilter } from "./filterPicker";

export interface HistoryOptions {
  readonly service: ServiceClient;
  readonly repositories: Repositories;
  readonly files: IndexedFiles;
  readonly revisions: RevisionPicker;
  readonly box: () => SearchBox;
}

/** What menus, links and other features pass to a command; absent from the Command Palette. */
type CommandArgument =
  | Partial<CommitRef & { readonly path: string; readonly message: string }>
  | CommitNode
  | vscode.Uri;

/** A file, a folder or a whole repository, at a revision or the default one. */
interface Target {
  readonly repository: string;
  readonly path?: string;
  readonly ref?: string;
}

export class History implements vscode.Disposable {
  readonly commands: Handlers<typeof commitCommands & typeof historyCommands>;
  readonly #options: HistoryOptions;
  readonly #details: CommitDetails;
  readonly #commits: CommitList;
  readonly #comparison: Comparison;
  readonly #authors: AuthorList;

  constructor(options: HistoryOptions) {
    this.#options = options;
    const { service, revisions } = options;
    const label = (repository: string) => this.#label(repository);
    const openCommit = (commit: CommitRef) => this.#details.show(commit, { preserveFocus: true });
    this.#details = new CommitDetails(service, label);
    this.#comparison = new Comparison({ service, revisions, label, openCommit });
    this.#commits = new CommitList({ service, label, openCommit });
    this.#authors = new AuthorList({ service, label, showCommits: (scope) => this.#commits.show(scope) });
    this.commands = { ...this.#commitCommands(), ...this.#listCommands() };
  }

  dispose(): void {
    vscode.Disposable.from(this.#details, this.#commits, this.#comparison, this.#authors).dispose();
  }

  #commitCommands(): Handlers<typeof commitCommands> {
    const { service } = this.#options;
    const open = async (argument?: CommandArgument) => {
      const target = commitRefOf(argument) ?? (await this.#pickCommit());
      if (target !== undefined) await this.#details.show(target);
    };
    return {
      "commit.open": open,
      "commit.show": open,
      "commit.openChanges": (argument?: CommandArgument) =>
        this.#withCommit(argument, (target) => openCommitChanges(service, target)),
      "commit.copyHash": (argument?: CommandArgument) =>
        this.#withCommit(argument, async (target) => {
          const { hash } = await this.#commit(target);
          await vscode.env.clipboard.writeText(hash);
          vscode.window.setStatusBarMessage(vscode.l10n.t("Copied {0}", shortHash(hash)), 3000);
        }),
      "commit.copyMessage": (argument?: CommandArgument) =>
        this.#withCommit(argument, async (target) => {
          await vscode.env.clipboard.writeText(wholeMessage(await this.#commit(target)));
        }),
      "commit.openOnHost": (argument?: CommandArgument) =>
        this.#withCommit(argument, async (target) => {
          const { externalWebUrl } = await this.#commit(target);
          if (/^https?:/.test(externalWebUrl))
            await vscode.env.openExternal(vscode.Uri.parse(externalWebUrl, true));
          else
            vscode.window.setStatusBarMessage(
              vscode.l10n.t("This repository has no page on a code host."),
              5000,
            );
        }),
      "commit.compareWithHead": (argument?: CommandArgument) =>
        this.#withCommit(argument, ({ repository, ref }) =>
          this.#comparison.show({ repository, base: ref, head: "HEAD", isSinceMergeBase: false }),
        ),
      "commit.openFile": async (argument?: CommandArgument) => {
        const target = commitRefOf(argument);
        if (target?.path === undefined) return;
        const { repository, path } = target;
        const { hash } = await this.#commit(target);
        await vscode.window.showTextDocument(snapshotDocument({ repository, commit: hash, path }));
      },
      "commit.openFileChanges": async (argument?: CommandArgument) => {
        const target = commitRefOf(argument);
        if (target?.path === undefined) return;
        const { repository, path } = target;
        const changes = await changesOf(service, repository, await this.#commit(target), { path });
        const file = changes.files.find((each) => pathOf(each) === path);
        if (file !== undefined) await openChange(changes, file);
        else vscode.window.setStatusBarMessage(vscode.l10n.t("This commit did not change the file."), 5000);
      },
    };
  }

  #listCommands(): Handlers<typeof historyCommands> {
    const { service, revisions } = this.#options;
    return {
      "history.file": async (argument?: CommandArgument) => {
        const target = await this.#fileTarget(argument);
        if (target?.path === undefined) return showNotIndexed();
        const { repository, ref, path } = target;
        await this.#commits.show({ repository, filter: { path, ...(ref === undefined ? {} : { ref }) } });
      },
      "history.selection": async () => {
        const file = await browsedFile(this.#options.files, undefined);
        if (file === undefined) return showNotIndexed();
        const committed = await committedFile(service, file);
        const lines = selectedCommittedLines(committed, file);
        if (lines === undefined) {
          vscode.window.setStatusBarMessage(vscode.l10n.t("These lines are not committed."), 5000);
          return;
        }
        const { repo, path, commit } = committed;
        // The line numbers are those of this commit.
        const filter = { path, lines: linesText(lines), ref: commit };
        await this.#commits.show({ repository: repo, filter });
      },
      "history.repository": (argument?: CommandArgument) => this.#showHistory(argument),
      "history.show": (argument?: CommandArgument) => this.#showHistory(argument),
      "history.folder": (argument?: CommandArgument) => this.#showHistory(argument),
      "history.searchCommits": async () => {
        const title = vscode.l10n.t("Search Commits");
        const everywhere = { label: vscode.l10n.t("All Repositories"), description: "type:commit", name: "" };
        const repository = await pickRepository(this.#options.repositories, title, [everywhere]);
        if (repository === undefined) return;
        if (repository === "") {
          await this.#options.box().show({ query: "type:commit " }, { shouldFocus: true, shouldRun: false });
          return;
        }
        const filter = await pickFilter({}, title);
        if (filter !== undefined) await this.#commits.show({ repository, filter });
      },
      "history.filter": async () => {
        const { scope } = this.#commits;
        if (scope === undefined) return;
        const filter = await pickFilter(scope.filter, vscode.l10n.t("Filter Commits"));
        if (filter !== undefined) await this.#commits.show({ ...scope, filter });
      },
      "history.clearFilters": async () => {
        const { scope } = this.#commits;
        if (scope !== undefined) await this.#commits.show({ ...scope, filter: {} });
      },
      "history.refresh": () => this.#commits.scope && this.#commits.show(this.#commits.scope),
      "history.stop": () => this.#commits.tree.stop(),
      "compare.revisions": async (argument?: CommandArgument) => {
        const target = targetOf(argument) ?? (await this.#pickTarget(vscode.l10n.t("Compare Revisions")));
        if (target === undefined) return;
        const { repository, path } = target;
        const base = await revisions.pick(repository, vscode.l10n.t("Compare From"), target.ref);
        if (base === undefined) return;
        const title = vscode.l10n.t("Compare {0} To", revisionName(base));
        const head = target.ref ?? (await revisions.pick(repository, title, base));
        if (head === undefined) return;
        const scope = { repository, base, head, isSinceMergeBase: false };
        await this.#comparison.show(path === undefined ? scope : { ...scope, path });
      },
      "compare.chooseRevision": (row?: SideRow) =>
        row === undefined ? undefined : this.#comparison.chooseRevision(row.side),
      "compare.swap": () => this.#comparison.swap(),
      "compare.toggleDots": () => this.#comparison.toggleDots(),
      "compare.choosePath": () => this.#comparison.choosePath(),
      "compare.openAll": () => this.#comparison.openAll(),
      "authors.show": async (argument?: CommandArgument) => {
        const target: AuthorScope | undefined =
          targetOf(argument) ??
          (await this.#fileTarget(argument)) ??
          (await this.#pickTarget(vscode.l10n.t("Show Authors")));
        if (target !== undefined) await this.#authors.show(target);
      },
    };
  }

  /** Shows the history of a repository or of a folder in it. */
  async #showHistory(argument: CommandArgument | undefined): Promise<void> {
    const target = targetOf(argument) ?? (await this.#pickTarget(vscode.l10n.t("Show Repository History")));
    if (target === undefined) return;
    const { repository, path, ref } = target;
    const filter = { ...(ref === undefined ? {} : { ref }), ...(path === undefined ? {} : { path }) };
    await this.#commits.show({ repository, filter });
  }

  #label(repository: string): string {
    const names = [...(this.#options.repositories.items?.values() ?? [])].map(({ repoName }) => repoName);
    return shortNames(names).get(repository) ?? repository.slice(repository.lastIndexOf("/") + 1);
  }

  #commit({ repository, ref }: CommitRef) {
    return this.#options.service.call("commit", { repo: repository, ref });
  }

  /** Runs `work` with the commit of a row or link, or the one that is shown. */
  async #withCommit(
    argument: CommandArgument | undefined,
    work: (target: CommitRef) => unknown,
  ): Promise<void> {
    const target = commitRefOf(argument) ?? this.#details.shown;
    if (target !== undefined) await work(target);
  }

  async #pickCommit(): Promise<CommitRef | undefined> {
    const title = vscode.l10n.t("Open Commit");
    const repository = await pickRepository(this.#options.repositories, title);
    if (repository === undefined) return undefined;
    const ref = await this.#options.revisions.pick(repository, title);
    return ref === undefined ? undefined : { repository, ref };
  }

  async #pickTarget(title: string): Promise<Target | undefined> {
    const repository = await pickRepository(this.#options.repositories, title);
    return repository === undefined ? undefined : { repository };
  }

  /** Returns the file of a row, a link or an editor menu, or that of the active editor. */
  async #fileTarget(argument: CommandArgument | undefined): Promise<Target | undefined> {
    const fromArgument = targetOf(argument);
    if (fromArgument?.path !== undefined) return fromArgument;
    const uri = argument instanceof vscode.Uri ? argument : vscode.window.activeTextEditor?.document.uri;
    const file = uri && (await this.#options.files.find(uri));
    if (file === undefined) return undefined;
    const { repository, path, commit } = file;
    return { repository, path, ...(commit === undefined ? {} : { ref: commit }) };
  }
}

/** Returns the commit of an argument, and the path of its file if it names one. */
function commitRefOf(
  argument: CommandArgument | undefined,
): (CommitRef & { readonly path?: string }) | undefined {
  const target = targetOf(argument);
  return target?.ref === undefined ? undefined : { ...target, ref: target.ref };
}

/** Returns the target of an argument. Links can pass anything, so every field is checked. */
function targetOf(argument: CommandArgument | undefined): Target | undefined {
  if (typeof argument !== "object" || argument === null || argument instanceof vscode.Uri) return undefined;
  if ("kind" in argument) return { repository: argument.commit.repository, ref: argument.commit.hash };
  const { repository, ref, path } = argument;
  if (typeof repository !== "string") return undefined;
  return {
    repository,
    ...(typeof ref === "string" ? { ref } : {}),
    ...(typeof path === "string" ? { path } : {}),
  };
}

function showNotIndexed(): void {
  vscode.window.setStatusBarMessage(vscode.l10n.t("This file is not in an indexed repository."), 5000);
}

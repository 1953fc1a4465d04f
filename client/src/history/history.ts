/** History in views of its own: commits, one commit, comparisons, authors; and their commands. */
import * as vscode from "vscode";
import type { Commands } from "#client/commands";
import { browsedFile, committedFile, committedLinesIn } from "#client/files/browsedFile";
import type { IndexedFiles } from "#client/files/indexedFiles";
import { pickRepository, type RevisionPicker } from "#client/files/revisionPicker";
import { linesText, revisionName } from "#client/files/revisionTitle";
import { snapshotDocument } from "#client/files/snapshots";
import { shortNames } from "#client/repositories/grouping";
import type { Repositories } from "#client/repositories/repositories";
import type { CommitNode } from "#client/search/resultNodes";
import type { SearchBox } from "#client/search/searchBox";
import type { ServiceClient } from "#client/serviceClient";
import { AuthorList, type AuthorScope } from "./authorList";
import { shortHash } from "./blameText";
import { pathOf } from "./changedFiles";
import { openChange } from "./changeRows";
import { CommitDetails, type CommitPlace, changesOf, openCommitChanges } from "./commitDetails";
import { CommitList } from "./commitList";
import { wholeMessage } from "./commitText";
import { Comparison } from "./comparison";
import { pickFilter } from "./filterPicker";

export interface HistoryOptions {
  readonly service: ServiceClient;
  readonly repositories: Repositories;
  readonly files: IndexedFiles;
  readonly revisions: RevisionPicker;
  readonly box: () => SearchBox;
}

/** What menus, links and other features hand to a command; from the palette it is nothing. */
type Given =
  | Partial<CommitPlace & { readonly path: string; readonly message: string }>
  | CommitNode
  | vscode.Uri;

/** A file, a folder or all of a repository, at a revision or the default one. */
interface Place {
  readonly repository: string;
  readonly path?: string;
  readonly ref?: string;
}

export class History implements vscode.Disposable {
  readonly commands: Commands;
  readonly #options: HistoryOptions;
  readonly #details: CommitDetails;
  readonly #commits: CommitList;
  readonly #comparison: Comparison;
  readonly #authors: AuthorList;

  constructor(options: HistoryOptions) {
    this.#options = options;
    const { service, revisions } = options;
    const label = (repository: string) => this.#label(repository);
    const open = (place: CommitPlace) => this.#details.show(place, { keepsFocus: true });
    this.#details = new CommitDetails(service, label);
    this.#comparison = new Comparison({ service, revisions, label, open });
    this.#commits = new CommitList({ service, label, open });
    this.#authors = new AuthorList({ service, label, showCommits: (scope) => this.#commits.show(scope) });
    this.commands = { ...this.#commitCommands(), ...this.#listCommands() };
  }

  dispose(): void {
    vscode.Disposable.from(this.#details, this.#commits, this.#comparison, this.#authors).dispose();
  }

  #commitCommands(): Commands {
    const { service } = this.#options;
    return {
      "commit.open": async (given?: Given) => {
        const place = placeOf(given) ?? (await this.#pickCommit());
        if (place !== undefined) await this.#details.show(place);
      },
      "commit.openChanges": (given?: Given) =>
        this.#ofCommit(given, (place) => openCommitChanges(service, place)),
      "commit.copyHash": (given?: Given) =>
        this.#ofCommit(given, async (place) => {
          const { hash } = await this.#commit(place);
          await vscode.env.clipboard.writeText(hash);
          vscode.window.setStatusBarMessage(vscode.l10n.t("Copied {0}", shortHash(hash)), 3000);
        }),
      "commit.copyMessage": (given?: Given) =>
        this.#ofCommit(given, async (place) => {
          await vscode.env.clipboard.writeText(wholeMessage(await this.#commit(place)));
        }),
      "commit.openOnHost": (given?: Given) =>
        this.#ofCommit(given, async (place) => {
          const { externalWebUrl } = await this.#commit(place);
          if (/^https?:/.test(externalWebUrl))
            await vscode.env.openExternal(vscode.Uri.parse(externalWebUrl, true));
          else
            vscode.window.setStatusBarMessage(
              vscode.l10n.t("No code host is known for this repository."),
              5000,
            );
        }),
      "commit.compareWithHead": (given?: Given) =>
        this.#ofCommit(given, ({ repository, ref }) =>
          this.#comparison.show({ repository, base: ref, head: "HEAD", isSinceFork: false }),
        ),
      "commit.openFile": async (given?: Given) => {
        const place = placeOf(given);
        if (place?.path === undefined) return;
        const { repository, path } = place;
        const { hash } = await this.#commit(place);
        await vscode.window.showTextDocument(snapshotDocument({ repository, commit: hash, path }));
      },
      "commit.openFileChanges": async (given?: Given) => {
        const place = placeOf(given);
        if (place?.path === undefined) return;
        const { repository, path } = place;
        const changes = await changesOf(service, repository, await this.#commit(place), { path });
        const file = changes.files.find((each) => pathOf(each) === path);
        if (file !== undefined) await openChange(changes, file);
        else vscode.window.setStatusBarMessage(vscode.l10n.t("This commit did not change the file."), 5000);
      },
    };
  }

  #listCommands(): Commands {
    const { service, revisions } = this.#options;
    return {
      "history.file": async (given?: Given) => {
        const place = await this.#filePlace(given);
        if (place?.path === undefined) return sayNotIndexed();
        const { repository, ref, path } = place;
        await this.#commits.show({ repository, filter: { path, ...(ref === undefined ? {} : { ref }) } });
      },
      "history.selection": async () => {
        const file = await browsedFile(this.#options.files, undefined);
        if (file === undefined) return sayNotIndexed();
        const committed = await committedFile(service, file);
        const lines = committedLinesIn(committed, file);
        if (lines === undefined) {
          vscode.window.setStatusBarMessage(vscode.l10n.t("These lines are not committed."), 5000);
          return;
        }
        const { repo, path, commit } = committed;
        // Later commits would move the lines.
        const filter = { path, lines: linesText(lines), ref: commit };
        await this.#commits.show({ repository: repo, filter });
      },
      "history.repository": (given?: Given) => this.#showHistory(given),
      "history.folder": (given?: Given) => this.#showHistory(given),
      "history.searchCommits": async () => {
        const title = vscode.l10n.t("Search Commits");
        const everywhere = { label: vscode.l10n.t("All Repositories"), description: "type:commit", name: "" };
        const repository = await pickRepository(this.#options.repositories, title, [everywhere]);
        if (repository === undefined) return;
        if (repository === "") {
          await this.#options.box().show({ query: "type:commit " }, { isFocused: true, isRun: false });
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
      "compare.revisions": async (given?: Given) => {
        const place = repositoryOf(given) ?? (await this.#pickPlace(vscode.l10n.t("Compare Revisions")));
        if (place === undefined) return;
        const { repository, path } = place;
        const base = await revisions.pick(repository, vscode.l10n.t("Compare From"), place.ref);
        if (base === undefined) return;
        const title = vscode.l10n.t("Compare {0} To", revisionName(base));
        const head = place.ref ?? (await revisions.pick(repository, title, base));
        if (head === undefined) return;
        const scope = { repository, base, head, isSinceFork: false };
        await this.#comparison.show(path === undefined ? scope : { ...scope, path });
      },
      "compare.swap": () => this.#comparison.swap(),
      "compare.toggleDots": () => this.#comparison.toggleDots(),
      "compare.choosePath": () => this.#comparison.choosePath(),
      "compare.openAll": () => this.#comparison.openAll(),
      "authors.show": async (given?: Given) => {
        const place: AuthorScope | undefined =
          repositoryOf(given) ??
          (await this.#filePlace(given)) ??
          (await this.#pickPlace(vscode.l10n.t("Show Authors")));
        if (place !== undefined) await this.#authors.show(place);
      },
    };
  }

  /** Of a repository, or of a folder in it. */
  async #showHistory(given: Given | undefined): Promise<void> {
    const place = repositoryOf(given) ?? (await this.#pickPlace(vscode.l10n.t("Show Repository History")));
    if (place === undefined) return;
    const { repository, path, ref } = place;
    const filter = { ...(ref === undefined ? {} : { ref }), ...(path === undefined ? {} : { path }) };
    await this.#commits.show({ repository, filter });
  }

  #label(repository: string): string {
    const names = [...(this.#options.repositories.items?.values() ?? [])].map(({ repoName }) => repoName);
    return shortNames(names).get(repository) ?? repository.slice(repository.lastIndexOf("/") + 1);
  }

  #commit({ repository, ref }: CommitPlace) {
    return this.#options.service.call("commit", { repo: repository, ref });
  }

  /** The commit of a row or a link, or the one that is shown. */
  async #ofCommit(given: Given | undefined, work: (place: CommitPlace) => unknown): Promise<void> {
    const place = placeOf(given) ?? this.#details.place;
    if (place !== undefined) await work(place);
  }

  async #pickCommit(): Promise<CommitPlace | undefined> {
    const title = vscode.l10n.t("Open Commit");
    const repository = await pickRepository(this.#options.repositories, title);
    if (repository === undefined) return undefined;
    const ref = await this.#options.revisions.pick(repository, title);
    return ref === undefined ? undefined : { repository, ref };
  }

  async #pickPlace(title: string): Promise<Place | undefined> {
    const repository = await pickRepository(this.#options.repositories, title);
    return repository === undefined ? undefined : { repository };
  }

  /** The file of a row, a link or an editor's menu, or of the active editor. */
  async #filePlace(given: Given | undefined): Promise<Place | undefined> {
    const handed = repositoryOf(given);
    if (handed?.path !== undefined) return handed;
    const uri = given instanceof vscode.Uri ? given : vscode.window.activeTextEditor?.document.uri;
    const file = uri && (await this.#options.files.find(uri));
    if (file === undefined) return undefined;
    const { repository, path, commit } = file;
    return { repository, path, ...(commit === undefined ? {} : { ref: commit }) };
  }
}

/** A commit that was handed over, perhaps with a file of it. */
function placeOf(given: Given | undefined): (CommitPlace & { readonly path?: string }) | undefined {
  const place = repositoryOf(given);
  return place?.ref === undefined ? undefined : { ...place, ref: place.ref };
}

/** A place that was handed over. Links in texts can hand over anything. */
function repositoryOf(given: Given | undefined): Place | undefined {
  if (typeof given !== "object" || given === null || given instanceof vscode.Uri) return undefined;
  if ("kind" in given) return { repository: given.commit.repository, ref: given.commit.hash };
  const { repository, ref, path } = given;
  if (typeof repository !== "string") return undefined;
  return {
    repository,
    ...(typeof ref === "string" ? { ref } : {}),
    ...(typeof path === "string" ? { path } : {}),
  };
}

function sayNotIndexed(): void {
  vscode.window.setStatusBarMessage(vscode.l10n.t("This file is in no repository that Trawl knows."), 5000);
}

/** The view "Repositories": which there are, where their indexes stand, and which could be added. */
import * as path from "node:path";
import * as vscode from "vscode";
import type { RevisionPicker } from "#client/files/revisionPicker";
import { shortRef } from "#client/files/revisionTitle";
import type { Snapshots } from "#client/files/snapshots";
import { childrenOf, type Row, runClickedRows, treeItemOf } from "#client/rows";
import type { ServiceClient } from "#client/serviceClient";
import type { Instance } from "#client/status/instance";
import { count, size } from "#client/words";
import type { Branch } from "#contract/history";
import type { RepositoryItem, SkippedDocument } from "#contract/repositories";
import { groupsOf, shortNames } from "./grouping";
import type { Repositories, RepositoriesChange, Sibling } from "./repositories";
import { failureRows, type RepositorySource, repositoryRow } from "./repositoryRows";
import { filesRowId, type NamedRevision, namedRowId } from "./revisionRows";
import { skippedRows } from "./skippedRows";

export interface RepositoriesViewOptions {
  readonly service: ServiceClient;
  readonly repositories: Repositories;
  readonly instance: Instance;
  readonly snapshots: Pick<Snapshots, "folder">;
  readonly revisions: RevisionPicker;
  readonly addPaths: (paths: readonly string[]) => Promise<void>;
}

const perPage = 100;
/** Branches and tags beyond them are found by their names. */
const branchPages = 10;
const collapsed = vscode.TreeItemCollapsibleState.Collapsed;

export class RepositoriesView implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<Row[] | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #options: RepositoriesViewOptions;
  readonly #view: vscode.TreeView<Row>;
  readonly #subscriptions: vscode.Disposable;
  /** The shown rows of repositories, by number: what changes is shown anew, and nothing else. */
  #rows = new Map<number, Row>();
  /** The shown rows about what is not, or not wholly, indexed. */
  #problems: readonly Row[] = [];
  /** By name of the repository: other revisions that the person wanted to look at. */
  readonly #named = new Map<string, readonly NamedRevision[]>();
  #names: ReadonlyMap<string, string> = new Map();
  #wasPaused = false;

  constructor(options: RepositoriesViewOptions) {
    this.#options = options;
    const { repositories, instance } = options;
    this.#view = vscode.window.createTreeView("trawl.repositories", {
      treeDataProvider: this,
      showCollapseAll: true,
    });
    this.#subscriptions = vscode.Disposable.from(
      this.#view,
      runClickedRows("repositories", this.#view),
      this.#changed,
      repositories.onChange((change) => this.#show(change)),
      instance.onChange(() => this.#instanceChanged()),
    );
  }

  getTreeItem(row: Row): vscode.TreeItem {
    return treeItemOf(row, "repositories");
  }

  getParent(row: Row): Row | undefined {
    return row.parent;
  }

  async getChildren(row?: Row): Promise<Row[]> {
    if (row !== undefined) return childrenOf(row);
    const { repositories } = this.#options;
    // A server that does not answer is told of by the view's welcome.
    await repositories.load().catch(() => undefined);
    return repositories.items === undefined ? [] : this.#topRows([...repositories.items.values()]);
  }

  /** Opens the row of a repository, and in it the one of its skipped documents. */
  showSkipped(repository: string): Promise<void> {
    return this.#reveal(repository, (row) => `${row.id}/skipped`);
  }

  /** Opens the files of a repository. */
  showFiles(repository: string): Promise<void> {
    return this.#reveal(repository, filesRowId);
  }

  /** Opens a row of a repository, or the repository where there is no such row. */
  async #reveal(repository: string, wanted: (row: Row) => string): Promise<void> {
    await this.#options.repositories.load();
    const { repoId } = this.#options.repositories.named(repository) ?? {};
    if (repoId === undefined) return;
    if (!this.#rows.has(repoId)) await this.getChildren();
    const row = this.#rows.get(repoId);
    if (row === undefined) return;
    const rows = await childrenOf(row);
    const found = rows.find(({ id }) => id === wanted(row)) ?? row;
    await this.#view.reveal(found, { select: true, focus: true, expand: true });
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  #topRows(items: readonly RepositoryItem[]): Row[] {
    const { repositories } = this.#options;
    this.#names = shortNames(items.map(({ repoName }) => repoName));
    this.#rows = new Map();
    const label = ({ repoName }: RepositoryItem) => this.#source.label(repoName);
    const sorted = [...items].sort((left, right) => label(left).localeCompare(label(right)));
    const groups = groupsOf(sorted, (id) => repositories.clones.has(id));
    const skipped = skippedRows(undefined, () => this.#skipped(), undefined, this.#source);
    const failed = this.#failed().length === 0 ? [] : [this.#failedRow()];
    this.#problems = [...skipped, ...failed];
    return [
      ...groups.map(({ place, ids }) => this.#groupRow(place, ids)),
      ...this.#problems,
      ...(repositories.siblings.length === 0 ? [] : [this.#siblingsRow(repositories.siblings)]),
    ];
  }

  #items(): readonly RepositoryItem[] {
    return [...(this.#options.repositories.items?.values() ?? [])];
  }

  /** Documents of all repositories whose text is not indexed. */
  #skipped(): number {
    return this.#items().reduce((sum, { skippedCount }) => sum + skippedCount, 0);
  }

  #failed(): readonly RepositoryItem[] {
    return this.#items().filter(({ state }) => state === "failed");
  }

  #groupRow(place: string, ids: readonly number[]): Row {
    const isLocal = place === "";
    const row: Row = {
      id: isLocal ? "local" : `on ${place}`,
      item: () => ({
        label: isLocal ? vscode.l10n.t("Local clones") : place,
        description: count(ids.length),
        iconPath: new vscode.ThemeIcon(isLocal ? "device-desktop" : "globe"),
        collapsibleState: vscode.TreeItemCollapsibleState.Expanded,
      }),
      children: () =>
        ids.flatMap((id) => {
          const name = this.#options.repositories.items?.get(id)?.repoName;
          if (name === undefined) return [];
          const child = repositoryRow(id, name, row, this.#source);
          this.#rows.set(id, child);
          return [child];
        }),
    };
    // Made at once: a row can change, or be asked for, before the group was opened.
    void row.children?.();
    return row;
  }

  #failedRow(): Row {
    const group: Row = {
      id: "failed",
      item: () => ({
        label: vscode.l10n.t("Failed"),
        description: count(this.#failed().length),
        iconPath: new vscode.ThemeIcon("error", new vscode.ThemeColor("list.errorForeground")),
        collapsibleState: collapsed,
      }),
      children: () => this.#failed().map(failed),
    };
    const failed = (item: RepositoryItem): Row => {
      const row: Row = {
        id: `${group.id}/${item.repoId}`,
        parent: group,
        repository: item.repoName,
        item: () => ({
          label: this.#source.label(item.repoName),
          tooltip: item.lastError ?? item.repoName,
          contextValue: this.#source.clone(item.repoId) === undefined ? "repository" : "repository clone",
          collapsibleState: vscode.TreeItemCollapsibleState.Expanded,
        }),
        children: () => failureRows(item, row),
      };
      return row;
    };
    return group;
  }

  #siblingsRow(siblings: readonly Sibling[]): Row {
    const group: Row = {
      id: "siblings",
      item: () => ({
        label: vscode.l10n.t("Not indexed"),
        description: count(siblings.length),
        tooltip: vscode.l10n.t("Clones next to the open folders. Click one to index it."),
        contextValue: "siblings",
        iconPath: new vscode.ThemeIcon("circle-outline"),
        collapsibleState: collapsed,
      }),
      children: () => siblings.map(sibling),
    };
    const sibling = (each: Sibling): Row => ({
      id: `${group.id}/${each.path}`,
      parent: group,
      item: () => ({
        label: path.basename(each.path),
        description: vscode.l10n.t("{0} · click to index", size(each.sizeBytes)),
        tooltip: `${each.name}\n${each.path}`,
        iconPath: new vscode.ThemeIcon("add"),
      }),
      run: () => this.#options.addPaths([each.path]),
    });
    return group;
  }

  #show(change: RepositoriesChange): void {
    this.#describe();
    const problems = Number(this.#skipped() > 0) + Number(this.#failed().length > 0);
    if (change === "all" || problems !== this.#problems.length) {
      this.#changed.fire(undefined);
      return;
    }
    const rows = change.map((id) => this.#rows.get(id)).filter((row) => row !== undefined);
    if (rows.length > 0) this.#changed.fire([...rows, ...this.#problems]);
  }

  #instanceChanged(): void {
    this.#describe();
    const isPaused = this.#isPaused();
    if (isPaused === this.#wasPaused) return;
    this.#wasPaused = isPaused;
    this.#changed.fire([...this.#rows.values()]);
  }

  #describe(): void {
    const { repositories, instance } = this.#options;
    const known = repositories.items?.size ?? instance.facts?.repositories;
    this.#view.description =
      known === undefined || instance.facts === undefined
        ? ""
        : `${count(known)} · ${size(instance.facts.indexBytes)}`;
  }

  #isPaused(): boolean {
    return this.#options.instance.facts?.isPaused === true;
  }

  readonly #source: RepositorySource = {
    item: (id) => this.#options.repositories.items?.get(id),
    clone: (id) => this.#options.repositories.clones.get(id),
    label: (name) => this.#names.get(name) ?? name,
    isPaused: () => this.#isPaused(),
    skipped: (page, repo) =>
      this.#options.service.call("skippedRepos", { page, perPage, ...(repo === undefined ? {} : { repo }) }),
    unparsed: (repo) => this.#options.service.call("unparsedRepos", { repo, page: 1, perPage }),
    fileOf: (document) => this.#fileOf(document),
    show: (row) => this.#changed.fire([row]),
    branches: (repo) => this.#branches(repo),
    folder: (place) => this.#options.snapshots.folder(place),
    named: (repository) => this.#named.get(repository) ?? [],
    askRevision: (repository) => this.#askRevision(repository),
  };

  async #branches(repo: string) {
    const items: Branch[] = [];
    for (let page = 1; page <= branchPages; page++) {
      const answer = await this.#options.service.call("branches", { repo, page, perPage });
      items.push(...answer.items);
      if (answer.items.length < perPage) return { items, isComplete: true };
    }
    return { items, isComplete: false };
  }

  async #askRevision(repository: string): Promise<void> {
    const { service, revisions } = this.#options;
    const ref = await revisions.pick(repository, vscode.l10n.t("Show Files at Revision"));
    if (ref === undefined) return;
    const { hash } = await service.call("commit", { repo: repository, ref });
    const revision = { name: shortRef(ref), commit: hash };
    const others = (this.#named.get(repository) ?? []).filter(({ name }) => name !== revision.name);
    this.#named.set(repository, [revision, ...others]);
    const { repoId } = this.#options.repositories.named(repository) ?? {};
    const row = repoId === undefined ? undefined : this.#rows.get(repoId);
    if (row !== undefined) this.#changed.fire([row]);
    await this.#reveal(repository, (parent) => namedRowId(parent, revision));
  }

  #fileOf(document: Pick<SkippedDocument, "repoId" | "path">): string | undefined {
    const clone = this.#options.repositories.clones.get(document.repoId);
    return clone === undefined || clone.isBare ? undefined : path.join(clone.folder, document.path);
  }
}

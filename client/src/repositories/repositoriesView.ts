/** The Repositories view: repositories with the state of their indexes, and clones that could be added. */
import * as path from "node:path";
import * as vscode from "vscode";
import type { RevisionPicker } from "#client/browse/revisionPicker";
import { shortRef } from "#client/documents/revisionTitle";
import type { Snapshots } from "#client/documents/snapshots";
import { groupsOf, shortNames } from "#client/model/grouping";
import type { Instance } from "#client/model/instance";
import type { Repositories, RepositoriesChange, Sibling } from "#client/model/repositories";
import type { TeamServer } from "#client/model/teamServer";
import type { ServiceClient } from "#client/server/serviceClient";
import { count, size } from "#client/workbench/format";
import { childrenOf, type Row, runClickedRows, treeItemOf } from "#client/workbench/rows";
import type { InstanceState } from "#contract/editor";
import type { Branch } from "#contract/history";
import type { RepositoryItem, SkippedDocument } from "#contract/repositories";
import { contextOf, failureRows, type RepositorySource, repositoryRow } from "./repositoryRows";
import { filesRowId, type NamedRevision, namedRowId } from "./revisionRows";
import { skippedRows } from "./skippedRows";

export interface RepositoriesViewOptions {
  readonly service: ServiceClient;
  readonly repositories: Repositories;
  readonly instance: Instance;
  readonly teamServer: Pick<TeamServer, "state" | "onChange">;
  readonly snapshots: Pick<Snapshots, "folder">;
  readonly revisions: RevisionPicker;
  readonly addPaths: (paths: readonly string[]) => Promise<void>;
}

const perPage = 100;
/** Further branches and tags are reached with "At Revision...". */
const branchPages = 10;
const collapsed = vscode.TreeItemCollapsibleState.Collapsed;

export class RepositoriesView implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<Row[] | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #options: RepositoriesViewOptions;
  readonly #view: vscode.TreeView<Row>;
  readonly #subscriptions: vscode.Disposable;
  /** The shown rows of repositories, by id, so that only changed ones are redrawn. */
  #rows = new Map<number, Row>();
  /** The shown rows about skipped files and failed repositories. */
  #problems: readonly Row[] = [];
  /** Revisions that the user opened with "At Revision...", by repository name. */
  readonly #named = new Map<string, readonly NamedRevision[]>();
  #names: ReadonlyMap<string, string> = new Map();
  #wasPaused = false;

  constructor(options: RepositoriesViewOptions) {
    this.#options = options;
    const { repositories, instance, teamServer } = options;
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
      teamServer.onChange(() => this.#changed.fire(undefined)),
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
    // The welcome content of the view reports a failed server.
    await repositories.load().catch(() => undefined);
    return repositories.items === undefined ? [] : this.#topRows([...repositories.items.values()]);
  }

  /** Reveals the skipped documents of a repository. */
  showSkipped(repository: string): Promise<void> {
    return this.#reveal(repository, (row) => `${row.id}/skipped`);
  }

  /** Reveals the files of a repository. */
  showFiles(repository: string): Promise<void> {
    return this.#reveal(repository, filesRowId);
  }

  /** Reveals a row of a repository, or the repository itself if there is no such row. */
  async #reveal(repository: string, idIn: (row: Row) => string): Promise<void> {
    await this.#options.repositories.load();
    const { repoId } = this.#options.repositories.withName(repository) ?? {};
    if (repoId === undefined) return;
    if (!this.#rows.has(repoId)) await this.getChildren();
    const row = this.#rows.get(repoId);
    if (row === undefined) return;
    const rows = await childrenOf(row);
    const found = rows.find(({ id }) => id === idIn(row)) ?? row;
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
      ...(groups.length === 1
        ? groups.flatMap(({ ids }) => this.#repositoryRows(ids))
        : groups.map(({ namespace, ids }) => this.#groupRow(namespace, ids))),
      ...this.#problems,
      ...this.#teamProblemRows(),
      ...(repositories.siblings.length === 0 ? [] : [this.#siblingsRow(repositories.siblings)]),
    ];
  }

  /** The repositories of this computer. */
  #items(): readonly RepositoryItem[] {
    const items = [...(this.#options.repositories.items?.values() ?? [])];
    return items.filter(({ server }) => server === undefined);
  }

  /** Returns a row that says why the repositories of the team's server cannot be searched. */
  #teamProblemRows(): Row[] {
    const { state, url, problem } = this.#options.teamServer.state;
    if (problem === undefined) return [];
    const command = state === "rejected" ? "trawl.server.logIn" : "trawl.server.connect";
    return [
      {
        id: "teamServer",
        item: () => ({
          label: vscode.l10n.t("Team server"),
          description: problem,
          tooltip: [url, problem].filter((line) => line !== undefined).join("\n"),
          iconPath: new vscode.ThemeIcon("warning", new vscode.ThemeColor("list.warningForeground")),
        }),
        run: () => vscode.commands.executeCommand(command),
      },
    ];
  }

  /** Returns the number of documents, in all repositories, whose text is not indexed. */
  #skipped(): number {
    return this.#items().reduce((sum, { skippedCount }) => sum + skippedCount, 0);
  }

  #failed(): readonly RepositoryItem[] {
    return this.#items().filter(({ state }) => state === "failed");
  }

  #groupRow(namespace: string, ids: readonly number[]): Row {
    const isLocal = namespace === "";
    const isOnServer = namespace.includes("://");
    const row: Row = {
      id: isLocal ? "local" : `on ${namespace}`,
      item: () => ({
        label: isLocal
          ? vscode.l10n.t("Local clones")
          : isOnServer
            ? vscode.l10n.t("{0} (team)", namespace.replace(/^https?:\/\//, ""))
            : namespace,
        description: count(ids.length),
        iconPath: new vscode.ThemeIcon(isLocal ? "device-desktop" : isOnServer ? "cloud" : "globe"),
        collapsibleState: vscode.TreeItemCollapsibleState.Expanded,
      }),
      children: () => this.#repositoryRows(ids, row),
    };
    // Created eagerly: a row can change or be revealed before its group is expanded.
    void row.children?.();
    return row;
  }

  #repositoryRows(ids: readonly number[], parent?: Row): Row[] {
    return ids.flatMap((id) => {
      const name = this.#options.repositories.items?.get(id)?.repoName;
      if (name === undefined) return [];
      const row = repositoryRow(id, name, parent, this.#source);
      this.#rows.set(id, row);
      return [row];
    });
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
          contextValue: contextOf(item, this.#source.clone(item.repoId)),
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
        tooltip: vscode.l10n.t("Clones in the same folder as the open ones. Click one to index it."),
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
    const known = repositories.items?.size ?? instance.state?.repositories;
    this.#view.description =
      known === undefined || instance.state === undefined
        ? ""
        : `${count(known)} · ${sizeWithLimit(instance.state)}`;
  }

  #isPaused(): boolean {
    return this.#options.instance.state?.isPaused === true;
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
    folder: (snapshot) => this.#options.snapshots.folder(snapshot),
    named: (repository) => this.#named.get(repository) ?? [],
    askRevision: (repository) => this.#askRevision(repository),
  };

  async #branches(repo: string) {
    const items: Branch[] = [];
    for (let page = 1; page <= branchPages; page++) {
      const response = await this.#options.service.call("branches", { repo, page, perPage });
      items.push(...response.items);
      if (response.items.length < perPage) return { items, isComplete: true };
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
    const { repoId } = this.#options.repositories.withName(repository) ?? {};
    const row = repoId === undefined ? undefined : this.#rows.get(repoId);
    if (row !== undefined) this.#changed.fire([row]);
    await this.#reveal(repository, (parent) => namedRowId(parent, revision));
  }

  #fileOf(document: Pick<SkippedDocument, "repoId" | "path">): string | undefined {
    const clone = this.#options.repositories.clones.get(document.repoId);
    return clone === undefined || clone.isBare ? undefined : path.join(clone.folder, document.path);
  }
}

/** `1.2 GB`, or `1.2 GB of 2 GB` if the index is limited. */
function sizeWithLimit({ indexBytes, maxIndexBytes }: InstanceState): string {
  return maxIndexBytes === undefined
    ? size(indexBytes)
    : vscode.l10n.t("{0} of {1}", size(indexBytes), size(maxIndexBytes));
}

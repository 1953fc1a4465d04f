/** The server's list of repositories, kept up to date for views and commands. */
import * as vscode from "vscode";
import { callError } from "#client/server/callError";
import type { ServiceClient } from "#client/server/serviceClient";
import { setContext } from "#client/workbench/commands";
import type { Siblings } from "#contract/editor";
import type { IndexingProgress } from "#contract/local";
import type { RepositoryItem } from "#contract/repositories";
import type { TeamServer } from "./teamServer";

/** Items requested per page. */
const perPage = 100;
/** Changes other than state and progress are requested at most once in this time. */
const updateAfterMs = 1_000;

export interface Clone {
  readonly folder: string;
  readonly isBare: boolean;
  /** The URL that a mirror of a code host is cloned from. */
  readonly cloneUrl?: string | undefined;
}

export type Sibling = Siblings["repositories"][number];

/** `all` if the list may have changed; otherwise the ids of the repositories that have. */
export type RepositoriesChange = "all" | readonly number[];

export class Repositories implements vscode.Disposable {
  #items: ReadonlyMap<number, RepositoryItem> | undefined;
  #clones: ReadonlyMap<number, Clone> = new Map();
  #siblings: readonly Sibling[] = [];
  /** Whether the list was ever requested; before that, it is not kept up to date. */
  #isInUse = false;
  #loading: Promise<void> | undefined;
  #isOutdated = false;
  #isFindingSiblings = false;
  #updating: NodeJS.Timeout | undefined;
  readonly #changed = new vscode.EventEmitter<RepositoriesChange>();
  readonly #service: ServiceClient;
  readonly #subscriptions: vscode.Disposable;

  constructor(service: ServiceClient, teamServer: Pick<TeamServer, "onChange">) {
    this.#service = service;
    this.#subscriptions = vscode.Disposable.from(
      service.onIndexing((progress) => this.#applyProgress(progress)),
      service.onState((state) => {
        if (!this.#isInUse) return;
        if (state === "running") void this.reload().catch(() => undefined);
        if (state === "failed" || state === "idle") this.#clear();
      }),
      teamServer.onChange(() => {
        if (this.#isInUse && service.state === "running") this.#updateSoon();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        if (this.#items !== undefined) void this.#findSiblings();
      }),
    );
  }

  /** In the service's order, by name; undefined until loaded. */
  get items(): ReadonlyMap<number, RepositoryItem> | undefined {
    return this.#items;
  }

  /** By repository id. */
  get clones(): ReadonlyMap<number, Clone> {
    return this.#clones;
  }

  /** Clones next to the open folders that are not indexed. */
  get siblings(): readonly Sibling[] {
    return this.#siblings;
  }

  get onChange(): vscode.Event<RepositoriesChange> {
    return this.#changed.event;
  }

  withName(name: string): RepositoryItem | undefined {
    return [...(this.#items?.values() ?? [])].find(({ repoName }) => repoName === name);
  }

  /** Loads the list if it is not loaded; starts the server. */
  async load(): Promise<void> {
    if (this.#items === undefined) await this.reload();
  }

  /** Reloads everything. Rejects if the server does not respond. */
  async reload(): Promise<void> {
    this.#isInUse = true;
    await this.#update();
    // Not awaited, because finding siblings may take seconds.
    void this.#findSiblings();
  }

  dispose(): void {
    clearTimeout(this.#updating);
    this.#subscriptions.dispose();
    this.#changed.dispose();
  }

  /** Loads the list. If it is already being loaded, loads it once more afterward. */
  async #update(): Promise<void> {
    clearTimeout(this.#updating);
    this.#updating = undefined;
    if (this.#loading !== undefined) this.#isOutdated = true;
    this.#loading ??= this.#loadAll().finally(() => {
      this.#loading = undefined;
    });
    await this.#loading;
  }

  async #loadAll(): Promise<void> {
    do {
      this.#isOutdated = false;
      const [items, clones] = await Promise.all([this.#allItems(), this.#allClones()]);
      const before = listKey(this.#items, this.#clones);
      const changed = [...items.values()].filter((item) => !isEqual(item, this.#items?.get(item.repoId)));
      this.#items = items;
      this.#clones = clones;
      const isSameList = listKey(items, clones) === before;
      this.#changed.fire(isSameList ? changed.map(({ repoId }) => repoId) : "all");
    } while (this.#isOutdated);
  }

  async #allItems(): Promise<Map<number, RepositoryItem>> {
    const items = new Map<number, RepositoryItem>();
    for (let page = 1; ; page++) {
      const response = await this.#service.call("repos", { page, perPage });
      for (const item of response.items) items.set(item.repoId, item);
      if (response.items.length < perPage || page * perPage >= response.total) return items;
    }
  }

  async #allClones(): Promise<Map<number, Clone>> {
    const { clones } = await this.#service.call("clones", {});
    setContext(
      "trawl.hasMirrors",
      clones.some(({ cloneUrl }) => cloneUrl !== undefined),
    );
    return new Map(
      clones.map(({ repositoryId, folder, isBare, cloneUrl }) => [
        repositoryId,
        { folder, isBare, cloneUrl },
      ]),
    );
  }

  async #findSiblings(): Promise<void> {
    // Several views may reload at once.
    if (this.#isFindingSiblings) return;
    this.#isFindingSiblings = true;
    try {
      const { repositories } = await this.#service.call("siblings", {});
      this.#siblings = repositories;
      this.#changed.fire("all");
    } catch (error) {
      // Without siblings, only their group is missing.
      if (callError(error).errorCode !== "SERVER_GONE") this.#siblings = [];
    } finally {
      this.#isFindingSiblings = false;
    }
  }

  #applyProgress({ repositories, total }: IndexingProgress): void {
    if (this.#items === undefined || this.#loading !== undefined) {
      this.#isOutdated = true;
      return;
    }
    const items = new Map(this.#items);
    const changed: number[] = [];
    // Progress is about the repositories of this computer.
    let isKnown = total === [...items.values()].filter(({ server }) => server === undefined).length;
    for (const { repositoryId, state, progress, error } of repositories) {
      const item = items.get(repositoryId);
      if (item === undefined) {
        isKnown = false;
        continue;
      }
      if (item.state !== state && (state === "ready" || state === "failed")) isKnown = false;
      const { lastError: _, ...rest } = item;
      items.set(repositoryId, {
        ...rest,
        state,
        progress,
        ...(error === undefined ? {} : { lastError: error }),
      });
      changed.push(repositoryId);
    }
    this.#items = items;
    if (changed.length > 0) this.#changed.fire(changed);
    if (!isKnown) this.#updateSoon();
  }

  #updateSoon(): void {
    this.#updating ??= setTimeout(() => void this.#update().catch(() => undefined), updateAfterMs);
  }

  #clear(): void {
    this.#items = undefined;
    this.#clones = new Map();
    this.#siblings = [];
    this.#changed.fire("all");
  }
}

/** Changes when a repository is added or removed, or its name or clone changes. */
function listKey(
  items: ReadonlyMap<number, RepositoryItem> | undefined,
  clones: ReadonlyMap<number, Clone>,
): string {
  return JSON.stringify(
    [...(items?.values() ?? [])].map(({ repoId, repoName }) => [repoId, repoName, clones.get(repoId)]),
  );
}

function isEqual(left: RepositoryItem, right: RepositoryItem | undefined): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/** The repositories that the server knows, kept current: what the view shows, and its commands ask. */
import * as vscode from "vscode";
import { callError } from "#client/callError";
import type { ServiceClient } from "#client/serviceClient";
import type { Siblings } from "#contract/editor";
import type { IndexingProgress } from "#contract/local";
import type { RepositoryItem } from "#contract/repositories";

/** Items on a page of the service, at most. */
const perPage = 100;
/** What changed beyond state and progress is asked for at most so often. */
const updateAfterMs = 1_000;

export interface Clone {
  readonly folder: string;
  readonly isBare: boolean;
}

export type Sibling = Siblings["repositories"][number];

/** `all`: the list may have other members now; else only these have changed. */
export type RepositoriesChange = "all" | readonly number[];

export class Repositories implements vscode.Disposable {
  #items: ReadonlyMap<number, RepositoryItem> | undefined;
  #clones: ReadonlyMap<number, Clone> = new Map();
  #siblings: readonly Sibling[] = [];
  /** Whether somebody has looked: until then there is nothing to keep current. */
  #isWanted = false;
  #loading: Promise<void> | undefined;
  #isOutdated = false;
  #isLooking = false;
  #updating: NodeJS.Timeout | undefined;
  readonly #changed = new vscode.EventEmitter<RepositoriesChange>();
  readonly #service: ServiceClient;
  readonly #subscriptions: vscode.Disposable;

  constructor(service: ServiceClient) {
    this.#service = service;
    this.#subscriptions = vscode.Disposable.from(
      service.onIndexing((progress) => this.#take(progress)),
      service.onState((state) => {
        if (!this.#isWanted) return;
        if (state === "running") void this.reload().catch(() => undefined);
        if (state === "failed" || state === "idle") this.#forget();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        if (this.#items !== undefined) void this.#lookForSiblings();
      }),
    );
  }

  /** In the service's order, by name; absent until they were loaded. */
  get items(): ReadonlyMap<number, RepositoryItem> | undefined {
    return this.#items;
  }

  /** By number of the repository. */
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

  named(name: string): RepositoryItem | undefined {
    return [...(this.#items?.values() ?? [])].find(({ repoName }) => repoName === name);
  }

  /** Loads them where that has not been done; starts the server. */
  async load(): Promise<void> {
    if (this.#items === undefined) await this.reload();
  }

  /** Asks for everything anew. Rejects where the server does not answer. */
  async reload(): Promise<void> {
    this.#isWanted = true;
    await this.#update();
    // Looking for them may take seconds, and nobody waits for it.
    void this.#lookForSiblings();
  }

  dispose(): void {
    clearTimeout(this.#updating);
    this.#subscriptions.dispose();
    this.#changed.dispose();
  }

  /** Asked for while it runs, it runs once more. */
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
      const answer = await this.#service.call("repos", { page, perPage });
      for (const item of answer.items) items.set(item.repoId, item);
      if (answer.items.length < perPage || page * perPage >= answer.total) return items;
    }
  }

  async #allClones(): Promise<Map<number, Clone>> {
    const { clones } = await this.#service.call("clones", {});
    return new Map(clones.map(({ repositoryId, folder, isBare }) => [repositoryId, { folder, isBare }]));
  }

  async #lookForSiblings(): Promise<void> {
    // Several views may ask for everything at once.
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const { repositories } = await this.#service.call("siblings", {});
      this.#siblings = repositories;
      this.#changed.fire("all");
    } catch (error) {
      // The group is missing then, and everything else is there.
      if (callError(error).errorCode !== "SERVER_GONE") this.#siblings = [];
    } finally {
      this.#isLooking = false;
    }
  }

  #take({ repositories, total }: IndexingProgress): void {
    if (this.#items === undefined || this.#loading !== undefined) {
      this.#isOutdated = true;
      return;
    }
    const items = new Map(this.#items);
    const changed: number[] = [];
    let isKnown = total === items.size;
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

  #forget(): void {
    this.#items = undefined;
    this.#clones = new Map();
    this.#siblings = [];
    this.#changed.fire("all");
  }
}

/** The same while no repository has come, gone, or got another name or clone. */
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

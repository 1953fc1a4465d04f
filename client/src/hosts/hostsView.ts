/** The Code Hosts view: connections to code hosts, refreshed while the view is visible. */
import * as vscode from "vscode";
import type { Repositories } from "#client/model/repositories";
import type { ServiceClient } from "#client/server/serviceClient";
import { childrenOf, type Row, runClickedRows, treeItemOf } from "#client/workbench/rows";
import type { CodeHostRepository, CodeHostRepositoryState, CodeHostStatus } from "#contract/codeHosts";
import { type HostSource, hostRow } from "./hostRows";

export interface HostsViewOptions {
  readonly service: ServiceClient;
  readonly repositories: Pick<Repositories, "onChange">;
  readonly configure: HostSource["configure"];
  readonly confirm: HostSource["confirm"];
  readonly signIn: HostSource["signIn"];
}

const perPage = 100;
/** How often a visible view is refreshed: while a host is listed or cloned from, and otherwise. */
const busyMs = 2_000;
const idleMs = 30_000;

export class HostsView implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<Row | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #options: HostsViewOptions;
  readonly #view: vscode.TreeView<Row>;
  readonly #subscriptions: vscode.Disposable;
  #hosts: readonly CodeHostStatus[] | undefined;
  #loading: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** When the next refresh is due, on the clock of `performance.now()`. */
  #refreshAt = Number.POSITIVE_INFINITY;
  /** The loaded repositories, by connection and state. */
  readonly #loaded = new Map<string, readonly CodeHostRepository[]>();

  constructor(options: HostsViewOptions) {
    this.#options = options;
    this.#view = vscode.window.createTreeView("trawl.hosts", {
      treeDataProvider: this,
      showCollapseAll: true,
    });
    this.#subscriptions = vscode.Disposable.from(
      this.#view,
      runClickedRows("hosts", this.#view),
      this.#changed,
      this.#view.onDidChangeVisibility(({ visible }) => {
        if (visible && this.#hosts !== undefined) this.#refreshInBackground();
        else this.#cancelRefresh();
      }),
      options.repositories.onChange(() => {
        if (this.#hosts !== undefined) this.#refreshSoon(busyMs);
      }),
      options.service.onState((state) => {
        if (this.#hosts === undefined) return;
        if (state === "running") this.#refreshInBackground();
        if (state === "failed" || state === "idle") this.#show(undefined);
      }),
    );
  }

  getTreeItem(row: Row): vscode.TreeItem {
    return treeItemOf(row, "hosts");
  }

  getParent(row: Row): Row | undefined {
    return row.parent;
  }

  async getChildren(row?: Row): Promise<Row[]> {
    if (row !== undefined) return childrenOf(row);
    // The welcome content of the view reports a failed server.
    if (this.#hosts === undefined) await this.refresh().catch(() => undefined);
    return (this.#hosts ?? []).map((host) => hostRow(host, this.#source));
  }

  /** The connections, loaded if needed. */
  async hosts(): Promise<readonly CodeHostStatus[]> {
    if (this.#hosts === undefined) await this.refresh();
    return this.#hosts ?? [];
  }

  /** Reloads the state of all connections. Rejects if the server does not respond. */
  async refresh(): Promise<void> {
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    await this.#loading;
  }

  dispose(): void {
    this.#cancelRefresh();
    this.#subscriptions.dispose();
  }

  async #load(): Promise<void> {
    this.#cancelRefresh();
    const hosts = await this.#options.service.call("codeHosts", {});
    this.#show(hosts);
    const isBusy = hosts.some(({ isListing, counts }) => isListing || counts.waiting > 0);
    this.#refreshSoon(isBusy ? busyMs : idleMs);
  }

  #show(hosts: readonly CodeHostStatus[] | undefined): void {
    if (JSON.stringify(hosts) === JSON.stringify(this.#hosts)) return;
    for (const host of this.#hosts ?? []) {
      const next = hosts?.find(({ name }) => name === host.name);
      // A repository that changes its state also changes these numbers.
      if (JSON.stringify(next?.counts) !== JSON.stringify(host.counts)) this.#forget(host);
    }
    this.#hosts = hosts;
    this.#changed.fire(undefined);
  }

  #forget({ name }: CodeHostStatus): void {
    for (const key of [...this.#loaded.keys()]) if (key.startsWith(`${name}/`)) this.#loaded.delete(key);
  }

  #refreshSoon(delayMs: number): void {
    const at = performance.now() + delayMs;
    if (!this.#view.visible || at >= this.#refreshAt) return;
    this.#cancelRefresh();
    this.#refreshAt = at;
    this.#timer = setTimeout(() => this.#refreshInBackground(), delayMs);
  }

  #cancelRefresh(): void {
    clearTimeout(this.#timer);
    this.#refreshAt = Number.POSITIVE_INFINITY;
  }

  #refreshInBackground(): void {
    this.#cancelRefresh();
    // The server's state shows why a request failed.
    if (this.#options.service.state === "running") this.refresh().catch(() => undefined);
  }

  async #loadPage(host: CodeHostStatus, state: CodeHostRepositoryState): Promise<void> {
    const key = `${host.name}/${state}`;
    const before = this.#loaded.get(key) ?? [];
    const page = Math.floor(before.length / perPage) + 1;
    const { items } = await this.#options.service.call("codeHostRepositories", {
      name: host.name,
      state,
      page,
      perPage,
    });
    this.#loaded.set(key, [...before.slice(0, (page - 1) * perPage), ...items]);
  }

  readonly #source: HostSource = {
    repositories: async (host, state) => {
      const key = `${host.name}/${state}`;
      if (!this.#loaded.has(key)) await this.#loadPage(host, state);
      return this.#loaded.get(key) ?? [];
    },
    loadMore: async (host, state, parent) => {
      await this.#loadPage(host, state);
      this.#changed.fire(parent);
    },
    configure: (host) => this.#options.configure(host),
    confirm: (host) => this.#options.confirm(host),
    signIn: (host) => this.#options.signIn(host),
  };
}

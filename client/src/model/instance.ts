/** The state of the server, as last reported to this window, and the context keys derived from it. */
import * as vscode from "vscode";
import type { ServerState, ServiceClient } from "#client/server/serviceClient";
import { setContext } from "#client/workbench/commands";
import type { InstanceState } from "#contract/editor";
import type { IndexingProgress } from "#contract/local";
import type { RepositoryState } from "#contract/repositories";

/** Progress arrives a few times a second; everything else is requested at most once in this time. */
const refreshAfterMs = 1_000;

export interface Indexing {
  readonly total: number;
  readonly ready: number;
  /** Whether any repository is being indexed or queued. */
  readonly isBusy: boolean;
}

const busyStates: ReadonlySet<RepositoryState> = new Set(["queued", "cloning", "indexing", "stale"]);

export class Instance implements vscode.Disposable {
  #state: InstanceState | undefined;
  /** Progress received since `#state`. */
  #progress: Pick<IndexingProgress, "total" | "ready"> | undefined;
  readonly #unfinished = new Map<number, RepositoryState>();
  #refreshing: NodeJS.Timeout | undefined;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #service: ServiceClient;
  readonly #subscriptions: vscode.Disposable;

  constructor(service: ServiceClient) {
    this.#service = service;
    this.#subscriptions = vscode.Disposable.from(
      service.onState((state) => this.#serverStateChanged(state)),
      service.onIndexing((progress) => this.#applyProgress(progress)),
      // Another window may have paused indexing or started the endpoint.
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused && service.state === "running") void this.refresh();
      }),
    );
  }

  /** Undefined until the server has reported its state, and while there is no server. */
  get state(): InstanceState | undefined {
    return this.#state;
  }

  get indexing(): Indexing | undefined {
    const counts = this.#progress ?? this.#state;
    if (counts === undefined) return undefined;
    const { ready } = counts;
    const total = "total" in counts ? counts.total : counts.repositories;
    const isBusy = [...this.#unfinished.values()].some((state) => busyStates.has(state));
    return { total, ready, isBusy: isBusy && this.#state?.isPaused !== true };
  }

  get server(): ServerState {
    return this.#service.state;
  }

  get onChange(): vscode.Event<void> {
    return this.#changed.event;
  }

  /** Requests the state from the server. Never rejects, and never starts the server. */
  async refresh(): Promise<void> {
    clearTimeout(this.#refreshing);
    this.#refreshing = undefined;
    if (this.#service.state !== "running") return;
    try {
      this.#state = await this.#service.call("instance", {});
      this.#progress = undefined;
    } catch {
      // The server state shows why, and the next change sends the request again.
    }
    this.#notify();
  }

  dispose(): void {
    clearTimeout(this.#refreshing);
    this.#subscriptions.dispose();
    this.#changed.dispose();
  }

  #serverStateChanged(state: ServerState): void {
    if (state === "running") void this.refresh();
    else {
      this.#progress = undefined;
      this.#unfinished.clear();
      if (state !== "starting") this.#state = undefined;
    }
    this.#notify();
  }

  #applyProgress({ repositories, total, ready }: IndexingProgress): void {
    this.#progress = { total, ready };
    for (const { repositoryId, state } of repositories) {
      if (state === "ready") this.#unfinished.delete(repositoryId);
      else this.#unfinished.set(repositoryId, state);
    }
    this.#refreshing ??= setTimeout(() => void this.refresh(), refreshAfterMs);
    this.#notify();
  }

  #notify(): void {
    setContext("trawl.ready", this.server === "running" && this.#state !== undefined);
    setContext("trawl.failed", this.server === "failed");
    setContext("trawl.indexing", this.indexing?.isBusy === true);
    setContext("trawl.paused", this.#state?.isPaused === true);
    setContext("trawl.apiRunning", this.#state?.url !== undefined);
    this.#changed.fire();
  }
}

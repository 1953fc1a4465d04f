/** What this window knows of the Trawl that answers it, kept current while there is one, and the context keys for it. */
import * as vscode from "vscode";
import { setContext } from "#client/commands";
import type { ServerState, ServiceClient } from "#client/serviceClient";
import type { InstanceState } from "#contract/editor";
import type { IndexingProgress } from "#contract/local";
import type { RepositoryState } from "#contract/repositories";

/** Progress comes a few times a second; the rest is asked for at most so often. */
const refreshAfterMs = 1_000;

export interface Indexing {
  readonly total: number;
  readonly ready: number;
  /** Whether something is being done, or waits for its turn. */
  readonly isBusy: boolean;
}

const busyStates: ReadonlySet<RepositoryState> = new Set(["queued", "cloning", "indexing", "stale"]);

export class Instance implements vscode.Disposable {
  #facts: InstanceState | undefined;
  /** What came since the facts did. */
  #progress: Pick<IndexingProgress, "total" | "ready"> | undefined;
  readonly #unfinished = new Map<number, RepositoryState>();
  #refreshing: NodeJS.Timeout | undefined;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #service: ServiceClient;
  readonly #subscriptions: vscode.Disposable;

  constructor(service: ServiceClient) {
    this.#service = service;
    this.#subscriptions = vscode.Disposable.from(
      service.onState((state) => this.#serverIs(state)),
      service.onIndexing((progress) => this.#take(progress)),
      // Another window may have paused indexing or started the endpoint.
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused && service.state === "running") void this.refresh();
      }),
    );
  }

  /** Absent until the server has told of itself, and while there is none. */
  get facts(): InstanceState | undefined {
    return this.#facts;
  }

  get indexing(): Indexing | undefined {
    const counts = this.#progress ?? this.#facts;
    if (counts === undefined) return undefined;
    const { ready } = counts;
    const total = "total" in counts ? counts.total : counts.repositories;
    const isBusy = [...this.#unfinished.values()].some((state) => busyStates.has(state));
    return { total, ready, isBusy: isBusy && this.#facts?.isPaused !== true };
  }

  get server(): ServerState {
    return this.#service.state;
  }

  get onChange(): vscode.Event<void> {
    return this.#changed.event;
  }

  /** Asks the server for what it does not tell by itself. Never rejects, and starts no server. */
  async refresh(): Promise<void> {
    clearTimeout(this.#refreshing);
    this.#refreshing = undefined;
    if (this.#service.state !== "running") return;
    try {
      this.#facts = await this.#service.call("instance", {});
      this.#progress = undefined;
    } catch {
      // The state of the server says why, and the next change asks again.
    }
    this.#change();
  }

  dispose(): void {
    clearTimeout(this.#refreshing);
    this.#subscriptions.dispose();
    this.#changed.dispose();
  }

  #serverIs(state: ServerState): void {
    if (state === "running") void this.refresh();
    else {
      this.#progress = undefined;
      this.#unfinished.clear();
      if (state !== "starting") this.#facts = undefined;
    }
    this.#change();
  }

  #take({ repositories, total, ready }: IndexingProgress): void {
    this.#progress = { total, ready };
    for (const { repositoryId, state } of repositories) {
      if (state === "ready") this.#unfinished.delete(repositoryId);
      else this.#unfinished.set(repositoryId, state);
    }
    this.#refreshing ??= setTimeout(() => void this.refresh(), refreshAfterMs);
    this.#change();
  }

  #change(): void {
    setContext("trawl.ready", this.server === "running" && this.#facts !== undefined);
    setContext("trawl.failed", this.server === "failed");
    setContext("trawl.indexing", this.indexing?.isBusy === true);
    setContext("trawl.paused", this.#facts?.isPaused === true);
    setContext("trawl.apiRunning", this.#facts?.url !== undefined);
    this.#changed.fire();
  }
}

/** Runs the searches of a window; stores the current one and the pinned ones, which the views show. */
import * as vscode from "vscode";
import { callError } from "#client/server/callError";
import type { ServiceClient } from "#client/server/serviceClient";
import { setting } from "#client/workbench/settings";
import type { RepositoryInfo } from "#contract/repositories";
import type { FileMatch, FoundCommit } from "#contract/search";
import { checkQuery } from "./queryAnalysis";
import { countsBeforeNarrowing, type ResultSet } from "./resultSet";
import { type QueryDefaults, type SearchState, searchRequest } from "./searchState";

const maxPinned = 10;
/** After a pause this long, a search that was run while typing counts as confirmed. */
const settleDelayMs = 2_000;
/** How long earlier results stay while a new search has none. */
const showEmptyAfterMs = 200;

export class Searches implements vscode.Disposable {
  #current: ResultSet | undefined;
  #pinned: readonly ResultSet[] = [];
  #running: vscode.CancellationTokenSource | undefined;
  #lastId = 0;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #finished = new vscode.EventEmitter<ResultSet>();
  readonly #settled = new vscode.EventEmitter<ResultSet>();
  /** Set if the last search was run while typing; whether the user has confirmed it. */
  #tentative: { isConfirmed: boolean } | undefined;
  /** Confirms the tentative search after a while. */
  #settling: NodeJS.Timeout | undefined;

  readonly #service: Pick<ServiceClient, "call">;
  readonly #defaults: () => QueryDefaults | Promise<QueryDefaults>;

  constructor(service: Pick<ServiceClient, "call">, defaults: () => QueryDefaults | Promise<QueryDefaults>) {
    this.#service = service;
    this.#defaults = defaults;
  }

  get current(): ResultSet | undefined {
    return this.#current;
  }

  get pinned(): readonly ResultSet[] {
    return this.#pinned;
  }

  /** Fires whenever `current` or `pinned` changes; about ten times a second while a search runs. */
  get onChange(): vscode.Event<void> {
    return this.#changed.event;
  }

  /** Fires with each search that has ended, however it ended. */
  get onFinish(): vscode.Event<ResultSet> {
    return this.#finished.event;
  }

  /** Fires once with each search that the user confirmed or left unchanged for a while after typing. */
  get onSettle(): vscode.Event<ResultSet> {
    return this.#settled.event;
  }

  /**
   * Cancels the current search and runs another until it ends. `isTentative` marks a search that runs while the user is
   * still typing.
   */
  async run(
    state: SearchState,
    matches: number = setting("search.maxRows"),
    { isTentative = false }: { readonly isTentative?: boolean } = {},
  ): Promise<ResultSet> {
    this.#running?.cancel();
    this.#cancelSettling();
    const tentative = isTentative ? { isConfirmed: false } : undefined;
    this.#tentative = tentative;
    const source = new vscode.CancellationTokenSource();
    this.#running = source;
    const request = searchRequest(state, await this.#defaults(), matches);
    const files: FileMatch[] = [];
    const commits: FoundCommit[] = [];
    const repositories = new Map<number, RepositoryInfo>();
    const beforeNarrowing = countsBeforeNarrowing(state, this.#current);
    let set: ResultSet = {
      id: ++this.#lastId,
      state,
      request,
      startedAt: Date.now(),
      files,
      commits,
      repositories,
      outcome: "running",
      ...(beforeNarrowing === undefined ? {} : { beforeNarrowing }),
    };
    const isCurrent = () => this.#running === source;
    // Earlier results stay for a moment, so that the view does not flash empty at each keystroke.
    const showing = setTimeout(() => {
      if (isCurrent()) this.#show(set);
    }, showEmptyAfterMs);
    try {
      const { phrase } = await checkQuery(this.#service, state);
      if (phrase !== undefined) set = { ...set, phrase };
      if (source.token.isCancellationRequested) throw new vscode.CancellationError();
      const end = await this.#service.call("streamSearch", request, {
        token: source.token,
        onEvent: (event) => {
          if (event.event !== "files") return;
          files.push(...event.data.files);
          commits.push(...(event.data.commits ?? []));
          for (const repository of event.data.repositoryInfo) repositories.set(repository.id, repository);
          set = { ...set };
          clearTimeout(showing);
          if (isCurrent()) this.#show(set);
        },
      });
      for (const repository of end.repositoryInfo) repositories.set(repository.id, repository);
      set = { ...set, end, outcome: "done" };
    } catch (error) {
      const { errorCode, message } = callError(error);
      set =
        error instanceof vscode.CancellationError
          ? { ...set, outcome: "canceled" }
          : { ...set, outcome: "failed", problem: { errorCode, message } };
    } finally {
      clearTimeout(showing);
      source.dispose();
    }
    if (isCurrent()) {
      this.#running = undefined;
      this.#show(set);
    }
    this.#finished.fire(set);
    if (set.outcome !== "done" && this.#tentative === tentative) this.#tentative = undefined;
    if (tentative === undefined || tentative.isConfirmed) this.#settled.fire(set);
    else if (this.#current === set) this.#settling = setTimeout(() => this.settle(), settleDelayMs);
    return set;
  }

  /** Confirms the last search if it was run while typing. Returns whether that was so. */
  settle(): boolean {
    const tentative = this.#tentative;
    if (tentative === undefined || tentative.isConfirmed) return false;
    tentative.isConfirmed = true;
    if (this.#settling !== undefined && this.#current !== undefined) this.#settled.fire(this.#current);
    this.#cancelSettling();
    return true;
  }

  /** Shows the stored results of an earlier search. */
  restore(set: ResultSet): void {
    this.cancel();
    this.#running = undefined;
    this.#cancelSettling();
    // A new id, because another search of this window may have the old one.
    this.#show({ ...set, id: ++this.#lastId });
  }

  /** Whether a search is running, shown or not. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  cancel(): void {
    this.#running?.cancel();
  }

  clear(): void {
    this.cancel();
    this.#cancelSettling();
    this.#running = undefined;
    this.#show(undefined);
  }

  /** Keeps the current results beside later ones; evicts the oldest pinned ones if there are too many. */
  pin(): void {
    const current = this.#current;
    if (current === undefined || this.#pinned.some(({ id }) => id === current.id)) return;
    this.#pinned = [current, ...this.#pinned].slice(0, maxPinned);
    this.#changed.fire();
  }

  unpin(id: number): void {
    this.#pinned = this.#pinned.filter((set) => set.id !== id);
    this.#changed.fire();
  }

  dispose(): void {
    this.cancel();
    this.#cancelSettling();
    this.#settled.dispose();
    this.#changed.dispose();
    this.#finished.dispose();
  }

  #cancelSettling(): void {
    clearTimeout(this.#settling);
    this.#settling = undefined;
    this.#tentative = undefined;
  }

  #show(set: ResultSet | undefined): void {
    this.#current = set;
    this.#changed.fire();
  }
}

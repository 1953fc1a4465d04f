/** The searches of a window: the present one, and those that were pinned. Views show them; here they are run. */
import * as vscode from "vscode";
import { callError } from "#client/callError";
import type { ServiceClient } from "#client/serviceClient";
import { setting } from "#client/settings";
import type { RepositoryInfo } from "#contract/repositories";
import type { FileMatch, FoundCommit } from "#contract/search";
import type { ResultSet } from "./resultSet";
import { type QueryDefaults, type SearchState, searchRequest } from "./searchState";

const pinnedAtMost = 10;
/** A pause that is long for typing and short for reading. */
const settlesAfterMs = 2_000;
const showsEmptyAfterMs = 200;

export class Searches implements vscode.Disposable {
  #present: ResultSet | undefined;
  #pinned: readonly ResultSet[] = [];
  #running: vscode.CancellationTokenSource | undefined;
  #lastId = 0;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #finished = new vscode.EventEmitter<ResultSet>();
  readonly #settled = new vscode.EventEmitter<ResultSet>();
  /** The last search, where it was run while typing and nobody has said yet that it is meant. */
  #typed: { isMeant: boolean } | undefined;
  /** Waits for it to stand for a while. */
  #settling: NodeJS.Timeout | undefined;

  readonly #service: Pick<ServiceClient, "call">;
  readonly #defaults: () => QueryDefaults | Promise<QueryDefaults>;

  constructor(service: Pick<ServiceClient, "call">, defaults: () => QueryDefaults | Promise<QueryDefaults>) {
    this.#service = service;
    this.#defaults = defaults;
  }

  get present(): ResultSet | undefined {
    return this.#present;
  }

  get pinned(): readonly ResultSet[] {
    return this.#pinned;
  }

  /** Fires whenever `present` or `pinned` is another value than before; while a search runs some ten times a second. */
  get onChange(): vscode.Event<void> {
    return this.#changed.event;
  }

  /** Fires with each search that came to its end, however it ended. */
  get onFinish(): vscode.Event<ResultSet> {
    return this.#finished.event;
  }

  /** Fires once with each search that a person meant: it was decided, or has stood for a while after typing. */
  get onSettle(): vscode.Event<ResultSet> {
    return this.#settled.event;
  }

  /**
   * Cancels the search before, and keeps to this one until it ends. `isTyped`: its text is still being written, and it
   * may be half of what is meant.
   */
  async run(
    state: SearchState,
    matches: number = setting("search.maxRows"),
    { isTyped = false }: { readonly isTyped?: boolean } = {},
  ): Promise<ResultSet> {
    this.#running?.cancel();
    this.#settleNoMore();
    const typed = isTyped ? { isMeant: false } : undefined;
    this.#typed = typed;
    const source = new vscode.CancellationTokenSource();
    this.#running = source;
    const request = searchRequest(state, await this.#defaults(), matches);
    const files: FileMatch[] = [];
    const commits: FoundCommit[] = [];
    const repositories = new Map<number, RepositoryInfo>();
    let set: ResultSet = {
      id: ++this.#lastId,
      state,
      request,
      startedAt: Date.now(),
      files,
      commits,
      repositories,
      outcome: "running",
    };
    const isPresent = () => this.#running === source;
    // What was there before stays until there is something new to see, lest each key empties the view for a moment.
    const showing = setTimeout(() => {
      if (isPresent()) this.#show(set);
    }, showsEmptyAfterMs);
    try {
      const end = await this.#service.call("streamSearch", request, {
        token: source.token,
        onEvent: (event) => {
          if (event.event !== "files") return;
          files.push(...event.data.files);
          commits.push(...(event.data.commits ?? []));
          for (const repository of event.data.repositoryInfo) repositories.set(repository.id, repository);
          set = { ...set };
          clearTimeout(showing);
          if (isPresent()) this.#show(set);
        },
      });
      for (const repository of end.repositoryInfo) repositories.set(repository.id, repository);
      set = { ...set, end, outcome: "done" };
    } catch (error) {
      const { errorCode, message } = callError(error);
      set =
        error instanceof vscode.CancellationError
          ? { ...set, outcome: "cancelled" }
          : { ...set, outcome: "failed", problem: { errorCode, message } };
    } finally {
      clearTimeout(showing);
      source.dispose();
    }
    if (isPresent()) {
      this.#running = undefined;
      this.#show(set);
    }
    this.#finished.fire(set);
    if (set.outcome !== "done" && this.#typed === typed) this.#typed = undefined;
    if (typed === undefined || typed.isMeant) this.#settled.fire(set);
    else if (this.#present === set) this.#settling = setTimeout(() => this.settle(), settlesAfterMs);
    return set;
  }

  /** The last search, if it was run while typing, is what was meant. Tells whether that is news. */
  settle(): boolean {
    const typed = this.#typed;
    if (typed === undefined || typed.isMeant) return false;
    typed.isMeant = true;
    if (this.#settling !== undefined && this.#present !== undefined) this.#settled.fire(this.#present);
    this.#settleNoMore();
    return true;
  }

  /** Shows results of an earlier search again, as they were. */
  restore(set: ResultSet): void {
    this.cancel();
    this.#running = undefined;
    this.#settleNoMore();
    // A number of its own: the one that it had may be another search's of this window.
    this.#show({ ...set, id: ++this.#lastId });
  }

  /** Whether a search is under way, shown or not. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  cancel(): void {
    this.#running?.cancel();
  }

  clear(): void {
    this.cancel();
    this.#settleNoMore();
    this.#running = undefined;
    this.#show(undefined);
  }

  /** Keeps the present results beside those to come; the oldest pinned ones go when there are too many. */
  pin(): void {
    const present = this.#present;
    if (present === undefined || this.#pinned.some(({ id }) => id === present.id)) return;
    this.#pinned = [present, ...this.#pinned].slice(0, pinnedAtMost);
    this.#changed.fire();
  }

  unpin(id: number): void {
    this.#pinned = this.#pinned.filter((set) => set.id !== id);
    this.#changed.fire();
  }

  dispose(): void {
    this.cancel();
    this.#settleNoMore();
    this.#settled.dispose();
    this.#changed.dispose();
    this.#finished.dispose();
  }

  #settleNoMore(): void {
    clearTimeout(this.#settling);
    this.#settling = undefined;
    this.#typed = undefined;
  }

  #show(set: ResultSet | undefined): void {
    this.#present = set;
    this.#changed.fire();
  }
}

/** Searches whose next call does not arrive within this time are dropped. */
const dropAfterMs = 60_000;
/** The same for searches that probably get no call. */
const dropUnlikelyAfterMs = 2000;
/** Many more than searches that run at once, so that none is dropped before its call. */
const maxUnlikely = 64;

/** The searches of a worker that may get another call, by token. */
export class WaitingSearches<Search> {
  readonly #expected = new Map<number, { readonly search: Search; readonly timer: NodeJS.Timeout }>();
  /** Oldest first. */
  readonly #unlikely = new Map<number, Search>();
  #timer: NodeJS.Timeout | undefined;
  #lastToken = 0;

  /** Keeps a search for its next call. */
  keep(search: Search): number {
    const token = ++this.#lastToken;
    const timer = setTimeout(() => this.#expected.delete(token), dropAfterMs).unref();
    this.#expected.set(token, { search, timer });
    return token;
  }

  /** Keeps a search that probably gets no other call, for a short time and only with a few others. */
  keepBriefly(search: Search): number {
    const token = ++this.#lastToken;
    this.#unlikely.set(token, search);
    for (const oldest of this.#unlikely.keys()) {
      if (this.#unlikely.size <= maxUnlikely) break;
      this.#unlikely.delete(oldest);
    }
    // One timer for all, because most searches end here.
    this.#timer ??= setTimeout(() => this.#unlikely.clear(), dropUnlikelyAfterMs).unref();
    this.#timer.refresh();
    return token;
  }

  /** Returns the search with this token, and forgets it; undefined if it has been dropped. */
  take(token: number): Search | undefined {
    const unlikely = this.#unlikely.get(token);
    this.#unlikely.delete(token);
    const expected = this.#expected.get(token);
    this.#expected.delete(token);
    clearTimeout(expected?.timer);
    return expected?.search ?? unlikely;
  }
}

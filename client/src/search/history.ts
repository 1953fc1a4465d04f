/** The searches that were run, newest first: what Up and Down bring back, and the list under "Recent". Knows no VS Code. */
import type { SearchState } from "./searchState";

const entriesAtMost = 50;
const key = "trawl.searchHistory";

/** Where it is kept; VS Code's `Memento` is one. */
export interface Memory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

export interface HistoryEntry {
  /** Names the entry for good; its results are kept under it. */
  readonly id: string;
  readonly state: SearchState;
  /** Milliseconds since 1970. */
  readonly ranAt: number;
  readonly matchCount: number;
  readonly fileCount: number;
  readonly isExhaustive: boolean;
}

export class SearchHistory {
  readonly #memory: Memory;
  #entries: readonly HistoryEntry[];
  /** How far back Up has gone; what was in the box before is at -1. */
  #place = -1;
  #draft: SearchState | undefined;

  constructor(memory: Memory) {
    this.#memory = memory;
    const kept = memory.get(key);
    this.#entries = Array.isArray(kept) ? kept.filter(isEntry) : [];
  }

  get entries(): readonly HistoryEntry[] {
    return this.#entries;
  }

  /** An equal search gives way to this one. Gives the entries that are no longer kept. */
  async add(entry: HistoryEntry): Promise<readonly HistoryEntry[]> {
    const others = this.#entries.filter(({ state }) => !isSameSearch(state, entry.state));
    const before = this.#entries;
    this.#entries = [entry, ...others].slice(0, entriesAtMost);
    this.#place = -1;
    await this.#keep();
    const kept = new Set(this.#entries);
    return before.filter((each) => !kept.has(each));
  }

  async remove(id: string): Promise<void> {
    this.#entries = this.#entries.filter((entry) => entry.id !== id);
    await this.#keep();
  }

  async clear(): Promise<void> {
    this.#entries = [];
    this.#place = -1;
    await this.#keep();
  }

  /** The search before the one that `older` gave last; `undefined` at the end. */
  older(current: SearchState): SearchState | undefined {
    if (this.#place === -1) this.#draft = current;
    return this.#move(this.#place + 1, current, 1);
  }

  /** The way back, down to what was in the box before the first `older`. */
  newer(current: SearchState): SearchState | undefined {
    if (this.#place === 0) {
      this.#place = -1;
      return this.#draft;
    }
    return this.#place < 0 ? undefined : this.#move(this.#place - 1, current, -1);
  }

  /** Going to what is in the box already would look as if the key did nothing. */
  #move(place: number, current: SearchState, step: 1 | -1): SearchState | undefined {
    let at = place;
    while (at >= 0 && at < this.#entries.length) {
      const state = this.#entries[at]?.state;
      if (state !== undefined && !isSameSearch(state, current)) {
        this.#place = at;
        return state;
      }
      at += step;
    }
    return undefined;
  }

  async #keep(): Promise<void> {
    await this.#memory.update(key, this.#entries);
  }
}

export function isSameSearch(one: SearchState, other: SearchState): boolean {
  return (
    one.query.trim() === other.query.trim() &&
    one.caseSensitivity === other.caseSensitivity &&
    one.isRegex === other.isRegex &&
    one.isWholeWord === other.isWholeWord &&
    one.narrowed.length === other.narrowed.length &&
    one.narrowed.every((part, index) => part === other.narrowed[index])
  );
}

/** An older version of this extension, or a person, may have written it. */
export function isSearchState(value: unknown): value is SearchState {
  const state = value as Partial<SearchState> | null;
  return (
    typeof state === "object" &&
    state !== null &&
    typeof state.query === "string" &&
    typeof state.isRegex === "boolean" &&
    typeof state.isWholeWord === "boolean" &&
    ["smart", "insensitive", "sensitive"].includes(String(state.caseSensitivity)) &&
    Array.isArray(state.narrowed) &&
    state.narrowed.every((part) => typeof part === "string")
  );
}

function isEntry(value: unknown): value is HistoryEntry {
  const entry = value as Partial<HistoryEntry> | null;
  return (
    typeof entry === "object" &&
    entry !== null &&
    typeof entry.id === "string" &&
    typeof entry.ranAt === "number" &&
    typeof entry.matchCount === "number" &&
    typeof entry.fileCount === "number" &&
    isSearchState(entry.state)
  );
}

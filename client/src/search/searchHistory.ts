/** Recent searches, newest first: recalled with Up and Down, and listed under "Recent". Pure: does not use VS Code. */
import type { Memento } from "#client/workbench/memento";
import type { SearchState } from "./searchState";

const maxEntries = 50;
const key = "trawl.searchHistory";

export interface HistoryEntry {
  /** Stable; the key of the stored results. */
  readonly id: string;
  readonly state: SearchState;
  /** Milliseconds since 1970. */
  readonly ranAt: number;
  readonly matchCount: number;
  readonly fileCount: number;
  readonly isExhaustive: boolean;
}

export class SearchHistory {
  readonly #memento: Memento;
  #entries: readonly HistoryEntry[];
  /** Index of the recalled entry; -1 for the draft that was in the box before. */
  #position = -1;
  #draft: SearchState | undefined;

  constructor(memento: Memento) {
    this.#memento = memento;
    const stored = memento.get(key);
    this.#entries = Array.isArray(stored) ? stored.filter(isEntry) : [];
  }

  get entries(): readonly HistoryEntry[] {
    return this.#entries;
  }

  /** Adds an entry, replacing an equal search. Returns the entries that were evicted. */
  async add(entry: HistoryEntry): Promise<readonly HistoryEntry[]> {
    const others = this.#entries.filter(({ state }) => !isSameSearch(state, entry.state));
    const before = this.#entries;
    this.#entries = [entry, ...others].slice(0, maxEntries);
    this.#position = -1;
    await this.#save();
    const kept = new Set(this.#entries);
    return before.filter((each) => !kept.has(each));
  }

  async remove(id: string): Promise<void> {
    this.#entries = this.#entries.filter((entry) => entry.id !== id);
    await this.#save();
  }

  async clear(): Promise<void> {
    this.#entries = [];
    this.#position = -1;
    await this.#save();
  }

  /** Returns the entry before the one that was recalled last; `undefined` at the end. */
  older(current: SearchState): SearchState | undefined {
    if (this.#position === -1) this.#draft = current;
    return this.#move(this.#position + 1, current, 1);
  }

  /** Returns the next newer entry, and finally the draft from before the first `older`. */
  newer(current: SearchState): SearchState | undefined {
    if (this.#position === 0) {
      this.#position = -1;
      return this.#draft;
    }
    return this.#position < 0 ? undefined : this.#move(this.#position - 1, current, -1);
  }

  /** Skips entries that equal the content of the box: recalling one would seem to do nothing. */
  #move(position: number, current: SearchState, step: 1 | -1): SearchState | undefined {
    let index = position;
    while (index >= 0 && index < this.#entries.length) {
      const state = this.#entries[index]?.state;
      if (state !== undefined && !isSameSearch(state, current)) {
        this.#position = index;
        return state;
      }
      index += step;
    }
    return undefined;
  }

  async #save(): Promise<void> {
    await this.#memento.update(key, this.#entries);
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

/** Validates stored state, which an older version of this extension or a user may have written. */
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

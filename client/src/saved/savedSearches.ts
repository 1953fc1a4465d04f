/** The user's saved searches, and the matches each had when it was last run. Does not use VS Code. */
import { createHash } from "node:crypto";
import { isSearchState } from "#client/search/searchHistory";
import type { SearchState } from "#client/search/searchState";
import type { Memento } from "#client/workbench/memento";
import type { FileMatch } from "#contract/search";

/** Settings Sync copies the list to other computers. If two have changed it, one list replaces the other. */
export const savedSearchesKey = "trawl.savedSearches";
/** A copy of the list that is not synchronized. Restores entries that Settings Sync has overwritten. */
const localKey = "trawl.localSavedSearches";
const seenKey = "trawl.seenMatches";
/** Limit of stored matches per search. Of a search with more, some are not loaded, so new ones cannot be determined. */
const maxSeen = 2000;
/** How many deletions are stored, so that a deleted search does not return from another computer. */
const maxDeleted = 100;

export interface SavedSearch {
  readonly name: string;
  readonly state: SearchState;
}

/** A saved search as stored, or one that was deleted. */
interface StoredSearch {
  readonly name: string;
  /** When it was saved or deleted, in milliseconds since 1970; absent if it was saved by an earlier version. */
  readonly at?: number;
  /** Absent if it was deleted. */
  readonly state?: SearchState;
}

interface Seen {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly matches: readonly string[];
}

export interface NewMatches {
  readonly count: number;
  /** When the search was last run, in milliseconds since 1970. */
  readonly since: number;
}

export class SavedSearches {
  readonly #memento: Memento;

  constructor(memento: Memento) {
    this.#memento = memento;
  }

  get all(): readonly SavedSearch[] {
    return this.#stored().filter(isSaved);
  }

  /** Saves a search, replacing one of the same name. */
  async save({ name, state }: SavedSearch): Promise<void> {
    await this.#store({ name, state });
  }

  async remove(name: string): Promise<void> {
    await this.#store({ name });
  }

  /** Restores searches of this computer that Settings Sync has replaced by the list of another. */
  async restore(): Promise<void> {
    const stored = this.#stored();
    const synchronized = this.#memento.get(savedSearchesKey);
    if (stored.length > 0 && JSON.stringify(stored) !== JSON.stringify(synchronized)) {
      await this.#write(stored);
    }
  }

  /** Returns what in `files` is new since the search was last run; `undefined` if it never was. */
  newMatchesIn(state: SearchState, files: readonly FileMatch[]): NewMatches | undefined {
    const seen = this.#seen()[keyOf(state)];
    if (seen === undefined) return undefined;
    const known = new Set(seen.matches);
    return { count: matchesOf(files).filter((match) => !known.has(match)).length, since: seen.at };
  }

  /** Stores the matches in `files` as seen. */
  async markSeen(state: SearchState, files: readonly FileMatch[], at: number): Promise<void> {
    const matches = matchesOf(files);
    const { [keyOf(state)]: _, ...others } = this.#seen();
    const isKept = matches.length <= maxSeen;
    await this.#memento.update(seenKey, isKept ? { ...others, [keyOf(state)]: { at, matches } } : others);
  }

  /** Returns the latest entry of each name, sorted by name. */
  #stored(): readonly StoredSearch[] {
    const latest = new Map<string, StoredSearch>();
    for (const entry of [localKey, savedSearchesKey].flatMap((key) => entriesIn(this.#memento.get(key)))) {
      const { at = 0 } = latest.get(entry.name) ?? {};
      if (at <= (entry.at ?? 0)) latest.set(entry.name, entry);
    }
    const deleted = [...latest.values()]
      .filter((entry) => !isSaved(entry))
      .sort((one, other) => (other.at ?? 0) - (one.at ?? 0));
    for (const { name } of deleted.slice(maxDeleted)) latest.delete(name);
    return [...latest.values()].sort((one, other) => one.name.localeCompare(other.name));
  }

  async #store(entry: StoredSearch): Promise<void> {
    const stored = this.#stored();
    const { at = 0 } = stored.find(({ name }) => name === entry.name) ?? {};
    const others = stored.filter(({ name }) => name !== entry.name);
    // Later than the entry that it replaces, whatever the clock of the other computer was.
    await this.#write([...others, { ...entry, at: Math.max(Date.now(), at + 1) }]);
  }

  async #write(entries: readonly StoredSearch[]): Promise<void> {
    await this.#memento.update(localKey, entries);
    await this.#memento.update(savedSearchesKey, this.#stored());
  }

  #seen(): Readonly<Record<string, Seen>> {
    return (this.#memento.get(seenKey) as Record<string, Seen> | undefined) ?? {};
  }
}

/** Identifies matches by file and text, so that a match stays the same when its line moves. */
function matchesOf(files: readonly FileMatch[]): string[] {
  return files.flatMap(({ repository, fileName, chunks }) => {
    const path = `${repository}\n${fileName.text}`;
    return chunks.length === 0 ? [hash(path)] : chunks.map(({ content }) => hash(`${path}\n${content}`));
  });
}

/** Returns a short hash of a text. */
function hash(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 16);
}

function keyOf(state: SearchState): string {
  return hash(
    JSON.stringify([state.query, state.caseSensitivity, state.isRegex, state.isWholeWord, state.narrowed]),
  );
}

function entriesIn(value: unknown): readonly StoredSearch[] {
  return Array.isArray(value) ? value.filter(isStored) : [];
}

function isStored(value: unknown): value is StoredSearch {
  const entry = value as Partial<StoredSearch> | null;
  return (
    typeof entry === "object" &&
    entry !== null &&
    typeof entry.name === "string" &&
    (entry.at === undefined || typeof entry.at === "number") &&
    (entry.state === undefined ? entry.at !== undefined : isSearchState(entry.state))
  );
}

function isSaved(entry: StoredSearch): entry is StoredSearch & SavedSearch {
  return entry.state !== undefined;
}

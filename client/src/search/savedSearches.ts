/** The searches that a person has saved, and what was found when each was last looked at. Knows no VS Code. */
import { createHash } from "node:crypto";
import type { FileMatch } from "#contract/search";
import { isSearchState, type Memory } from "./history";
import type { SearchState } from "./searchState";

const listKey = "trawl.savedSearches";
const seenKey = "trawl.seenMatches";
/** Matches remembered of a search, at most; with more, news would be guesses. */
const seenAtMost = 2000;

export interface SavedSearch {
  readonly name: string;
  readonly state: SearchState;
}

interface Seen {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly matches: readonly string[];
}

export interface News {
  readonly count: number;
  /** When the search was last looked at, in milliseconds since 1970. */
  readonly since: number;
}

export class SavedSearches {
  readonly #memory: Memory;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  get all(): readonly SavedSearch[] {
    const kept = this.#memory.get(listKey);
    return Array.isArray(kept) ? kept.filter(isSaved) : [];
  }

  /** One of the same name gives way. */
  async save(search: SavedSearch): Promise<void> {
    const others = this.all.filter(({ name }) => name !== search.name);
    await this.#memory.update(
      listKey,
      [...others, search].sort((one, other) => one.name.localeCompare(other.name)),
    );
  }

  async remove(name: string): Promise<void> {
    await this.#memory.update(
      listKey,
      this.all.filter((search) => search.name !== name),
    );
  }

  /** What of `files` was not there when the search was last looked at; `undefined` where that was never. */
  newsIn(state: SearchState, files: readonly FileMatch[]): News | undefined {
    const seen = this.#seen()[keyOf(state)];
    if (seen === undefined) return undefined;
    const known = new Set(seen.matches);
    return { count: matchesOf(files).filter((match) => !known.has(match)).length, since: seen.at };
  }

  /** From now on what is in `files` is no news. */
  async look(state: SearchState, files: readonly FileMatch[], at: number): Promise<void> {
    const matches = matchesOf(files);
    const { [keyOf(state)]: _, ...others } = this.#seen();
    const isKept = matches.length <= seenAtMost;
    await this.#memory.update(seenKey, isKept ? { ...others, [keyOf(state)]: { at, matches } } : others);
  }

  #seen(): Readonly<Record<string, Seen>> {
    return (this.#memory.get(seenKey) as Record<string, Seen> | undefined) ?? {};
  }
}

/** Where lines move, a match stays the same: it is known by its file and its text. */
function matchesOf(files: readonly FileMatch[]): string[] {
  return files.flatMap(({ repository, fileName, chunks }) => {
    const place = `${repository}\n${fileName.text}`;
    return chunks.length === 0 ? [hash(place)] : chunks.map(({ content }) => hash(`${place}\n${content}`));
  });
}

/** A short name for a text. */
function hash(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 16);
}

function keyOf(state: SearchState): string {
  return hash(
    JSON.stringify([state.query, state.caseSensitivity, state.isRegex, state.isWholeWord, state.narrowed]),
  );
}

function isSaved(value: unknown): value is SavedSearch {
  const search = value as Partial<SavedSearch> | null;
  return (
    typeof search === "object" &&
    search !== null &&
    typeof search.name === "string" &&
    isSearchState(search.state)
  );
}

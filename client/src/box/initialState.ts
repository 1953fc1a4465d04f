/** The content of an empty box, with the toggles as configured in the settings. */
import type { SearchState } from "#client/search/searchState";
import { setting } from "#client/workbench/settings";

export function initialState(): SearchState {
  return {
    query: "",
    caseSensitivity: setting("search.caseSensitivity"),
    isWholeWord: false,
    isRegex: setting("search.mode") === "regex",
    narrowed: [],
  };
}

/** Returns how case is treated while *Match Case* is off. */
export function caseOff(): SearchState["caseSensitivity"] {
  const preferred = setting("search.caseSensitivity");
  return preferred === "sensitive" ? "insensitive" : preferred;
}

/** The search box as other features use it: they put a query into it and run it. */
import type { Event } from "vscode";
import type { BoxWelcome } from "#webview/messages";
import type { SearchState } from "./searchState";

export interface SearchBox {
  /** The current content of the box. */
  readonly state: SearchState;
  /** Puts these parts of a search into the box, shows the view, and runs the search unless it is empty. */
  show(change: Partial<SearchState>, options?: ShowOptions): Promise<void>;
}

export interface ShowOptions {
  /** Whether to focus the box; otherwise the view is only shown. */
  readonly isFocused?: boolean;
  /** `false` if the search is not run, such as when stored results are shown. */
  readonly isRun?: boolean;
}

/** What the Results view shows or needs of the search view above it. */
export interface SearchViewFacts {
  /** What an empty box says; null if it is not empty or a search is shown. */
  readonly welcome: BoxWelcome | null;
  /** About how many characters fit into the width of the view; `undefined` before it was shown. */
  readonly columns: number | undefined;
  /** Fires when one of them may have changed. */
  readonly onChange: Event<void>;
}

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
  /** Default: false. Whether to focus the box, rather than only show the view. */
  readonly shouldFocus?: boolean;
  /** Default: true. False to show stored results without running the search. */
  readonly shouldRun?: boolean;
}

/** The parts of the search view that the Results view shows or depends on. */
export interface SearchViewInfo {
  /** The welcome content of an empty box; null if it is not empty or a search is shown. */
  readonly welcome: BoxWelcome | null;
  /** About how many characters fit into the width of the view; `undefined` before it was shown. */
  readonly columns: number | undefined;
  /** Fires when one of them may have changed. */
  readonly onChange: Event<void>;
}

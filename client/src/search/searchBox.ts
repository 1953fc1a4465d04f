/** The search box as other features use it: they put a query into it, and it runs. */
import type { SearchState } from "./searchState";

export interface SearchBox {
  /** What is in the box now. */
  readonly state: SearchState;
  /** Puts these parts of a search into the box, shows the view, and runs the search unless it is empty. */
  show(change: Partial<SearchState>, options?: ShowOptions): Promise<void>;
}

export interface ShowOptions {
  /** Whether the box gets the keyboard; else the view is only shown. */
  readonly isFocused?: boolean;
  /** `false`: the search is not run, because its results are brought from elsewhere. */
  readonly isRun?: boolean;
}

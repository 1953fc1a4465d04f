/** The messages between the search box and its host: plain data. The host sends all texts, already localized. */
import type { QueryCompletions } from "#contract/queries";

export interface BoxState {
  readonly query: string;
  readonly caseSensitivity: "smart" | "insensitive" | "sensitive";
  readonly isWholeWord: boolean;
  readonly isRegex: boolean;
  readonly narrowed: readonly string[];
}

/** Commands that the box may run, without `trawl.`; the host rejects others. */
export const boxCommands = [
  "help.syntax",
  "help.walkthrough",
  "repos.addFolder",
  "repos.addSiblings",
  "repos.dismissSiblings",
  "repos.indexSiblings",
  "repos.showSkipped",
  "search.all",
  "search.history",
  "search.rerun",
  "server.logIn",
  "server.restart",
  "server.showLogs",
] as const;
export type BoxCommand = (typeof boxCommands)[number];

/**
 * A button: it changes the state of the box and searches again, or runs a command. A primary action is drawn as a
 * prominent button.
 */
export type BoxAction =
  | { readonly title: string; readonly change: Partial<BoxState>; readonly isPrimary?: false }
  | { readonly title: string; readonly command: BoxCommand; readonly isPrimary?: boolean };

/** Messages from the box to the host. */
export type FromBox =
  /** `saved`: the state before the window was reloaded. */
  | { readonly kind: "ready"; readonly saved?: BoxState }
  /** The text or a toggle changed. `isSubmitted`: by Enter or a button, rather than by typing. */
  | { readonly kind: "changed"; readonly state: BoxState; readonly isSubmitted: boolean }
  /** Requests completions. `isExplicit`: the user asked for them, so all filters are listed if none is typed. */
  | {
      readonly kind: "complete";
      readonly id: number;
      readonly query: string;
      readonly offset: number;
      readonly isExplicit: boolean;
    }
  /** Text with several lines is pasted over a range of the query. */
  | {
      readonly kind: "paste";
      readonly query: string;
      readonly offset: number;
      readonly length: number;
      readonly text: string;
    }
  /** About how many characters of the view's font fit into its width. */
  | { readonly kind: "resized"; readonly columns: number }
  /** The user edited the files to include or to exclude. */
  | { readonly kind: "files"; readonly list: "include" | "exclude"; readonly text: string }
  /** Ranks files by the words of the query (`words:`) instead of requiring them, or no longer. */
  | { readonly kind: "describe" }
  /** Restricts the search to the open editors, or no longer. */
  | { readonly kind: "openEditors" }
  | { readonly kind: "history"; readonly direction: "older" | "newer" }
  /** Stops a running search; else clears the box; else focuses the editor. */
  | { readonly kind: "escape" }
  /** Focuses the results. */
  | { readonly kind: "leave" }
  | { readonly kind: "pick"; readonly what: "scope" | "revision" | "type" }
  | { readonly kind: "command"; readonly id: BoxCommand };

/** Messages from the host to the box. */
export type ToBox =
  | { readonly kind: "state"; readonly state: BoxState }
  | { readonly kind: "show"; readonly parts: Partial<BoxParts> }
  | { readonly kind: "completions"; readonly id: number; readonly completions: QueryCompletions }
  /** Inserts text as if it were typed. If the box no longer contains `query`, `pasted` is pasted again. */
  | {
      readonly kind: "insert";
      readonly query: string;
      readonly offset: number;
      readonly length: number;
      readonly text: string;
      readonly pasted: string;
    }
  | { readonly kind: "focus" };

/** Everything shown around the text field. */
export interface BoxParts {
  readonly interpretation: BoxInterpretation;
  readonly pickers: BoxPickers;
  readonly files: BoxFiles;
  readonly status: BoxStatus;
  /** Shown while the box is empty; null for nothing. */
  readonly welcome: BoxWelcome | null;
}

/** How a query was parsed. Chips and problems refer to exactly this text. */
export interface BoxInterpretation {
  readonly query: string;
  readonly chips: readonly BoxChip[];
  readonly problems: readonly BoxProblem[];
  /** Whether the query ranks files by a description. */
  readonly isDescribed: boolean;
}

export interface BoxChip {
  readonly text: string;
  /** What another tool's syntax was interpreted as, or empty. */
  readonly title: string;
  readonly isNegated: boolean;
  /** Whether the row of files shows it, too: in a list, or as the toggle for open editors. */
  readonly isFileFilter: boolean;
  readonly remove: { readonly title: string; readonly change: Partial<BoxState> };
}

export interface BoxProblem {
  /** UTF-16 offset and length in the query; absent if the problem is not in the box. */
  readonly range?: { readonly offset: number; readonly length: number };
  readonly severity: "error" | "hint";
  readonly message: string;
  readonly fixes: readonly BoxAction[];
}

/** Labels of the three pickers, according to the query and the settings. */
export interface BoxPickers {
  readonly scope: string;
  readonly revision: string;
  readonly type: string;
  /** How case is treated while *Match Case* is off. */
  readonly caseOff: BoxState["caseSensitivity"];
}

/** The `file:` filters of the query, as lists. `null`: the filters cannot be written as a list. */
export interface BoxFiles {
  readonly include: string | null;
  readonly exclude: string | null;
  readonly isOnlyOpenEditors: boolean;
}

/** The lines below the box. */
export interface BoxStatus {
  readonly isRunning: boolean;
  /** Whether the Results view shows the summary, the suggestions and the warnings. The box then only announces them. */
  readonly isInResults?: boolean;
  /** Counts and duration. */
  readonly summary: string;
  /** What to try if nothing was found. */
  readonly suggestions?: { readonly title: string; readonly actions: readonly BoxAction[] };
  /** Why the results are incomplete, most important first, with actions to complete them. */
  readonly notes: readonly BoxNote[];
  /** Suggests more to index, after the results of a search. */
  readonly offer?: BoxOffer;
}

export interface BoxOffer {
  readonly text: string;
  readonly actions: readonly BoxAction[];
}

export interface BoxNote {
  readonly text: string;
  readonly severity: "error" | "warning" | "info";
  readonly actions: readonly BoxAction[];
}

export interface BoxWelcome {
  readonly text: string;
  readonly actions: readonly BoxAction[];
  /** Suggests more to index, until the user accepts or dismisses it. */
  readonly offer?: BoxOffer;
  /** The Results view shows them, because it has room for them. */
  readonly examples: readonly { readonly query: string; readonly detail: string }[];
}

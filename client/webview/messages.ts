/** What the search box and its host say to each other. Plain data, in both directions; all words are the host's. */
import type { QueryCompletions } from "#contract/queries";

export interface BoxState {
  readonly query: string;
  readonly caseSensitivity: "smart" | "insensitive" | "sensitive";
  readonly isWholeWord: boolean;
  readonly isRegex: boolean;
  readonly narrowed: readonly string[];
}

/** Commands that the box may ask for, without `trawl.`; the host refuses all others. */
export const boxCommands = [
  "help.syntax",
  "repos.addFolder",
  "repos.addSiblings",
  "repos.indexSiblings",
  "repos.showSkipped",
  "search.all",
  "search.history",
  "search.rerun",
  "server.restart",
  "server.showLogs",
] as const;
export type BoxCommand = (typeof boxCommands)[number];

/** A button: it changes what is in the box and searches again, or asks for a command. */
export type BoxAction =
  | { readonly title: string; readonly change: Partial<BoxState> }
  | { readonly title: string; readonly command: BoxCommand };

/** The box's script to the extension. */
export type FromBox =
  /** `kept`: what the window had in the box before it was reloaded. */
  | { readonly kind: "ready"; readonly kept?: BoxState }
  /** The text or a toggle has changed; `isDecided`: Enter was pressed, or a button. */
  | { readonly kind: "changed"; readonly state: BoxState; readonly isDecided: boolean }
  /** `isWanted`: a person asked for proposals, and is told of all filters where none is begun. */
  | {
      readonly kind: "complete";
      readonly id: number;
      readonly query: string;
      readonly offset: number;
      readonly isWanted: boolean;
    }
  /** Adds a filter to the query, or takes its opposite's place. */
  | {
      readonly kind: "filter";
      readonly prefix: string;
      readonly value: string;
      readonly isNegated: boolean;
    }
  | { readonly kind: "history"; readonly direction: "older" | "newer" }
  /** Escape: first what runs ends, then the box is emptied, then the editor has the keyboard again. */
  | { readonly kind: "giveUp" }
  /** The keyboard goes on to the results. */
  | { readonly kind: "leave" }
  | { readonly kind: "pick"; readonly what: "scope" | "revision" | "type" }
  | { readonly kind: "command"; readonly id: BoxCommand };

/** The extension to the box's script. */
export type ToBox =
  | { readonly kind: "state"; readonly state: BoxState }
  | { readonly kind: "show"; readonly parts: Partial<BoxParts> }
  | { readonly kind: "completions"; readonly id: number; readonly completions: QueryCompletions }
  | { readonly kind: "focus" };

/** All that is shown around the text. */
export interface BoxParts {
  readonly reading: BoxReading;
  readonly pickers: BoxPickers;
  readonly facets: readonly BoxFacets[];
  readonly status: BoxStatus;
  /** Shown while the box is empty; null where there is nothing to say. */
  readonly welcome: BoxWelcome | null;
}

/** How a text is understood; chips and problems are of this very text. */
export interface BoxReading {
  readonly query: string;
  readonly chips: readonly BoxChip[];
  readonly problems: readonly BoxProblem[];
}

export interface BoxChip {
  readonly text: string;
  /** What a foreign spelling was read as, or empty. */
  readonly title: string;
  readonly isNegated: boolean;
  readonly remove: { readonly title: string; readonly change: Partial<BoxState> };
}

export interface BoxProblem {
  /** In UTF-16 units of the query; absent where it is not in the box. */
  readonly place?: { readonly offset: number; readonly length: number };
  readonly severity: "error" | "hint";
  readonly message: string;
  readonly fixes: readonly BoxAction[];
}

/** Labels of the three buttons, as the text and the settings have it. */
export interface BoxPickers {
  readonly scope: string;
  readonly revision: string;
  readonly type: string;
}

/** One kind of what results can be filtered by. */
export interface BoxFacets {
  readonly title: string;
  readonly items: readonly {
    readonly text: string;
    readonly count: number;
    /** What including and excluding it does, in words. */
    readonly title: string;
    readonly prefix: string;
    readonly value: string;
  }[];
}

/** The lines under the box. */
export interface BoxStatus {
  readonly isRunning: boolean;
  /** Counts and time, in words. */
  readonly summary: string;
  /** What else could be tried where nothing was found. */
  readonly suggestions?: { readonly title: string; readonly actions: readonly BoxAction[] };
  /** Why the answer is incomplete, most important first; each may have a way to complete it. */
  readonly notes: readonly BoxNote[];
}

export interface BoxNote {
  readonly text: string;
  readonly severity: "error" | "warning" | "info";
  readonly actions: readonly BoxAction[];
}

export interface BoxWelcome {
  readonly text: string;
  readonly actions: readonly BoxAction[];
  /** What else could be indexed. */
  readonly more?: { readonly text: string; readonly actions: readonly BoxAction[] };
  readonly examples: readonly { readonly query: string; readonly detail: string }[];
}

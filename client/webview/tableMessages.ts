/** What a page with a table and its host say to each other. Plain data, in both directions; all words are the host's. */

/** All that the page shows. What it does with a part that is the same as before: nothing. */
export interface TableContent {
  readonly isBusy: boolean;
  readonly fields: readonly TableField[];
  /** What is said above the table: counts, and what went wrong. */
  readonly notes: readonly TableNote[];
  /** No columns: no table. */
  readonly columns: readonly string[];
  readonly rows: readonly TableRow[];
  /** Below the table. */
  readonly more: readonly TableAction[];
  readonly foot: string;
}

/** Something to choose or to write above the table. */
export type TableField =
  | {
      readonly kind: "choice";
      readonly name: string;
      readonly label: string;
      readonly value: string;
      readonly choices: readonly { readonly value: string; readonly text: string }[];
    }
  | {
      readonly kind: "text";
      readonly name: string;
      readonly label: string;
      readonly value: string;
    }
  /** `value` is a time of the person's own zone, as in `2026-11-22T10:30`, or empty. */
  | {
      readonly kind: "time";
      readonly name: string;
      readonly label: string;
      readonly value: string;
    };

export interface TableNote {
  readonly severity: "plain" | "info" | "error";
  readonly text: string;
  readonly actions: readonly TableAction[];
}

export interface TableRow {
  /** Different for each row, and the same whenever it is shown. */
  readonly id: string;
  readonly cells: readonly TableCell[];
}

/** Text, with what a second look shows; a time, which stays on one line; text that is opened by a click; or what can be done. */
export type TableCell =
  | string
  | { readonly text: string; readonly title: string }
  | { readonly time: string; readonly title: string }
  | { readonly summary: string; readonly details: string }
  | { readonly actions: readonly TableAction[] };

/** A button. `name` and `value` go to the host, which refuses names that it does not know. */
export interface TableAction {
  readonly title: string;
  readonly name: string;
  readonly value?: string;
  /** For whoever hears the button alone, as in "Remove Ann...". */
  readonly label?: string;
}

/** The page's script to the extension. */
export type FromTable =
  | { readonly kind: "ready" }
  | { readonly kind: "set"; readonly name: string; readonly value: string }
  | { readonly kind: "run"; readonly name: string; readonly value?: string };

/** The extension to the page's script. */
export interface ToTable {
  readonly kind: "show";
  readonly content: TableContent;
}

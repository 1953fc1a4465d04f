/** The messages between a table page and its host: plain data. The host sends all texts, already localized. */

/** The whole content of the page. Unchanged parts are not redrawn. */
export interface TableContent {
  readonly isBusy: boolean;
  readonly fields: readonly TableField[];
  /** Shown above the table: counts and errors. */
  readonly notes: readonly TableNote[];
  /** Without columns, the table is hidden. */
  readonly columns: readonly string[];
  readonly rows: readonly TableRow[];
  /** Buttons below the table. */
  readonly more: readonly TableAction[];
  readonly foot: string;
}

/** An input field above the table. */
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
  /** `value` is a local time, as in `2026-11-22T10:30`, or empty. */
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
  /** Unique and stable. */
  readonly id: string;
  readonly cells: readonly TableCell[];
}

/** Text, optionally with a tooltip; a time, which does not wrap; expandable details; or buttons. */
export type TableCell =
  | string
  | { readonly text: string; readonly title: string }
  | { readonly time: string; readonly title: string }
  | { readonly summary: string; readonly details: string }
  | { readonly actions: readonly TableAction[] };

/** A button. Sends `name` and `value` to the host, which ignores unknown names. */
export interface TableAction {
  readonly title: string;
  readonly name: string;
  readonly value?: string;
  /** The accessible name, as in "Remove Ann...", where the title alone is ambiguous. */
  readonly label?: string;
}

/** Messages from the page to the host. */
export type FromTable =
  | { readonly kind: "ready" }
  | { readonly kind: "set"; readonly name: string; readonly value: string }
  | { readonly kind: "run"; readonly name: string; readonly value?: string };

/** Messages from the host to the page. */
export interface ToTable {
  readonly kind: "show";
  readonly content: TableContent;
}

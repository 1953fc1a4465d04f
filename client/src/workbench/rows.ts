/** Rows of the extension's trees: their tree items, and children that load on demand. */
import * as vscode from "vscode";
import type { ApiCall } from "#client/server/apiCall";
import { callError } from "#client/server/callError";
import { clickedRow } from "./clickedRow";
import { registerCommands, showFailure } from "./commands";

export interface Row {
  /** Unique in the tree and stable across refreshes: VS Code keeps the expansion state by it. */
  readonly id: string;
  readonly parent?: Row;
  /** The repository that commands of the row apply to. */
  readonly repository?: string;
  /** The equivalent REST request. */
  readonly call?: ApiCall | undefined;
  /** The time, in milliseconds since 1970, whose age the item shows: `HistoryTree` redraws the row when it changes. */
  readonly date?: number;
  readonly item: () => Omit<vscode.TreeItem, "id" | "command">;
  /** Runs on a click or Enter. */
  readonly run?: () => unknown;
  readonly children?: () => readonly Row[] | Promise<readonly Row[]>;
}

/** Runs the clicked rows of a view. `viewId` is its id without `trawl.`, as for `treeItemOf`. */
export function runClickedRows(viewId: string, view: vscode.TreeView<Row>): vscode.Disposable {
  return registerCommands(
    { [`${viewId}.activate`]: async () => (await clickedRow(view))?.run?.() },
    (_, error) => showFailure(callError(error).message),
  );
}

export function treeItemOf(row: Row, viewId: string): vscode.TreeItem {
  const item: vscode.TreeItem = withLabels({ ...row.item(), id: row.id });
  if (row.run !== undefined) {
    item.command = { command: `trawl.${viewId}.activate`, title: vscode.l10n.t("Open") };
  }
  return item;
}

/**
 * Fills in blank labels of an item, and its accessibility label. Every tree passes its items through this: labels come
 * from data, and one item with an empty label makes VS Code drop all rows next to it. Without an accessibility label,
 * screen readers would read the tooltip.
 */
export function withLabels<Item extends vscode.TreeItem>(item: Item): Item {
  const { accessibilityInformation: accessibility, description } = item;
  const hasAccessibleName = accessibility !== undefined && !isBlank(accessibility.label);
  if (isBlank(textOf(item.label))) item.label = hasAccessibleName ? noBreakSpace : vscode.l10n.t("(blank)");
  if (!hasAccessibleName) {
    const words = [textOf(item.label), description].filter(
      (text) => typeof text === "string" && !isBlank(text),
    );
    item.accessibilityInformation = { ...accessibility, label: words.join(", ") };
  }
  return item;
}

const noBreakSpace = "\u00A0";

function textOf(label: vscode.TreeItem["label"]): string {
  return typeof label === "string" ? label : (label?.label ?? "");
}

/** Whether nothing of a text is visible. */
function isBlank(text: string): boolean {
  return /^[\s\p{Default_Ignorable_Code_Point}]*$/u.test(text);
}

export async function childrenOf(row: Row): Promise<Row[]> {
  return [...((await row.children?.()) ?? [])];
}

/** VS Code's symbol icons by kind, where the names differ. */
const symbolIcons: Readonly<Record<string, string>> = {
  type: "symbol-parameter",
  trait: "symbol-interface",
  union: "symbol-struct",
  macro: "symbol-constant",
  enumMember: "symbol-enum-member",
  label: "symbol-key",
  "": "symbol-misc",
};

/** Returns the icon of a definition of this kind. */
export function symbolIcon(kind: string): vscode.ThemeIcon {
  const name = Object.hasOwn(symbolIcons, kind) ? symbolIcons[kind] : `symbol-${kind}`;
  return new vscode.ThemeIcon(name ?? "symbol-misc");
}

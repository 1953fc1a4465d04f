/** Rows of the trees of this extension: what each says, and what lies below it, asked for when somebody looks. */
import * as vscode from "vscode";
import { callError } from "./callError";
import { clickedRow } from "./clickedRow";
import { registerCommands, tellFailure } from "./commands";
import type { ApiCall } from "./search/apiCall";

export interface Row {
  /** Different for each row of the tree, and the same whenever it is shown: VS Code keeps by it what is open. */
  readonly id: string;
  readonly parent?: Row;
  /** Name of the repository that commands of the row are about. */
  readonly repository?: string;
  /** What gives the same over the REST interface. */
  readonly call?: ApiCall | undefined;
  readonly item: () => Omit<vscode.TreeItem, "id" | "command">;
  /** What a click or Enter does. */
  readonly run?: () => unknown;
  readonly children?: () => readonly Row[] | Promise<readonly Row[]>;
}

/** Runs the rows of a view that are clicked. `viewId` is what `treeItemOf` is told, too: the id without `trawl.`. */
export function runClickedRows(viewId: string, view: vscode.TreeView<Row>): vscode.Disposable {
  return registerCommands(
    { [`${viewId}.activate`]: async () => (await clickedRow(view))?.run?.() },
    (_, error) => tellFailure(callError(error).message),
  );
}

export function treeItemOf(row: Row, viewId: string): vscode.TreeItem {
  const item: vscode.TreeItem = { ...row.item(), id: row.id };
  // Where there is a tooltip, VS Code would have a screen reader say it in place of the row.
  const words = [item.label, item.description].filter((text) => typeof text === "string" && text !== "");
  item.accessibilityInformation ??= { label: words.join(", ") };
  if (row.run !== undefined) {
    item.command = { command: `trawl.${viewId}.activate`, title: vscode.l10n.t("Open") };
  }
  return item;
}

export async function childrenOf(row: Row): Promise<Row[]> {
  return [...((await row.children?.()) ?? [])];
}

/** Finds the row of a tree that was clicked. */
import type * as vscode from "vscode";

/** Maximum time that VS Code needs to refresh a tree. */
const refreshTimeoutMs = 2000;
const pollIntervalMs = 10;

/**
 * Returns the row that was clicked or moved to; `undefined` if it no longer exists.
 *
 * Commands of rows take no arguments, because VS Code loses them if the tree is refreshed during the click. The row is
 * the selected one. VS Code reports no selection while it refreshes the tree, so this waits for one.
 */
export async function clickedRow<Row>(view: vscode.TreeView<Row>): Promise<Row | undefined> {
  const end = performance.now() + refreshTimeoutMs;
  while (view.selection.length === 0 && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, pollIntervalMs));
  }
  return view.selection.at(-1);
}

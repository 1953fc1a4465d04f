/** Which row of a tree a click or a key was on. */
import type * as vscode from "vscode";

/** Longest that VS Code takes to draw a tree anew. */
const drawnWithinMs = 2000;
const pauseMs = 10;

/**
 * The row that was clicked, or that a key went to; `undefined` where it has gone.
 *
 * A command of a row gets no arguments, because VS Code forgets them when the tree is drawn anew under the click. The
 * row is the one that is selected; while the tree is drawn VS Code knows none of its rows, so that is waited for.
 */
export async function clickedRow<Row>(view: vscode.TreeView<Row>): Promise<Row | undefined> {
  const end = performance.now() + drawnWithinMs;
  while (view.selection.length === 0 && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  return view.selection.at(-1);
}

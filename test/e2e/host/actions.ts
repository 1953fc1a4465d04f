/** Common actions of specs in the extension host. */
import { join } from "node:path";
import * as vscode from "vscode";
import { folderOf, type RepositoryName } from "#e2e/driver/organization";
import { processesOf } from "#e2e/driver/processes";
import { eventually } from "#test/support/eventually";

/** Returns the absolute path of a file of the organization. */
export function fileIn(repository: RepositoryName, path: string): string {
  return join(process.env["TRAWL_E2E_ORGANIZATION"] ?? "", folderOf(repository), path);
}

/** Returns the process ids of running Trawl servers. */
export function servers(): readonly number[] {
  const root = process.env["HOME"] ?? "";
  return processesOf(root)
    .filter(({ command }) => command.includes("dist/server/trawl.js"))
    .map(({ pid }) => pid);
}

export async function run(command: string, ...values: readonly unknown[]): Promise<unknown> {
  return await vscode.commands.executeCommand(`trawl.${command}`, ...values);
}

/** Edits the document, not an editor, which a result that is opened at the same time may replace. */
export async function insertAtStart(path: string, text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.insert(vscode.Uri.file(path), new vscode.Position(0, 0), text);
  await vscode.workspace.applyEdit(edit);
}

export async function openFile(path: string): Promise<vscode.TextEditor> {
  return await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(vscode.Uri.file(path)));
}

export async function closeEditors(): Promise<void> {
  await vscode.commands.executeCommand("workbench.action.closeAllEditors");
}

/** Searches for a word with the command that searches for the selection. */
async function searchFor(word: string): Promise<void> {
  const editor = await vscode.window.showTextDocument(
    await vscode.workspace.openTextDocument({ content: word }),
  );
  editor.selection = new vscode.Selection(0, 0, 0, word.length);
  await run("search.selection");
  await closeUntitled(editor);
}

async function closeUntitled(editor: vscode.TextEditor): Promise<void> {
  await vscode.window.showTextDocument(editor.document);
  await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
}

/** Returns `path:line` of the active editor, with lines from 1. A snapshot begins with its scheme and repository. */
export function activeLocation(): string | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return undefined;
  const { uri } = editor.document;
  const path = uri.scheme === "file" ? uri.fsPath : `${uri.scheme}:${uri.authority}${uri.path}`;
  return `${path}:${editor.selection.active.line + 1}`;
}

/** Goes to the next or previous result and returns its location. */
export async function goToResult(direction: "next" | "previous" = "next"): Promise<string> {
  await run(`search.${direction}`);
  return activeLocation() ?? "";
}

/**
 * Searches until a result is as expected, because indexing may still be running. Before a result opens, closes all editors
 * without unsaved changes.
 */
export async function firstResult(
  word: string,
  isExpected: (location: string) => boolean,
  limitMs = 30_000,
): Promise<string> {
  const attempt = async () => {
    await vscode.commands.executeCommand("workbench.action.closeUnmodifiedEditors");
    await searchFor(word);
    for (let tries = 0; tries < 20; tries++) {
      const location = await goToResult();
      if (isExpected(location)) return location;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return undefined;
  };
  return await eventually(attempt, limitMs);
}

/** What specs in the extension host do over and over. */
import { join } from "node:path";
import * as vscode from "vscode";
import { folderOf, type RepositoryName } from "#e2e/driver/organisation";
import { processesOf, until } from "#e2e/driver/processes";

/** Absolute path of a file of the organisation. */
export function fileIn(repository: RepositoryName, path: string): string {
  return join(process.env["TRAWL_E2E_ORGANISATION"] ?? "", folderOf(repository), path);
}

/** Processes that run Trawl's server. */
export function servers(): readonly number[] {
  const root = process.env["HOME"] ?? "";
  return processesOf(root)
    .filter(({ command }) => command.includes("dist/server/trawl.js"))
    .map(({ pid }) => pid);
}

export async function run(command: string, ...values: readonly unknown[]): Promise<unknown> {
  return await vscode.commands.executeCommand(`trawl.${command}`, ...values);
}

export async function openFile(path: string): Promise<vscode.TextEditor> {
  return await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(vscode.Uri.file(path)));
}

export async function closeEditors(): Promise<void> {
  await vscode.commands.executeCommand("workbench.action.closeAllEditors");
}

/** Searches for a word as "Search Selection" does. */
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

/** `path:line` of the active editor, line from 1; a snapshot's path begins with its scheme. */
export function here(): string | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return undefined;
  const { uri } = editor.document;
  const path = uri.scheme === "file" ? uri.fsPath : `${uri.scheme}:${uri.path}`;
  return `${path}:${editor.selection.active.line + 1}`;
}

/** Goes to the next result, or the one before, and gives where that is. */
export async function go(direction: "next" | "previous" = "next"): Promise<string> {
  await run(`search.${direction}`);
  return here() ?? "";
}

/**
 * Searches until the first result is as expected: an index may be on its way. Editors with unsaved text stay; no other
 * is there when the result opens.
 */
export async function firstResult(
  word: string,
  isExpected: (place: string) => boolean,
  limitMs = 30_000,
): Promise<string> {
  const look = async () => {
    await vscode.commands.executeCommand("workbench.action.closeUnmodifiedEditors");
    await searchFor(word);
    for (let tries = 0; tries < 20; tries++) {
      const place = await go();
      if (isExpected(place)) return place;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return undefined;
  };
  return await until(`"${word}" is found`, look, limitMs);
}

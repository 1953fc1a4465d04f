/** Commands that begin a search from elsewhere: the selection, the word at the cursor, a folder, a repository. */
import * as vscode from "vscode";
import type { Commands } from "#client/commands";
import type { ServiceClient } from "#client/serviceClient";
import { snapshotPlace, snapshotRevision } from "#contract/snapshotUri";
import { asLiteral, exactRepository, filterText, inFolder } from "./queryText";
import type { SearchBox } from "./searchBox";
import { placeInClone } from "./workspacePlaces";

/** A row of a repository, of one of its revisions, or of a folder or file there. */
interface SearchedPlace {
  readonly repository: string;
  readonly path?: string;
  readonly isFolder?: boolean;
  /** Absent: the default one. */
  readonly revision?: string;
}

export function searchCommands(service: Pick<ServiceClient, "call">, box: () => SearchBox): Commands {
  /** The words as they stand, whatever the box was set to before. */
  const search = (text: string, isWholeWord: boolean) =>
    box().show({ query: asLiteral(text), isRegex: false, isWholeWord, narrowed: [] });

  return {
    async "search.selection"() {
      const text = selectedText(vscode.window.activeTextEditor);
      if (text !== "") await search(text, false);
    },
    async "search.symbolAtCursor"() {
      const editor = vscode.window.activeTextEditor;
      const range = editor?.document.getWordRangeAtPosition(editor.selection.active);
      if (editor !== undefined && range !== undefined) await search(editor.document.getText(range), true);
    },
    async "search.inFolder"(folder?: vscode.Uri | SearchedPlace) {
      const given = folder ?? (await pickFolder());
      if (given === undefined) return;
      if (!(given instanceof vscode.Uri)) {
        await prefill(box(), scopeText({ ...given, path: folderOf(given) }));
        return;
      }
      const snapshot = snapshotPlace(given);
      if (snapshot !== undefined) {
        const { repository, commit, path } = snapshot;
        const title = snapshotRevision(given);
        const isNamed = title !== undefined && !commit.startsWith(title);
        const scope = { repository, path: folderOf({ path, isFolder: false }) };
        await prefill(box(), scopeText(isNamed ? { ...scope, revision: commit } : scope));
        return;
      }
      const place = await placeInClone(service, given.fsPath);
      if (place === undefined) {
        void vscode.window.setStatusBarMessage(
          vscode.l10n.t("$(info) Trawl has no index of {0} yet.", vscode.workspace.asRelativePath(given)),
          5000,
        );
        return;
      }
      await prefill(box(), scopeText(place));
    },
    async "search.inRepository"(item?: SearchedPlace) {
      if (item !== undefined) await prefill(box(), scopeText(item));
    },
  };
}

/** What restricts a search to a place. */
function scopeText({ repository, path = "", revision }: Omit<SearchedPlace, "isFolder">): string {
  const filters = [{ prefix: "repo", value: exactRepository(repository), isNegated: false }];
  if (revision !== undefined) filters.push({ prefix: "rev", value: revision, isNegated: false });
  if (path !== "") filters.push({ prefix: "file", value: inFolder(path), isNegated: false });
  return filters.map(filterText).join(" ");
}

/** The folder itself, or the one that holds the file. */
function folderOf({ path = "", isFolder }: Pick<SearchedPlace, "path" | "isFolder">): string {
  return isFolder === true ? path : path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** The box waits, with the filters there and the cursor behind them. */
async function prefill(box: SearchBox, filters: string): Promise<void> {
  await box.show({ query: `${filters} `, narrowed: [] }, { isRun: false, isFocused: true });
}

/** The first line of what is selected: a match never spans lines. */
function selectedText(editor: vscode.TextEditor | undefined): string {
  if (editor === undefined) return "";
  const lines = editor.document.getText(editor.selection).split(/\r?\n/);
  return lines.map((line) => line.trim()).find((line) => line !== "") ?? "";
}

async function pickFolder(): Promise<vscode.Uri | undefined> {
  const picked = await vscode.window.showOpenDialog({ canSelectFolders: true, canSelectFiles: false });
  return picked?.[0];
}

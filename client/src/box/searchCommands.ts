/** Commands that start a search from elsewhere: the selection, the symbol at the cursor, a folder, a repository. */

import * as vscode from "vscode";
import { findCloneLocation } from "#client/model/cloneLocation";
import type { SearchBox, ShowOptions } from "#client/search/searchBox";
import type { ServiceClient } from "#client/server/serviceClient";
import type { Handlers } from "#client/workbench/declarations";
import { asLiteral, exactRepository, filterText, inFolder } from "#contract/queryText";
import { parseSnapshotUri, snapshotRevision } from "#contract/snapshotUri";
import type { searchCommands as declared } from "./contributions";

/** A row of a repository, revision, folder or file. */
interface SearchTarget {
  readonly repository: string;
  readonly path?: string;
  readonly isFolder?: boolean;
  /** Default: the default branch. */
  readonly revision?: string;
}

export function searchCommands(
  service: Pick<ServiceClient, "call">,
  box: () => SearchBox,
  /** Whether a search has selected the match that is selected in this editor. */
  isResult: (editor: vscode.TextEditor) => boolean,
): Handlers<typeof declared> {
  /** Searches for the literal text, whatever the toggles of the box were. */
  const search = (text: string, isWholeWord: boolean, options: ShowOptions = {}) =>
    box().show({ query: asLiteral(text), isRegex: false, isWholeWord, narrowed: [] }, options);

  return {
    async "search.selection"() {
      const editor = vscode.window.activeTextEditor;
      // The box still has the query that found this match, so focus it instead.
      if (editor !== undefined && isResult(editor)) {
        await vscode.commands.executeCommand("trawl.search.focus");
        return;
      }
      const text = selectedText(editor);
      if (text !== "") await search(text, false, { shouldFocus: true });
    },
    async "search.symbolAtCursor"() {
      const editor = vscode.window.activeTextEditor;
      const range = editor?.document.getWordRangeAtPosition(editor.selection.active);
      if (editor !== undefined && range !== undefined) await search(editor.document.getText(range), true);
    },
    async "search.inFolder"(folder?: vscode.Uri | SearchTarget) {
      const target = folder ?? (await pickFolder());
      if (target === undefined) return;
      if (!(target instanceof vscode.Uri)) {
        await prefill(box(), scopeText({ ...target, path: folderOf(target) }));
        return;
      }
      const snapshot = parseSnapshotUri(target);
      if (snapshot !== undefined) {
        const { repository, commit, path } = snapshot;
        const title = snapshotRevision(target);
        const isNamed = title !== undefined && !commit.startsWith(title);
        const scope = { repository, path: folderOf({ path, isFolder: false }) };
        await prefill(box(), scopeText(isNamed ? { ...scope, revision: commit } : scope));
        return;
      }
      const location = await findCloneLocation(service, target.fsPath);
      if (location === undefined) {
        void vscode.window.setStatusBarMessage(
          vscode.l10n.t("$(info) Trawl has not indexed {0} yet.", vscode.workspace.asRelativePath(target)),
          5000,
        );
        return;
      }
      await prefill(box(), scopeText(location));
    },
    async "search.inRepository"(item?: SearchTarget) {
      if (item !== undefined) await prefill(box(), scopeText(item));
    },
  };
}

/** Returns the filters that restrict a search to a target. */
function scopeText({ repository, path = "", revision }: Omit<SearchTarget, "isFolder">): string {
  const filters = [{ prefix: "repo", value: exactRepository(repository), isNegated: false }];
  if (revision !== undefined) filters.push({ prefix: "rev", value: revision, isNegated: false });
  if (path !== "") filters.push({ prefix: "file", value: inFolder(path), isNegated: false });
  return filters.map(filterText).join(" ");
}

/** Returns the folder itself, or the one that contains the file. */
function folderOf({ path = "", isFolder }: Pick<SearchTarget, "path" | "isFolder">): string {
  return isFolder === true ? path : path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** Puts filters into the box without running the search, with the cursor after them. */
async function prefill(box: SearchBox, filters: string): Promise<void> {
  await box.show({ query: `${filters} `, narrowed: [] }, { shouldRun: false, shouldFocus: true });
}

/** Returns the selected text; several lines are searched as one phrase. */
function selectedText(editor: vscode.TextEditor | undefined): string {
  return editor?.document.getText(editor.selection).replace(/\r\n/g, "\n").trim() ?? "";
}

async function pickFolder(): Promise<vscode.Uri | undefined> {
  const picked = await vscode.window.showOpenDialog({ canSelectFolders: true, canSelectFiles: false });
  return picked?.[0];
}

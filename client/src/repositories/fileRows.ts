/** Rows of the view "Repositories": the files of a repository at a revision, a folder at a time. */
import * as vscode from "vscode";
import { callError } from "#client/callError";
import { snapshotDocument } from "#client/files/snapshots";
import type { Row } from "#client/rows";
import { visible } from "#client/search/resultLines";
import { count } from "#client/words";
import type { TreeNode } from "#contract/history";
import type { SnapshotPlace } from "#contract/snapshotUri";

/** A revision of a repository, or a file or folder in it. */
export interface PlaceRow extends Row {
  readonly repository: string;
  /** What git calls the revision. */
  readonly ref: string;
  /** What people call it; absent for the default one. */
  readonly revision?: string;
  /** `/`-separated, from the root; absent for the root. */
  readonly path?: string;
  readonly isFolder: boolean;
}

export interface FolderSource {
  /** Rejects with a `CallError`. */
  readonly folder: (place: SnapshotPlace) => Promise<readonly TreeNode[] | undefined>;
  /** Draws a row anew, with what is below it. */
  readonly show: (row: Row) => void;
}

/** More rows of one folder are drawn when somebody wants them. */
const rowsAtOnce = 1000;

/** What gives the rows in a folder: `row` is the folder's, or that of the revision. */
export function folderRows(
  row: PlaceRow,
  place: SnapshotPlace,
  source: FolderSource,
): () => Promise<readonly Row[]> {
  let shown = rowsAtOnce;
  return async () => {
    try {
      const nodes = (await source.folder(place)) ?? [];
      const rows = nodes.slice(0, shown).map((node) => nodeRow(node, row, place, source));
      const left = nodes.length - rows.length;
      if (left === 0) return rows;
      const more = moreRow(row, left, () => {
        shown += rowsAtOnce;
        source.show(row);
      });
      return [...rows, more];
    } catch (error) {
      return [problemRow(row, error, source)];
    }
  };
}

function nodeRow(
  { name, path, type }: TreeNode,
  parent: PlaceRow,
  { repository, commit }: SnapshotPlace,
  source: FolderSource,
): PlaceRow {
  const place = { repository, commit, path };
  const { revision } = parent;
  const uri = snapshotDocument(place, revision);
  const known = {
    id: `${parent.id}/${name}`,
    parent,
    repository,
    // Branches move on.
    ref: commit === "" ? "HEAD" : commit,
    path,
    ...(revision === undefined ? {} : { revision }),
  };
  switch (type) {
    case "tree": {
      const row: PlaceRow = {
        ...known,
        isFolder: true,
        item: () => ({
          label: visible(name),
          resourceUri: uri,
          iconPath: vscode.ThemeIcon.Folder,
          contextValue: "place folder",
          collapsibleState: vscode.TreeItemCollapsibleState.Collapsed,
        }),
        children: () => children(),
      };
      const children = folderRows(row, place, source);
      return row;
    }
    case "blob":
      return {
        ...known,
        isFolder: false,
        item: () => ({
          label: visible(name),
          resourceUri: uri,
          iconPath: vscode.ThemeIcon.File,
          contextValue: "place file",
        }),
        run: () => vscode.commands.executeCommand("vscode.open", uri, { preview: true }),
      };
    case "commit":
      return {
        ...known,
        isFolder: false,
        item: () => ({
          label: visible(name),
          description: vscode.l10n.t("submodule"),
          tooltip: vscode.l10n.t("Its files are in a repository of their own."),
          iconPath: new vscode.ThemeIcon("file-submodule"),
          contextValue: "place",
        }),
      };
  }
}

function moreRow(parent: Row, left: number, run: () => void): Row {
  return {
    id: `${parent.id}//more`,
    parent,
    item: () => ({
      label: vscode.l10n.t("{0} more", count(left)),
      description: vscode.l10n.t("click to show"),
      iconPath: new vscode.ThemeIcon("ellipsis"),
    }),
    run,
  };
}

/** Nobody asked for a message of its own: the row says what is wrong. */
function problemRow(parent: Row, error: unknown, source: FolderSource): Row {
  const { message } = callError(error);
  return {
    id: `${parent.id}//problem`,
    parent,
    item: () => ({
      label: message,
      description: vscode.l10n.t("click to try again"),
      tooltip: message,
      iconPath: new vscode.ThemeIcon("error"),
    }),
    run: () => source.show(parent),
  };
}

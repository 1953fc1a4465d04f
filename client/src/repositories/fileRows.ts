/** Rows of the Repositories view: the files of a repository at a revision, loaded folder by folder. */
import * as vscode from "vscode";
import { snapshotDocument } from "#client/documents/snapshots";
import { callError } from "#client/server/callError";
import { visible } from "#client/text/visible";
import { count } from "#client/workbench/format";
import type { Row } from "#client/workbench/rows";
import type { TreeNode } from "#contract/history";
import type { SnapshotLocation } from "#contract/snapshotUri";

/** A revision of a repository, or a file or folder in it. */
export interface LocationRow extends Row {
  readonly repository: string;
  /** The revision for git. */
  readonly ref: string;
  /** The displayed name of the revision; absent for the default one. */
  readonly revision?: string;
  /** `/`-separated, from the root; absent for the root. */
  readonly path?: string;
  readonly isFolder: boolean;
}

export interface FolderSource {
  /** Rejects with a `CallError`. */
  readonly folder: (location: SnapshotLocation) => Promise<readonly TreeNode[] | undefined>;
  /** Redraws a row and its children. */
  readonly show: (row: Row) => void;
}

/** A larger folder ends in a row that shows more. */
const rowsPerPage = 1000;

/** Returns a function that loads the rows of a folder or, at the root, of a revision. */
export function folderRows(
  row: LocationRow,
  location: SnapshotLocation,
  source: FolderSource,
): () => Promise<readonly Row[]> {
  let shown = rowsPerPage;
  return async () => {
    try {
      const nodes = (await source.folder(location)) ?? [];
      const rows = nodes.slice(0, shown).map((node) => nodeRow(node, row, location, source));
      const remaining = nodes.length - rows.length;
      if (remaining === 0) return rows;
      const more = moreRow(row, remaining, () => {
        shown += rowsPerPage;
        source.show(row);
      });
      return [...rows, more];
    } catch (error) {
      return [errorRow(row, error, source)];
    }
  };
}

function nodeRow(
  { name, path, type }: TreeNode,
  parent: LocationRow,
  { repository, commit }: SnapshotLocation,
  source: FolderSource,
): LocationRow {
  const location = { repository, commit, path };
  const { revision } = parent;
  const uri = snapshotDocument(location, revision);
  const common = {
    id: `${parent.id}/${name}`,
    parent,
    repository,
    // The commit, because branches move.
    ref: commit === "" ? "HEAD" : commit,
    path,
    ...(revision === undefined ? {} : { revision }),
  };
  switch (type) {
    case "tree": {
      const row: LocationRow = {
        ...common,
        isFolder: true,
        item: () => ({
          label: visible(name),
          resourceUri: uri,
          iconPath: vscode.ThemeIcon.Folder,
          contextValue: "location folder",
          collapsibleState: vscode.TreeItemCollapsibleState.Collapsed,
        }),
        children: () => children(),
      };
      const children = folderRows(row, location, source);
      return row;
    }
    case "blob":
      return {
        ...common,
        isFolder: false,
        item: () => ({
          label: visible(name),
          resourceUri: uri,
          iconPath: vscode.ThemeIcon.File,
          contextValue: "location file",
        }),
        run: () => vscode.commands.executeCommand("vscode.open", uri, { preview: true }),
      };
    case "commit":
      return {
        ...common,
        isFolder: false,
        item: () => ({
          label: visible(name),
          description: vscode.l10n.t("submodule"),
          tooltip: vscode.l10n.t("Its files are in a separate repository."),
          iconPath: new vscode.ThemeIcon("file-submodule"),
          contextValue: "submodule",
        }),
      };
  }
}

function moreRow(parent: Row, remaining: number, run: () => void): Row {
  return {
    id: `${parent.id}//more`,
    parent,
    item: () => ({
      label: vscode.l10n.t("{0} more", count(remaining)),
      description: vscode.l10n.t("click to show"),
      iconPath: new vscode.ThemeIcon("ellipsis"),
    }),
    run,
  };
}

/** Returns a row that shows an error and retries when clicked. */
function errorRow(parent: Row, error: unknown, source: FolderSource): Row {
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

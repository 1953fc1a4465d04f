/** Tree rows of the files that differ between two commits, and the diffs that they open. */
import { posix } from "node:path";
import * as vscode from "vscode";
import { snapshotDocument } from "#client/documents/snapshots";
import { getCall } from "#client/server/apiCall";
import { visible } from "#client/text/visible";
import { count } from "#client/workbench/format";
import type { Row } from "#client/workbench/rows";
import type { ChangedFile } from "#contract/commits";
import { emptyTree } from "#contract/snapshotUri";
import { shortHash } from "./blameText";
import {
  foldersOf,
  isSubmodule,
  type LineCounts,
  lineCounts,
  pathOf,
  type StatusLetter,
  sidesOf,
  statusOf,
} from "./changedFiles";
import type { HistoryTree } from "./historyTree";

/** Two commits of a repository, by SHA, and the files that differ. */
export interface Changes {
  readonly repository: string;
  /** Git's empty tree for a root commit. */
  readonly base: string;
  readonly head: string;
  readonly files: readonly ChangedFile[];
}

/** The row of a changed file. */
export interface ChangeRow extends Row {
  /** The commit that contains the file: the newer one, or the older one if it was deleted. */
  readonly ref: string;
  readonly path: string;
}

const rowsPerPage = 500;
/** With more files, folders start collapsed. */
const maxExpandedFiles = 200;
/** More files in one editor would be slow. */
const maxOpenFiles = 300;

/** Returns the number of files, and of added and removed lines. */
export function changesText(files: readonly ChangedFile[]): string {
  const number =
    files.length === 1 ? vscode.l10n.t("1 file") : vscode.l10n.t("{0} files", count(files.length));
  return files.length === 0 ? number : `${number} · ${countsText(lineCounts(files))}`;
}

/** Returns the rows below `parent`: folders with their files, or only files if all are in the root. */
export function changeRows(changes: Changes, parent: Row, tree: HistoryTree): readonly Row[] {
  if (changes.files.length === 0) {
    return [{ id: `${parent.id}/none`, parent, item: () => ({ label: vscode.l10n.t("No differences") }) }];
  }
  const folders = foldersOf(changes.files);
  const [only] = folders;
  if (folders.length === 1 && only?.folder === "") return fileRows(changes, only.files, parent, tree);
  const isOpen = changes.files.length <= maxExpandedFiles;
  return limitedRows(folders, parent, tree, ({ folder, files }) => {
    const row: Row = {
      id: `${parent.id}/folder ${folder}`,
      parent,
      repository: changes.repository,
      item: () => ({
        label: folder === "" ? vscode.l10n.t("(root)") : visible(folder),
        description: count(files.length),
        iconPath: vscode.ThemeIcon.Folder,
        collapsibleState: isOpen
          ? vscode.TreeItemCollapsibleState.Expanded
          : vscode.TreeItemCollapsibleState.Collapsed,
      }),
      children: () => fileRows(changes, files, row, tree),
    };
    return row;
  });
}

/** Opens all changes in one editor. */
export async function openAllChanges(changes: Changes, title: string): Promise<void> {
  const texts = changes.files.filter((file) => !isSubmodule(file));
  const opened = texts.slice(0, maxOpenFiles);
  const part =
    opened.length < texts.length
      ? ` (${vscode.l10n.t("first {0} of {1}", opened.length, count(texts.length))})`
      : "";
  const sides = opened.map((file) => {
    const { old, new: newUri } = documentsOf(changes, file);
    return [newUri ?? old, old, newUri];
  });
  await vscode.commands.executeCommand("vscode.changes", title + part, sides);
}

/** Opens the diff of one file. A missing side is an empty document. */
export async function openChange(changes: Changes, file: ChangedFile, title?: string): Promise<void> {
  if (isSubmodule(file)) {
    vscode.window.setStatusBarMessage(
      vscode.l10n.t("This is a submodule, which has no text to compare."),
      5000,
    );
    return;
  }
  const { repository, base, head } = changes;
  const { old, new: newUri } = documentsOf(changes, file);
  const emptyDocument = () => {
    const location = { repository, commit: emptyTree, path: pathOf(file) };
    return snapshotDocument(location, vscode.l10n.t("empty"));
  };
  const name = visible(posix.basename(pathOf(file)));
  const sides =
    base === emptyTree || old === undefined
      ? shortHash(head)
      : newUri === undefined
        ? shortHash(base)
        : `${shortHash(base)} ↔ ${shortHash(head)}`;
  await vscode.commands.executeCommand(
    "vscode.diff",
    old ?? emptyDocument(),
    newUri ?? emptyDocument(),
    title ?? `${name} (${sides})`,
    { preview: true },
  );
}

function documentsOf({ repository, base, head }: Changes, file: ChangedFile) {
  const { old: oldPath, new: newPath } = sidesOf(file);
  return {
    old: oldPath === undefined ? undefined : snapshotDocument({ repository, commit: base, path: oldPath }),
    new: newPath === undefined ? undefined : snapshotDocument({ repository, commit: head, path: newPath }),
  };
}

function fileRows(
  changes: Changes,
  files: readonly ChangedFile[],
  parent: Row,
  tree: HistoryTree,
): readonly Row[] {
  return limitedRows(files, parent, tree, (file) => fileRow(changes, file, parent));
}

function fileRow(changes: Changes, file: ChangedFile, parent: Row): ChangeRow {
  const status = statusOf(file);
  const path = pathOf(file);
  return {
    id: `${parent.id}/${status} ${path}`,
    parent,
    repository: changes.repository,
    ref: status === "D" ? changes.base : changes.head,
    path,
    call: getCall("/api/diff", { repo: changes.repository, base: changes.base, head: changes.head, path }),
    item: () => {
      const counts = lineCounts([file]);
      const before = status === "R" ? vscode.l10n.t("was {0}", visible(file.oldPath)) : "";
      // A pure rename has no changed lines.
      const text = counts.added + counts.removed === 0 ? "" : countsText(counts);
      const kind = isSubmodule(file)
        ? vscode.l10n.t("submodule")
        : file.isBinary
          ? vscode.l10n.t("binary")
          : text;
      const parts = [kind, before].filter((part) => part !== "");
      const name = visible(posix.basename(path));
      const [label, color] = statusLabels()[status];
      return {
        label: name,
        description: [status, ...parts].join(" · "),
        tooltip: [visible(path), label, ...parts].join("\n"),
        iconPath: new vscode.ThemeIcon(icons[status], new vscode.ThemeColor(color)),
        contextValue: isSubmodule(file) ? "submodule" : "change",
        accessibilityInformation: { label: [name, label, ...parts].join(", ") },
      };
    },
    run: () => openChange(changes, file),
  };
}

const icons: Readonly<Record<StatusLetter, string>> = {
  A: "diff-added",
  D: "diff-removed",
  R: "diff-renamed",
  M: "diff-modified",
};

function statusLabels(): Readonly<Record<StatusLetter, readonly [label: string, color: string]>> {
  return {
    A: [vscode.l10n.t("added"), "gitDecoration.addedResourceForeground"],
    D: [vscode.l10n.t("deleted"), "gitDecoration.deletedResourceForeground"],
    R: [vscode.l10n.t("renamed"), "gitDecoration.renamedResourceForeground"],
    M: [vscode.l10n.t("modified"), "gitDecoration.modifiedResourceForeground"],
  };
}

function countsText({ added, removed }: LineCounts): string {
  return `+${count(added)} −${count(removed)}`;
}

/** Returns one page of rows, and a row that shows more. */
function limitedRows<Item>(
  items: readonly Item[],
  parent: Row,
  tree: HistoryTree,
  rowOf: (item: Item) => Row,
): readonly Row[] {
  const limit = limits.get(parent) ?? rowsPerPage;
  const rows = items.slice(0, limit).map(rowOf);
  const remaining = items.length - limit;
  if (remaining <= 0) return rows;
  const more: Row = {
    id: `${parent.id}/more`,
    parent,
    item: () => ({
      label: vscode.l10n.t("Show {0} More", count(Math.min(remaining, rowsPerPage))),
      description: vscode.l10n.t("{0} left", count(remaining)),
      iconPath: new vscode.ThemeIcon("ellipsis"),
    }),
    run: () => {
      limits.set(parent, limit + rowsPerPage);
      tree.redraw(parent);
    },
  };
  return [...rows, more];
}

const limits = new WeakMap<Row, number>();

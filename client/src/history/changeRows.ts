/** Rows of the files that differ between two commits, and what opens them. */
import { posix } from "node:path";
import * as vscode from "vscode";
import { snapshotDocument } from "#client/files/snapshots";
import type { Row } from "#client/rows";
import { getCall } from "#client/search/apiCall";
import { visible } from "#client/search/resultLines";
import { count } from "#client/words";
import type { ChangedFile } from "#contract/commits";
import { emptyTree } from "#contract/snapshotUri";
import { shortHash } from "./blameText";
import {
  type ChangeLetter,
  foldersOf,
  isSubmodule,
  type LineCounts,
  letterOf,
  lineCounts,
  pathOf,
  sidesOf,
} from "./changedFiles";
import type { HistoryTree } from "./historyTree";

/** Two commits of a repository, by their SHAs, and what differs. */
export interface Changes {
  readonly repository: string;
  /** Git's empty tree, where nothing was before. */
  readonly base: string;
  readonly head: string;
  readonly files: readonly ChangedFile[];
}

/** The row of a changed file. */
export interface ChangeRow extends Row {
  /** Where the file is as it came to be; of a deleted one, as it was. */
  readonly ref: string;
  readonly path: string;
}

const rowsAtOnce = 500;
/** Folders of more files are closed at first. */
const openAtMost = 200;
/** An editor for more of them at once would not be read, and be slow. */
const openedAtMost = 300;

/** The row above them: how many there are, and how much they differ. */
export function changesText(files: readonly ChangedFile[]): string {
  const number =
    files.length === 1 ? vscode.l10n.t("1 file") : vscode.l10n.t("{0} files", count(files.length));
  return files.length === 0 ? number : `${number} · ${countsText(lineCounts(files))}`;
}

/** Below `parent`: folders with their files, or only files where all are in one folder. */
export function changeRows(changes: Changes, parent: Row, tree: HistoryTree): readonly Row[] {
  if (changes.files.length === 0) {
    return [{ id: `${parent.id}/none`, parent, item: () => ({ label: vscode.l10n.t("No differences") }) }];
  }
  const folders = foldersOf(changes.files);
  const [only] = folders;
  if (folders.length === 1 && only?.folder === "") return fileRows(changes, only.files, parent, tree);
  const isOpen = changes.files.length <= openAtMost;
  return limited(folders, parent, tree, ({ folder, files }) => {
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

/** All of them in one editor. */
export async function openAllChanges(changes: Changes, title: string): Promise<void> {
  const texts = changes.files.filter((file) => !isSubmodule(file));
  const opened = texts.slice(0, openedAtMost);
  const part =
    opened.length < texts.length
      ? ` (${vscode.l10n.t("first {0} of {1}", opened.length, count(texts.length))})`
      : "";
  const sides = opened.map((file) => {
    const { old, new: now } = documentsOf(changes, file);
    return [now ?? old, old, now];
  });
  await vscode.commands.executeCommand("vscode.changes", title + part, sides);
}

/** What differs in one of them. A side that is not there is an empty document. */
export async function openChange(changes: Changes, file: ChangedFile, title?: string): Promise<void> {
  if (isSubmodule(file)) {
    vscode.window.setStatusBarMessage(vscode.l10n.t("This is another repository, and no text."), 5000);
    return;
  }
  const { repository, base, head } = changes;
  const { old, new: now } = documentsOf(changes, file);
  const nothing = () => {
    const place = { repository, commit: emptyTree, path: pathOf(file) };
    return snapshotDocument(place, vscode.l10n.t("nothing"));
  };
  const name = visible(posix.basename(pathOf(file)));
  const sides =
    base === emptyTree || old === undefined
      ? shortHash(head)
      : now === undefined
        ? shortHash(base)
        : `${shortHash(base)} ↔ ${shortHash(head)}`;
  await vscode.commands.executeCommand(
    "vscode.diff",
    old ?? nothing(),
    now ?? nothing(),
    title ?? `${name} (${sides})`,
    { preview: true },
  );
}

function documentsOf({ repository, base, head }: Changes, file: ChangedFile) {
  const { old, new: now } = sidesOf(file);
  return {
    old: old === undefined ? undefined : snapshotDocument({ repository, commit: base, path: old }),
    new: now === undefined ? undefined : snapshotDocument({ repository, commit: head, path: now }),
  };
}

function fileRows(
  changes: Changes,
  files: readonly ChangedFile[],
  parent: Row,
  tree: HistoryTree,
): readonly Row[] {
  return limited(files, parent, tree, (file) => fileRow(changes, file, parent));
}

function fileRow(changes: Changes, file: ChangedFile, parent: Row): ChangeRow {
  const letter = letterOf(file);
  const path = pathOf(file);
  return {
    id: `${parent.id}/${letter} ${path}`,
    parent,
    repository: changes.repository,
    ref: letter === "D" ? changes.base : changes.head,
    path,
    call: getCall("/api/diff", { repo: changes.repository, base: changes.base, head: changes.head, path }),
    item: () => {
      const counts = lineCounts([file]);
      const before = letter === "R" ? vscode.l10n.t("was {0}", visible(file.oldPath)) : "";
      // A file that was only renamed has nothing to count.
      const text = counts.added + counts.removed === 0 ? "" : countsText(counts);
      const kind = isSubmodule(file)
        ? vscode.l10n.t("submodule")
        : file.isBinary
          ? vscode.l10n.t("binary")
          : text;
      const parts = [kind, before].filter((part) => part !== "");
      const name = visible(posix.basename(path));
      const [word, color] = letters()[letter];
      return {
        label: name,
        description: [letter, ...parts].join(" · "),
        tooltip: [visible(path), word, ...parts].join("\n"),
        iconPath: new vscode.ThemeIcon(icons[letter], new vscode.ThemeColor(color)),
        contextValue: isSubmodule(file) ? "submodule" : "change",
        accessibilityInformation: { label: [name, word, ...parts].join(", ") },
      };
    },
    run: () => openChange(changes, file),
  };
}

const icons: Readonly<Record<ChangeLetter, string>> = {
  A: "diff-added",
  D: "diff-removed",
  R: "diff-renamed",
  M: "diff-modified",
};

function letters(): Readonly<Record<ChangeLetter, readonly [word: string, color: string]>> {
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

/** So many rows as can be looked through, and one that makes more. */
function limited<Item>(
  items: readonly Item[],
  parent: Row,
  tree: HistoryTree,
  rowOf: (item: Item) => Row,
): readonly Row[] {
  const limit = limits.get(parent) ?? rowsAtOnce;
  const rows = items.slice(0, limit).map(rowOf);
  const left = items.length - limit;
  if (left <= 0) return rows;
  const more: Row = {
    id: `${parent.id}/more`,
    parent,
    item: () => ({
      label: vscode.l10n.t("Show {0} More", count(Math.min(left, rowsAtOnce))),
      description: vscode.l10n.t("{0} left", count(left)),
      iconPath: new vscode.ThemeIcon("ellipsis"),
    }),
    run: () => {
      limits.set(parent, limit + rowsAtOnce);
      tree.redraw(parent);
    },
  };
  return [...rows, more];
}

const limits = new WeakMap<Row, number>();

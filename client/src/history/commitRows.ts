/** Tree rows of commits, and of folders of commits. */
import * as vscode from "vscode";
import { getCall } from "#client/server/apiCall";
import { visible } from "#client/text/visible";
import { ago, count } from "#client/workbench/format";
import type { Row } from "#client/workbench/rows";
import type { CommitItem } from "#contract/commits";
import { shortHash } from "./blameText";
import type { CommitRef } from "./commitDetails";
import { type CommitPages, commitsPerPage } from "./commitPages";
import { refNames, wholeMessage } from "./commitText";
import { type HistoryTree, loadMoreRow } from "./historyTree";

/** The row of a commit. */
export interface CommitRow extends Row {
  readonly repository: string;
  /** Full SHA. */
  readonly ref: string;
  /** Subject and body. */
  readonly message: string;
  /** In the history of a file: its path in this commit. */
  readonly path?: string;
}

export interface CommitRowOptions {
  readonly parent?: Row | undefined;
  readonly repository: string;
  /** The file or folder whose history is listed. */
  readonly path?: string | undefined;
  readonly openCommit: (commit: CommitRef) => Promise<void>;
}

export function commitRow(commit: CommitItem, options: CommitRowOptions): CommitRow {
  const { parent, repository, openCommit } = options;
  const { hash, authorName, authorEmail, date, refs, path, oldPath } = commit;
  const time = new Date(date);
  const isRenamed = oldPath !== undefined && oldPath !== path;
  const name = isRenamed ? `${oldPath} → ${path}` : path !== undefined && path !== options.path ? path : "";
  return {
    id: `${parent?.id ?? ""}/${hash}`,
    ...(parent === undefined ? {} : { parent }),
    date: time.getTime(),
    repository,
    ref: hash,
    message: wholeMessage(commit),
    ...(path === undefined ? {} : { path }),
    call: getCall("/api/commit", { repo: repository, ref: hash }),
    item: () => ({
      label: visible(commit.message).trim() || vscode.l10n.t("(no message)"),
      description: [authorName, ago(time.getTime()), ...refNames(refs).map((ref) => `⟨${ref}⟩`), name]
        .filter((part) => part !== "")
        .map(visible)
        .join(" · "),
      tooltip: [
        ...wholeMessage(commit).split("\n"),
        "",
        `${authorName} <${authorEmail}> · ${time.toLocaleString(vscode.env.language)}`,
        shortHash(hash),
      ]
        .map(visible)
        .join("\n"),
      iconPath: new vscode.ThemeIcon("git-commit"),
      contextValue: path === undefined ? "commit" : "commit file",
    }),
    run: () => openCommit({ repository, ref: hash }),
  };
}

export interface CommitFolder {
  readonly id: string;
  readonly label: string;
  readonly icon: string;
  readonly tooltip: string;
  /** Rejects with a `CallError`. */
  readonly pages: Promise<CommitPages>;
  readonly rowOf: (commit: CommitItem, parent: Row) => Row;
}

/** Returns a row that shows the number of commits once it is known, and lists them when it is expanded. */
export function commitFolderRow(folder: CommitFolder, tree: HistoryTree): Row {
  const { id, label, icon, tooltip, rowOf } = folder;
  const { token } = tree;
  let pages: CommitPages | undefined;
  const load = async (): Promise<CommitPages> => {
    pages = await folder.pages;
    await pages.load(token);
    return pages;
  };
  const row: Row = {
    id,
    get call() {
      return pages?.call;
    },
    item: () => ({
      label,
      description: pages?.total === undefined ? "" : count(pages.total),
      tooltip,
      iconPath: new vscode.ThemeIcon(icon),
      contextValue: "commits",
      collapsibleState:
        pages?.total === 0 ? vscode.TreeItemCollapsibleState.None : vscode.TreeItemCollapsibleState.Collapsed,
    }),
    children: async () => {
      const { loaded, remaining } = await load();
      const rows = loaded.map((commit) => rowOf(commit, row));
      if (remaining <= 0) return rows;
      const more = loadMoreRow({ remaining, perPage: commitsPerPage, parent: row }, () => {
        pages?.requestMore();
        tree.redraw(row);
      });
      return [...rows, more];
    },
  };
  tree.track(load()).then(
    () => {
      if (!token.isCancellationRequested) tree.redraw(row);
    },
    // Expanding the row shows the error.
    () => undefined,
  );
  return row;
}

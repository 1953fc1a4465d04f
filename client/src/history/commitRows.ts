/** Rows of commits, and a folder of some. */
import * as vscode from "vscode";
import type { Row } from "#client/rows";
import { getCall } from "#client/search/apiCall";
import { visible } from "#client/search/resultLines";
import { ago, count } from "#client/words";
import type { CommitItem } from "#contract/commits";
import { shortHash } from "./blameText";
import type { CommitPlace } from "./commitDetails";
import { type CommitPages, commitsPerPage } from "./commitPages";
import { refNames, wholeMessage } from "./commitText";
import { type HistoryTree, loadMoreRow } from "./historyTree";

/** The row of a commit. */
export interface CommitRow extends Row {
  readonly repository: string;
  /** Full SHA. */
  readonly ref: string;
  /** The whole of it. */
  readonly message: string;
  /** Of a list of one file: its name in this commit. */
  readonly path?: string;
}

export interface CommitRowOptions {
  readonly parent: Row;
  readonly repository: string;
  /** The file or folder that the list is about. */
  readonly path?: string | undefined;
  readonly open: (place: CommitPlace) => Promise<void>;
}

export function commitRow(commit: CommitItem, options: CommitRowOptions): CommitRow {
  const { parent, repository, open } = options;
  const { hash, authorName, authorEmail, date, refs, path, oldPath } = commit;
  const time = new Date(date);
  const isRenamed = oldPath !== undefined && oldPath !== path;
  const name = isRenamed ? `${oldPath} → ${path}` : path !== undefined && path !== options.path ? path : "";
  const parts = [authorName, ago(time.getTime()), ...refNames(refs).map((ref) => `⟨${ref}⟩`), name];
  return {
    id: `${parent.id}/${hash}`,
    parent,
    repository,
    ref: hash,
    message: wholeMessage(commit),
    ...(path === undefined ? {} : { path }),
    call: getCall("/api/commit", { repo: repository, ref: hash }),
    item: () => ({
      label: visible(commit.message).trim() || vscode.l10n.t("(no message)"),
      description: parts
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
    run: () => open({ repository, ref: hash }),
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

/** Says how many there are as soon as that is known, and which ones where somebody looks. */
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
      const { found, left } = await load();
      const rows = found.map((commit) => rowOf(commit, row));
      if (left <= 0) return rows;
      const more = loadMoreRow({ left, perPage: commitsPerPage, parent: row }, () => {
        pages?.wantMore();
        tree.redraw(row);
      });
      return [...rows, more];
    },
  };
  tree.counted(load()).then(
    () => {
      if (!token.isCancellationRequested) tree.redraw(row);
    },
    // The row says why when somebody opens it.
    () => undefined,
  );
  return row;
}

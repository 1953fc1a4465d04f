/** Rows of the view "Repositories": what is known of one repository. */
import * as vscode from "vscode";
import type { Row } from "#client/rows";
import { ago, count, size } from "#client/words";
import type { RepositoryItem, RepositoryState } from "#contract/repositories";
import { mendingCommand } from "./grouping";
import type { Clone } from "./repositories";
import { type RevisionSource, revisionRows } from "./revisionRows";
import { type SkippedSource, skippedRows } from "./skippedRows";
import { type UnparsedSource, unparsedRows } from "./unparsedRows";

export interface RepositorySource extends SkippedSource, UnparsedSource, RevisionSource {
  /** As it is now; absent once it is forgotten. */
  readonly item: (id: number) => RepositoryItem | undefined;
  readonly clone: (id: number) => Clone | undefined;
  /** The name by which people know it here. */
  readonly label: (name: string) => string;
  readonly isPaused: () => boolean;
}

const icons: Readonly<Record<RepositoryState, string>> = {
  queued: "clock",
  cloning: "cloud-download",
  indexing: "sync~spin",
  ready: "repo",
  stale: "history",
  failed: "error",
};

export function repositoryRow(id: number, name: string, parent: Row, source: RepositorySource): Row {
  const row: Row = {
    id: `${parent.id}/${id}`,
    parent,
    repository: name,
    item() {
      const item = source.item(id);
      if (item === undefined) return { label: source.label(name) };
      const clone = source.clone(id);
      const state = stateOf(item, source.isPaused());
      const waits = source.isPaused() && item.state === "queued";
      return {
        label: source.label(name),
        description: descriptionOf(item, clone, state),
        tooltip: tooltipOf(item, clone, state),
        iconPath: iconOf(item.state, waits),
        contextValue: clone === undefined ? "repository" : "repository clone",
        collapsibleState: vscode.TreeItemCollapsibleState.Collapsed,
      };
    },
    children: () => {
      const item = source.item(id);
      return item === undefined ? [] : detailRows(item, row, source);
    },
  };
  return row;
}

/** What is wrong with a repository, and what mends it. */
export function failureRows(item: RepositoryItem, parent: Row): Row[] {
  const { lastError } = item;
  if (lastError === undefined) return [];
  const command = mendingCommand(lastError);
  const reason: Row = {
    id: `${parent.id}/reason`,
    parent,
    item: () => ({ label: lastError, tooltip: lastError, iconPath: new vscode.ThemeIcon("warning") }),
  };
  if (command === undefined) return [reason];
  const mend: Row = {
    id: `${parent.id}/mend`,
    parent,
    item: () => ({
      label: vscode.l10n.t("Copy Git Command"),
      description: command,
      tooltip: vscode.l10n.t("Run it in a terminal, then choose Reindex."),
      iconPath: new vscode.ThemeIcon("copy"),
    }),
    run: () => vscode.env.clipboard.writeText(command),
  };
  return [reason, mend];
}

async function detailRows(item: RepositoryItem, parent: Row, source: RepositorySource): Promise<Row[]> {
  const [revisions, unparsed] = await Promise.all([
    revisionRows(item.repoName, parent, source),
    unparsedRows(item.repoName, parent, source),
  ]);
  return [
    ...failureRows(item, parent),
    ...revisions,
    {
      id: `${parent.id}/content`,
      parent,
      item: () => ({
        label: vscode.l10n.t("Content"),
        description: contentOf(item),
        tooltip: vscode.l10n.t("Documents of all indexed revisions; equal ones count once."),
        iconPath: new vscode.ThemeIcon("file-code"),
      }),
    },
    ...skippedRows(item.repoName, () => source.item(item.repoId)?.skippedCount ?? 0, parent, source),
    ...unparsed,
  ];
}

/** The state in words, which a screen reader reads too. */
function stateOf({ state, progress }: RepositoryItem, isPaused: boolean): string {
  const percent = Math.floor(progress * 100);
  switch (state) {
    case "queued":
      return isPaused ? vscode.l10n.t("paused") : vscode.l10n.t("queued");
    case "cloning":
      return vscode.l10n.t("cloning {0} %", percent);
    case "indexing":
      return vscode.l10n.t("indexing {0} %", percent);
    case "ready":
      return vscode.l10n.t("ready");
    case "stale":
      return vscode.l10n.t("out of date");
    case "failed":
      return vscode.l10n.t("failed");
  }
}

function descriptionOf(item: RepositoryItem, clone: Clone | undefined, state: string): string {
  const parts = [
    item.defaultBranch,
    state,
    item.state === "ready" && item.indexedAt !== undefined ? ago(Date.parse(item.indexedAt)) : undefined,
    clone?.isBare === true ? vscode.l10n.t("bare") : undefined,
  ];
  return parts.filter((part) => part !== undefined).join(" · ");
}

function contentOf({ documentCount, contentBytes, indexBytes }: RepositoryItem): string {
  return vscode.l10n.t(
    "{0} documents · {1} of text · {2} of index",
    count(documentCount),
    size(contentBytes),
    size(indexBytes),
  );
}

function tooltipOf(item: RepositoryItem, clone: Clone | undefined, state: string): string {
  const lines = [
    item.repoName,
    clone?.folder,
    state,
    contentOf(item),
    item.isPolled
      ? vscode.l10n.t("Changes are seen after seconds: the system watches no more folders.")
      : undefined,
    item.lastError,
  ];
  return lines.filter((line) => line !== undefined).join("\n");
}

function iconOf(state: RepositoryState, waits: boolean): vscode.ThemeIcon {
  if (waits) return new vscode.ThemeIcon("debug-pause");
  const color = state === "failed" ? new vscode.ThemeColor("list.errorForeground") : undefined;
  return new vscode.ThemeIcon(icons[state], color);
}

/** Rows of the Repositories view: one repository and its details. */
import * as vscode from "vscode";
import { fixingCommand } from "#client/model/grouping";
import type { Clone } from "#client/model/repositories";
import { ago, count, size } from "#client/workbench/format";
import type { Row } from "#client/workbench/rows";
import type { RepositoryItem, RepositoryState } from "#contract/repositories";
import { type RevisionSource, revisionRows } from "./revisionRows";
import { type SkippedSource, skippedRows } from "./skippedRows";
import { type UnparsedSource, unparsedRows } from "./unparsedRows";

export interface RepositorySource extends SkippedSource, UnparsedSource, RevisionSource {
  /** Returns the current state of a repository; `undefined` once it was removed. */
  readonly item: (id: number) => RepositoryItem | undefined;
  readonly clone: (id: number) => Clone | undefined;
  /** Returns the display name of a repository. */
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
  evicted: "archive",
};

/** `parent`: the row of its group; none if there is only one group. */
export function repositoryRow(
  id: number,
  name: string,
  parent: Row | undefined,
  source: RepositorySource,
): Row {
  const row: Row = {
    id: parent === undefined ? String(id) : `${parent.id}/${id}`,
    ...(parent === undefined ? {} : { parent }),
    repository: name,
    item() {
      const item = source.item(id);
      if (item === undefined) return { label: source.label(name) };
      const clone = source.clone(id);
      const state = stateOf(item, source.isPaused());
      const isWaiting = source.isPaused() && item.state === "queued";
      return {
        label: source.label(name),
        description: descriptionOf(item, clone, state),
        tooltip: tooltipOf(item, clone, state),
        iconPath: iconOf(item, isWaiting),
        contextValue: contextOf(item, clone),
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

/** Returns what the menus of a repository depend on. */
export function contextOf({ externalWebUrl, server }: RepositoryItem, clone: Clone | undefined): string {
  const words = [
    "repository",
    clone !== undefined && !clone.isBare ? "clone" : "",
    clone?.cloneUrl === undefined ? "" : "mirror",
    externalWebUrl === undefined ? "" : "onHost",
    server === undefined ? "" : "onServer",
  ];
  return words.filter((word) => word !== "").join(" ");
}

/** Returns rows for the error of a repository and for the git command that fixes it. */
export function failureRows(item: RepositoryItem, parent: Row): Row[] {
  const { lastError } = item;
  if (lastError === undefined) return [];
  const command = fixingCommand(lastError);
  const reason: Row = {
    id: `${parent.id}/reason`,
    parent,
    item: () => ({ label: lastError, tooltip: lastError, iconPath: new vscode.ThemeIcon("warning") }),
  };
  if (command === undefined) return [reason];
  const fix: Row = {
    id: `${parent.id}/fix`,
    parent,
    item: () => ({
      label: vscode.l10n.t("Copy Git Command"),
      description: command,
      tooltip: vscode.l10n.t("Run it in a terminal, then select Reindex."),
      iconPath: new vscode.ThemeIcon("copy"),
    }),
    run: () => vscode.env.clipboard.writeText(command),
  };
  return [reason, fix];
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
        tooltip: vscode.l10n.t("Documents in all indexed revisions; identical ones are counted once."),
        iconPath: new vscode.ThemeIcon("file-code"),
      }),
    },
    ...dependencyRow(item, parent),
    ...skippedRows(item.repoName, () => source.item(item.repoId)?.skippedCount ?? 0, parent, source),
    ...unparsed,
  ];
}

/** Returns one row for all packages, which may be thousands. */
function dependencyRow({ dependencyCount = 0, dependencyProblem }: RepositoryItem, parent: Row): Row[] {
  if (dependencyCount === 0 && dependencyProblem === undefined) return [];
  const item = () => ({
    label: vscode.l10n.t("Dependencies"),
    description: vscode.l10n.t("{0} packages", count(dependencyCount)),
    tooltip:
      dependencyProblem ??
      vscode.l10n.t("Searched only if a query asks for them, as in repo:npm/ or dependencies:yes."),
    iconPath: new vscode.ThemeIcon(dependencyProblem === undefined ? "package" : "warning"),
  });
  return [{ id: `${parent.id}/dependencies`, parent, item }];
}

/** Returns the state in words, also for screen readers. */
function stateOf({ state, progress }: RepositoryItem, isPaused: boolean): string {
  const percent = Math.floor(progress * 100);
  switch (state) {
    case "queued":
      return isPaused ? vscode.l10n.t("paused") : vscode.l10n.t("queued");
    case "cloning":
      return vscode.l10n.t("cloning {0}%", percent);
    case "indexing":
      return vscode.l10n.t("indexing {0}%", percent);
    case "ready":
      return vscode.l10n.t("ready");
    case "stale":
      return vscode.l10n.t("out of date");
    case "failed":
      return vscode.l10n.t("failed");
    case "evicted":
      return vscode.l10n.t("not indexed: no disk space left");
  }
}

function descriptionOf(item: RepositoryItem, clone: Clone | undefined, state: string): string {
  const parts = [
    item.server === undefined ? undefined : vscode.l10n.t("team"),
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
    item.server === undefined ? undefined : vscode.l10n.t("On the team server {0}", item.server),
    clone?.folder,
    state,
    contentOf(item),
    item.isPolled
      ? vscode.l10n.t("Changes appear after a few seconds: the system cannot watch more folders.")
      : undefined,
    item.lastError,
    item.evictedReason,
  ];
  return lines.filter((line) => line !== undefined).join("\n");
}

function iconOf({ state, server }: RepositoryItem, isWaiting: boolean): vscode.ThemeIcon {
  if (server !== undefined && state === "ready") return new vscode.ThemeIcon("cloud");
  if (isWaiting) return new vscode.ThemeIcon("debug-pause");
  const color = state === "failed" ? new vscode.ThemeColor("list.errorForeground") : undefined;
  return new vscode.ThemeIcon(icons[state], color);
}

/** Rows of the Repositories view: branches, tags and other revisions, with their files. */
import * as vscode from "vscode";
import { visible } from "#client/text/visible";
import { ago, count } from "#client/workbench/format";
import type { Row } from "#client/workbench/rows";
import type { Branch } from "#contract/history";
import type { SnapshotLocation } from "#contract/snapshotUri";
import { type FolderSource, folderRows, type LocationRow } from "./fileRows";

/** A commit, and the revision that the user entered for it. */
export interface NamedRevision {
  readonly name: string;
  readonly commit: string;
}

export interface RevisionSource extends FolderSource {
  /** Returns branches and tags, the default branch first. `isComplete`: there are no more. Rejects with a `CallError`. */
  readonly branches: (repository: string) => Promise<{
    readonly items: readonly Branch[];
    readonly isComplete: boolean;
  }>;
  /** Returns the revisions that the user opened in this window, latest first. */
  readonly named: (repository: string) => readonly NamedRevision[];
  /** Asks the user for another revision. */
  readonly askRevision: (repository: string) => Promise<void>;
}

const collapsed = vscode.TreeItemCollapsibleState.Collapsed;

/** Returns the id of the row with the files of the default revision. */
export function filesRowId(parent: Row): string {
  return `${parent.id}/files`;
}

/** Returns the id of the row of a revision that the user opened. */
export function namedRowId(parent: Row, { name }: NamedRevision): string {
  return `${parent.id}/at ${encodeURIComponent(name)}`;
}

/** Returns the rows of all revisions of a repository. */
export async function revisionRows(
  repository: string,
  parent: Row,
  source: RevisionSource,
): Promise<readonly Row[]> {
  const { t } = vscode.l10n;
  // A plain folder has files but no branches.
  const found = await source.branches(repository).catch(() => undefined);
  const items = found?.items ?? [];
  const first = items.find(({ isDefault }) => isDefault);
  const files = revisionRow(
    {
      id: filesRowId(parent),
      parent,
      label: t("Files"),
      icon: "root-folder",
      description: first === undefined ? "" : visible(first.name),
      ref: "HEAD",
    },
    { repository, commit: first?.commit ?? "", path: "" },
    source,
  );
  if (found === undefined) return [files];
  return [
    files,
    ...groupRow(
      "git-branch",
      t("Branches"),
      items.filter(({ isTag }) => !isTag),
    ),
    ...groupRow(
      "tag",
      t("Tags"),
      items.filter(({ isTag }) => isTag),
    ),
    ...source.named(repository).map((named) =>
      revisionRow(
        {
          id: namedRowId(parent, named),
          parent,
          label: visible(named.name),
          icon: "git-commit",
          description: named.commit.slice(0, 7),
          ref: named.commit,
          revision: named.name,
        },
        { repository, commit: named.commit, path: "" },
        source,
      ),
    ),
    askRow(),
  ];

  function groupRow(icon: string, label: string, members: readonly Branch[]): Row[] {
    if (members.length === 0) return [];
    const row: Row = {
      id: `${parent.id}/${icon}`,
      parent,
      item: () => ({
        label,
        description: found?.isComplete === true ? count(members.length) : `${count(members.length)}+`,
        iconPath: new vscode.ThemeIcon(icon),
        collapsibleState: collapsed,
      }),
      children: () => members.map((member) => branchRow(row, icon, member)),
    };
    return [row];
  }

  function branchRow(group: Row, icon: string, { name, fullName, commit, date, isDefault }: Branch): Row {
    const parts = [isDefault ? t("default") : "", date === "" ? "" : ago(Date.parse(date))];
    return revisionRow(
      {
        id: `${group.id}/${name}`,
        parent: group,
        label: visible(name),
        icon,
        description: parts.filter((part) => part !== "").join(" · "),
        ref: fullName,
        revision: name,
      },
      { repository, commit, path: "" },
      source,
    );
  }

  function askRow(): Row {
    return {
      id: `${parent.id}/ask`,
      parent,
      item: () => ({
        label: t("At Revision..."),
        tooltip: t("Show the files at a branch, a tag or a commit"),
        iconPath: new vscode.ThemeIcon("history"),
      }),
      run: () => source.askRevision(repository),
    };
  }
}

interface RevisionRowOptions {
  readonly id: string;
  readonly parent: Row;
  readonly label: string;
  readonly icon: string;
  readonly description: string;
  readonly ref: string;
  readonly revision?: string;
}

function revisionRow(
  options: RevisionRowOptions,
  location: SnapshotLocation,
  source: RevisionSource,
): LocationRow {
  const { id, parent, label, icon, description, ref, revision } = options;
  const row: LocationRow = {
    id,
    parent,
    repository: location.repository,
    ref,
    ...(revision === undefined ? {} : { revision }),
    isFolder: true,
    item: () => ({
      label,
      description,
      tooltip: [label, description, location.commit].filter((text) => text !== "").join("\n"),
      iconPath: new vscode.ThemeIcon(icon),
      contextValue: "location revision",
      collapsibleState: collapsed,
    }),
    children: () => children(),
  };
  const children = folderRows(row, location, source);
  return row;
}

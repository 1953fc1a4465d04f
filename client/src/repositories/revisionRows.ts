/** Rows of the view "Repositories": branches, tags and other revisions, and what is in each. */
import * as vscode from "vscode";
import type { Row } from "#client/rows";
import { visible } from "#client/search/resultLines";
import { ago, count } from "#client/words";
import type { Branch } from "#contract/history";
import type { SnapshotPlace } from "#contract/snapshotUri";
import { type FolderSource, folderRows, type PlaceRow } from "./fileRows";

/** A commit by the name that somebody gave for it. */
export interface NamedRevision {
  readonly name: string;
  readonly commit: string;
}

export interface RevisionSource extends FolderSource {
  /** The default one first; `isComplete` where there are no more. Rejects with a `CallError`. */
  readonly branches: (repository: string) => Promise<{
    readonly items: readonly Branch[];
    readonly isComplete: boolean;
  }>;
  /** Revisions that the person named in this window, the last one first. */
  readonly named: (repository: string) => readonly NamedRevision[];
  /** Asks for another one. */
  readonly askRevision: (repository: string) => Promise<void>;
}

const collapsed = vscode.TreeItemCollapsibleState.Collapsed;

/** Id of the row with the files of the default revision. */
export function filesRowId(parent: Row): string {
  return `${parent.id}/files`;
}

/** Id of the row of a revision that the person named. */
export function namedRowId(parent: Row, { name }: NamedRevision): string {
  return `${parent.id}/at ${encodeURIComponent(name)}`;
}

/** All revisions of a repository that can be looked at, below its row. */
export async function revisionRows(
  repository: string,
  parent: Row,
  source: RevisionSource,
): Promise<readonly Row[]> {
  const { t } = vscode.l10n;
  // A plain folder has files and no branches.
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
    const words = [isDefault ? t("default") : "", date === "" ? "" : ago(Date.parse(date))];
    return revisionRow(
      {
        id: `${group.id}/${name}`,
        parent: group,
        label: visible(name),
        icon,
        description: words.filter((word) => word !== "").join(" · "),
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

interface RevisionLooks {
  readonly id: string;
  readonly parent: Row;
  readonly label: string;
  readonly icon: string;
  readonly description: string;
  readonly ref: string;
  readonly revision?: string;
}

function revisionRow(looks: RevisionLooks, place: SnapshotPlace, source: RevisionSource): PlaceRow {
  const { id, parent, label, icon, description, ref, revision } = looks;
  const row: PlaceRow = {
    id,
    parent,
    repository: place.repository,
    ref,
    ...(revision === undefined ? {} : { revision }),
    isFolder: true,
    item: () => ({
      label,
      description,
      tooltip: [label, description, place.commit].filter((text) => text !== "").join("\n"),
      iconPath: new vscode.ThemeIcon(icon),
      contextValue: "place revision",
      collapsibleState: collapsed,
    }),
    children: () => children(),
  };
  const children = folderRows(row, place, source);
  return row;
}

/** Rows of the Repositories view: documents of a repository that have no symbols, with the reason. */
import * as vscode from "vscode";
import { count, size } from "#client/workbench/format";
import type { Row } from "#client/workbench/rows";
import type { UnparsedDocument } from "#contract/repositories";
import type { Page } from "#contract/service";
import type { SkippedSource } from "./skippedRows";

export interface UnparsedSource extends Pick<SkippedSource, "fileOf"> {
  /** Returns the first page. */
  readonly unparsed: (repository: string) => Promise<Page<UnparsedDocument>>;
}

/** Returns one row with the count, or none if everything is parsed. */
export async function unparsedRows(
  repository: string,
  parent: Row,
  { unparsed, fileOf }: UnparsedSource,
): Promise<Row[]> {
  // An error must not hide the other rows.
  const found = await unparsed(repository).catch(() => undefined);
  if (found === undefined || found.total === 0) return [];
  const { items, total } = found;
  const row: Row = {
    id: `${parent.id}/unparsed`,
    parent,
    repository,
    item: () => ({
      label: vscode.l10n.t("Files without symbols"),
      description: count(total),
      tooltip: vscode.l10n.t("Their text is searchable, but their symbols are not."),
      iconPath: new vscode.ThemeIcon("symbol-misc"),
      collapsibleState: vscode.TreeItemCollapsibleState.Collapsed,
    }),
    children: () => [
      ...items.map(documentRow),
      ...(items.length < total ? [moreRow(row, items.length, total)] : []),
    ],
  };

  function documentRow(document: UnparsedDocument): Row {
    const { path, reason, sizeBytes } = document;
    const file = fileOf(document);
    const uri = vscode.Uri.file(file ?? `/${path}`);
    return {
      id: `${row.id}/${path}`,
      parent: row,
      item: () => ({
        label: path,
        description: `${reasonText(reason)} · ${size(sizeBytes)}`,
        tooltip: file ?? `${repository}/${path}`,
        resourceUri: uri,
        iconPath: vscode.ThemeIcon.File,
      }),
      ...(file === undefined ? {} : { run: () => vscode.commands.executeCommand("vscode.open", uri) }),
    };
  }
  return [row];
}

/** Only the first page is listed: a long list has one cause, which its first documents show. */
function moreRow(parent: Row, shown: number, total: number): Row {
  return {
    id: `${parent.id}/more`,
    parent,
    item: () => ({
      label: vscode.l10n.t("{0} more", count(total - shown)),
      iconPath: new vscode.ThemeIcon("ellipsis"),
    }),
  };
}

function reasonText(reason: UnparsedDocument["reason"]): string {
  switch (reason) {
    case "tooLarge":
      return vscode.l10n.t("too large to parse");
    case "tooSlow":
      return vscode.l10n.t("takes too long to parse");
    case "crashed":
      return vscode.l10n.t("cannot be parsed");
  }
}

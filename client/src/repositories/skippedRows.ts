/** Rows of the Repositories view: documents whose text is not indexed, grouped by reason. */
import * as vscode from "vscode";
import { count, size } from "#client/workbench/format";
import type { Row } from "#client/workbench/rows";
import type { SkippedDocument } from "#contract/repositories";
import type { Page } from "#contract/service";

export interface SkippedSource {
  /** Returns a page of the skipped documents of one repository, or of all. */
  readonly skipped: (page: number, repository: string | undefined) => Promise<Page<SkippedDocument>>;
  /** Returns the absolute path of a document in a clone with a working tree. */
  readonly fileOf: (document: Pick<SkippedDocument, "repoId" | "path">) => string | undefined;
  /** Redraws a row after more was loaded. */
  readonly show: (row: Row) => void;
}

/** How many pages to load at a time. Only loaded documents are grouped by reason. */
const pagesPerLoad = 5;
/** The service's own limit on the file size, in KB. */
const maxFileSizeKb = 32_768;

/**
 * Returns one row with the count, or none if nothing is skipped. `repository` is absent for the documents of all
 * repositories.
 */
export function skippedRows(
  repository: string | undefined,
  total: () => number,
  parent: Row | undefined,
  source: SkippedSource,
): Row[] {
  if (total() === 0) return [];
  let loaded: SkippedDocument[] = [];
  let known = total();
  let nextPage = 1;
  const load = async () => {
    for (let pages = 0; pages < pagesPerLoad && loaded.length < known; pages++) {
      const page = await source.skipped(nextPage++, repository);
      loaded.push(...page.items);
      known = page.items.length === 0 ? loaded.length : page.total;
    }
  };
  const row: Row = {
    id: `${parent?.id ?? ""}/skipped`,
    ...(parent === undefined ? {} : { parent }),
    ...(repository === undefined ? {} : { repository }),
    item: () => ({
      label: vscode.l10n.t("Skipped files"),
      description: count(total()),
      tooltip: vscode.l10n.t("Found by name only."),
      iconPath: new vscode.ThemeIcon("circle-slash"),
      collapsibleState: vscode.TreeItemCollapsibleState.Collapsed,
    }),
    async children() {
      if (known !== total()) [loaded, known, nextPage] = [[], total(), 1];
      if (loaded.length === 0) await load();
      const reasons = new Set(loaded.map(({ reason }) => reason));
      return [
        ...[...reasons].map((reason) =>
          reasonRow(
            reason,
            loaded.filter((each) => each.reason === reason),
          ),
        ),
        ...(loaded.length < known ? [moreRow()] : []),
      ];
    },
  };

  function reasonRow(reason: SkippedDocument["reason"], documents: readonly SkippedDocument[]): Row {
    const group: Row = {
      id: `${row.id}/${reason}`,
      parent: row,
      item: () => ({
        label: reasonText(reason),
        description: count(documents.length),
        collapsibleState: vscode.TreeItemCollapsibleState.Collapsed,
      }),
      children: () => [
        ...fixRows(reason, documents, group),
        ...documents.map((document) => documentRow(document, group)),
      ],
    };
    return group;
  }

  function documentRow(document: SkippedDocument, group: Row): Row {
    const { repoId, repoName, path, sizeBytes } = document;
    const file = source.fileOf(document);
    const uri = vscode.Uri.file(file ?? `/${path}`);
    const details = [
      repository === undefined ? repoName : undefined,
      sizeBytes === undefined ? undefined : size(sizeBytes),
    ];
    return {
      id: `${group.id}/${repoId}/${path}`,
      parent: group,
      item: () => ({
        label: path,
        description: details.filter((detail) => detail !== undefined).join(" · "),
        tooltip: file ?? `${repoName}/${path}`,
        resourceUri: uri,
        iconPath: vscode.ThemeIcon.File,
      }),
      ...(file === undefined ? {} : { run: () => vscode.commands.executeCommand("vscode.open", uri) }),
    };
  }

  function moreRow(): Row {
    return {
      id: `${row.id}/more`,
      parent: row,
      item: () => ({
        label: vscode.l10n.t("Load More"),
        description: vscode.l10n.t("{0} of {1}", count(loaded.length), count(known)),
        iconPath: new vscode.ThemeIcon("ellipsis"),
      }),
      run: () => load().then(() => source.show(row)),
    };
  }
  return [row];
}

/** Returns a row with the setting that would get the documents indexed, if there is one. */
function fixRows(
  reason: SkippedDocument["reason"],
  documents: readonly SkippedDocument[],
  parent: Row,
): Row[] {
  const row = (label: string, description: string, run: () => unknown): Row[] => [
    {
      id: `${parent.id}/fix`,
      parent,
      item: () => ({ label, description, iconPath: new vscode.ThemeIcon("settings-gear") }),
      run,
    },
  ];
  if (reason === "excluded") {
    return row(vscode.l10n.t("Change Settings"), "trawl.index.exclude", () =>
      vscode.commands.executeCommand("workbench.action.openSettings", "trawl.index.exclude"),
    );
  }
  if (reason !== "tooLarge") return [];
  const largest = Math.max(...documents.map(({ sizeBytes = 0 }) => sizeBytes));
  const limit = Math.min(maxFileSizeKb, Math.ceil(largest / 1024));
  return row(vscode.l10n.t("Index Anyway"), vscode.l10n.t("up to {0}", size(limit * 1024)), () =>
    vscode.workspace
      .getConfiguration("trawl")
      .update("index.maxFileSize", limit, vscode.ConfigurationTarget.Global),
  );
}

function reasonText(reason: SkippedDocument["reason"]): string {
  switch (reason) {
    case "tooLarge":
      return vscode.l10n.t("Over the size limit");
    case "binary":
      return vscode.l10n.t("Binary");
    case "notText":
      return vscode.l10n.t("Not text");
    case "tooManyTrigrams":
      return vscode.l10n.t("Too many distinct character sequences, as in packed data");
    case "missing":
      return vscode.l10n.t("Not in this clone");
    case "excluded":
      return vscode.l10n.t("Excluded by your settings");
    case "unreadable":
      return vscode.l10n.t("Unreadable");
  }
}

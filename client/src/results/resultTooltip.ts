/** Tooltips of results: the lines around a match, and what its rank is based on. */
import * as vscode from "vscode";
import type { Snapshots } from "#client/documents/snapshots";
import type { Repositories } from "#client/model/repositories";
import { codeBlock } from "#client/text/markdown";
import { visible } from "#client/text/visible";
import { ago } from "#client/workbench/format";
import type { RepositoryItem } from "#contract/repositories";
import type { FileMatch } from "#contract/search";
import { hasSnapshot, snapshotOf } from "./opener";
import type { ResultLocations } from "./resultLocations";
import type { RepositoryNode, ResultNode } from "./resultNodes";
import { rankOf } from "./resultOrder";

const { t } = vscode.l10n;
const contextLines = 2;
const charactersInLine = 300;

export function resultTooltips(
  snapshots: Pick<Snapshots, "source">,
  locations: ResultLocations,
  repositories: Pick<Repositories, "items">,
) {
  return async (
    node: ResultNode,
    token: vscode.CancellationToken,
  ): Promise<vscode.MarkdownString | undefined> => {
    if (node.kind === "repository") return repositoryText(node, repositories.items?.get(node.repositoryId));
    if (node.kind === "commit") return new vscode.MarkdownString().appendText(visible(node.commit.message));
    if (node.kind !== "line" && node.kind !== "file") return undefined;
    const { file } = node.kind === "line" ? node.parent : node;
    const text = new vscode.MarkdownString();
    if (node.kind === "line") {
      const lines = await around(file, node.line.lineNumber, snapshots, locations, token);
      text.appendMarkdown(codeBlock(lines ?? node.line.text.slice(0, charactersInLine), file.language));
    }
    const parts = [visible(`${file.repository} › ${file.fileName.text}`), file.language];
    text.appendText(parts.filter((part) => part !== "").join(" · "));
    text.appendMarkdown("\n\n");
    text.appendText(reasonText(file));
    return text;
  };
}

/** "github.com/acme/api · indexed 3 min ago" */
function repositoryText({ name }: RepositoryNode, item: RepositoryItem | undefined): vscode.MarkdownString {
  const age = item?.indexedAt === undefined ? "" : t("indexed {0}", ago(Date.parse(item.indexedAt)));
  const source = item?.server === undefined ? "" : t("on the team server {0}", item.server);
  const parts = [visible(name), source, age].filter((part) => part !== "");
  return new vscode.MarkdownString().appendText(parts.join(" · "));
}

/** "Ranked by: file name, whole word", strongest signal first. */
function reasonText(file: FileMatch): string {
  const { signals, weight, score } = rankOf(file);
  if (score === 0) return "";
  const reasons = signals.map(({ name }) => signalText(name)).join(", ");
  return weight === 1
    ? t("Ranked by: {0}", reasons)
    : t("Ranked by: {0}; lower because of the kind of file", reasons);
}

function signalText(name: string): string {
  switch (name) {
    case "edges":
      return t("whole word");
    case "name":
      return t("file name");
    case "definition":
      return t("definition");
    case "near":
      return t("words close together");
    case "count":
      return t("number of matches");
    case "repository":
      return t("open or recent repository");
    default:
      return name;
  }
}

/** Returns a line with its context as it was found; `undefined` if the text cannot be read. */
async function around(
  file: FileMatch,
  lineNumber: number,
  snapshots: Pick<Snapshots, "source">,
  locations: ResultLocations,
  token: vscode.CancellationToken,
): Promise<string | undefined> {
  try {
    const text = hasSnapshot(file)
      ? (await snapshots.source(snapshotOf(file))).source
      : await localText(file, locations, token);
    const lines = text
      ?.split(/\r?\n/)
      .slice(Math.max(0, lineNumber - 1 - contextLines), lineNumber + contextLines);
    return lines?.map((line) => line.slice(0, charactersInLine)).join("\n");
  } catch {
    return undefined;
  }
}

async function localText(
  file: FileMatch,
  locations: ResultLocations,
  token: vscode.CancellationToken,
): Promise<string | undefined> {
  const { path, state } = await locations.locate(file, [], token);
  if (path === undefined || state !== "same") return undefined;
  const open = vscode.workspace.textDocuments.find(
    ({ uri }) => uri.scheme !== "trawl" && uri.fsPath === path,
  );
  if (open !== undefined) return open.getText();
  return new TextDecoder().decode(await vscode.workspace.fs.readFile(vscode.Uri.file(path)));
}

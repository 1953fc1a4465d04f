/** What a row says when one stays on it: the lines around it, and why it is where it is. */
import * as vscode from "vscode";
import type { Snapshots } from "#client/files/snapshots";
import type { FileMatch } from "#contract/search";
import { codeBlock, visible } from "./resultLines";
import type { ResultNode } from "./resultNodes";
import { rankOf } from "./resultOrder";
import type { ResultPlaces } from "./resultPlaces";
import { hasSnapshot, snapshotOf } from "./reveal";

const { t } = vscode.l10n;
const linesAround = 2;
const charactersInLine = 300;

export function resultTooltips(snapshots: Pick<Snapshots, "source">, places: ResultPlaces) {
  return async (
    node: ResultNode,
    token: vscode.CancellationToken,
  ): Promise<vscode.MarkdownString | undefined> => {
    if (node.kind !== "line" && node.kind !== "file") return undefined;
    const { file } = node.kind === "line" ? node.parent : node;
    const text = new vscode.MarkdownString();
    if (node.kind === "line") {
      const lines = await around(file, node.line.lineNumber, snapshots, places, token);
      text.appendMarkdown(codeBlock(lines ?? node.line.text.slice(0, charactersInLine), file.language));
    }
    text.appendText(visible(`${file.repository} › ${file.fileName.text}`));
    text.appendMarkdown("\n\n");
    text.appendText(reasonText(file));
    return text;
  };
}

/** "Ranked here because: whole word 500, file name 4,000; tests count 0.6 times." */
function reasonText(file: FileMatch): string {
  const { signals, weight, score } = rankOf(file);
  if (score === 0) return "";
  const reasons = signals.map(
    ({ name, worth }) => `${signalText(name)} ${Math.round(worth).toLocaleString()}`,
  );
  const counts = weight === 1 ? "" : t("; this kind of file counts {0} times", weight);
  return t("Ranked by: {0}", reasons.join(", ")) + counts;
}

function signalText(name: string): string {
  switch (name) {
    case "edges":
      return t("whole word");
    case "name":
      return t("file name");
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

/** The lines around one, as they were found; `undefined` where they cannot be had. */
async function around(
  file: FileMatch,
  lineNumber: number,
  snapshots: Pick<Snapshots, "source">,
  places: ResultPlaces,
  token: vscode.CancellationToken,
): Promise<string | undefined> {
  try {
    const text = hasSnapshot(file)
      ? (await snapshots.source(snapshotOf(file))).source
      : await localText(file, places, token);
    const lines = text
      ?.split(/\r?\n/)
      .slice(Math.max(0, lineNumber - 1 - linesAround), lineNumber + linesAround);
    return lines?.map((line) => line.slice(0, charactersInLine)).join("\n");
  } catch {
    return undefined;
  }
}

async function localText(
  file: FileMatch,
  places: ResultPlaces,
  token: vscode.CancellationToken,
): Promise<string | undefined> {
  const { path, state } = await places.locate(file, [], token);
  if (path === undefined || state !== "same") return undefined;
  const open = vscode.workspace.textDocuments.find(
    ({ uri }) => uri.scheme !== "trawl" && uri.fsPath === path,
  );
  if (open !== undefined) return open.getText();
  return new TextDecoder().decode(await vscode.workspace.fs.readFile(vscode.Uri.file(path)));
}

/** Places of names as the service found them, and where an editor opens them. */
import * as vscode from "vscode";
import { snapshotDocument } from "#client/files/snapshots";
import { utf16Offset } from "#client/search/resultLines";
import type { Certainty, FoundSymbol, SymbolFile, SymbolMatch } from "#contract/symbols";

/** What tells where a file can be opened. */
export type OpenableFile = Pick<SymbolFile, "repository" | "fileName" | "commit" | "localPath">;

/** The file on this computer where it holds the same text, else the file at its commit. */
export function fileUri(file: OpenableFile): vscode.Uri {
  return file.localPath === undefined ? snapshotUriOf(file) : vscode.Uri.file(file.localPath);
}

function snapshotUriOf({ repository, commit = "", fileName: path }: OpenableFile): vscode.Uri {
  return snapshotDocument({ repository, commit, path });
}

/** The name, in UTF-16 units. */
export function rangeOf({ lineContent, range }: Pick<SymbolMatch, "lineContent" | "range">): vscode.Range {
  const { start, end } = range;
  const line = start.lineNumber - 1;
  return new vscode.Range(
    line,
    utf16Offset(lineContent, start.column),
    line,
    utf16Offset(lineContent, end.column),
  );
}

export function locationOf(file: OpenableFile, match: SymbolMatch): vscode.Location {
  return new vscode.Location(fileUri(file), rangeOf(match));
}

export interface HowToShow {
  readonly toSide?: boolean;
  /** As it stands in its commit, also where the file is on this computer. */
  readonly isSnapshot?: boolean;
}

export async function showPlace(
  file: OpenableFile,
  match: Pick<SymbolMatch, "lineContent" | "range">,
  { toSide = false, isSnapshot = false }: HowToShow = {},
): Promise<void> {
  await vscode.commands.executeCommand("vscode.open", isSnapshot ? snapshotUriOf(file) : fileUri(file), {
    selection: rangeOf(match),
    preview: false,
    viewColumn: toSide ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active,
  });
}

export function hasSnapshot({ origin, commit }: Pick<FoundSymbol, "origin" | "commit">): boolean {
  return origin === "commit" && commit !== undefined;
}

export interface FoundPlace {
  readonly file: SymbolFile;
  readonly match: SymbolMatch;
}

/** All places; without those of the same name only, where there are surer ones. */
export function surePlaces(files: readonly SymbolFile[]): { sure: FoundPlace[]; left: number } {
  const all = files.flatMap((file) => file.matches.map((match) => ({ file, match })));
  const isSure = ({ certainty = "name" }: { certainty?: Certainty | undefined }) => certainty !== "name";
  const sure = all.filter(({ match }) => isSure(match));
  return sure.length === 0 ? { sure: all, left: 0 } : { sure, left: all.length - sure.length };
}

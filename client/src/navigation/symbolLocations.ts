/** Locations of symbols, and how an editor opens them. */
import * as vscode from "vscode";
import { snapshotDocument } from "#client/documents/snapshots";
import { utf16Offset } from "#client/text/columns";
import type { Certainty, FoundSymbol, SymbolFile, SymbolMatch } from "#contract/symbols";

/** What is needed to open a file. */
export type OpenableFile = Pick<SymbolFile, "repository" | "fileName" | "commit" | "localPath">;

/** Returns the file on this computer if it has the same text, else the file at its commit. */
export function fileUri(file: OpenableFile): vscode.Uri {
  return file.localPath === undefined ? snapshotUriOf(file) : vscode.Uri.file(file.localPath);
}

function snapshotUriOf({ repository, commit = "", fileName: path }: OpenableFile): vscode.Uri {
  return snapshotDocument({ repository, commit, path });
}

/** Returns the range of the name, in UTF-16 units. */
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

export interface OpenLocationOptions {
  readonly toSide?: boolean;
  /** Whether to open the file at its commit, even if it is on this computer. */
  readonly isSnapshot?: boolean;
}

export async function openLocation(
  file: OpenableFile,
  match: Pick<SymbolMatch, "lineContent" | "range">,
  { toSide = false, isSnapshot = false }: OpenLocationOptions = {},
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

export interface SymbolLocation {
  readonly file: SymbolFile;
  readonly match: SymbolMatch;
}

/** Returns all locations; drops those that only share the name if there are more confident ones, and counts them. */
export function confidentLocations(files: readonly SymbolFile[]): {
  confident: SymbolLocation[];
  dropped: number;
} {
  const all = files.flatMap((file) => file.matches.map((match) => ({ file, match })));
  const isConfident = ({ certainty = "name" }: { certainty?: Certainty | undefined }) => certainty !== "name";
  const confident = all.filter(({ match }) => isConfident(match));
  return confident.length === 0
    ? { confident: all, dropped: 0 }
    : { confident, dropped: all.length - confident.length };
}

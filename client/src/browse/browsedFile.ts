/** Resolves the argument of a browse command to a file and its lines. */
import * as vscode from "vscode";
import type { IndexedFile, IndexedFiles } from "#client/documents/indexedFiles";
import { type LinkedLines, linesOfSelection } from "#client/documents/revisionTitle";
import type { ResultNode } from "#client/results/resultNodes";
import type { ServiceClient } from "#client/server/serviceClient";
import { committedLineRange, committedLines, lineOrigins, mapLine } from "#client/text/lineOrigins";
import type { FileSource } from "#contract/history";
import type { SnapshotLocation } from "#contract/snapshotUri";

/** What menus, links and other features pass to a command; absent from the Command Palette. */
export type CommandArgument = vscode.Uri | LocationArgument | ResultNode;

interface LocationArgument {
  readonly repository: string;
  readonly ref?: string;
  readonly path?: string;
}

export interface BrowsedFile extends IndexedFile {
  /** The document that the command was invoked on. */
  readonly uri?: vscode.Uri;
  /** An editor of that document; its selection determines the lines. */
  readonly editor?: vscode.TextEditor;
  /** The lines of a search result, which has no editor. */
  readonly lines?: LinkedLines;
}

/** Returns `undefined` for files outside indexed repositories and for anything but files. Rejects with a `CallError`. */
export async function browsedFile(
  files: Pick<IndexedFiles, "find">,
  argument: CommandArgument | undefined,
): Promise<BrowsedFile | undefined> {
  const active = vscode.window.activeTextEditor;
  if (argument !== undefined && !(argument instanceof vscode.Uri)) {
    return "kind" in argument ? fileOfResult(argument) : fileOfRow(argument);
  }
  const uri = argument ?? active?.document.uri;
  const file = uri && (await files.find(uri));
  if (uri === undefined || file === undefined) return undefined;
  const editor = [active, ...vscode.window.visibleTextEditors].find(
    (each) => each?.document.uri.toString() === uri.toString(),
  );
  return { ...file, uri, ...(editor === undefined ? {} : { editor }) };
}

function fileOfRow({ repository, ref, path }: LocationArgument): BrowsedFile | undefined {
  if (path === undefined) return undefined;
  return { repository, path, ...(ref === undefined || ref === "HEAD" ? {} : { commit: ref }) };
}

function fileOfResult(node: ResultNode): BrowsedFile | undefined {
  const owner = node.kind === "line" ? node.parent : node;
  if (owner.kind !== "file") return undefined;
  const { repository, fileName, commit } = owner.file;
  const lines =
    node.kind === "line" ? { lines: { first: node.line.lineNumber, last: node.line.lineNumber } } : {};
  return { repository, path: fileName.text, ...(commit === "" ? {} : { commit }), ...lines };
}

/** Fetches the committed version of a file: of a local file, that of HEAD. Rejects with a `CallError`. */
export function committedFile(
  service: Pick<ServiceClient, "call">,
  { repository, path, commit }: IndexedFile,
): Promise<FileSource> {
  return service.call("source", { repo: repository, path, ref: commit ?? "HEAD" });
}

/** Returns the selected lines, mapped to the committed text and numbered as git does. */
export function selectedLines(
  { source }: FileSource,
  { editor, lines }: BrowsedFile,
): LinkedLines | undefined {
  if (editor === undefined) return lines;
  const { start, end } = editor.selection;
  const { first, last } = linesOfSelection(start, end);
  const committed = committedLines(source);
  const shown = shownLines(editor);
  const numberOf = (line: number) => committed.numbers[mapLine(line - 1, shown, committed.lines)] ?? 1;
  return { first: numberOf(first), last: Math.max(numberOf(first), numberOf(last)) };
}

/** Returns the range of selected lines that are committed; `undefined` for none. */
export function selectedCommittedLines(
  { source }: FileSource,
  { editor }: BrowsedFile,
): LinkedLines | undefined {
  if (editor === undefined) return undefined;
  const { start, end } = editor.selection;
  const { first, last } = linesOfSelection(start, end);
  const committed = committedLines(source);
  const origins = lineOrigins(committed.lines, shownLines(editor));
  return committedLineRange(committed, origins, { first: first - 1, last: last - 1 });
}

/** Maps the cursor's line to another version of the text; `undefined` without an editor. */
export function mapCursor(text: string, { editor }: BrowsedFile): vscode.Range | undefined {
  if (editor === undefined) return undefined;
  const line = mapLine(editor.selection.active.line, shownLines(editor), committedLines(text).lines);
  return new vscode.Range(line, 0, line, 0);
}

export function locationOfSource({ repo, commit, path }: FileSource): SnapshotLocation {
  return { repository: repo, commit, path };
}

function shownLines({ document }: vscode.TextEditor): readonly string[] {
  return committedLines(document.getText()).lines;
}

/** The file that a command of browsing is about, whatever it was invoked on. */
import * as vscode from "vscode";
import { committedLines, committedStretch, lineOrigins, sameLine } from "#client/history/lineOrigins";
import type { ResultNode } from "#client/search/resultNodes";
import type { ServiceClient } from "#client/serviceClient";
import type { FileSource } from "#contract/history";
import type { SnapshotPlace } from "#contract/snapshotUri";
import type { IndexedFile, IndexedFiles } from "./indexedFiles";
import { type LinkedLines, linesOfSelection } from "./revisionTitle";

/** What menus, links and other features hand to a command; from the palette it is nothing. */
export type Given = vscode.Uri | GivenPlace | ResultNode;

interface GivenPlace {
  readonly repository: string;
  readonly ref?: string;
  readonly path?: string;
}

export interface BrowsedFile extends IndexedFile {
  /** The document that it was asked for in. */
  readonly uri?: vscode.Uri;
  /** Where that is open: it knows the lines that are meant. */
  readonly editor?: vscode.TextEditor;
  /** Lines that are meant, where no editor is open. */
  readonly lines?: LinkedLines;
}

/** `undefined` for what belongs to no repository, and for what is no file. Rejects with a `CallError`. */
export async function browsedFile(
  files: Pick<IndexedFiles, "find">,
  given: Given | undefined,
): Promise<BrowsedFile | undefined> {
  const active = vscode.window.activeTextEditor;
  if (given !== undefined && !(given instanceof vscode.Uri)) {
    return "kind" in given ? fileOfResult(given) : fileOfRow(given);
  }
  const uri = given ?? active?.document.uri;
  const file = uri && (await files.find(uri));
  if (uri === undefined || file === undefined) return undefined;
  const editor = [active, ...vscode.window.visibleTextEditors].find(
    (each) => each?.document.uri.toString() === uri.toString(),
  );
  return { ...file, uri, ...(editor === undefined ? {} : { editor }) };
}

function fileOfRow({ repository, ref, path }: GivenPlace): BrowsedFile | undefined {
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

/** The committed text behind a file. Of a local file that is the last commit's. Rejects with a `CallError`. */
export function committedFile(
  service: Pick<ServiceClient, "call">,
  { repository, path, commit }: IndexedFile,
): Promise<FileSource> {
  return service.call("source", { repo: repository, path, ref: commit ?? "HEAD" });
}

/** The lines that are meant, as git counts them in `source`. */
export function linesIn({ source }: FileSource, { editor, lines }: BrowsedFile): LinkedLines | undefined {
  if (editor === undefined) return lines;
  const { start, end } = editor.selection;
  const { first, last } = linesOfSelection(start, end);
  const committed = committedLines(source);
  const shown = shownLines(editor);
  const numberOf = (line: number) => committed.numbers[sameLine(line - 1, shown, committed.lines)] ?? 1;
  return { first: numberOf(first), last: Math.max(numberOf(first), numberOf(last)) };
}

/** Those of them that are committed; `undefined` for none. */
export function committedLinesIn({ source }: FileSource, { editor }: BrowsedFile): LinkedLines | undefined {
  if (editor === undefined) return undefined;
  const { start, end } = editor.selection;
  const { first, last } = linesOfSelection(start, end);
  const committed = committedLines(source);
  const origins = lineOrigins(committed.lines, shownLines(editor));
  return committedStretch(committed, origins, { first: first - 1, last: last - 1 });
}

/** Where the cursor's line stands in another text; `undefined` where there is no cursor. */
export function cursorIn(text: string, { editor }: BrowsedFile): vscode.Range | undefined {
  if (editor === undefined) return undefined;
  const line = sameLine(editor.selection.active.line, shownLines(editor), committedLines(text).lines);
  return new vscode.Range(line, 0, line, 0);
}

export function placeOfSource({ repo, commit, path }: FileSource): SnapshotPlace {
  return { repository: repo, commit, path };
}

function shownLines({ document }: vscode.TextEditor): readonly string[] {
  return committedLines(document.getText()).lines;
}

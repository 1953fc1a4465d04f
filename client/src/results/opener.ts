/**
 * Opens results in an editor.
 *
 * Prefers the editable file of a clone, including unsaved changes, at the current position of the line. Without a clone
 * it opens the file as it was indexed.
 */
import * as vscode from "vscode";
import { snapshotDocument } from "#client/documents/snapshots";
import { setContext } from "#client/workbench/commands";
import { setting } from "#client/workbench/settings";
import type { FileMatch } from "#contract/search";
import { linesOf, type ResultLine } from "./resultLines";
import { type CurrentLocation, nearestLineWith, type ResultLocations } from "./resultLocations";

export interface OpenOptions {
  /** Whether to leave the focus where it is. */
  readonly preserveFocus?: boolean;
  /** Whether to open a preview editor. */
  readonly preview?: boolean;
  readonly toSide?: boolean;
  /** Default: `trawl.search.openTarget`. */
  readonly target?: "local" | "snapshot";
}

/** What to open for a result. */
export interface OpenTarget {
  readonly uri: vscode.Uri;
  /** Absent for a binary file. */
  readonly document: vscode.TextDocument | undefined;
  readonly selection?: vscode.Range;
}

/** If a line is gone, the nearest of this many lines on each side that still exists is shown. */
const linesAround = 20;

export class Opener {
  readonly #locations: ResultLocations;
  #running: vscode.CancellationTokenSource | undefined;
  /** What was opened last. */
  #opened: OpenTarget | undefined;

  constructor(locations: ResultLocations) {
    this.#locations = locations;
  }

  /**
   * Opens `line`, by default the first match, and cancels a previous call. Returns the URI that it opened, or undefined
   * if the text no longer exists anywhere. Rejects with a `CallError`.
   */
  async open(
    file: FileMatch,
    line: ResultLine | undefined,
    options: OpenOptions = {},
  ): Promise<vscode.Uri | undefined> {
    this.#running?.cancel();
    const source = new vscode.CancellationTokenSource();
    this.#running = source;
    try {
      return await this.#open(file, line ?? linesOf(file)[0], options, source.token);
    } finally {
      source.dispose();
      if (this.#running === source) this.#running = undefined;
    }
  }

  /** Opens the line of a match; `range` is its index among the ranges of all chunks of the file. */
  async openRange(file: FileMatch, range: number, options: OpenOptions = {}): Promise<void> {
    const found = file.chunks.flatMap(({ matchRanges }) => matchRanges)[range];
    const line = linesOf(file).find(({ lineNumber }) => lineNumber === found?.start.lineNumber);
    await this.open(file, line, options);
    // It is not a result of the query in the box.
    this.#opened = undefined;
  }

  /** Whether the selection of this editor is the match that was opened last, not one that the user made. */
  hasOpened({ document, selection }: vscode.TextEditor): boolean {
    const opened = this.#opened;
    return document === opened?.document && opened.selection?.isEqual(selection) === true;
  }

  /** Cancels a running `open`. */
  cancel(): void {
    this.#running?.cancel();
  }

  /** Returns what to open; `undefined` if the text no longer exists anywhere. Rejects with a `CallError`. */
  async find(
    file: FileMatch,
    line: ResultLine | undefined,
    target: OpenOptions["target"],
    token: vscode.CancellationToken,
  ): Promise<OpenTarget | undefined> {
    const isLocal = (target ?? setting("search.openTarget")) === "local" || !hasSnapshot(file);
    const lines = line === undefined ? [] : [line.lineNumber];
    const current = isLocal ? await this.#locations.locate(file, lines, token) : undefined;
    if (current?.path !== undefined && (current.state === "same" || current.state === "changed")) {
      const uri = vscode.Uri.file(current.path);
      const document = await textDocument(uri);
      if (document === undefined || line === undefined) return { uri, document };
      const lineNumber = await this.#currentLine(file, line, current, document, token);
      return { uri, document, selection: selectionIn(document, line, lineNumber) };
    }
    if (!hasSnapshot(file)) return undefined;
    const uri = snapshotDocument(snapshotOf(file));
    const document = await textDocument(uri);
    if (document === undefined || line === undefined) return { uri, document };
    return { uri, document, selection: selectionIn(document, line, line.lineNumber) };
  }

  async #open(
    file: FileMatch,
    line: ResultLine | undefined,
    options: OpenOptions,
    token: vscode.CancellationToken,
  ): Promise<vscode.Uri | undefined> {
    const found = await this.find(file, line, options.target, token);
    if (token.isCancellationRequested) throw new vscode.CancellationError();
    if (found === undefined) {
      const text = vscode.l10n.t("{0} no longer exists.", file.fileName.text);
      vscode.window.setStatusBarMessage(text, 5000);
      return undefined;
    }
    setContext("trawl.openedResult", true);
    this.#opened = found;
    const { uri, document, selection } = found;
    if (document === undefined) {
      await vscode.commands.executeCommand("vscode.open", uri, columnOf(options));
      return uri;
    }
    await vscode.window.showTextDocument(document, {
      viewColumn: columnOf(options),
      preserveFocus: options.preserveFocus ?? false,
      preview: options.preview ?? false,
      ...(selection === undefined ? {} : { selection }),
    });
    return uri;
  }

  async #currentLine(
    file: FileMatch,
    line: ResultLine,
    current: CurrentLocation,
    document: vscode.TextDocument,
    token: vscode.CancellationToken,
  ): Promise<number> {
    const { lineNumber, text } = line;
    const now = current.lines.get(lineNumber) ?? nearestLineWith(document, text, lineNumber);
    if (now !== undefined) return now;
    const around = Array.from({ length: linesAround }, (_, index) => [
      lineNumber - index - 1,
      lineNumber + index + 1,
    ])
      .flat()
      .filter((near) => near > 0);
    const { lines } = await this.#locations.locate(file, [lineNumber, ...around], token);
    return around.map((near) => lines.get(near)).find((near) => near != null) ?? lineNumber;
  }
}

/** Whether the matched text is in a commit. */
export function hasSnapshot({ origin, commit }: FileMatch): boolean {
  return origin === "commit" && commit !== "";
}

export function snapshotOf({ repository, commit, fileName }: FileMatch) {
  return { repository, commit, path: fileName.text };
}

/** Returns the range of the line's first match at its current line, or the start of that line if the match is gone. */
function selectionIn(
  document: vscode.TextDocument,
  { text, matches }: ResultLine,
  lineNumber: number,
): vscode.Range {
  const line = document.lineAt(Math.min(Math.max(1, lineNumber), document.lineCount) - 1);
  const [start, end] = matches[0] ?? [0, 0];
  const found = text.slice(start, end);
  const offset = line.text === text ? start : found === "" ? -1 : nearestIndexOf(line.text, found, start);
  const begin = offset < 0 ? line.firstNonWhitespaceCharacterIndex : offset;
  const row = line.range.start.line;
  return new vscode.Range(row, begin, row, offset < 0 ? begin : begin + found.length);
}

function nearestIndexOf(text: string, part: string, near: number): number {
  const before = text.lastIndexOf(part, near);
  const after = text.indexOf(part, near);
  if (before < 0 || after < 0) return Math.max(before, after);
  return near - before <= after - near ? before : after;
}

/** Opens a document; returns `undefined` for a binary file. */
async function textDocument(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch {
    return undefined;
  }
}

function columnOf({ toSide }: OpenOptions): vscode.ViewColumn {
  return toSide === true ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
}

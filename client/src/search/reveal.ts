/**
 * From a result to an editor.
 *
 * The editable file of a clone comes first, with what is unsaved in it and at the place where the line is now; where
 * there is none, the file as it was indexed.
 */
import * as vscode from "vscode";
import { setContext } from "#client/commands";
import { snapshotDocument } from "#client/files/snapshots";
import { setting } from "#client/settings";
import type { FileMatch } from "#contract/search";
import { linesOf, type ResultLine } from "./resultLines";
import { type FilePlace, lineWith, type ResultPlaces } from "./resultPlaces";

export interface HowToOpen {
  /** `true`: the keyboard stays where it is. */
  readonly preserveFocus?: boolean;
  /** `true`: in the editor that the next one replaces. */
  readonly preview?: boolean;
  readonly toSide?: boolean;
  /** Absent: as the setting says. */
  readonly target?: "local" | "snapshot";
}

/** Where a result can be looked at. */
export interface FoundText {
  readonly uri: vscode.Uri;
  /** Absent for a file that is no text. */
  readonly document: vscode.TextDocument | undefined;
  readonly selection?: vscode.Range;
}

/** Lines around one that is gone, of which the nearest that is left is shown. */
const linesAround = 20;

export class Opener {
  readonly #places: ResultPlaces;
  #running: vscode.CancellationTokenSource | undefined;

  constructor(places: ResultPlaces) {
    this.#places = places;
  }

  /** `line` absent: the first one found. What was being opened before is given up. Rejects with a `CallError`. */
  async open(file: FileMatch, line: ResultLine | undefined, how: HowToOpen = {}): Promise<void> {
    this.#running?.cancel();
    const source = new vscode.CancellationTokenSource();
    this.#running = source;
    try {
      await this.#open(file, line ?? linesOf(file)[0], how, source.token);
    } finally {
      source.dispose();
      if (this.#running === source) this.#running = undefined;
    }
  }

  /** `range` counts the ranges of all chunks of the file. */
  async openRange(file: FileMatch, range: number, how: HowToOpen = {}): Promise<void> {
    const found = file.chunks.flatMap(({ matchRanges }) => matchRanges)[range];
    const line = linesOf(file).find(({ lineNumber }) => lineNumber === found?.start.lineNumber);
    await this.open(file, line, how);
  }

  /** Gives up what is being opened. */
  cancel(): void {
    this.#running?.cancel();
  }

  /** `undefined` where the text is nowhere any more. Rejects with a `CallError`. */
  async find(
    file: FileMatch,
    line: ResultLine | undefined,
    target: HowToOpen["target"],
    token: vscode.CancellationToken,
  ): Promise<FoundText | undefined> {
    const isLocal = (target ?? setting("search.openTarget")) === "local" || !hasSnapshot(file);
    const lines = line === undefined ? [] : [line.lineNumber];
    const place = isLocal ? await this.#places.locate(file, lines, token) : undefined;
    if (place?.path !== undefined && (place.state === "same" || place.state === "changed")) {
      const uri = vscode.Uri.file(place.path);
      const document = await textDocument(uri);
      if (document === undefined || line === undefined) return { uri, document };
      const lineNumber = await this.#lineNow(file, line, place, document, token);
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
    how: HowToOpen,
    token: vscode.CancellationToken,
  ): Promise<void> {
    const found = await this.find(file, line, how.target, token);
    if (token.isCancellationRequested) throw new vscode.CancellationError();
    if (found === undefined) {
      const text = vscode.l10n.t("{0} is not there any more.", file.fileName.text);
      vscode.window.setStatusBarMessage(text, 5000);
      return;
    }
    setContext("trawl.openedResult", true);
    const { uri, document, selection } = found;
    if (document === undefined) {
      await vscode.commands.executeCommand("vscode.open", uri, columnOf(how));
      return;
    }
    await vscode.window.showTextDocument(document, {
      viewColumn: columnOf(how),
      preserveFocus: how.preserveFocus ?? false,
      preview: how.preview ?? false,
      ...(selection === undefined ? {} : { selection }),
    });
  }

  async #lineNow(
    file: FileMatch,
    line: ResultLine,
    place: FilePlace,
    document: vscode.TextDocument,
    token: vscode.CancellationToken,
  ): Promise<number> {
    const { lineNumber, text } = line;
    const now = place.lines.get(lineNumber) ?? lineWith(document, text, lineNumber);
    if (now !== undefined) return now;
    const around = Array.from({ length: linesAround }, (_, index) => [
      lineNumber - index - 1,
      lineNumber + index + 1,
    ])
      .flat()
      .filter((near) => near > 0);
    const { lines } = await this.#places.locate(file, [lineNumber, ...around], token);
    return around.map((near) => lines.get(near)).find((near) => near != null) ?? lineNumber;
  }
}

/** Whether git holds the text that was found. */
export function hasSnapshot({ origin, commit }: FileMatch): boolean {
  return origin === "commit" && commit !== "";
}

export function snapshotOf({ repository, commit, fileName }: FileMatch) {
  return { repository, commit, path: fileName.text };
}

/** The match of a line, where the line is now; the line's beginning where it is not in it any more. */
function selectionIn(
  document: vscode.TextDocument,
  { text, matches }: ResultLine,
  lineNumber: number,
): vscode.Range {
  const line = document.lineAt(Math.min(Math.max(1, lineNumber), document.lineCount) - 1);
  const [start, end] = matches[0] ?? [0, 0];
  const found = text.slice(start, end);
  const at = line.text === text ? start : found === "" ? -1 : nearestIndexOf(line.text, found, start);
  const begin = at < 0 ? line.firstNonWhitespaceCharacterIndex : at;
  const row = line.range.start.line;
  return new vscode.Range(row, begin, row, at < 0 ? begin : begin + found.length);
}

function nearestIndexOf(text: string, part: string, near: number): number {
  const before = text.lastIndexOf(part, near);
  const after = text.indexOf(part, near);
  if (before < 0 || after < 0) return Math.max(before, after);
  return near - before <= after - near ? before : after;
}

/** `undefined` for a file that is no text. */
async function textDocument(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch {
    return undefined;
  }
}

function columnOf({ toSide }: HowToOpen): vscode.ViewColumn {
  return toSide === true ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
}

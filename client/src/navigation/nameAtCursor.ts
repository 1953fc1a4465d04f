/** The name that the cursor is on, and from where it is asked for. */
import * as vscode from "vscode";
import { utf16Offset } from "#client/search/resultLines";
import type { ServiceClient } from "#client/serviceClient";
import type { SentOf } from "#contract/service";
import { snapshotPlace } from "#contract/snapshotUri";

type CodePlace = SentOf<"symbolAt">["place"];

export interface NameAtCursor {
  readonly name: string;
  readonly document: vscode.TextDocument;
  readonly range: vscode.Range;
  /** Absent where the document is in no repository. */
  readonly place?: CodePlace;
}

/** `undefined` where the cursor is on no word. Rejects with a `CancellationError`. */
export async function nameAtCursor(
  service: Pick<ServiceClient, "call">,
  editor: vscode.TextEditor | undefined,
): Promise<NameAtCursor | undefined> {
  if (editor === undefined) return undefined;
  const { document, selection } = editor;
  const range = document.getWordRangeAtPosition(selection.active);
  const place = placeAt(document, selection.active);
  const named = place && (await parsedName(service, document, place));
  if (named !== undefined) return { ...named, document, place: place ?? {} };
  // What is no code, or cannot be parsed, may speak of code.
  return (
    range && { name: document.getText(range), range, document, ...(place === undefined ? {} : { place }) }
  );
}

async function parsedName(
  service: Pick<ServiceClient, "call">,
  document: vscode.TextDocument,
  place: CodePlace,
) {
  try {
    const { symbol, range } = await service.call("symbolAt", { place });
    if (symbol === "" || range === undefined) return undefined;
    const line = document.lineAt(range.start.lineNumber - 1);
    const from = utf16Offset(line.text, range.start.column);
    return {
      name: symbol,
      range: new vscode.Range(line.lineNumber, from, line.lineNumber, from + symbol.length),
    };
  } catch (error) {
    if (error instanceof vscode.CancellationError) throw error;
    // A file in no repository has words, too.
    return undefined;
  }
}

/** As the service takes it; `undefined` for documents that are neither a file nor a snapshot. */
export function placeAt(document: vscode.TextDocument, position: vscode.Position): CodePlace | undefined {
  const { uri } = document;
  const before = document.lineAt(position.line).text.slice(0, position.character);
  const at = { lineNumber: position.line + 1, column: [...before].length + 1 };
  if (uri.scheme === "file") return { file: uri.fsPath, ...at };
  const snapshot = snapshotPlace(uri);
  if (snapshot === undefined || snapshot.path === "") return undefined;
  const { repository: repo, path, commit } = snapshot;
  return { repo, path, ...(commit === "" ? {} : { ref: commit }), ...at };
}

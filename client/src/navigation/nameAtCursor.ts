/** Finds the name at the cursor, and its location. */
import * as vscode from "vscode";
import type { ServiceClient } from "#client/server/serviceClient";
import { utf16Offset } from "#client/text/columns";
import type { RequestInput } from "#contract/service";
import { parseSnapshotUri } from "#contract/snapshotUri";

type CodeLocation = RequestInput<"symbolAt">["place"];

export interface NameAtCursor {
  readonly name: string;
  readonly document: vscode.TextDocument;
  readonly range: vscode.Range;
  /** Absent if the document is in no repository. */
  readonly location?: CodeLocation;
}

/** Returns `undefined` if the cursor is not on a word. Rejects with a `CancellationError`. */
export async function nameAtCursor(
  service: Pick<ServiceClient, "call">,
  editor: vscode.TextEditor | undefined,
): Promise<NameAtCursor | undefined> {
  if (editor === undefined) return undefined;
  const { document, selection } = editor;
  const range = document.getWordRangeAtPosition(selection.active);
  const location = codeLocationAt(document, selection.active);
  const named = location && (await parsedName(service, document, location));
  if (named !== undefined) return { ...named, document, location: location ?? {} };
  // Text that is not code or cannot be parsed may mention code.
  return (
    range && {
      name: document.getText(range),
      range,
      document,
      ...(location === undefined ? {} : { location }),
    }
  );
}

async function parsedName(
  service: Pick<ServiceClient, "call">,
  document: vscode.TextDocument,
  location: CodeLocation,
) {
  try {
    const { symbol, range } = await service.call("symbolAt", { place: location });
    if (symbol === "" || range === undefined) return undefined;
    const line = document.lineAt(range.start.lineNumber - 1);
    const from = utf16Offset(line.text, range.start.column);
    return {
      name: symbol,
      range: new vscode.Range(line.lineNumber, from, line.lineNumber, from + symbol.length),
    };
  } catch (error) {
    if (error instanceof vscode.CancellationError) throw error;
    // A file outside of any repository has words, too.
    return undefined;
  }
}

/** Returns a position in the form that requests use; `undefined` for documents that are neither files nor snapshots. */
export function codeLocationAt(
  document: vscode.TextDocument,
  position: vscode.Position,
): CodeLocation | undefined {
  const { uri } = document;
  const before = document.lineAt(position.line).text.slice(0, position.character);
  const lineAndColumn = { lineNumber: position.line + 1, column: [...before].length + 1 };
  if (uri.scheme === "file") return { file: uri.fsPath, ...lineAndColumn };
  const snapshot = parseSnapshotUri(uri);
  if (snapshot === undefined || snapshot.path === "") return undefined;
  const { repository: repo, path, commit } = snapshot;
  return { repo, path, ...(commit === "" ? {} : { ref: commit }), ...lineAndColumn };
}

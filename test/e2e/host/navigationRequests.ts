/** Sends navigation requests to the editor, for specs in the extension host. */
import assert from "node:assert/strict";
import * as vscode from "vscode";

/** Formats a location as `path:line`, with lines from 1. The path of a snapshot begins with its scheme. */
export function locationOf(found: vscode.Location | vscode.LocationLink): string {
  const [uri, range] = "uri" in found ? [found.uri, found.range] : [found.targetUri, found.targetRange];
  return `${uri.scheme === "file" ? uri.fsPath : uri.toString(true)}:${range.start.line + 1}`;
}

/** Returns a position inside the first occurrence of `word` in a document. */
function positionOf(document: vscode.TextDocument, word: string): vscode.Position {
  const offset = document.getText().indexOf(word);
  assert.ok(offset >= 0, word);
  return document.positionAt(offset + 1);
}

async function executeProvider<Found>(
  what: string,
  document: vscode.TextDocument,
  word: string,
): Promise<readonly Found[]> {
  const command = `vscode.execute${what}Provider`;
  return await vscode.commands.executeCommand(command, document.uri, positionOf(document, word));
}

export async function definitions(document: vscode.TextDocument, word: string): Promise<readonly string[]> {
  const found = await executeProvider<vscode.Location | vscode.LocationLink>("Definition", document, word);
  return found.map(locationOf);
}

export async function references(document: vscode.TextDocument, word: string): Promise<readonly string[]> {
  const found = await executeProvider<vscode.Location>("Reference", document, word);
  return found.map(locationOf);
}

/** Returns what calls a function, and what that calls in turn, as `name path:line`. */
export async function callers(
  document: vscode.TextDocument,
  word: string,
): Promise<{ readonly incoming: readonly string[]; readonly outgoing: readonly string[] }> {
  const [item] = await vscode.commands.executeCommand<vscode.CallHierarchyItem[]>(
    "vscode.prepareCallHierarchy",
    document.uri,
    positionOf(document, word),
  );
  const incoming = await vscode.commands.executeCommand<vscode.CallHierarchyIncomingCall[]>(
    "vscode.provideIncomingCalls",
    item,
  );
  const [caller] = incoming;
  const outgoing = await vscode.commands.executeCommand<vscode.CallHierarchyOutgoingCall[]>(
    "vscode.provideOutgoingCalls",
    caller?.from,
  );
  return {
    incoming: incoming.map(({ from }) => nameAndPlace(from)),
    outgoing: outgoing.map(({ to }) => nameAndPlace(to)),
  };
}

function nameAndPlace({ name, uri, selectionRange }: vscode.CallHierarchyItem): string {
  return `${name} ${locationOf(new vscode.Location(uri, selectionRange))}`;
}

/** Returns the text of each provider's hover. */
export async function hovers(document: vscode.TextDocument, word: string): Promise<readonly string[]> {
  const found = await executeProvider<vscode.Hover>("Hover", document, word);
  return found.map(({ contents }) =>
    contents.map((each) => (typeof each === "string" ? each : each.value)).join("\n"),
  );
}

/** Returns the top-level symbols as `name line`, with lines from 1. */
export async function outline(document: vscode.TextDocument): Promise<readonly string[]> {
  const found = await vscode.commands.executeCommand<vscode.DocumentSymbol[] | undefined>(
    "vscode.executeDocumentSymbolProvider",
    document.uri,
  );
  return (found ?? []).map(({ name, range }) => `${name} ${range.start.line + 1}`);
}

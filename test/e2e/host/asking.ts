/** What specs in the extension host ask the editor about names. */
import assert from "node:assert/strict";
import * as vscode from "vscode";

/** `path:line` from 1; a snapshot's path begins with its scheme. */
export function placeOf(found: vscode.Location | vscode.LocationLink): string {
  const [uri, range] = "uri" in found ? [found.uri, found.range] : [found.targetUri, found.targetRange];
  return `${uri.scheme === "file" ? uri.fsPath : uri.toString(true)}:${range.start.line + 1}`;
}

/** Where the first `word` of a document stands. */
function positionOf(document: vscode.TextDocument, word: string): vscode.Position {
  const offset = document.getText().indexOf(word);
  assert.ok(offset >= 0, word);
  return document.positionAt(offset + 1);
}

async function ask<Found>(
  what: string,
  document: vscode.TextDocument,
  word: string,
): Promise<readonly Found[]> {
  const command = `vscode.execute${what}Provider`;
  return await vscode.commands.executeCommand(command, document.uri, positionOf(document, word));
}

export async function definitions(document: vscode.TextDocument, word: string): Promise<readonly string[]> {
  const found = await ask<vscode.Location | vscode.LocationLink>("Definition", document, word);
  return found.map(placeOf);
}

export async function references(document: vscode.TextDocument, word: string): Promise<readonly string[]> {
  const found = await ask<vscode.Location>("Reference", document, word);
  return found.map(placeOf);
}

/** A text for each provider that has something to say. */
export async function hovers(document: vscode.TextDocument, word: string): Promise<readonly string[]> {
  const found = await ask<vscode.Hover>("Hover", document, word);
  return found.map(({ contents }) =>
    contents.map((each) => (typeof each === "string" ? each : each.value)).join("\n"),
  );
}

/** `name line` of the symbols at the top, from 1. */
export async function outline(document: vscode.TextDocument): Promise<readonly string[]> {
  const found = await vscode.commands.executeCommand<vscode.DocumentSymbol[] | undefined>(
    "vscode.executeDocumentSymbolProvider",
    document.uri,
  );
  return (found ?? []).map(({ name, range }) => `${name} ${range.start.line + 1}`);
}

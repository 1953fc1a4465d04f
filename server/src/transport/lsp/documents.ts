/** The open documents of an editor, and which of them override the files on disk in a search. */
import { readFile } from "node:fs/promises";
import { type Connection, TextDocuments } from "vscode-languageserver/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { OpenDocument } from "#contract/service";
import { fileUriToPath } from "./paths";

export interface OpenDocuments {
  /** Returns the documents that differ from their files on disk, or were saved less than `afterSaveMs` ago. */
  unsaved(): Promise<readonly OpenDocument[]>;
  isOpen(uri: string): boolean;
  /** Returns a line, counted from 0, with its line terminator; `undefined` for a document that is not open. */
  lineOf(uri: string, line: number): string | undefined;
}

/**
 * How long a saved document still counts as unsaved, because the index contains the previous text until the watcher has
 * noticed the change.
 */
const afterSaveMs = 1000;

/** The state of one open document. */
interface DocumentState {
  /** Changes with the text, and is unique across windows. */
  readonly version: string;
  /** Whether it equals the file; `undefined` until compared. */
  isSaved: boolean | undefined;
  /** Time of the last save (`performance.now()`), or -Infinity. */
  savedAt: number;
}

/** Tracks the documents that the client opens, changes, saves and closes. Call this before the connection listens. */
export function trackDocuments(connection: Connection): OpenDocuments {
  const documents = new TextDocuments(TextDocument);
  const states = new Map<string, DocumentState>();
  let changeCount = 0;
  // Another window may use the same number for a different text of the same file.
  const windowId = `${process.pid}.${Date.now()}`;
  const recordChange = (uri: string) => {
    states.set(uri, {
      version: `${windowId}.${++changeCount}`,
      isSaved: undefined,
      savedAt: Number.NEGATIVE_INFINITY,
    });
  };
  // Also fires when a document is opened.
  documents.onDidChangeContent(({ document }) => recordChange(document.uri));
  documents.onDidSave(({ document }) => {
    const state = states.get(document.uri);
    if (state === undefined) return;
    state.isSaved = true;
    state.savedAt = performance.now();
  });
  documents.onDidClose(({ document }) => states.delete(document.uri));
  documents.listen(connection);

  async function toUnsavedDocument(document: TextDocument): Promise<OpenDocument | undefined> {
    const path = fileUriToPath(document.uri);
    const state = states.get(document.uri);
    if (path === undefined || state === undefined) return undefined;
    const text = document.getText();
    const isSame = state.isSaved ?? (await matchesDisk(path, text));
    // It may have been saved meanwhile.
    state.isSaved ??= isSame;
    if (state.isSaved && performance.now() - state.savedAt > afterSaveMs) return undefined;
    return { path, text, version: state.version };
  }

  return {
    async unsaved() {
      const found = await Promise.all(documents.all().map(toUnsavedDocument));
      return found.filter((each) => each !== undefined);
    },

    isOpen: (uri) => documents.get(uri) !== undefined,

    lineOf(uri, line) {
      const range = { start: { line, character: 0 }, end: { line: line + 1, character: 0 } };
      return documents.get(uri)?.getText(range);
    },
  };
}

/** Whether the file contains `text`. Ignores a byte order mark, which editors remove. */
async function matchesDisk(path: string, text: string): Promise<boolean> {
  try {
    return (await readFile(path, "utf8")).replace(/^\uFEFF/, "") === text;
  } catch {
    // A missing or unreadable file differs from the document.
    return false;
  }
}

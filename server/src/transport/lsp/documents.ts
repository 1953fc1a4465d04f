/** The documents that an editor holds open, and which of them a search must read instead of what is on disk. */
import { readFile } from "node:fs/promises";
import { type Connection, TextDocuments } from "vscode-languageserver/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { OpenDocument } from "#contract/service";
import { pathOf } from "./paths";

export interface OpenDocuments {
  /** Those that differ from their files, or did until a moment ago. */
  unsaved(): Promise<readonly OpenDocument[]>;
  /** A line of an open document with its end, from 0; undefined for a document that is not open. */
  lineOf(uri: string, line: number): string | undefined;
}

/**
 * A saved document counts a little longer: until its folder's watcher has seen the file, the index holds the text from
 * before.
 */
const afterSaveMs = 1000;

/** What is known of one open document's text. */
interface Edition {
  /** Changes with the text, and is no other window's. */
  readonly version: string;
  /** Whether it equals the file; `undefined` until compared. */
  saved: boolean | undefined;
  savedAt: number;
}

export function followDocuments(connection: Connection): OpenDocuments {
  const documents = new TextDocuments(TextDocument);
  const editions = new Map<string, Edition>();
  let changes = 0;
  // Another window of the same person may hold another text of the same file under the same number.
  const window = `${process.pid}.${Date.now()}`;
  const renew = (uri: string) => {
    editions.set(uri, { version: `${window}.${++changes}`, saved: undefined, savedAt: 0 });
  };
  // Comes with the opening as well.
  documents.onDidChangeContent(({ document }) => renew(document.uri));
  documents.onDidSave(({ document }) => {
    const edition = editions.get(document.uri);
    if (edition === undefined) return;
    edition.saved = true;
    edition.savedAt = Date.now();
  });
  documents.onDidClose(({ document }) => editions.delete(document.uri));
  documents.listen(connection);

  async function differing(document: TextDocument): Promise<OpenDocument | undefined> {
    const path = pathOf(document.uri);
    const edition = editions.get(document.uri);
    if (path === undefined || edition === undefined) return undefined;
    const text = document.getText();
    edition.saved ??= await holds(path, text);
    if (edition.saved && Date.now() - edition.savedAt > afterSaveMs) return undefined;
    return { path, text, version: edition.version };
  }

  return {
    async unsaved() {
      const found = await Promise.all(documents.all().map(differing));
      return found.filter((each) => each !== undefined);
    },

    lineOf(uri, line) {
      const range = { start: { line, character: 0 }, end: { line: line + 1, character: 0 } };
      return documents.get(uri)?.getText(range);
    },
  };
}

/** Editors drop a byte order mark. */
async function holds(path: string, text: string): Promise<boolean> {
  try {
    return (await readFile(path, "utf8")).replace(/^\uFEFF/, "") === text;
  } catch {
    // A file that is not there, or cannot be read, is another text than the one on the screen.
    return false;
  }
}

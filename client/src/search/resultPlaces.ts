/**
 * Where results are on this computer now, after the files were changed.
 *
 * Known of what was opened, and of documents that were edited or saved since the search.
 */
import * as vscode from "vscode";
import type { Repositories } from "#client/repositories/repositories";
import type { ServiceClient } from "#client/serviceClient";
import type { Location } from "#contract/editor";
import type { FileMatch } from "#contract/search";
import { linesOf } from "./resultLines";
import { keyOf } from "./resultSet";

export interface FilePlace {
  readonly state: Location["state"];
  /** Absolute. */
  readonly path?: string;
  /** Lines as found to lines as they are now, from 1; null for those that are not there any more. */
  readonly lines: ReadonlyMap<number, number | null>;
  readonly isUnsaved: boolean;
}

const delayMs = 300;
/** Lines of a file that are followed; what is opened is looked for beyond. */
const linesAtMost = 2000;

export class ResultPlaces implements vscode.Disposable {
  readonly #service: Pick<ServiceClient, "call">;
  readonly #repositories: Pick<Repositories, "clones">;
  readonly #files: () => Iterable<FileMatch>;
  readonly #places = new Map<string, FilePlace>();
  /** Results by path of their file; made when it is first needed after a search. */
  #byPath: ReadonlyMap<string, readonly FileMatch[]> | undefined;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onChange = this.#changed.event;
  readonly #subscriptions: vscode.Disposable;

  /** `files`: all results that have rows. */
  constructor(
    service: Pick<ServiceClient, "call">,
    repositories: Pick<Repositories, "clones">,
    files: () => Iterable<FileMatch>,
  ) {
    this.#service = service;
    this.#repositories = repositories;
    this.#files = files;
    this.#subscriptions = vscode.Disposable.from(
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.#follow(document)),
      vscode.workspace.onDidSaveTextDocument((document) => this.#follow(document)),
      vscode.workspace.onDidCloseTextDocument((document) => this.#follow(document)),
    );
  }

  dispose(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#subscriptions.dispose();
    this.#changed.dispose();
  }

  /** To be called with each new search: its results are where it found them. */
  forget(): void {
    this.#places.clear();
    this.#byPath = undefined;
  }

  /** As far as it is known. */
  of(file: FileMatch): FilePlace | undefined {
    return this.#places.get(keyOf(file));
  }

  /** Asks where a file is, and all lines of it that were found, and `more`. Rejects with a `CallError`. */
  async locate(
    file: FileMatch,
    more: readonly number[] = [],
    token?: vscode.CancellationToken,
  ): Promise<FilePlace> {
    const found = linesOf(file).slice(0, linesAtMost);
    const lineNumbers = [...new Set([...more, ...found.map(({ lineNumber }) => lineNumber)])];
    const location = await this.#service.call(
      "locate",
      {
        repository: file.repository,
        path: file.fileName.text,
        lines: lineNumbers,
        ...(file.blobSha === "" ? {} : { blobSha: file.blobSha }),
      },
      token === undefined ? {} : { token },
    );
    const lines = new Map(lineNumbers.map((line, index) => [line, location.lines[index] ?? null]));
    const { state, path } = location;
    const document = path === undefined ? undefined : openDocument(path);
    if (document !== undefined && state === "changed") lookFor(file, document, lines);
    const place = {
      state,
      lines,
      isUnsaved: document?.isDirty ?? false,
      ...(path === undefined ? {} : { path }),
    };
    this.#remember(file, place);
    return place;
  }

  #remember(file: FileMatch, place: FilePlace): void {
    const before = this.of(file);
    this.#places.set(keyOf(file), place);
    if (before === undefined ? isWorthTelling(place) : !isSamePlace(before, place)) this.#changed.fire();
  }

  #follow(document: vscode.TextDocument): void {
    if (document.uri.scheme !== "file" && document.uri.scheme !== "vscode-remote") return;
    const path = normal(document.uri.fsPath);
    clearTimeout(this.#timers.get(path));
    this.#timers.set(
      path,
      setTimeout(() => {
        this.#timers.delete(path);
        void this.#locateAll(path);
      }, delayMs),
    );
  }

  async #locateAll(path: string): Promise<void> {
    this.#byPath ??= this.#arrange();
    const files = this.#byPath.get(path) ?? [];
    for (const file of files) {
      // What cannot be found now is found when it is opened, or says then why not.
      await this.locate(file).catch(() => undefined);
    }
  }

  #arrange(): ReadonlyMap<string, readonly FileMatch[]> {
    const byPath = new Map<string, FileMatch[]>();
    for (const file of this.#files()) {
      const clone = this.#repositories.clones.get(file.repositoryId);
      if (clone === undefined || clone.isBare) continue;
      const path = normal(vscode.Uri.joinPath(vscode.Uri.file(clone.folder), file.fileName.text).fsPath);
      byPath.set(path, [...(byPath.get(path) ?? []), file]);
    }
    return byPath;
  }
}

/** The document of a file that is open, with its unsaved changes. */
function openDocument(path: string): vscode.TextDocument | undefined {
  const wanted = normal(path);
  return vscode.workspace.textDocuments.find(
    ({ uri }) => normal(uri.fsPath) === wanted && uri.scheme !== "trawl",
  );
}

/**
 * The comparison knows nothing of texts that were never committed; the line itself may still be there. The document
 * is gone through once, however many lines are looked for.
 */
function lookFor(file: FileMatch, document: vscode.TextDocument, lines: Map<number, number | null>): void {
  const sought = linesOf(file).filter(
    ({ lineNumber, text }) => lines.get(lineNumber) === null && text.trim() !== "",
  );
  if (sought.length === 0) return;
  const found = new Map<string, number[]>(sought.map(({ text }) => [text, []]));
  for (let index = 0; index < document.lineCount; index++) {
    found.get(document.lineAt(index).text)?.push(index + 1);
  }
  for (const { lineNumber, text } of sought) {
    const [first, ...others] = found.get(text) ?? [];
    if (first === undefined) continue;
    const distance = (line: number) => Math.abs(line - lineNumber);
    lines.set(
      lineNumber,
      others.reduce((best, line) => (distance(line) < distance(best) ? line : best), first),
    );
  }
}

/** The line with this very text that is nearest to `lineNumber`, from 1. Blank lines are everywhere and nowhere. */
export function lineWith(
  document: vscode.TextDocument,
  text: string,
  lineNumber: number,
): number | undefined {
  if (text.trim() === "") return undefined;
  for (let distance = 0; distance < document.lineCount; distance++) {
    for (const line of [lineNumber - distance, lineNumber + distance]) {
      if (line >= 1 && line <= document.lineCount && document.lineAt(line - 1).text === text) return line;
    }
  }
  return undefined;
}

function isWorthTelling({ state, isUnsaved }: FilePlace): boolean {
  return (state !== "same" && state !== "noClone") || isUnsaved;
}

function isSamePlace(one: FilePlace, other: FilePlace): boolean {
  return (
    one.state === other.state &&
    one.isUnsaved === other.isUnsaved &&
    [...other.lines].every(([line, now]) => one.lines.get(line) === now)
  );
}

function normal(path: string): string {
  return process.platform === "win32" || process.platform === "darwin" ? path.toLowerCase() : path;
}

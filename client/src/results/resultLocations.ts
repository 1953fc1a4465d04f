/**
 * Tracks where results are on this computer after their files have changed.
 *
 * Covers results that were opened, and files that were edited or saved since the search.
 */
import * as vscode from "vscode";
import type { Repositories } from "#client/model/repositories";
import { keyOf } from "#client/search/resultSet";
import type { ServiceClient } from "#client/server/serviceClient";
import type { LocatedFile } from "#contract/editor";
import type { FileMatch } from "#contract/search";
import { linesOf } from "./resultLines";

export interface CurrentLocation {
  readonly state: LocatedFile["state"];
  /** Absolute. */
  readonly path?: string;
  /** Maps lines at the time of the search to current lines, one-based; null for lines that are gone. */
  readonly lines: ReadonlyMap<number, number | null>;
  readonly isUnsaved: boolean;
}

const delayMs = 300;
/** Lines tracked per file. Lines after these are located when they are opened. */
const maxLines = 2000;

export class ResultLocations implements vscode.Disposable {
  readonly #service: Pick<ServiceClient, "call">;
  readonly #repositories: Pick<Repositories, "clones">;
  readonly #files: () => Iterable<FileMatch>;
  readonly #locations = new Map<string, CurrentLocation>();
  /** Results by file path; built on first use after a search. */
  #byPath: ReadonlyMap<string, readonly FileMatch[]> | undefined;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onChange = this.#changed.event;
  readonly #subscriptions: vscode.Disposable;

  /** `files` returns all results that have rows. */
  constructor(
    service: Pick<ServiceClient, "call">,
    repositories: Pick<Repositories, "clones">,
    files: () => Iterable<FileMatch>,
  ) {
    this.#service = service;
    this.#repositories = repositories;
    this.#files = files;
    this.#subscriptions = vscode.Disposable.from(
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.#locateSoon(document)),
      vscode.workspace.onDidSaveTextDocument((document) => this.#locateSoon(document)),
      vscode.workspace.onDidCloseTextDocument((document) => this.#locateSoon(document)),
    );
  }

  dispose(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#subscriptions.dispose();
    this.#changed.dispose();
  }

  /** Call after each search: its results have not moved yet. */
  clear(): void {
    this.#locations.clear();
    this.#byPath = undefined;
  }

  /** Returns the current location of a file, if it is known. */
  of(file: FileMatch): CurrentLocation | undefined {
    return this.#locations.get(keyOf(file));
  }

  /** Locates a file with its matching lines and those in `more`. Rejects with a `CallError`. */
  async locate(
    file: FileMatch,
    more: readonly number[] = [],
    token?: vscode.CancellationToken,
  ): Promise<CurrentLocation> {
    const found = linesOf(file).slice(0, maxLines);
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
    if (document !== undefined && state === "changed") findInDocument(file, document, lines);
    const current = {
      state,
      lines,
      isUnsaved: document?.isDirty ?? false,
      ...(path === undefined ? {} : { path }),
    };
    this.#store(file, current);
    return current;
  }

  #store(file: FileMatch, current: CurrentLocation): void {
    const before = this.of(file);
    this.#locations.set(keyOf(file), current);
    if (before === undefined ? isWorthReporting(current) : !isSameLocation(before, current))
      this.#changed.fire();
  }

  #locateSoon(document: vscode.TextDocument): void {
    if (document.uri.scheme !== "file" && document.uri.scheme !== "vscode-remote") return;
    const path = normalizedPath(document.uri.fsPath);
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
    this.#byPath ??= this.#groupByPath();
    const files = this.#byPath.get(path) ?? [];
    for (const file of files) {
      // Opening the result locates it again and reports the error.
      await this.locate(file).catch(() => undefined);
    }
  }

  #groupByPath(): ReadonlyMap<string, readonly FileMatch[]> {
    const byPath = new Map<string, FileMatch[]>();
    for (const file of this.#files()) {
      const clone = this.#repositories.clones.get(file.repositoryId);
      if (clone === undefined || clone.isBare) continue;
      const path = normalizedPath(
        vscode.Uri.joinPath(vscode.Uri.file(clone.folder), file.fileName.text).fsPath,
      );
      byPath.set(path, [...(byPath.get(path) ?? []), file]);
    }
    return byPath;
  }
}

/** Returns the open document of a file, which may have unsaved changes. */
function openDocument(path: string): vscode.TextDocument | undefined {
  const normalized = normalizedPath(path);
  return vscode.workspace.textDocuments.find(
    ({ uri }) => normalizedPath(uri.fsPath) === normalized && uri.scheme !== "trawl",
  );
}

/**
 * Finds lines that the service could not locate, because it does not compare text that was never committed. Reads the
 * document once, however many lines are missing.
 */
function findInDocument(
  file: FileMatch,
  document: vscode.TextDocument,
  lines: Map<number, number | null>,
): void {
  const missing = linesOf(file).filter(
    ({ lineNumber, text }) => lines.get(lineNumber) === null && text.trim() !== "",
  );
  if (missing.length === 0) return;
  const found = new Map<string, number[]>(missing.map(({ text }) => [text, []]));
  for (let index = 0; index < document.lineCount; index++) {
    found.get(document.lineAt(index).text)?.push(index + 1);
  }
  for (const { lineNumber, text } of missing) {
    const [first, ...others] = found.get(text) ?? [];
    if (first === undefined) continue;
    const distance = (line: number) => Math.abs(line - lineNumber);
    lines.set(
      lineNumber,
      others.reduce((best, line) => (distance(line) < distance(best) ? line : best), first),
    );
  }
}

/** Returns the line with exactly this text nearest to `lineNumber`, one-based. Blank lines are never located. */
export function nearestLineWith(
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

function isWorthReporting({ state, isUnsaved }: CurrentLocation): boolean {
  return (state !== "same" && state !== "noClone") || isUnsaved;
}

function isSameLocation(one: CurrentLocation, other: CurrentLocation): boolean {
  return (
    one.state === other.state &&
    one.isUnsaved === other.isUnsaved &&
    [...other.lines].every(([line, now]) => one.lines.get(line) === now)
  );
}

function normalizedPath(path: string): string {
  return process.platform === "win32" || process.platform === "darwin" ? path.toLowerCase() : path;
}

/**
 * Blame of open documents: fetched range by range, and cached until the document is closed or the repository has a new
 * commit. A local file is blamed at its last commit, and lines of the editor are mapped to lines of that commit.
 */
import * as vscode from "vscode";
import type { IndexedFile, IndexedFiles } from "#client/documents/indexedFiles";
import type { ServiceClient } from "#client/server/serviceClient";
import type { LineRange } from "#client/text/lineOrigins";
import {
  type CommittedLines,
  committedLineRange,
  committedLines,
  lineOrigins,
} from "#client/text/lineOrigins";
import { setting } from "#client/workbench/settings";
import type { FileSource } from "#contract/history";
import type { IndexingProgress } from "#contract/local";
import { type BlamedLine, BlamedLines } from "./blamedLines";

/** Where a line of an editor comes from: `unknown` if its blame is not fetched yet, `none` if git does not count it as a line. */
export type LineOrigin = BlamedLine | "uncommitted" | "unknown" | "none";

export interface BlameFlags {
  readonly ignoreWhitespace: boolean;
  readonly ignoreRevs: boolean;
  readonly followMoves: boolean;
}

/** A file has no blame; `message` is localized. */
export class BlameUnavailableError extends Error {}

/** The committed version of a document, and its blame as far as it was fetched. */
export interface BlamedFile extends IndexedFile {
  readonly commit: string;
  readonly committed: CommittedLines;
  readonly blamed: BlamedLines;
}

interface CacheEntry {
  readonly file: BlamedFile;
  /** For each line of this version of the document, its index in the committed text, or -1. */
  origins?: { readonly version: number; readonly lines: readonly number[] };
  /** Whether the repository may have a new commit. */
  isStale: boolean;
}

export class BlameCache implements vscode.Disposable {
  readonly #service: ServiceClient;
  readonly #files: IndexedFiles;
  /** By URI of the document. */
  readonly #entries = new Map<string, CacheEntry>();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscriptions: vscode.Disposable;
  #flags: Partial<BlameFlags> = {};

  constructor(service: ServiceClient, files: IndexedFiles) {
    this.#service = service;
    this.#files = files;
    this.#subscriptions = vscode.Disposable.from(
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#entries.delete(uri.toString())),
      service.onIndexing(({ repositories }) => this.#markStale(repositories)),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration("trawl.blame")) this.#clear();
      }),
    );
  }

  dispose(): void {
    this.#subscriptions.dispose();
    this.#changed.dispose();
  }

  /** Fires when cached blame may have become stale. */
  get onChange(): vscode.Event<void> {
    return this.#changed.event;
  }

  /** Returns the flags for a document: those chosen for this window, else those of the settings. */
  flagsFor(scope: vscode.Uri): BlameFlags {
    return {
      ignoreWhitespace: setting("blame.ignoreWhitespace", scope),
      ignoreRevs: setting("blame.ignoreRevsFile", scope) !== "",
      followMoves: false,
      ...this.#flags,
    };
  }

  /** Sets flags until the window is closed. */
  setFlags(flags: BlameFlags): void {
    this.#flags = flags;
    this.#clear();
  }

  /** Returns the cached file, without a request. */
  cached(document: vscode.TextDocument): BlamedFile | undefined {
    return this.#entries.get(document.uri.toString())?.file;
  }

  /** Returns whether the blame of a document is complete and current. */
  isComplete(document: vscode.TextDocument): boolean {
    const entry = this.#entries.get(document.uri.toString());
    return entry?.file.blamed.isComplete === true && !entry.isStale;
  }

  /** Rejects with a `BlameUnavailableError`, a `CallError` or a `vscode.CancellationError`. */
  async open(document: vscode.TextDocument, token: vscode.CancellationToken): Promise<BlamedFile> {
    const key = document.uri.toString();
    const known = this.#entries.get(key);
    if (known !== undefined && !known.isStale) return known.file;
    const indexed = await this.#files.find(document.uri);
    if (token.isCancellationRequested) throw new vscode.CancellationError();
    if (indexed === undefined) throw new BlameUnavailableError(vscode.l10n.t("Not tracked by Git"));
    const { source, commit } = await this.#source(indexed, token);
    if (token.isCancellationRequested) throw new vscode.CancellationError();
    if (source.includes("\0")) throw new BlameUnavailableError(vscode.l10n.t("Binary file"));
    // Another call may have opened the file meanwhile, and its blame may be on the way.
    const entry = this.#entries.get(key);
    if (entry?.file.commit === commit) {
      entry.isStale = false;
      return entry.file;
    }
    const file = { ...indexed, commit, committed: committedLines(source), blamed: new BlamedLines() };
    if (!document.isClosed) this.#entries.set(key, { file, isStale: false });
    return file;
  }

  /** Fetches the blame of lines of the committed file; of all lines if `range` is absent. Rejects as `open` does. */
  async fetch(
    { repository, path, commit, blamed }: BlamedFile,
    document: vscode.TextDocument,
    range: LineRange | undefined,
    options: { readonly token: vscode.CancellationToken; readonly isPatient?: boolean },
  ): Promise<void> {
    if (blamed.isComplete) return;
    const { ignoreWhitespace, ignoreRevs, followMoves } = this.flagsFor(document.uri);
    const ignoreRevsFile = setting("blame.ignoreRevsFile", document.uri);
    const response = await this.#service.call(
      "blame",
      {
        repo: repository,
        path,
        ref: commit,
        ignoreWhitespace,
        ignoreRevs,
        ...(ignoreRevsFile === "" ? {} : { ignoreRevsFile }),
        followMoves,
        isPatient: options.isPatient ?? false,
        ...(range === undefined ? {} : { lines: `${range.first}-${range.last}` }),
      },
      { token: options.token },
    );
    blamed.add(response, range);
  }

  /** Returns the origin of a zero-based line. */
  originOf(document: vscode.TextDocument, line: number): LineOrigin {
    const entry = this.#entries.get(document.uri.toString());
    if (entry === undefined) return "unknown";
    const { committed, blamed } = entry.file;
    // Git does not count an empty line after the last line break.
    const isEnd = line === document.lineCount - 1 && document.lineAt(line).text === "";
    if (isEnd) return "none";
    const index = this.#origins(entry, document)[line] ?? -1;
    if (index < 0) return "uncommitted";
    return blamed.at(committed.numbers[index] ?? 0) ?? (blamed.isComplete ? "none" : "unknown");
  }

  /**
   * Returns the lines of the committed file (from 1) that the zero-based lines `first` to `last` of the document come
   * from; `undefined` for none.
   */
  committedRange(document: vscode.TextDocument, first: number, last: number): LineRange | undefined {
    const entry = this.#entries.get(document.uri.toString());
    if (entry === undefined) return undefined;
    return committedLineRange(entry.file.committed, this.#origins(entry, document), { first, last });
  }

  #origins(entry: CacheEntry, document: vscode.TextDocument): readonly number[] {
    if (entry.origins?.version !== document.version) {
      const current = document.getText().split(/\r\n|\r|\n/);
      entry.origins = { version: document.version, lines: lineOrigins(entry.file.committed.lines, current) };
    }
    return entry.origins.lines;
  }

  #source(indexed: IndexedFile, token: vscode.CancellationToken): Promise<FileSource> {
    const { repository: repo, path, commit } = indexed;
    const ref = commit === undefined ? {} : { ref: commit };
    return this.#service.call("source", { repo, path, ...ref }, { token });
  }

  /** Indexing a repository may mean that it has a new commit. */
  #markStale(repositories: IndexingProgress["repositories"]): void {
    const names = new Set(
      repositories.filter(({ state }) => state === "ready").map(({ repository }) => repository),
    );
    let hasChanged = false;
    for (const [key, entry] of this.#entries) {
      if (!key.startsWith("file:") || !names.has(entry.file.repository)) continue;
      entry.isStale = true;
      hasChanged = true;
    }
    if (hasChanged) this.#changed.fire();
  }

  #clear(): void {
    this.#entries.clear();
    this.#changed.fire();
  }
}

/**
 * Who wrote the lines of the documents that are open: asked for piece by piece, and kept as long as the document is open
 * and nobody has committed.
 *
 * Of a local file the last commit is blamed, and its lines are found again in the editor's text.
 */
import * as vscode from "vscode";
import type { IndexedFile, IndexedFiles } from "#client/files/indexedFiles";
import type { ServiceClient } from "#client/serviceClient";
import { setting } from "#client/settings";
import type { FileSource } from "#contract/history";
import type { IndexingProgress } from "#contract/local";
import { type BlamedLine, BlamedLines, type Stretch } from "./blamedLines";
import { type CommittedLines, committedLines, committedStretch, lineOrigins } from "./lineOrigins";

/** What a line of an editor comes from: `own` is not committed, `unknown` not asked yet. */
export type LineOrigin = BlamedLine | "own" | "unknown" | "nothing";

export interface BlameChoices {
  readonly ignoreWhitespace: boolean;
  readonly ignoreRevs: boolean;
  readonly followMoves: boolean;
}

/** Why a file has no blame, in the person's words. */
export class NoBlame extends Error {}

/** A document's file as it was committed, and what is known of its lines. */
export interface BlamedFile extends IndexedFile {
  readonly commit: string;
  readonly committed: CommittedLines;
  readonly blamed: BlamedLines;
}

interface Kept {
  readonly file: BlamedFile;
  /** For each line of the document, in this version, its index in the committed text. */
  origins?: { readonly version: number; readonly lines: readonly number[] };
  /** Whether the repository may have another commit now. */
  isDoubtful: boolean;
}

export class Blames implements vscode.Disposable {
  readonly #service: ServiceClient;
  readonly #files: IndexedFiles;
  /** By address of the document. */
  readonly #kept = new Map<string, Kept>();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscriptions: vscode.Disposable;
  #choices: Partial<BlameChoices> = {};

  constructor(service: ServiceClient, files: IndexedFiles) {
    this.#service = service;
    this.#files = files;
    this.#subscriptions = vscode.Disposable.from(
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#kept.delete(uri.toString())),
      service.onIndexing(({ repositories }) => this.#doubt(repositories)),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration("trawl.blame")) this.#forget();
      }),
    );
  }

  dispose(): void {
    this.#subscriptions.dispose();
    this.#changed.dispose();
  }

  /** Fires when what was known may not hold any more. */
  get onChange(): vscode.Event<void> {
    return this.#changed.event;
  }

  /** How blame is made for a document: what was chosen for this window, else the settings. */
  choicesFor(scope: vscode.Uri): BlameChoices {
    return {
      ignoreWhitespace: setting("blame.ignoreWhitespace", scope),
      ignoreRevs: setting("blame.ignoreRevsFile", scope) !== "",
      followMoves: false,
      ...this.#choices,
    };
  }

  /** Holds until the window is closed. */
  choose(choices: BlameChoices): void {
    this.#choices = choices;
    this.#forget();
  }

  /** What is known without asking. */
  known(document: vscode.TextDocument): BlamedFile | undefined {
    return this.#kept.get(document.uri.toString())?.file;
  }

  /** Whether there is nothing left to ask of a document. */
  isDone(document: vscode.TextDocument): boolean {
    const kept = this.#kept.get(document.uri.toString());
    return kept?.file.blamed.isComplete === true && !kept.isDoubtful;
  }

  /** Rejects with `NoBlame`, a `CallError`, or a `vscode.CancellationError`. */
  async open(document: vscode.TextDocument, token: vscode.CancellationToken): Promise<BlamedFile> {
    const key = document.uri.toString();
    const kept = this.#kept.get(key);
    if (kept !== undefined && !kept.isDoubtful) return kept.file;
    const place = await this.#files.find(document.uri);
    if (token.isCancellationRequested) throw new vscode.CancellationError();
    if (place === undefined) throw new NoBlame(vscode.l10n.t("Not tracked by Git"));
    const { source, commit } = await this.#source(place, token);
    if (source.includes("\0")) throw new NoBlame(vscode.l10n.t("Binary file"));
    if (kept !== undefined && kept.file.commit === commit) {
      kept.isDoubtful = false;
      return kept.file;
    }
    const file = { ...place, commit, committed: committedLines(source), blamed: new BlamedLines() };
    if (!document.isClosed) this.#kept.set(key, { file, isDoubtful: false });
    return file;
  }

  /** Asks for lines of the committed file; `stretch` absent: for all of them. Rejects as `open` does. */
  async ask(
    { repository, path, commit, blamed }: BlamedFile,
    document: vscode.TextDocument,
    stretch: Stretch | undefined,
    how: { readonly token: vscode.CancellationToken; readonly isPatient?: boolean },
  ): Promise<void> {
    if (blamed.isComplete) return;
    const { ignoreWhitespace, ignoreRevs, followMoves } = this.choicesFor(document.uri);
    const ignoreRevsFile = setting("blame.ignoreRevsFile", document.uri);
    const answer = await this.#service.call(
      "blame",
      {
        repo: repository,
        path,
        ref: commit,
        ignoreWhitespace,
        ignoreRevs,
        ...(ignoreRevsFile === "" ? {} : { ignoreRevsFile }),
        followMoves,
        isPatient: how.isPatient ?? false,
        ...(stretch === undefined ? {} : { lines: `${stretch.first}-${stretch.last}` }),
      },
      { token: how.token },
    );
    blamed.add(answer, stretch);
  }

  /** `line` counts from 0. */
  originOf(document: vscode.TextDocument, line: number): LineOrigin {
    const kept = this.#kept.get(document.uri.toString());
    if (kept === undefined) return "unknown";
    const { committed, blamed } = kept.file;
    // Git does not count what follows the last line end.
    const isEnd = line === document.lineCount - 1 && document.lineAt(line).text === "";
    if (isEnd) return "nothing";
    const index = this.#origins(kept, document)[line] ?? -1;
    if (index < 0) return "own";
    return blamed.at(committed.numbers[index] ?? 0) ?? (blamed.isComplete ? "nothing" : "unknown");
  }

  /** Lines of the committed file from which lines of the document come, both from 0; `undefined` for none. */
  stretchOf(document: vscode.TextDocument, first: number, last: number): Stretch | undefined {
    const kept = this.#kept.get(document.uri.toString());
    if (kept === undefined) return undefined;
    return committedStretch(kept.file.committed, this.#origins(kept, document), { first, last });
  }

  #origins(kept: Kept, document: vscode.TextDocument): readonly number[] {
    if (kept.origins?.version !== document.version) {
      const now = document.getText().split(/\r\n|\r|\n/);
      kept.origins = { version: document.version, lines: lineOrigins(kept.file.committed.lines, now) };
    }
    return kept.origins.lines;
  }

  #source(place: IndexedFile, token: vscode.CancellationToken): Promise<FileSource> {
    const { repository: repo, path, commit } = place;
    const ref = commit === undefined ? {} : { ref: commit };
    return this.#service.call("source", { repo, path, ...ref }, { token });
  }

  /** A repository that was indexed may have been committed to. */
  #doubt(repositories: IndexingProgress["repositories"]): void {
    const names = new Set(
      repositories.filter(({ state }) => state === "ready").map(({ repository }) => repository),
    );
    let isAny = false;
    for (const [key, kept] of this.#kept) {
      if (!key.startsWith("file:") || !names.has(kept.file.repository)) continue;
      kept.isDoubtful = true;
      isAny = true;
    }
    if (isAny) this.#changed.fire();
  }

  #forget(): void {
    this.#kept.clear();
    this.#changed.fire();
  }
}

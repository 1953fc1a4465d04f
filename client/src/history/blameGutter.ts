/**
 * Blame beside the lines of whole files: which documents show it, and when it is fetched and redrawn. Sets the context
 * keys `trawl.blameVisible` and `trawl.blameStopped`.
 */
import * as vscode from "vscode";
import { CallError, callError } from "#client/server/callError";
import { setContext } from "#client/workbench/commands";
import { setting } from "#client/workbench/settings";
import { type BlameCache, BlameUnavailableError } from "./blameCache";
import { BlameDecorations, type LineWindow, visibleLines } from "./blameDecorations";
import { unavailableText } from "./blameText";

/** Delay before redrawing after the last edit, and after scrolling, in milliseconds. */
const typingDebounceMs = 150;
const scrollDebounceMs = 20;
/** Interval of redrawing the ages of lines, in milliseconds. */
const agingMs = 60_000;
/** Blame of files up to this length is fetched in one request; of longer files, the visible lines come first. */
const singleRequestLines = 200;
/** Multiplies git's time limit after the user chose to continue. */
const extendedTimeoutFactor = 6;

interface ShownBlame {
  /** The request in flight. */
  request: vscode.CancellationTokenSource | undefined;
  problem: string | undefined;
  readonly drawn: Map<vscode.TextEditor, LineWindow>;
}

export class BlameGutter implements vscode.Disposable {
  readonly #cache: BlameCache;
  readonly #decorations = new BlameDecorations();
  /** By URI of the document. */
  readonly #shown = new Map<string, ShownBlame>();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscriptions: vscode.Disposable;
  #drawTimer: NodeJS.Timeout | undefined;
  readonly #agingTimer = setInterval(() => {
    if (this.#shown.size > 0) this.#drawSoon(0);
  }, agingMs);

  constructor(cache: BlameCache) {
    this.#cache = cache;
    this.#subscriptions = vscode.Disposable.from(
      vscode.window.onDidChangeVisibleTextEditors(() => this.#editorsChanged()),
      vscode.window.onDidChangeActiveTextEditor(() => this.#notify()),
      vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => this.#scrolled(textEditor)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (this.isShown(document)) this.#drawSoon(typingDebounceMs);
      }),
      vscode.workspace.onDidCloseTextDocument((document) => {
        // Snapshots keep theirs, so that Go Back shows them with blame.
        if (document.uri.scheme === "file") this.hide(document);
      }),
      cache.onChange(() => {
        // Requests in flight may be about a stale commit.
        for (const shown of this.#shown.values()) cancel(shown);
        this.#editorsChanged();
      }),
    );
  }

  dispose(): void {
    clearTimeout(this.#drawTimer);
    clearInterval(this.#agingTimer);
    this.#subscriptions.dispose();
    for (const shown of this.#shown.values()) cancel(shown);
    this.#decorations.dispose();
    this.#changed.dispose();
  }

  /** Fires when the known or shown blame changes. */
  get onChange(): vscode.Event<void> {
    return this.#changed.event;
  }

  isShown({ uri }: vscode.TextDocument): boolean {
    return this.#shown.has(uri.toString());
  }

  async show(document: vscode.TextDocument): Promise<void> {
    const key = document.uri.toString();
    if (!this.#shown.has(key)) {
      this.#shown.set(key, { request: undefined, problem: undefined, drawn: new Map() });
    }
    await this.#load(document);
  }

  hide(document: vscode.TextDocument): void {
    const key = document.uri.toString();
    const shown = this.#shown.get(key);
    if (shown === undefined) return;
    cancel(shown);
    this.#shown.delete(key);
    for (const editor of editorsOf(document)) this.#decorations.clear(editor);
    this.#notify();
  }

  /** Retries with a longer time limit after git timed out. */
  async continue(document: vscode.TextDocument): Promise<void> {
    if (this.isShown(document)) await this.#load(document, true);
  }

  async #load(document: vscode.TextDocument, isPatient = false): Promise<void> {
    const shown = this.#shown.get(document.uri.toString());
    if (shown === undefined) return;
    cancel(shown);
    const request = new vscode.CancellationTokenSource();
    shown.request = request;
    shown.problem = undefined;
    const loading = this.#fetch(document, shown, request.token, isPatient);
    vscode.window.setStatusBarMessage(`$(loading~spin) ${vscode.l10n.t("Blame...")}`, loading);
    await loading;
    if (shown.request === request) shown.request = undefined;
    request.dispose();
    this.#draw(document);
  }

  /** Never rejects: errors are shown instead of the blame. */
  async #fetch(
    document: vscode.TextDocument,
    shown: ShownBlame,
    token: vscode.CancellationToken,
    isPatient: boolean,
  ): Promise<void> {
    try {
      const file = await this.#cache.open(document, token);
      this.#draw(document);
      const options = { token, isPatient };
      if (document.lineCount > singleRequestLines) {
        for (const editor of editorsOf(document)) {
          const { first, last } = visibleLines(editor);
          const range = this.#cache.committedRange(document, first, last);
          const missing = range && file.blamed.missing(range);
          if (missing === undefined) continue;
          await this.#cache.fetch(file, document, missing, options);
          this.#draw(document);
        }
      }
      await this.#cache.fetch(file, document, undefined, options);
    } catch (error) {
      if (error instanceof vscode.CancellationError || token.isCancellationRequested) return;
      this.#showFailure(document, shown, error, isPatient);
    }
  }

  #showFailure(document: vscode.TextDocument, shown: ShownBlame, error: unknown, isPatient: boolean): void {
    if (error instanceof CallError && error.errorCode === "TIMED_OUT") {
      const seconds = setting("history.gitTimeout") * (isPatient ? extendedTimeoutFactor : 1);
      shown.problem = vscode.l10n.t("Blame took more than {0} s", seconds);
      return;
    }
    this.hide(document);
    const message =
      error instanceof BlameUnavailableError
        ? error.message
        : (unavailableText(callError(error).errorCode, vscode.l10n) ?? callError(error).message);
    vscode.window.setStatusBarMessage(message, 5000);
  }

  #editorsChanged(): void {
    for (const [key, shown] of this.#shown) {
      const editors = vscode.window.visibleTextEditors.filter(
        ({ document }) => document.uri.toString() === key,
      );
      for (const editor of shown.drawn.keys()) {
        if (!editors.includes(editor)) shown.drawn.delete(editor);
      }
      const document = editors[0]?.document;
      if (document === undefined) cancel(shown);
      else if (shown.request !== undefined) continue;
      else if (shown.problem !== undefined || this.#cache.isComplete(document)) this.#draw(document);
      else void this.#load(document);
    }
    this.#notify();
  }

  #scrolled(editor: vscode.TextEditor): void {
    const shown = this.#shown.get(editor.document.uri.toString());
    const drawn = shown?.drawn.get(editor);
    if (shown === undefined || drawn === undefined) return;
    const visible = visibleLines(editor);
    const isDrawn = visible.first >= drawn.first && visible.last <= drawn.last;
    if (!isDrawn || shown.problem !== undefined) this.#drawSoon(scrollDebounceMs);
  }

  #drawSoon(delayMs: number): void {
    clearTimeout(this.#drawTimer);
    this.#drawTimer = setTimeout(() => {
      for (const document of new Set(vscode.window.visibleTextEditors.map((editor) => editor.document))) {
        this.#draw(document);
      }
    }, delayMs);
  }

  #draw(document: vscode.TextDocument): void {
    const shown = this.#shown.get(document.uri.toString());
    if (shown === undefined || this.#cache.cached(document) === undefined) return;
    for (const editor of editorsOf(document)) {
      shown.drawn.set(editor, this.#decorations.draw(editor, { cache: this.#cache, problem: shown.problem }));
    }
    this.#notify();
  }

  #notify(): void {
    const document = vscode.window.activeTextEditor?.document;
    const shown = document && this.#shown.get(document.uri.toString());
    setContext("trawl.blameVisible", shown !== undefined);
    setContext("trawl.blameStopped", shown?.problem !== undefined);
    this.#changed.fire();
  }
}

function editorsOf(document: vscode.TextDocument): vscode.TextEditor[] {
  return vscode.window.visibleTextEditors.filter((editor) => editor.document === document);
}

function cancel(shown: ShownBlame): void {
  shown.request?.cancel();
  shown.request = undefined;
}

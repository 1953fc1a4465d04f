/** Blame beside the lines of whole files: which documents show it, and what it takes to keep it right. */
import * as vscode from "vscode";
import { CallError, callError } from "#client/callError";
import { setContext } from "#client/commands";
import { setting } from "#client/settings";
import { BlameDecorations, type LineWindow, seenLines } from "./blameDecorations";
import { type Blames, NoBlame } from "./blames";
import { withoutBlame } from "./blameText";

/** What is typed is drawn when the person rests for so long, in milliseconds; what is scrolled to, almost at once. */
const restMs = 150;
const scrollMs = 20;
/** Of shorter files all is asked for at once. */
const shortLines = 200;
/** So many times as long as usual git may take where somebody wants it to go on. */
const patience = 6;

interface Shown {
  /** What is being asked. */
  asking: vscode.CancellationTokenSource | undefined;
  problem: string | undefined;
  readonly drawn: Map<vscode.TextEditor, LineWindow>;
}

export class BlameGutter implements vscode.Disposable {
  readonly #blames: Blames;
  readonly #decorations = new BlameDecorations();
  /** By address of the document. */
  readonly #shown = new Map<string, Shown>();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscriptions: vscode.Disposable;
  #drawing: NodeJS.Timeout | undefined;

  constructor(blames: Blames) {
    this.#blames = blames;
    this.#subscriptions = vscode.Disposable.from(
      vscode.window.onDidChangeVisibleTextEditors(() => this.#editorsChanged()),
      vscode.window.onDidChangeActiveTextEditor(() => this.#tell()),
      vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => this.#scrolled(textEditor)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (this.isShown(document)) this.#drawSoon(restMs);
      }),
      vscode.workspace.onDidCloseTextDocument((document) => {
        // Going back to a snapshot finds it as it was left.
        if (document.uri.scheme === "file") this.hide(document);
      }),
      blames.onChange(() => {
        // What is being asked may be about what holds no more.
        for (const shown of this.#shown.values()) cancel(shown);
        this.#editorsChanged();
      }),
    );
  }

  dispose(): void {
    clearTimeout(this.#drawing);
    this.#subscriptions.dispose();
    for (const shown of this.#shown.values()) cancel(shown);
    this.#decorations.dispose();
    this.#changed.dispose();
  }

  /** Fires when more is known or shown, or less. */
  get onChange(): vscode.Event<void> {
    return this.#changed.event;
  }

  isShown({ uri }: vscode.TextDocument): boolean {
    return this.#shown.has(uri.toString());
  }

  async show(document: vscode.TextDocument): Promise<void> {
    const key = document.uri.toString();
    if (!this.#shown.has(key)) {
      this.#shown.set(key, { asking: undefined, problem: undefined, drawn: new Map() });
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
    this.#tell();
  }

  /** Goes on where git took too long. */
  async continue(document: vscode.TextDocument): Promise<void> {
    if (this.isShown(document)) await this.#load(document, true);
  }

  async #load(document: vscode.TextDocument, isPatient = false): Promise<void> {
    const shown = this.#shown.get(document.uri.toString());
    if (shown === undefined) return;
    cancel(shown);
    const asking = new vscode.CancellationTokenSource();
    shown.asking = asking;
    shown.problem = undefined;
    const loading = this.#ask(document, shown, asking.token, isPatient);
    vscode.window.setStatusBarMessage(`$(loading~spin) ${vscode.l10n.t("Blame…")}`, loading);
    await loading;
    if (shown.asking === asking) shown.asking = undefined;
    asking.dispose();
    this.#draw(document);
  }

  /** Never rejects: what went wrong is said where the blame would be. */
  async #ask(
    document: vscode.TextDocument,
    shown: Shown,
    token: vscode.CancellationToken,
    isPatient: boolean,
  ): Promise<void> {
    try {
      const file = await this.#blames.open(document, token);
      this.#draw(document);
      const how = { token, isPatient };
      if (document.lineCount > shortLines) {
        for (const editor of editorsOf(document)) {
          const { first, last } = seenLines(editor);
          const wanted = this.#blames.stretchOf(document, first, last);
          const missing = wanted && file.blamed.missing(wanted);
          if (missing === undefined) continue;
          await this.#blames.ask(file, document, missing, how);
          this.#draw(document);
        }
      }
      await this.#blames.ask(file, document, undefined, how);
    } catch (error) {
      if (error instanceof vscode.CancellationError || token.isCancellationRequested) return;
      this.#failed(document, shown, error, isPatient);
    }
  }

  #failed(document: vscode.TextDocument, shown: Shown, error: unknown, isPatient: boolean): void {
    if (error instanceof CallError && error.errorCode === "TIMED_OUT") {
      const seconds = setting("history.gitTimeout") * (isPatient ? patience : 1);
      shown.problem = vscode.l10n.t("Blame took more than {0} s", seconds);
      return;
    }
    this.hide(document);
    const message =
      error instanceof NoBlame
        ? error.message
        : (withoutBlame(callError(error).errorCode, vscode.l10n) ?? callError(error).message);
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
      else if (shown.asking !== undefined) continue;
      else if (shown.problem !== undefined || this.#blames.isDone(document)) this.#draw(document);
      else void this.#load(document);
    }
    this.#tell();
  }

  #scrolled(editor: vscode.TextEditor): void {
    const shown = this.#shown.get(editor.document.uri.toString());
    const drawn = shown?.drawn.get(editor);
    if (shown === undefined || drawn === undefined) return;
    const seen = seenLines(editor);
    const isDrawn = seen.first >= drawn.first && seen.last <= drawn.last;
    if (!isDrawn || shown.problem !== undefined) this.#drawSoon(scrollMs);
  }

  #drawSoon(delayMs: number): void {
    clearTimeout(this.#drawing);
    this.#drawing = setTimeout(() => {
      for (const document of new Set(vscode.window.visibleTextEditors.map((editor) => editor.document))) {
        this.#draw(document);
      }
    }, delayMs);
  }

  #draw(document: vscode.TextDocument): void {
    const shown = this.#shown.get(document.uri.toString());
    if (shown === undefined || this.#blames.known(document) === undefined) return;
    for (const editor of editorsOf(document)) {
      shown.drawn.set(
        editor,
        this.#decorations.draw(editor, { blames: this.#blames, problem: shown.problem }),
      );
    }
    this.#tell();
  }

  #tell(): void {
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

function cancel(shown: Shown): void {
  shown.asking?.cancel();
  shown.asking = undefined;
}

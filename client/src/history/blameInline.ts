/** Blame after the end of the cursor's line, shown once the cursor rests. */
import * as vscode from "vscode";
import { ago } from "#client/workbench/format";
import { setting } from "#client/workbench/settings";
import { snapshotScheme } from "#contract/snapshotUri";
import type { BlameCache } from "./blameCache";
import { visibleLines } from "./blameDecorations";
import type { BlameGutter } from "./blameGutter";
import { blameHover } from "./blameHover";
import { formatBlame } from "./blameText";

const debounceMs = 250;

export class BlameInline implements vscode.Disposable {
  readonly #cache: BlameCache;
  readonly #gutter: BlameGutter;
  readonly #decoration = vscode.window.createTextEditorDecorationType({});
  readonly #subscriptions: vscode.Disposable;
  /** URIs of documents without blame, until something changes. */
  readonly #unavailable = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #request: vscode.CancellationTokenSource | undefined;
  /** The editor that shows it. */
  #editor: vscode.TextEditor | undefined;

  constructor(cache: BlameCache, gutter: BlameGutter) {
    this.#cache = cache;
    this.#gutter = gutter;
    const restart = () => this.#restart();
    this.#subscriptions = vscode.Disposable.from(
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === vscode.window.activeTextEditor) this.#restart();
      }),
      vscode.window.onDidChangeActiveTextEditor(restart),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document === vscode.window.activeTextEditor?.document) this.#restart();
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#unavailable.delete(uri.toString())),
      vscode.workspace.onDidChangeConfiguration(restart),
      gutter.onChange(restart),
      cache.onChange(() => {
        this.#unavailable.clear();
        this.#restart();
      }),
    );
    this.#restart();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#request?.cancel();
    this.#subscriptions.dispose();
    this.#decoration.dispose();
  }

  #restart(): void {
    clearTimeout(this.#timer);
    this.#request?.cancel();
    this.#editor?.setDecorations(this.#decoration, []);
    this.#editor = undefined;
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) return;
    this.#timer = setTimeout(() => {
      if (this.#isEnabledFor(editor.document)) void this.#show(editor);
    }, debounceMs);
  }

  #isEnabledFor(document: vscode.TextDocument): boolean {
    const { uri } = document;
    if (this.#gutter.isShown(document) || this.#unavailable.has(uri.toString())) return false;
    const inline = setting("blame.inline");
    if (uri.scheme === snapshotScheme) return inline !== "off";
    return uri.scheme === "file" && inline === "always" && !isShownByOthers();
  }

  async #show(editor: vscode.TextEditor): Promise<void> {
    const { document } = editor;
    const { line } = editor.selection.active;
    const request = new vscode.CancellationTokenSource();
    this.#request = request;
    try {
      const file = await this.#cache.open(document, request.token);
      if (this.#cache.originOf(document, line) === "unknown") {
        const visible = visibleLines(editor);
        const range = this.#cache.committedRange(
          document,
          Math.min(line, visible.first),
          Math.max(line, visible.last),
        );
        const missing = range && file.blamed.missing(range);
        if (missing !== undefined) {
          await this.#cache.fetch(file, document, missing, { token: request.token });
        }
      }
      if (request.token.isCancellationRequested) return;
      this.#draw(editor, line);
    } catch (error) {
      // No error is shown, because the user did not request this.
      if (!(error instanceof vscode.CancellationError)) this.#unavailable.add(document.uri.toString());
    } finally {
      request.dispose();
    }
  }

  #draw(editor: vscode.TextEditor, line: number): void {
    const { document } = editor;
    const origin = this.#cache.originOf(document, line);
    const file = this.#cache.cached(document);
    if (origin === "none" || origin === "unknown" || file === undefined) return;
    const end = document.lineAt(line).range.end;
    const target = { uri: document.uri.toString(), line };
    const isUncommitted = origin === "uncommitted";
    editor.setDecorations(this.#decoration, [
      {
        range: new vscode.Range(end, end),
        ...(isUncommitted ? {} : { hoverMessage: blameHover(origin, file.repository, file.path, target) }),
        renderOptions: {
          after: {
            contentText: isUncommitted ? vscode.l10n.t("You · not committed") : inlineText(origin.commit),
            color: new vscode.ThemeColor("editorCodeLens.foreground"),
            margin: "0 0 0 3ch",
            fontStyle: "normal",
            fontWeight: "normal",
          },
        },
      },
    ]);
    this.#editor = editor;
  }
}

function inlineText(commit: Parameters<typeof formatBlame>[1]["commit"]): string {
  const time = new Date(commit.date);
  return formatBlame(setting("blame.format"), {
    commit,
    ago: ago(time.getTime()),
    date: time.toLocaleDateString(vscode.env.language),
  });
}

/** Returns whether VS Code or GitLens already shows inline blame. */
function isShownByOthers(): boolean {
  const settings = vscode.workspace.getConfiguration();
  return (
    settings.get("git.blame.editorDecoration.enabled") === true ||
    settings.get("gitlens.currentLine.enabled") === true
  );
}

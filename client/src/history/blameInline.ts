/** Blame behind the line of the cursor, once it rests. */
import * as vscode from "vscode";
import { setting } from "#client/settings";
import { ago } from "#client/words";
import { snapshotScheme } from "#contract/snapshotUri";
import { seenLines } from "./blameDecorations";
import type { BlameGutter } from "./blameGutter";
import { blameHover } from "./blameHover";
import type { Blames } from "./blames";
import { formatted } from "./blameText";

const restMs = 250;

export class BlameInline implements vscode.Disposable {
  readonly #blames: Blames;
  readonly #gutter: BlameGutter;
  readonly #decoration = vscode.window.createTextEditorDecorationType({});
  readonly #subscriptions: vscode.Disposable;
  /** Documents that have none, by address; until something changes. */
  readonly #without = new Set<string>();
  #resting: NodeJS.Timeout | undefined;
  #asking: vscode.CancellationTokenSource | undefined;
  /** Where it is shown. */
  #editor: vscode.TextEditor | undefined;

  constructor(blames: Blames, gutter: BlameGutter) {
    this.#blames = blames;
    this.#gutter = gutter;
    const moved = () => this.#moved();
    this.#subscriptions = vscode.Disposable.from(
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === vscode.window.activeTextEditor) this.#moved();
      }),
      vscode.window.onDidChangeActiveTextEditor(moved),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document === vscode.window.activeTextEditor?.document) this.#moved();
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#without.delete(uri.toString())),
      vscode.workspace.onDidChangeConfiguration(moved),
      gutter.onChange(moved),
      blames.onChange(() => {
        this.#without.clear();
        this.#moved();
      }),
    );
    this.#moved();
  }

  dispose(): void {
    clearTimeout(this.#resting);
    this.#asking?.cancel();
    this.#subscriptions.dispose();
    this.#decoration.dispose();
  }

  #moved(): void {
    clearTimeout(this.#resting);
    this.#asking?.cancel();
    this.#editor?.setDecorations(this.#decoration, []);
    this.#editor = undefined;
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined || !this.#isWanted(editor.document)) return;
    this.#resting = setTimeout(() => void this.#show(editor), restMs);
  }

  #isWanted(document: vscode.TextDocument): boolean {
    const { uri } = document;
    if (this.#gutter.isShown(document) || this.#without.has(uri.toString())) return false;
    const inline = setting("blame.inline");
    if (uri.scheme === snapshotScheme) return inline !== "off";
    return uri.scheme === "file" && inline === "always" && !isShownByOthers();
  }

  async #show(editor: vscode.TextEditor): Promise<void> {
    const { document } = editor;
    const { line } = editor.selection.active;
    const asking = new vscode.CancellationTokenSource();
    this.#asking = asking;
    try {
      const file = await this.#blames.open(document, asking.token);
      if (this.#blames.originOf(document, line) === "unknown") {
        const seen = seenLines(editor);
        const wanted = this.#blames.stretchOf(
          document,
          Math.min(line, seen.first),
          Math.max(line, seen.last),
        );
        const missing = wanted && file.blamed.missing(wanted);
        if (missing !== undefined) {
          await this.#blames.ask(file, document, missing, { token: asking.token });
        }
      }
      if (asking.token.isCancellationRequested) return;
      this.#draw(editor, line);
    } catch (error) {
      // Nobody asked for it: where there is none, there is nothing to say.
      if (!(error instanceof vscode.CancellationError)) this.#without.add(document.uri.toString());
    } finally {
      asking.dispose();
    }
  }

  #draw(editor: vscode.TextEditor, line: number): void {
    const { document } = editor;
    const origin = this.#blames.originOf(document, line);
    const file = this.#blames.known(document);
    if (origin === "nothing" || origin === "unknown" || file === undefined) return;
    const end = document.lineAt(line).range.end;
    const place = { uri: document.uri.toString(), line };
    const isOwn = origin === "own";
    editor.setDecorations(this.#decoration, [
      {
        range: new vscode.Range(end, end),
        ...(isOwn ? {} : { hoverMessage: blameHover(origin, file.repository, file.path, place) }),
        renderOptions: {
          after: {
            contentText: isOwn ? vscode.l10n.t("You · not committed") : inlineText(origin.commit),
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

function inlineText(commit: Parameters<typeof formatted>[1]["commit"]): string {
  const time = new Date(commit.date);
  return formatted(setting("blame.format"), {
    commit,
    ago: ago(time.getTime()),
    date: time.toLocaleDateString(vscode.env.language),
  });
}

/** VS Code itself and another well-known extension can show the same. */
function isShownByOthers(): boolean {
  const settings = vscode.workspace.getConfiguration();
  return (
    settings.get("git.blame.editorDecoration.enabled") === true ||
    settings.get("gitlens.currentLine.enabled") === true
  );
}

/** How blame is drawn: a column before the lines, and a stripe that tells how old they are. */
import * as vscode from "vscode";
import { setting } from "#client/settings";
import { ago } from "#client/words";
import { blameHover, slowHover } from "./blameHover";
import type { Blames, LineOrigin } from "./blames";
import { ageStep, ageSteps, gutterColumns, gutterText } from "./blameText";

/** Files with more lines are drawn only around what is seen. */
const linesDrawnAtOnce = 400;
const linesAround = 150;
/** Further away there is room for the text only, so that the code does not jump when it is scrolled. */
const linesKeptFree = 1500;

/** Lines of an editor from 0, the last one included. */
export interface LineWindow {
  readonly first: number;
  readonly last: number;
}

export interface Drawing {
  readonly blames: Blames;
  /** Said on the first line that is seen and not known. */
  readonly problem: string | undefined;
}

export class BlameDecorations implements vscode.Disposable {
  readonly #text = vscode.window.createTextEditorDecorationType({});
  readonly #room = vscode.window.createTextEditorDecorationType({ before: column("") });
  readonly #steps = Array.from({ length: ageSteps }, (_, step) =>
    vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      borderStyle: "solid",
      borderWidth: "0 0 0 3px",
      borderColor: new vscode.ThemeColor(`trawl.blameAge${step}`),
    }),
  );

  dispose(): void {
    for (const type of this.#types()) type.dispose();
  }

  clear(editor: vscode.TextEditor): void {
    for (const type of this.#types()) editor.setDecorations(type, []);
  }

  /** Gives the lines that were drawn. */
  draw(editor: vscode.TextEditor, drawing: Drawing): LineWindow {
    const { document } = editor;
    const seen = seenLines(editor);
    const isShort = document.lineCount <= linesDrawnAtOnce;
    const end = document.lineCount - 1;
    const window = isShort
      ? { first: 0, last: end }
      : { first: Math.max(0, seen.first - linesAround), last: Math.min(end, seen.last + linesAround) };
    editor.setDecorations(this.#text, texts(document, window, seen, drawing));
    editor.setDecorations(this.#room, isShort ? [] : roomAround(window, end));
    const ages = setting("blame.heatmap", document.uri) ? stripes(document, window, drawing.blames) : [];
    for (const [step, type] of this.#steps.entries()) editor.setDecorations(type, ages[step] ?? []);
    return window;
  }

  #types(): readonly vscode.TextEditorDecorationType[] {
    return [this.#text, this.#room, ...this.#steps];
  }
}

/** The lines between the first and the last one that is seen. */
export function seenLines({ visibleRanges, selection }: vscode.TextEditor): LineWindow {
  const first = visibleRanges[0]?.start.line ?? selection.active.line;
  return { first, last: visibleRanges.at(-1)?.end.line ?? first };
}

function texts(
  document: vscode.TextDocument,
  window: LineWindow,
  seen: LineWindow,
  { blames, problem }: Drawing,
): vscode.DecorationOptions[] {
  const file = blames.known(document);
  const options: vscode.DecorationOptions[] = [];
  let above: LineOrigin | undefined;
  let hasToldProblem = problem === undefined;
  for (let line = window.first; line <= window.last; line++) {
    const origin = blames.originOf(document, line);
    const range = new vscode.Range(line, 0, line, 0);
    const isNew = !isSame(origin, above);
    above = origin;
    if (typeof origin === "object" && file !== undefined) {
      const text = isNew ? gutterText(origin.commit, ago(Date.parse(origin.commit.date))) : "";
      const place = { uri: document.uri.toString(), line };
      options.push({
        range,
        hoverMessage: blameHover(origin, file.repository, file.path, place),
        renderOptions: { before: column(text) },
      });
    } else if (origin === "unknown" && !hasToldProblem && problem !== undefined && line >= seen.first) {
      hasToldProblem = true;
      options.push({
        range,
        hoverMessage: slowHover(problem),
        renderOptions: { before: column(problem) },
      });
    } else {
      const text = origin === "own" && isNew ? vscode.l10n.t("You · not committed") : "";
      options.push({ range, renderOptions: { before: column(text) } });
    }
  }
  return options;
}

function isSame(origin: LineOrigin, above: LineOrigin | undefined): boolean {
  if (typeof origin !== "object" || typeof above !== "object") return origin === above;
  return origin.commit.hash === above.commit.hash;
}

/** For each step the lines that have it. */
function stripes(
  document: vscode.TextDocument,
  { first, last }: LineWindow,
  blames: Blames,
): vscode.Range[][] {
  const now = Date.now();
  const steps: vscode.Range[][] = Array.from({ length: ageSteps }, () => []);
  for (let line = first; line <= last; line++) {
    const origin = blames.originOf(document, line);
    const step = origin === "own" ? 0 : typeof origin === "object" ? ageStep(origin.commit.date, now) : -1;
    steps[step]?.push(new vscode.Range(line, 0, line, 0));
  }
  return steps;
}

function roomAround({ first, last }: LineWindow, end: number): vscode.Range[] {
  const lines: vscode.Range[] = [];
  for (let line = Math.max(0, first - linesKeptFree); line <= Math.min(end, last + linesKeptFree); line++) {
    if (line < first || line > last) lines.push(new vscode.Range(line, 0, line, 0));
  }
  return lines;
}

/** Always of the same width; a text of nothing would have no height. */
function column(text: string): vscode.ThemableDecorationAttachmentRenderOptions {
  return {
    contentText: text === "" ? "\u00A0" : text.replaceAll(" ", "\u00A0"),
    width: `${gutterColumns + 1}ch`,
    margin: "0 1ch 0 1ch",
    color: new vscode.ThemeColor("descriptionForeground"),
    fontStyle: "normal",
    fontWeight: "normal",
  };
}

/** Draws blame: a column before the lines, and a stripe colored by their age. */
import * as vscode from "vscode";
import { shortAge } from "#client/workbench/format";
import { setting } from "#client/workbench/settings";
import type { BlameCache, LineOrigin } from "./blameCache";
import { blameHover, timeoutHover } from "./blameHover";
import { ageStep, ageSteps, gutterColumns, gutterText } from "./blameText";

/** Longer files are drawn only around the visible lines. */
const wholeFileLines = 400;
const marginLines = 150;
/** Lines farther away get an empty column, so that the code does not jump on scrolling. */
const reservedLines = 1500;

/** Zero-based lines of an editor, inclusive. */
export interface LineWindow {
  readonly first: number;
  readonly last: number;
}

export interface BlameContent {
  readonly cache: BlameCache;
  /** Shown on the first visible line whose blame is unknown. */
  readonly problem: string | undefined;
}

export class BlameDecorations implements vscode.Disposable {
  readonly #text = vscode.window.createTextEditorDecorationType({});
  readonly #spacer = vscode.window.createTextEditorDecorationType({ before: column("") });
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

  /** Returns the lines that were drawn. */
  draw(editor: vscode.TextEditor, content: BlameContent): LineWindow {
    const { document } = editor;
    const visible = visibleLines(editor);
    const isShort = document.lineCount <= wholeFileLines;
    const end = document.lineCount - 1;
    const window = isShort
      ? { first: 0, last: end }
      : { first: Math.max(0, visible.first - marginLines), last: Math.min(end, visible.last + marginLines) };
    editor.setDecorations(this.#text, blameTexts(document, window, visible, content));
    editor.setDecorations(this.#spacer, isShort ? [] : spacerRanges(window, end));
    const ages = setting("blame.heatmap", document.uri) ? heatmapRanges(document, window, content.cache) : [];
    for (const [step, type] of this.#steps.entries()) editor.setDecorations(type, ages[step] ?? []);
    return window;
  }

  #types(): readonly vscode.TextEditorDecorationType[] {
    return [this.#text, this.#spacer, ...this.#steps];
  }
}

/** Returns the range from the first to the last visible line, including folded lines in between. */
export function visibleLines({ visibleRanges, selection }: vscode.TextEditor): LineWindow {
  const first = visibleRanges[0]?.start.line ?? selection.active.line;
  return { first, last: visibleRanges.at(-1)?.end.line ?? first };
}

function blameTexts(
  document: vscode.TextDocument,
  window: LineWindow,
  visible: LineWindow,
  { cache, problem }: BlameContent,
): vscode.DecorationOptions[] {
  const file = cache.cached(document);
  const options: vscode.DecorationOptions[] = [];
  let above: LineOrigin | undefined;
  let hasShownProblem = problem === undefined;
  for (let line = window.first; line <= window.last; line++) {
    const origin = cache.originOf(document, line);
    const range = new vscode.Range(line, 0, line, 0);
    const isNew = !isSame(origin, above);
    above = origin;
    if (typeof origin === "object" && file !== undefined) {
      const text = isNew ? gutterText(origin.commit, shortAge(Date.parse(origin.commit.date))) : "";
      const target = { uri: document.uri.toString(), line };
      options.push({
        range,
        hoverMessage: blameHover(origin, file.repository, file.path, target),
        renderOptions: { before: column(text) },
      });
    } else if (origin === "unknown" && !hasShownProblem && problem !== undefined && line >= visible.first) {
      hasShownProblem = true;
      options.push({
        range,
        hoverMessage: timeoutHover(problem),
        renderOptions: { before: column(problem) },
      });
    } else {
      const text = origin === "uncommitted" && isNew ? vscode.l10n.t("You · not committed") : "";
      options.push({ range, renderOptions: { before: column(text) } });
    }
  }
  return options;
}

function isSame(origin: LineOrigin, above: LineOrigin | undefined): boolean {
  if (typeof origin !== "object" || typeof above !== "object") return origin === above;
  return origin.commit.hash === above.commit.hash;
}

/** Returns the ranges of lines for each age step. */
function heatmapRanges(
  document: vscode.TextDocument,
  { first, last }: LineWindow,
  cache: BlameCache,
): vscode.Range[][] {
  const now = Date.now();
  const steps: vscode.Range[][] = Array.from({ length: ageSteps }, () => []);
  for (let line = first; line <= last; line++) {
    const origin = cache.originOf(document, line);
    const step =
      origin === "uncommitted" ? 0 : typeof origin === "object" ? ageStep(origin.commit.date, now) : -1;
    steps[step]?.push(new vscode.Range(line, 0, line, 0));
  }
  return steps;
}

function spacerRanges({ first, last }: LineWindow, end: number): vscode.Range[] {
  const lines: vscode.Range[] = [];
  for (let line = Math.max(0, first - reservedLines); line <= Math.min(end, last + reservedLines); line++) {
    if (line < first || line > last) lines.push(new vscode.Range(line, 0, line, 0));
  }
  return lines;
}

/** Returns a column of fixed width. Empty text becomes a no-break space, because it would have no height. */
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

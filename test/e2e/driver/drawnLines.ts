/** Reads the lines that an editor shows. */
import type { Window } from "#e2e/driver/window";

/** A visible line of an editor with the text of its decorations. Positions are in pixels. */
export interface DrawnLine {
  readonly before: string;
  readonly after: string;
  readonly text: string;
  readonly top: number;
  readonly left: number;
  readonly right: number;
}

/** Returns the rendered lines in order, with their decorations. */
export async function drawnLines(window: Window): Promise<readonly DrawnLine[]> {
  return await window.page.evaluate(() => {
    const decorationText = (line: Element, pseudo: string) =>
      [...line.querySelectorAll("span")]
        .map((span) => getComputedStyle(span, pseudo).content)
        .filter((content) => content.startsWith('"'))
        .map((content) => content.slice(1, -1).replaceAll("\u00a0", " ").trim())
        .join("");
    return [...document.querySelectorAll(".editor-instance .view-lines .view-line")]
      .map((line) => {
        const { top, height, left, right } = (line.querySelector("span") ?? line).getBoundingClientRect();
        return {
          before: decorationText(line, "::before"),
          after: decorationText(line, "::after"),
          text: line.textContent ?? "",
          top: top + height / 2,
          left,
          right,
        };
      })
      .filter(({ top }) => top > 0)
      .sort((one, other) => one.top - other.top);
  });
}

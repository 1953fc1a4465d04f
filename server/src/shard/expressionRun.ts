import type { ExpressionPattern } from "./pattern";
import type { DecodedText } from "./text";

/** Which engine runs an expression: V8's, or the linear one for what V8 does not finish in time. */
export type RunMode = "backtracking" | "linear";

/**
 * Calls `found` for each match of the pattern in a text, leftmost first, none overlapping, in UTF-16 units.
 *
 * An empty match right behind another match is none, and there is none behind a document's final newline. Of the text
 * of lines the caller leaves the last newline away, so what is empty at its end stands in the last line.
 */
export function runExpression(
  pattern: ExpressionPattern,
  decoded: DecodedText,
  mode: RunMode,
  found: (start: number, end: number) => void,
): void {
  const { text } = decoded;
  const plainAscii = decoded.isAscii && !text.includes("\r");
  const expression = plainAscii ? pattern.ascii : pattern.unicode;
  let lastEnd = -1;
  for (let from = 0; from <= text.length; ) {
    let start: number;
    let end: number;
    if (mode === "linear") {
      const match = pattern.expression.findLinear(text, from);
      if (match === undefined) return;
      [start, end] = match;
    } else {
      expression.lastIndex = from;
      const match = expression.exec(text);
      if (match === null) return;
      start = match.index;
      end = start + match[0].length;
    }
    const isEmpty = start === end;
    const isBehindText =
      isEmpty && pattern.needsWholeDocument && start === text.length && text.endsWith("\n");
    if (!(isEmpty && start === lastEnd) && !isBehindText) found(start, end);
    lastEnd = end;
    from = isEmpty ? end + codeUnits(text, end) : end;
  }
}

function codeUnits(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  const next = text.charCodeAt(at + 1);
  return unit >= 0xd800 && unit < 0xdc00 && next >= 0xdc00 && next < 0xe000 ? 2 : 1;
}

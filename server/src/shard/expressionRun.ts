import type { LinearFind } from "#query/re2";
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
  let next: LinearFind = pattern.expression.findLinear;
  if (mode === "backtracking" && expression !== undefined)
    next = (_, from) => findNext(expression, text, from);
  let lastEnd = -1;
  for (let from = 0; from <= text.length; ) {
    let match: [number, number] | undefined;
    try {
      match = next(text, from);
    } catch (error) {
      // V8 compiles and recurses within limits of its own; beyond them only the linear engine answers.
      if (next === pattern.expression.findLinear) throw error;
      next = pattern.expression.findLinear;
      continue;
    }
    if (match === undefined) return;
    const [start, end] = match;
    const isEmpty = start === end;
    const isBehindText =
      isEmpty && pattern.needsWholeDocument && start === text.length && text.endsWith("\n");
    if (!(isEmpty && start === lastEnd) && !isBehindText) found(start, end);
    lastEnd = end;
    from = isEmpty ? end + codeUnits(text, end) : end;
  }
}

function findNext(expression: RegExp, text: string, from: number): [number, number] | undefined {
  expression.lastIndex = from;
  const match = expression.exec(text);
  return match === null ? undefined : [match.index, match.index + match[0].length];
}

function codeUnits(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  const next = text.charCodeAt(at + 1);
  return unit >= 0xd800 && unit < 0xdc00 && next >= 0xdc00 && next < 0xe000 ? 2 : 1;
}

/**
 * Calls `found` with the first match in each line of a text that has one, for an expression of which no match leaves
 * its line. Gives false where V8 does not take it.
 */
export function eachMatchingLine(
  ofLine: RegExp,
  text: string,
  found: (match: RegExpExecArray) => void,
): boolean {
  for (let from = 0; from <= text.length; ) {
    ofLine.lastIndex = from;
    let match: RegExpExecArray | null;
    try {
      match = ofLine.exec(text);
    } catch {
      // V8 compiles and recurses within limits of its own.
      return false;
    }
    if (match === null) return true;
    found(match);
    const end = text.indexOf("\n", match.index);
    if (end < 0) return true;
    from = end + 1;
  }
  return true;
}

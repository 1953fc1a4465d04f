import type { LinearFind } from "#query/regexp/re2";
import type { DecodedText } from "#shard/format/text";
import type { ExpressionPattern } from "./pattern";

/** The engine that runs an expression: V8's, or the linear one for expressions that V8 does not finish in time. */
export type RunMode = "backtracking" | "linear";

/**
 * Calls `found` with the start and end (UTF-16 offsets) of each match in a text: leftmost first, without overlaps.
 *
 * Ignores an empty match directly after another match, and one after the final newline of a document. If a pattern runs
 * on separate lines, the caller removes the last newline, so an empty match at the end is in the last line.
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
  const form = mode === "linear" ? undefined : expression;
  let isLinear = form === undefined;
  // Reading `findLinear` compiles the expression for the linear engine, so it is read only on demand.
  let next: LinearFind =
    form === undefined ? pattern.expression.findLinear : (_, from) => findNext(form, text, from);
  let lastEnd = -1;
  for (let from = 0; from <= text.length; ) {
    let match: [number, number] | undefined;
    try {
      match = next(text, from);
    } catch (error) {
      // V8 limits the size and recursion of expressions; beyond that only the linear engine works.
      if (isLinear) throw error;
      isLinear = true;
      next = pattern.expression.findLinear;
      continue;
    }
    if (match === undefined) return;
    const [start, end] = match;
    const isEmpty = start === end;
    const isAfterText = isEmpty && pattern.needsWholeDocument && start === text.length && text.endsWith("\n");
    if (!(isEmpty && start === lastEnd) && !isAfterText) found(start, end);
    lastEnd = end;
    from = isEmpty ? end + codeUnits(text, end) : end;
  }
}

function findNext(expression: RegExp, text: string, from: number): [number, number] | undefined {
  expression.lastIndex = from;
  const match = expression.exec(text);
  return match === null ? undefined : [match.index, match.index + match[0].length];
}

function codeUnits(text: string, offset: number): number {
  const unit = text.charCodeAt(offset);
  const next = text.charCodeAt(offset + 1);
  return unit >= 0xd800 && unit < 0xdc00 && next >= 0xdc00 && next < 0xe000 ? 2 : 1;
}

/**
 * Calls `found` with the first match in each line of a text, for an expression whose matches never span lines. Returns
 * false if V8 cannot run it.
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
      // V8 limits the size and recursion of expressions.
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

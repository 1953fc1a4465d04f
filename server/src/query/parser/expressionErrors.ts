import { isServiceError, type ServiceError } from "#base/error";
import { checkExpression, escapeExpression } from "#query/regexp/regexp";
import { type Edit, toServiceError } from "./errors";
import { quoteText, writeExpression } from "./write";

interface ExpressionError {
  /** Go's message or the unsupported construct, with the part of the expression. */
  readonly text: string;
  /** The same as one sentence. */
  readonly message: string;
  /** The position in the expression, in UTF-16 units; 0 if the parser does not report it. */
  readonly offset: number;
  readonly length: number;
}

/** Constructs of other dialects that RE2 does not support. */
const constructs: readonly (readonly [start: RegExp, name: string])[] = [
  [/^\(\?<?[=!]/, "lookaround"],
  [/^\\[1-9]/, "a backreference"],
  [/^\\k[<{']/, "a backreference"],
  [/^\(\?P=/, "a backreference"],
  [/^\(\?>/, "an atomic group"],
  [/^\(\?#/, "a comment"],
  [/^\(\?[(|]/, "a conditional"],
  [/^[*+?}]\+$/, "a possessive quantifier"],
];

const sentences: Readonly<Record<string, (part: string) => string>> = {
  "missing closing )": () => 'Unclosed "(".',
  "missing closing ]": () => 'Unclosed "[".',
  "unexpected )": () => 'Unmatched ")".',
  "missing argument to repetition operator": (part) => `"${part}" has nothing to repeat.`,
  "invalid nested repetition operator": (part) => `"${part}" follows another quantifier.`,
  "trailing backslash at end of expression": () => "Trailing backslash.",
};

const advice = "Escape it, or quote the value to search for the text.";

/**
 * Returns the error for the invalid value `written`, whose expression `source` starts at `offset` of the query.
 * Rethrows `cause` if it is not a service error.
 */
export function expressionError(
  cause: unknown,
  source: string,
  { offset, isQuoted, written }: { offset: number; isQuoted: boolean; written: string },
): ServiceError {
  if (!isServiceError(cause)) throw cause;
  const error = explainError(cause.message, source);
  const start = isQuoted ? offset - 1 : offset;
  // Inside quotes, a backslash may be written as two, so offsets in the value are not offsets in the text.
  const location = isQuoted
    ? { offset, length: written.length - 2 }
    : { offset: offset + error.offset, length: error.length };
  const whole = { offset: start, length: written.length };
  const edits = isQuoted ? [] : escapes(source, error, offset);
  const escaped = isQuoted ? quoteText(escapeExpression(source)) : writeExpression(source);
  edits.push({ ...whole, title: "Escape it", text: escaped });
  const message = `Invalid regular expression at offset ${location.offset}: ${error.text}. ${advice}`;
  return toServiceError({ ...location, message: error.message, edits }, message);
}

/** Escapes the invalid part. */
function escapes(source: string, { offset, length }: ExpressionError, start: number): Edit[] {
  if (length === 0) return [];
  const text = escapeExpression(source.slice(offset, offset + length));
  return [{ title: "Escape it", offset: start + offset, length, text }];
}

/** Rewords Go's message, and locates the part of the expression that it quotes. */
function explainError(goText: string, source: string): ExpressionError {
  const [, reason = goText, part = ""] = /^error parsing regexp: (.*?)(?:: `(.*)`)?$/su.exec(goText) ?? [];
  const construct = constructs.find(([start]) => start.test(part));
  if (construct !== undefined) {
    const message = `${capitalized(construct[1])} is not supported.`;
    const offset = locatePart(part, source);
    return { text: `${construct[1]} is not supported: ${part}`, message, offset, length: part.length };
  }
  const text = part === "" ? reason : `${reason}: ${part}`;
  const message = sentences[reason]?.(part) ?? `Invalid regular expression: ${text}.`;
  // For parentheses, Go quotes the whole expression; for a bracket, everything after it.
  if (reason === "missing closing )" || reason === "unexpected )")
    return { text, message, offset: unmatchedParenthesis(source), length: 1 };
  if (reason === "missing closing ]")
    return { text, message, offset: source.length - part.length, length: 1 };
  if (reason.startsWith("trailing backslash")) return { text, message, offset: source.length - 1, length: 1 };
  return { text, message, offset: locatePart(part, source), length: part.length };
}

function capitalized(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** Returns the first occurrence of `part` after which the expression is invalid. Tries only a few. */
function locatePart(part: string, source: string): number {
  const first = Math.max(0, part === "" ? 0 : source.indexOf(part));
  if (part === "") return first;
  let at = first;
  for (let tries = 0, read = 0; at >= 0 && tries < maxAttempts && read < maxRead; tries++) {
    read += at + part.length;
    if (!isExpression(source.slice(0, at + part.length))) return at;
    at = source.indexOf(part, at + 1);
  }
  return first;
}

const maxAttempts = 20;
/** Characters that may be parsed again to locate a part. */
const maxRead = 5000;

function isExpression(source: string): boolean {
  try {
    checkExpression(source);
    return true;
  } catch {
    return false;
  }
}

/** Returns the offset of the first unmatched parenthesis outside of classes and escapes. */
function unmatchedParenthesis(source: string): number {
  if (source.length > maxRead) return 0;
  const open: number[] = [];
  for (const { index, 0: token } of source.matchAll(groupTokens)) {
    if (token === "(") open.push(index);
    else if (token === ")" && open.pop() === undefined) return index;
  }
  return open[0] ?? 0;
}

const groupTokens = /\\.|\[\^?\]?(?:\\.|\[:\^?[a-z]+:\]|[^\]\\])*\]|[()]/gsu;

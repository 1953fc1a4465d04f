import { isServiceError, type ServiceError } from "#base/error";
import { type Edit, errorOf } from "./fault";
import { checkExpression, escapeExpression } from "./regexp";
import { quoteText, writeExpression } from "./write";

interface Fault {
  /** What Go says, or the name of what RE2 does not have; with the part that is meant. */
  readonly text: string;
  /** The same in a sentence for people. */
  readonly message: string;
  /** Where the fault lies in the expression, in UTF-16 units; 0 where the parser does not tell. */
  readonly offset: number;
  readonly length: number;
}

/** What people know from other dialects and RE2 does not have. */
const constructs: readonly (readonly [start: RegExp, name: string])[] = [
  [/^\(\?<?[=!]/, "look-around"],
  [/^\\[1-9]/, "a back-reference"],
  [/^\\k[<{']/, "a back-reference"],
  [/^\(\?P=/, "a back-reference"],
  [/^\(\?>/, "an atomic group"],
  [/^\(\?#/, "a comment"],
  [/^\(\?[(|]/, "a conditional"],
  [/^[*+?}]\+$/, "a possessive repetition"],
];

const sentences: Readonly<Record<string, (part: string) => string>> = {
  "missing closing )": () => 'Unclosed "(".',
  "missing closing ]": () => 'Unclosed "[".',
  "unexpected )": () => 'There is no "(" for this ")".',
  "missing argument to repetition operator": (part) => `There is nothing that "${part}" could repeat.`,
  "invalid nested repetition operator": (part) => `"${part}" repeats a repetition.`,
  "trailing backslash at end of expression": () => "The last backslash escapes nothing.",
};

/** What is wrong with the value `written`, whose expression `source` begins at `offset` of a query. */
export function expressionError(
  cause: unknown,
  source: string,
  { offset, isQuoted, written }: { offset: number; isQuoted: boolean; written: string },
): ServiceError {
  if (!isServiceError(cause)) throw cause;
  const fault = explainFault(cause.message, source);
  const start = isQuoted ? offset - 1 : offset;
  // Inside quotes a backslash may be two, so that places in the value are not those in the text.
  const place = isQuoted
    ? { offset, length: written.length - 2 }
    : { offset: offset + fault.offset, length: fault.length };
  const whole = { offset: start, length: written.length };
  const edits = isQuoted ? [] : escapes(source, fault, offset);
  const escaped = isQuoted ? quoteText(escapeExpression(source)) : writeExpression(source);
  if (escaped !== undefined) edits.push({ ...whole, title: "Escape it", text: escaped });
  const message = `Invalid regular expression at offset ${place.offset}: ${fault.text}.`;
  return errorOf({ ...place, message: fault.message, edits }, message);
}

/** The part that is wrong, taken as text. */
function escapes(source: string, { offset, length }: Fault, start: number): Edit[] {
  if (length === 0) return [];
  const text = escapeExpression(source.slice(offset, offset + length));
  return [{ title: "Escape it", offset: start + offset, length, text }];
}

/** Says in words what Go's text says, and finds the part of the expression that it quotes. */
function explainFault(goText: string, source: string): Fault {
  const [, reason = goText, part = ""] = /^error parsing regexp: (.*?)(?:: `(.*)`)?$/su.exec(goText) ?? [];
  const construct = constructs.find(([start]) => start.test(part));
  if (construct !== undefined) {
    const message = `${capitalized(construct[1])} is not supported.`;
    const offset = placeOf(part, source);
    return { text: `${construct[1]} is not supported: ${part}`, message, offset, length: part.length };
  }
  const text = part === "" ? reason : `${reason}: ${part}`;
  const message = sentences[reason]?.(part) ?? `Invalid regular expression: ${text}.`;
  // Of these Go quotes the whole expression, and of a bracket everything behind it.
  if (reason === "missing closing )" || reason === "unexpected )")
    return { text, message, offset: lonelyParenthesis(source), length: 1 };
  if (reason === "missing closing ]")
    return { text, message, offset: source.length - part.length, length: 1 };
  if (reason.startsWith("trailing backslash")) return { text, message, offset: source.length - 1, length: 1 };
  return { text, message, offset: placeOf(part, source), length: part.length };
}

function capitalized(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** Of the places where `part` stands, the first where the expression cannot end; no more than a few are tried. */
function placeOf(part: string, source: string): number {
  const first = Math.max(0, part === "" ? 0 : source.indexOf(part));
  if (part === "") return first;
  let at = first;
  for (let tries = 0; at >= 0 && tries < maxPlaces; tries++) {
    if (!isExpression(source.slice(0, at + part.length))) return at;
    at = source.indexOf(part, at + 1);
  }
  return first;
}

const maxPlaces = 20;

function isExpression(source: string): boolean {
  try {
    checkExpression(source);
    return true;
  } catch {
    return false;
  }
}

/** The first parenthesis without a partner, beside classes and what is escaped. */
function lonelyParenthesis(source: string): number {
  const open: number[] = [];
  for (const { index, 0: token } of source.matchAll(groupTokens)) {
    if (token === "(") open.push(index);
    else if (token === ")" && open.pop() === undefined) return index;
  }
  return open[0] ?? 0;
}

const groupTokens = /\\.|\[\^?\]?(?:\\.|\[:\^?[a-z]+:\]|[^\]\\])*\]|[()]/gsu;

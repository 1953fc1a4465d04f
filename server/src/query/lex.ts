/**
 * Where the words, quotes and groups of a query begin and end. Places are UTF-16 units of the query text.
 *
 * White space separates. A quote counts only where a term begins, and only if it is closed on its line; a parenthesis
 * only if it has a partner. In regex mode a term runs on over white space inside its own parentheses and classes,
 * because it would be no expression otherwise.
 */
import { prefixAt } from "./prefixes";

export interface Layout {
  readonly text: string;
  readonly isRegex: boolean;
  /** Whether it searches for commits, which have filters of their own. */
  readonly forCommits: boolean;
  /** For each opening parenthesis its partner, for all else -1. */
  readonly partners: Int32Array;
  /** For each bracket that opens a class in regex mode, the bracket that closes it; for all else -1. */
  readonly classEnds: Int32Array;
  /** Opening parentheses without a partner. */
  readonly unclosed: number;
}

export function layOut(text: string, isRegex: boolean, forCommits: boolean): Layout {
  const partners = new Int32Array(text.length).fill(-1);
  const classEnds = new Int32Array(text.length).fill(-1);
  const open: number[] = [];
  let mayQuote = true;
  /** No bracket before this place is closed, so that each character is looked at twice at most. */
  let noClassUntil = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (mayQuote && quotedEnd(text, at, text.length) > 0) {
      at = quotedEnd(text, at, text.length) - 1;
      continue;
    }
    mayQuote = character === "(" || character === ")" || character === ":" || isBlank(character);
    if (character === "\\") at++;
    else if (character === "(") open.push(at);
    else if (character === ")") {
      const partner = open.pop();
      if (partner !== undefined) partners[partner] = at;
    } else if (character === "[" && isRegex && at >= noClassUntil) {
      const end = classEnd(text, at);
      if (text[end] === "]") {
        classEnds[at] = end;
        at = end;
      } else noClassUntil = end;
    }
  }
  return { text, isRegex, forCommits, partners, classEnds, unclosed: open.length };
}

export function isBlank(character: string | undefined): boolean {
  return character !== undefined && " \t\n\r\f\v".includes(character);
}

export function skipBlanks(text: string, at: number, end: number): number {
  let next = at;
  while (next < end && isBlank(text[next])) next++;
  return next;
}

/** The place behind the quote that closes the one at `at`, or -1. */
export function quotedEnd(text: string, at: number, end: number): number {
  if (text[at] !== '"') return -1;
  for (let next = at + 1; next < end; next++) {
    const character = text[next];
    if (character === "\\") next++;
    else if (character === '"') return next + 1;
    else if (character === "\n") return -1;
  }
  return -1;
}

/** What a closed quote holds: `\"` and `\\` are one character each, any other backslash stays. */
export function unquote(quoted: string): string {
  return quoted.slice(1, -1).replace(/\\(["\\])/g, "$1");
}

/** The place behind a term that is taken as it stands. */
export function wordEnd(text: string, at: number, end: number): number {
  let next = at;
  while (next < end && !isBlank(text[next])) next++;
  return next;
}

/** The place behind a term that is an expression: it goes on through its parentheses, classes and escaped blanks. */
export function expressionEnd({ text, partners, classEnds }: Layout, at: number, end: number): number {
  let next = at;
  while (next < end && !isBlank(text[next])) {
    const inside = Math.max(partners[next] ?? -1, classEnds[next] ?? -1);
    if (text[next] === "\\") next += 2;
    else next = inside > next && inside < end ? inside + 1 : next + 1;
  }
  return Math.min(next, end);
}

/**
 * The partner of a parenthesis that opens a group, or -1.
 *
 * In regex mode parentheses around a single term belong to the expression, unless that term could be none: nothing at
 * all, a filter, a quote, or again a group.
 */
export function groupEnd(layout: Layout, at: number, end: number): number {
  const { text, isRegex, partners } = layout;
  const outer = text[at] === "(" ? (partners[at] ?? -1) : -1;
  if (outer < 0 || outer >= end) return -1;
  if (!isRegex) return outer;
  let start = at + 1;
  let close = outer;
  for (;;) {
    if (isBlank(text[start]) || isBlank(text[close - 1]) || start === close) return outer;
    const dash = text[start] === "-" ? 1 : 0;
    if (prefixAt(text, start + dash, layout.forCommits) !== undefined) return outer;
    if (dash === 0 && quotedEnd(text, start, close) === close) return outer;
    if (text[start + dash] !== "(" || partners[start + dash] !== close - 1) break;
    start += dash + 1;
    close -= 1;
  }
  return expressionEnd(layout, start, close) < close ? outer : -1;
}

/** A class ends on its line; a bracket without an end stays a character, of which the parser of expressions will speak. */
function classEnd(text: string, at: number): number {
  let next = at + 1;
  if (text[next] === "^") next++;
  if (text[next] === "]") next++;
  while (next < text.length && text[next] !== "]" && text[next] !== "\n") {
    if (text[next] === "\\") next += 2;
    else if (text.startsWith("[:", next)) next = namedClassEnd(text, next);
    else next++;
  }
  return Math.min(next, text.length);
}

function namedClassEnd(text: string, at: number): number {
  const name = /\[:\^?[a-z]+:\]/y;
  name.lastIndex = at;
  return name.test(text) ? name.lastIndex : at + 1;
}

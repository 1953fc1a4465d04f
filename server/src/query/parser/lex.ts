/**
 * Finds where the words, quotes and groups of a query begin and end. Offsets are UTF-16 units of the query.
 *
 * Whitespace separates terms. A quote counts only at the start of a term, and only if it is closed, on any line; a
 * parenthesis only if it has a partner. In regex mode, a term continues over whitespace inside its own parentheses and
 * classes, because it would not be a valid expression otherwise.
 */
import { prefixAt } from "./prefixes";

export interface Layout {
  readonly text: string;
  readonly isRegex: boolean;
  /** Whether it is a commit search, which has filters of its own. */
  readonly forCommits: boolean;
  /** For each opening parenthesis, the offset of its partner; otherwise -1. */
  readonly partners: Int32Array;
  /** For each bracket that opens a class in regex mode, the offset of its closing bracket; otherwise -1. */
  readonly classEnds: Int32Array;
  /** For each offset, the first unescaped quote at or after it, or -1. */
  readonly nextQuotes: Int32Array;
  /** For each parenthesis, whether it opens a group. Filled on demand. */
  readonly knownGroups: Uint8Array;
  /** The number of opening parentheses without a partner. */
  readonly unclosed: number;
}

const isGroup = 1;
const isNoGroup = 2;

export function layOut(text: string, isRegex: boolean, forCommits: boolean): Layout {
  const partners = new Int32Array(text.length).fill(-1);
  const classEnds = new Int32Array(text.length).fill(-1);
  const nextQuotes = findNextQuotes(text);
  const open: number[] = [];
  let mayQuote = true;
  /** No bracket before this offset is closed. Keeps the scan linear: each character is read at most twice. */
  let noClassUntil = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    const closingQuote = mayQuote && character === '"' ? (nextQuotes[at + 1] ?? -1) : -1;
    if (closingQuote >= 0) {
      at = closingQuote;
      continue;
    }
    mayQuote = character === "(" || character === ")" || character === ":" || isWhitespace(character);
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
  const knownGroups = new Uint8Array(text.length);
  return { text, isRegex, forCommits, partners, classEnds, nextQuotes, knownGroups, unclosed: open.length };
}

function findNextQuotes(text: string): Int32Array {
  const found = new Int32Array(text.length + 2).fill(-1);
  for (let at = text.length - 1; at >= 0; at--) {
    const character = text[at];
    if (character === '"') found[at] = at;
    else found[at] = found[at + (character === "\\" ? 2 : 1)] ?? -1;
  }
  return found;
}

export function isWhitespace(character: string | undefined): boolean {
  return character !== undefined && " \t\n\r\f\v".includes(character);
}

export function skipWhitespace(text: string, offset: number, end: number): number {
  let next = offset;
  while (next < end && isWhitespace(text[next])) next++;
  return next;
}

/** Returns the offset after the quote that closes the one at `offset`, or -1. */
export function quotedEnd({ text, nextQuotes }: Layout, offset: number, end: number): number {
  const closing = text[offset] === '"' ? (nextQuotes[offset + 1] ?? -1) : -1;
  return closing >= 0 && closing < end ? closing + 1 : -1;
}

/** Returns the contents of a closed quote: `\"` and `\\` are one character each, other backslashes stay. */
export function unquote(quoted: string): string {
  return quoted.slice(1, -1).replace(/\\(["\\])/g, "$1");
}

/** Returns the end of a literal term. */
export function wordEnd(text: string, offset: number, end: number): number {
  let next = offset;
  while (next < end && !isWhitespace(text[next])) next++;
  return next;
}

/** Returns the end of an expression, which continues through its parentheses, classes and escaped whitespace. */
export function expressionEnd({ text, partners, classEnds }: Layout, offset: number, end: number): number {
  let next = offset;
  while (next < end && !isWhitespace(text[next])) {
    const inside = Math.max(partners[next] ?? -1, classEnds[next] ?? -1);
    if (text[next] === "\\") next += 2;
    else next = inside > next && inside < end ? inside + 1 : next + 1;
  }
  return Math.min(next, end);
}

/**
 * Returns the partner of a parenthesis that opens a group, or -1.
 *
 * In literal mode, an empty pair is text, as in `main ()`. In regex mode, parentheses around a single term belong to
 * the expression, unless they contain nothing, a filter, a quote, or a nested group.
 */
export function groupEnd(layout: Layout, offset: number, end: number): number {
  const { text, isRegex, partners } = layout;
  const outer = text[offset] === "(" ? (partners[offset] ?? -1) : -1;
  if (outer < 0 || outer >= end) return -1;
  if (!isRegex) return skipWhitespace(text, offset + 1, outer) === outer ? -1 : outer;
  if (layout.knownGroups[offset] === 0) markGroups(layout, offset);
  return layout.knownGroups[offset] === isGroup ? outer : -1;
}

/** Decides for this parenthesis and for those directly inside it. They are all groups, or none of them is. */
function markGroups(layout: Layout, offset: number): void {
  const { text, partners, knownGroups } = layout;
  const opened: number[] = [];
  let open = offset;
  let kind = 0;
  while (kind === 0) {
    opened.push(open);
    const close = partners[open] ?? -1;
    const start = open + 1;
    const dash = text[start] === "-" ? 1 : 0;
    const inner = start + dash;
    const isQuoted = dash === 0 && quotedEnd(layout, start, close) === close;
    const isFilter = prefixAt(text, inner, layout.forCommits) !== undefined;
    if (isWhitespace(text[start]) || isWhitespace(text[close - 1]) || start === close || isFilter || isQuoted)
      kind = isGroup;
    else if (text[inner] === "(" && partners[inner] === close - 1) {
      open = inner;
      kind = knownGroups[open] ?? 0;
    } else kind = expressionEnd(layout, start, close) < close ? isGroup : isNoGroup;
  }
  for (const each of opened) knownGroups[each] = kind;
}

/**
 * Returns the offset of the bracket that closes a class, or the end of its line. The expression parser reports the
 * latter.
 */
function classEnd(text: string, offset: number): number {
  let next = offset + 1;
  if (text[next] === "^") next++;
  if (text[next] === "]") next++;
  while (next < text.length && text[next] !== "]" && text[next] !== "\n") {
    if (text[next] === "\\") next += 2;
    else if (text.startsWith("[:", next)) next = namedClassEnd(text, next);
    else next++;
  }
  return Math.min(next, text.length);
}

function namedClassEnd(text: string, offset: number): number {
  const name = /\[:\^?[a-z]+:\]/y;
  name.lastIndex = offset;
  return name.test(text) ? name.lastIndex : offset + 1;
}

/** Splits a text into items by its lines and their indentation alone. */
import type { Range } from "web-tree-sitter";

/** A range of lines; `to` is exclusive. */
export interface Lines {
  readonly from: number;
  readonly to: number;
}

/** Conditional directives; their branches may be incomplete. */
const conditional = /[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif|else|endif|region|endregion)\b/y;
const conditionalGrammars: ReadonlySet<string> = new Set(["c", "cpp", "objc", "c_sharp"]);
/** The start of a container: the items in it are not indented, and it ends at `@end`. */
const container = /@(?:interface|implementation|protocol)\b[^;\n]*$/my;
const loneMacro = /[A-Z_][A-Z0-9_]*(?:\([^()\n]*\))?[ \t\r]*$/my;
const containerEnd = /@end\b/y;

/** The start of a line that can begin an item. Excludes keywords that continue the previous one. */
const beginning =
  /(?!(?:else|elif|elsif|catch|except|finally|rescue|ensure|where|then|in)\b)[\p{L}_$@#[</+\-~"'`]/uy;
/** The start of a line that ends an item, unless it opens something else. */
const closing = /[ \t]*(?:[})\]]|@end\b|end\b|fi\b|done\b|esac\b)/y;
const opening = /[{([,:=|&\\>]\s*$/;
const ending = /[;}]\s*$/;
const continued = /[,(=\\|&]\s*$/;

export class SourceLines {
  readonly text: string;
  readonly #starts: number[] = [0];
  readonly #hasConditionals: boolean;
  readonly #hasContainers: boolean;

  constructor(text: string, grammar: string) {
    this.text = text;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) this.#starts.push(at + 1);
    this.#hasConditionals = conditionalGrammars.has(grammar);
    this.#hasContainers = grammar === "objc";
  }

  get count(): number {
    return this.#starts.length;
  }

  /** Returns the UTF-16 index where a line starts, or the length of the text for a line after the last one. */
  start(line: number): number {
    return this.#starts[line] ?? this.text.length;
  }

  length({ from, to }: Lines): number {
    return this.start(to) - this.start(from);
  }

  /** Returns the number of leading whitespace characters; undefined for a blank line. */
  indentation(line: number): number | undefined {
    const start = this.start(line);
    const end = this.start(line + 1);
    for (let at = start; at < end; at++) if (this.text.charCodeAt(at) > 0x20) return at - start;
    return undefined;
  }

  isConditional(line: number): boolean {
    return this.#hasConditionals && this.matches(conditional, line);
  }

  isContainer(line: number): boolean {
    return this.#hasContainers && this.matches(container, line);
  }

  isContainerEnd(line: number): boolean {
    return this.#hasContainers && this.matches(containerEnd, line);
  }

  /** Tests a sticky expression at a column of a line. */
  matches(sticky: RegExp, line: number, from = 0): boolean {
    sticky.lastIndex = this.start(line) + from;
    return sticky.test(this.text);
  }

  /** Returns the end of a line, at most 100 characters. */
  tail(line: number): string {
    const end = this.start(line + 1);
    return this.text.slice(Math.max(this.start(line), end - 100), end);
  }

  /** Splits lines at conditional directives. */
  withoutConditionals({ from, to }: Lines): Lines[] {
    const found: Lines[] = [];
    let begin = from;
    for (let line = from; line <= to; line++) {
      if (line < to && !this.isConditional(line)) continue;
      if (begin < line) found.push({ from: begin, to: line });
      begin = line + 1;
    }
    return found;
  }

  ranges(all: readonly Lines[]): Range[] {
    return all
      .flatMap((lines) => this.withoutConditionals(lines))
      .map(({ from, to }) => ({
        startIndex: this.start(from),
        startPosition: { row: from, column: 0 },
        endIndex: this.start(to),
        endPosition: this.#end(to),
      }));
  }

  #end(line: number): { row: number; column: number } {
    if (line < this.count) return { row: line, column: 0 };
    return { row: this.count - 1, column: this.text.length - this.start(this.count - 1) };
  }
}

/** Splits lines into consecutive items, which include the comments before them. None begins where `isOther` is true. */
export function itemsOf(
  lines: SourceLines,
  { from, to }: Lines,
  isExcluded: (index: number) => boolean,
): Lines[] {
  const base = leastIndentation(lines, { from, to });
  const items: Lines[] = [];
  let begin = from;
  let last = -1;
  let isContained = false;
  for (let line = from; line < to; line++) {
    const indentation = lines.indentation(line);
    if (indentation === undefined || lines.isConditional(line)) continue;
    if (indentation === base && last >= 0 && !isContained && isBeginning(lines, line, last, base)) {
      if (!isExcluded(lines.start(line) + base)) {
        items.push({ from: begin, to: line });
        begin = line;
      }
    }
    if (lines.isContainer(line)) isContained = to - from > 1 && hasEnd(lines, line, to);
    else if (lines.isContainerEnd(line)) isContained = false;
    last = line;
  }
  if (begin < to) items.push({ from: begin, to });
  return items;
}

function hasEnd(lines: SourceLines, from: number, to: number): boolean {
  for (let line = from + 1; line < to; line++) {
    if (lines.isContainerEnd(line)) return true;
    if (lines.isContainer(line)) return false;
  }
  return false;
}

function isBeginning(lines: SourceLines, line: number, last: number, base: number): boolean {
  if (!lines.matches(beginning, line, base)) return false;
  if (lines.isContainer(line) && lines.matches(loneMacro, last)) return true;
  const tail = lines.tail(last);
  if (lines.matches(closing, last)) return !opening.test(tail);
  return ending.test(tail) || (last < line - 1 && !continued.test(tail));
}

function leastIndentation(lines: SourceLines, { from, to }: Lines): number {
  let least = Number.POSITIVE_INFINITY;
  for (let line = from; line < to; line++)
    if (!lines.isConditional(line)) least = Math.min(least, lines.indentation(line) ?? least);
  return least;
}

/** The head, the body and the end of an item. */
export interface Parts {
  readonly head: Lines;
  readonly body: Lines;
  readonly end: Lines;
}

/** Splits an item around its body: a container's contents, or the longest indented run. Undefined if it has neither. */
export function partsOf(lines: SourceLines, item: Lines): Parts | undefined {
  const body = containedIn(lines, item) ?? longestIndented(lines, item);
  if (body === undefined) return undefined;
  return { head: { from: item.from, to: body.from }, body, end: { from: body.to, to: item.to } };
}

function containedIn(lines: SourceLines, { from, to }: Lines): Lines | undefined {
  let begin = from;
  while (begin < to && !lines.isContainer(begin)) begin++;
  let end = begin;
  while (end < to && !lines.isContainerEnd(end)) end++;
  if (end >= to) return undefined;
  begin++;
  // Skips the fields, which have braces of their own.
  if (/^\s*\{/.test(lines.text.slice(lines.start(begin), lines.start(begin + 1)))) {
    while (begin < end && !lines.matches(/\}/y, begin)) begin++;
    begin++;
  }
  return begin < end ? { from: begin, to: end } : undefined;
}

/** Returns the longest run of indented lines. The lines of multi-line comments do not count as indented. */
function longestIndented(lines: SourceLines, item: Lines): Lines | undefined {
  const base = leastIndentation(lines, item);
  let longest: Lines | undefined;
  let begin = item.from;
  for (let line = item.from; line <= item.to; line++) {
    if (line < item.to) {
      const indentation = lines.indentation(line);
      if (indentation === undefined || lines.isConditional(line)) continue;
      // An asterisk that is indented by one more space continues a comment.
      if (indentation > base + 1) continue;
      if (indentation === base + 1 && lines.text[lines.start(line) + indentation] !== "*") continue;
    }
    if (
      begin < line &&
      (longest === undefined || lines.length({ from: begin, to: line }) > lines.length(longest))
    )
      longest = { from: begin, to: line };
    begin = line + 1;
  }
  return longest;
}

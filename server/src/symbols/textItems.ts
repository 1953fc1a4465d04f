/** What a text seems to consist of, by its lines and their indentation alone. */
import type { Range } from "web-tree-sitter";

/** From one line up to another one, which does not belong to them. */
export interface Lines {
  readonly from: number;
  readonly to: number;
}

/** Lines that choose between others; what they choose may be no whole. */
const conditional = /[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif|else|endif|region|endregion)\b/y;
const conditionalGrammars: ReadonlySet<string> = new Set(["c", "cpp", "objc", "c_sharp"]);
/** What holds others without indentation, up to its last line. */
const container = /@(?:interface|implementation|protocol)\b[^;\n]*$/my;
const loneMacro = /[A-Z_][A-Z0-9_]*(?:\([^()\n]*\))?[ \t\r]*$/my;
const containerEnd = /@end\b/y;

/** What a line that begins something can begin with; words that go on with what was before. */
const beginning =
  /(?!(?:else|elif|elsif|catch|except|finally|rescue|ensure|where|then|in)\b)[\p{L}_$@#[</+\-~"'`]/uy;
/** A line with these at its beginning ends something, unless it opens something else. */
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

  /** For the number of lines, the length of the text. */
  start(line: number): number {
    return this.#starts[line] ?? this.text.length;
  }

  length({ from, to }: Lines): number {
    return this.start(to) - this.start(from);
  }

  /** How many blanks it begins with; undefined if it has nothing else. */
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

  /** From some place of the line on. */
  matches(sticky: RegExp, line: number, from = 0): boolean {
    sticky.lastIndex = this.start(line) + from;
    return sticky.test(this.text);
  }

  /** Its end, without what would take long to look at. */
  tail(line: number): string {
    const end = this.start(line + 1);
    return this.text.slice(Math.max(this.start(line), end - 100), end);
  }

  /** What of some lines a grammar is given. */
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

/** The items one after another that some lines consist of, comments before them included; `isOther`: no item begins there. */
export function itemsOf(
  lines: SourceLines,
  { from, to }: Lines,
  isOther: (place: number) => boolean,
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
      if (!isOther(lines.start(line) + base)) {
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

/** What an item begins with, what it holds, and how it ends. */
export interface Parts {
  readonly head: Lines;
  readonly body: Lines;
  readonly end: Lines;
}

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
  // Its fields stand in braces of their own.
  if (/^\s*\{/.test(lines.text.slice(lines.start(begin), lines.start(begin + 1)))) {
    while (begin < end && !lines.matches(/\}/y, begin)) begin++;
    begin++;
  }
  return begin < end ? { from: begin, to: end } : undefined;
}

/** Comments of several lines aside. */
function longestIndented(lines: SourceLines, item: Lines): Lines | undefined {
  const base = leastIndentation(lines, item);
  let longest: Lines | undefined;
  let begin = item.from;
  for (let line = item.from; line <= item.to; line++) {
    if (line < item.to) {
      const indentation = lines.indentation(line);
      if (indentation === undefined || lines.isConditional(line)) continue;
      // Stars one blank further in are those of a comment beside it.
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

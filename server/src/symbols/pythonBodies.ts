/** Python: statements in which a name does not stand. What belongs to one is told by how far its lines stand in. */
import { apostrophe, at, backslash, blank, code, hash, newline, quote, tab } from "./bytes";
import type { Cuts } from "./cuts";
import { beginOf, endOfLine, endOfString } from "./tokens";
import { isWordByte, Words } from "./words";

const imports = ["import", "from"];
/** Statements that others may belong to, or that belong to others: `else`. */
const parts = [
  "if",
  "elif",
  "else",
  "try",
  "except",
  "finally",
  "for",
  "while",
  "with",
  "match",
  "case",
  "async",
];
const words = new Words([...imports, ...parts]);

const opening: ReadonlySet<number> = new Set([..."([{"].map(code));
const closing: ReadonlySet<number> = new Set([...")]}"].map(code));
const tabWidth = 8;

/** With what belongs to it; the module is one, too. */
interface Statement {
  /** Where its first line, or that of its first decorator, begins. */
  readonly start: number;
  readonly indent: number;
  readonly canGo: boolean;
  /** How many parts had been left out before. */
  readonly cutsBefore: number;
  /** Something in it is left: what holds nothing is no block. */
  holds: boolean;
  /** It imports something. */
  stays: boolean;
}

/** Adds what can be left out; false where a string or a bracket has no end. */
export function pythonBodies(content: Uint8Array, cuts: Cuts): boolean {
  const around: Statement[] = [statement(0, -1, false, cuts)];
  let decorators = -1;
  let from = beginOf(content);
  while (from < content.length) {
    const { first, indent } = indentation(content, from);
    const sign = content[first];
    if (sign === undefined || isLineBreak(sign) || sign === hash) {
      from = endOfLine(content, first) + 1;
      continue;
    }
    closeTo(content, around, indent, decorators >= 0 ? decorators : from, cuts);
    const end = endOfStatement(content, first);
    if (end < 0) return false;
    if (sign === at) {
      if (decorators < 0) decorators = from;
    } else {
      const number = words.find(content, first, endOfWord(content, first));
      const start = decorators < 0 ? from : decorators;
      if (number > 0 && number <= imports.length) for (const each of around) each.stays = true;
      around.push(statement(start, indent, number === 0, cuts));
      decorators = -1;
    }
    from = end + 1;
  }
  closeTo(content, around, -1, content.length, cuts);
  return true;
}

function statement(start: number, indent: number, canGo: boolean, cuts: Cuts): Statement {
  return { start, indent, canGo, cutsBefore: cuts.count, holds: false, stays: false };
}

/** Ends statements until one is left that stands less far in; `end`: where what is next begins. */
function closeTo(content: Uint8Array, around: Statement[], indent: number, end: number, cuts: Cuts): void {
  for (
    let last = around.at(-1);
    last !== undefined && last.indent >= Math.max(indent, 0);
    last = around.at(-1)
  ) {
    around.pop();
    const outer = around.at(-1);
    if (last.canGo && !last.stays && !cuts.isWanted(last.start, end, true)) {
      // What is next must not begin where something was left out.
      cuts.add(last.start, content[end - 1] === newline ? end - 1 : end, last.cutsBefore);
      continue;
    }
    // Its only lines were left out.
    if (!last.holds) cuts.giveUp(last.cutsBefore);
    if (outer !== undefined) outer.holds = true;
  }
}

function indentation(content: Uint8Array, from: number): { readonly first: number; readonly indent: number } {
  let indent = 0;
  let first = from;
  for (; content[first] === blank || content[first] === tab; first++)
    indent = content[first] === tab ? indent - (indent % tabWidth) + tabWidth : indent + 1;
  return { first, indent };
}

function isLineBreak(byte: number): boolean {
  return byte === newline || byte === 0x0d || byte === 0x0c;
}

function endOfWord(content: Uint8Array, start: number): number {
  let end = start;
  while (isWordByte[content[end] ?? 0] === 1) end++;
  return end;
}

/** The line break that ends it, outside of brackets and strings; -1 where there is none. */
function endOfStatement(content: Uint8Array, start: number): number {
  let depth = 0;
  for (let place = start; place < content.length; place++) {
    const byte = content[place] ?? 0;
    if (byte === newline && depth === 0) return place;
    if (byte === hash) place = endOfLine(content, place) - 1;
    else if (byte === backslash)
      place += content[place + 1] === 0x0d && content[place + 2] === newline ? 2 : 1;
    else if (byte === quote || byte === apostrophe) {
      place = endOfPythonString(content, place);
      if (place < 0) return -1;
    } else if (opening.has(byte)) depth++;
    else if (closing.has(byte) && --depth < 0) return -1;
  }
  return depth === 0 ? content.length : -1;
}

/** Of the last byte of a string, which goes on over lines between three quotes. */
function endOfPythonString(content: Uint8Array, start: number): number {
  const sign = content[start];
  if (content[start + 1] !== sign || content[start + 2] !== sign) return endOfString(content, start);
  for (let place = start + 3; place < content.length; place++) {
    if (content[place] === backslash) place++;
    else if (content[place] === sign && content[place + 1] === sign && content[place + 2] === sign)
      return place + 2;
  }
  return -1;
}

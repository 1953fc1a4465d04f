/** Elides statements of Python that do not contain a name. Indentation decides what belongs to a statement. */
import { apostrophe, asciiCode, at, backslash, hash, newline, quote, space, tab } from "./asciiCodes";
import type { Cuts } from "./cuts";
import { endOfLine, endOfString, startOfText } from "./tokens";
import { isWordByte, Keywords } from "./words";

const imports = ["import", "from"];
/** Keywords of statements with clauses, and of these clauses, such as `else`. */
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
const words = new Keywords([...imports, ...parts]);

const opening: ReadonlySet<number> = new Set([..."([{"].map(asciiCode));
const closing: ReadonlySet<number> = new Set([...")]}"].map(asciiCode));
const tabWidth = 8;

/** A statement with its block. The module counts as one. */
interface Statement {
  /** The start of its first line, or of the first decorator. */
  readonly start: number;
  readonly indent: number;
  readonly canElide: boolean;
  /** The number of cuts before it. */
  readonly cutsBefore: number;
  /** Whether a statement of its block is kept. Eliding all of them would leave an empty block. */
  hasKeptStatement: boolean;
  /** Whether it imports something. */
  mustBeKept: boolean;
}

/** Adds the ranges to elide. Returns false if a string or a bracket is not closed. */
export function pythonBodies(content: Uint8Array, cuts: Cuts): boolean {
  const open: Statement[] = [statement(0, -1, false, cuts)];
  let decorators = -1;
  let from = startOfText(content);
  while (from < content.length) {
    const { first, indent } = indentation(content, from);
    const byte = content[first];
    if (byte === undefined || isLineBreak(byte) || byte === hash) {
      from = endOfLine(content, first) + 1;
      continue;
    }
    closeTo(content, open, indent, decorators >= 0 ? decorators : from, cuts);
    const end = endOfStatement(content, first);
    if (end < 0) return false;
    if (byte === at) {
      if (decorators < 0) decorators = from;
    } else {
      const number = words.find(content, first, endOfWord(content, first));
      const start = decorators < 0 ? from : decorators;
      if (number > 0 && number <= imports.length) for (const each of open) each.mustBeKept = true;
      open.push(statement(start, indent, number === 0, cuts));
      decorators = -1;
    }
    from = end + 1;
  }
  closeTo(content, open, -1, content.length, cuts);
  return true;
}

function statement(start: number, indent: number, canElide: boolean, cuts: Cuts): Statement {
  return { start, indent, canElide, cutsBefore: cuts.count, hasKeptStatement: false, mustBeKept: false };
}

/** Closes statements until one is indented less. `end` is the start of the next statement. */
function closeTo(content: Uint8Array, open: Statement[], indent: number, end: number, cuts: Cuts): void {
  for (let last = open.at(-1); last !== undefined && last.indent >= Math.max(indent, 0); last = open.at(-1)) {
    open.pop();
    const outer = open.at(-1);
    if (last.canElide && !last.mustBeKept && !cuts.mustKeep(last.start, end, true)) {
      // The next statement must not begin at a cut.
      cuts.add(last.start, content[end - 1] === newline ? end - 1 : end, last.cutsBefore);
      continue;
    }
    // Keep the whole block, because it would be empty otherwise.
    if (!last.hasKeptStatement) cuts.truncate(last.cutsBefore);
    if (outer !== undefined) outer.hasKeptStatement = true;
  }
}

function indentation(content: Uint8Array, from: number): { readonly first: number; readonly indent: number } {
  let indent = 0;
  let first = from;
  for (; content[first] === space || content[first] === tab; first++)
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

/** Returns the offset of the line break that ends a statement, outside of brackets and strings, or -1. */
function endOfStatement(content: Uint8Array, start: number): number {
  let depth = 0;
  for (let offset = start; offset < content.length; offset++) {
    const byte = content[offset] ?? 0;
    if (byte === newline && depth === 0) return offset;
    if (byte === hash) offset = endOfLine(content, offset) - 1;
    else if (byte === backslash)
      offset += content[offset + 1] === 0x0d && content[offset + 2] === newline ? 2 : 1;
    else if (byte === quote || byte === apostrophe) {
      offset = endOfPythonString(content, offset);
      if (offset < 0) return -1;
    } else if (opening.has(byte)) depth++;
    else if (closing.has(byte) && --depth < 0) return -1;
  }
  return depth === 0 ? content.length : -1;
}

/** Returns the offset of the last byte of a string, which may be triple-quoted. */
function endOfPythonString(content: Uint8Array, start: number): number {
  const mark = content[start];
  if (content[start + 1] !== mark || content[start + 2] !== mark) return endOfString(content, start);
  for (let offset = start + 3; offset < content.length; offset++) {
    if (content[offset] === backslash) offset++;
    else if (content[offset] === mark && content[offset + 1] === mark && content[offset + 2] === mark)
      return offset + 2;
  }
  return -1;
}

/**
 * A typed wrapper of re2js: its parser, which returns the syntax tree and Go's error messages, and its linear engine.
 *
 * The names with underscores are internals that the build adds to the package's exports (`scripts/re2jsInternals.mjs`).
 */
import * as exported from "re2js";
import { partitionPoint } from "#base/binarySearch";
import { ServiceError } from "#base/error";
import type { Assertion, Syntax } from "./syntax";

interface Tree {
  readonly op: number;
  readonly flags: number;
  readonly subs: readonly Tree[];
  readonly runes: ArrayLike<number>;
  readonly min: number;
  readonly max: number;
}

interface LinearProgram {
  numberOfCapturingGroups(): number;
  numberOfInstructions(): number;
  matchWithGroup(
    text: string,
    start: number,
    end: number,
    anchor: number,
    groupCount: number,
  ): [boolean, number[] | null];
}

interface Internals {
  readonly __Parser: { parse(source: string, flags: number): Tree };
  /** `Op` maps numbers to names. */
  readonly __Regexp: { readonly Op: Readonly<Record<number, string>> };
  readonly __RE2Flags: Readonly<
    Record<"PERL" | "ONE_LINE" | "FOLD_CASE" | "NON_GREEDY" | "UNANCHORED", number>
  >;
  readonly __RE2: { compileImpl(source: string, flags: number, longest: boolean): LinearProgram };
  readonly __Unicode: {
    readonly MIN_FOLD: number;
    readonly MAX_FOLD: number;
    simpleFold(codePoint: number): number;
  };
  readonly __CharClass: {
    readonly prototype: {
      appendRange(first: number, last: number): unknown;
      appendFoldedRange(first: number, last: number): unknown;
    };
  };
}

const { __Parser, __Regexp, __RE2Flags, __RE2, __Unicode, __CharClass } = exported as unknown as Internals;

/** How many ranges may still be added to the character classes of one or several expressions. */
export interface ClassBudget {
  rangesLeft: number;
}

/**
 * Adding this many ranges takes a few milliseconds. Each `\pL` adds about 700, so a query of 10,000 characters could
 * otherwise block the parser for half a second.
 */
const maxClassRanges = 100_000;

export function newClassBudget(): ClassBudget {
  return { rangesLeft: maxClassRanges };
}

let classBudget = newClassBudget();
const { appendRange } = __CharClass.prototype;
__CharClass.prototype.appendRange = function (first, last) {
  if (--classBudget.rangesLeft < 0) throw new exported.RE2JSException(tooLargeMessage);
  return appendRange.call(this, first, last);
};

/** The code points that have other cases, ascending, each with the lowest and the highest of its folding orbit. */
interface CasedCodePoints {
  readonly codePoints: Int32Array;
  readonly lowest: Int32Array;
  readonly highest: Int32Array;
}

let cased: CasedCodePoints | undefined;

/** Computed once and cached, because it takes a few milliseconds. */
function casedCodePoints(): CasedCodePoints {
  if (cased !== undefined) return cased;
  const orbits: number[][] = [];
  for (let codePoint = __Unicode.MIN_FOLD; codePoint <= __Unicode.MAX_FOLD; codePoint++) {
    if (__Unicode.simpleFold(codePoint) !== codePoint) orbits.push([codePoint, ...foldingOrbit(codePoint)]);
  }
  cased = {
    codePoints: Int32Array.from(orbits, ([codePoint]) => codePoint ?? 0),
    lowest: Int32Array.from(orbits, ([, lowest]) => lowest ?? 0),
    highest: Int32Array.from(orbits, (orbit) => orbit.at(-1) ?? 0),
  };
  return cased;
}

/** Replaces a method of re2js that visits each code point of a wide range. The resulting class is the same. */
__CharClass.prototype.appendFoldedRange = function (first, last) {
  this.appendRange(first, last);
  if (first <= __Unicode.MIN_FOLD && last >= __Unicode.MAX_FOLD) return this;
  const { codePoints, lowest, highest } = casedCodePoints();
  const start = partitionPoint(0, codePoints.length, (at) => (codePoints[at] ?? 0) < first);
  for (let at = start; (codePoints[at] ?? Number.POSITIVE_INFINITY) <= last; at++) {
    if (first <= (lowest[at] ?? 0) && (highest[at] ?? 0) <= last) continue;
    for (const each of foldingOrbit(codePoints[at] ?? 0)) {
      if (each < first || each > last) this.appendRange(each, each);
    }
  }
  return this;
};

/** Makes `^` and `$` match at the start and end of each line. `.` does not match a newline, but `[^a]` does. */
function flagsFor(caseSensitive: boolean): number {
  const multiline = __RE2Flags.PERL & ~__RE2Flags.ONE_LINE;
  return caseSensitive ? multiline : multiline | __RE2Flags.FOLD_CASE;
}

export const tooLargeMessage = "error parsing regexp: expression too large";

/** Throws FAILED_TO_PARSE_QUERY with Go's message, which ends with the invalid part of the expression. */
export function parseSyntax(source: string, caseSensitive: boolean, budget = newClassBudget()): Syntax {
  classBudget = budget;
  if (hasManyUnclosedNames(source)) throw new ServiceError("FAILED_TO_PARSE_QUERY", tooLargeMessage);
  try {
    return convert(__Parser.parse(source, flagsFor(caseSensitive)));
  } catch (cause) {
    if (!(cause instanceof exported.RE2JSException)) throw cause;
    throw new ServiceError("FAILED_TO_PARSE_QUERY", cause.message, { cause });
  }
}

const maxUnclosedNames = 100;

/** Whether too many class names (`[:`) are unclosed. For each, the parser scans the rest of the expression. */
function hasManyUnclosedNames(source: string): boolean {
  return source.slice(source.lastIndexOf(":]") + 1).split("[:").length > maxUnclosedNames;
}

/** Returns all code points that equal `codePoint` when case is ignored, including itself, ascending. */
export function foldingOrbit(codePoint: number): number[] {
  const orbit = [codePoint];
  for (let next = __Unicode.simpleFold(codePoint); next !== codePoint; next = __Unicode.simpleFold(next)) {
    orbit.push(next);
  }
  return orbit.sort((left, right) => left - right);
}

/** Finds the first match at or after `from`: `[start, end)` in UTF-16 units. Linear in the length of the text. */
export type LinearFind = (text: string, from: number) => [number, number] | undefined;

export function compileLinear(source: string, caseSensitive: boolean): LinearFind {
  classBudget = newClassBudget();
  const program = __RE2.compileImpl(source, flagsFor(caseSensitive), false);
  const run = (text: string, from: number, groupCount: number) =>
    program.matchWithGroup(text, from, text.length, __RE2Flags.UNANCHORED, groupCount);
  return (text, from) => {
    // Without groups the fast automaton runs, and it rejects most texts.
    if (from > text.length || !run(text, from, 0)[0]) return undefined;
    const [found, ends] = run(text, from, 1);
    return found && ends !== null ? [ends[0] ?? 0, ends[1] ?? 0] : undefined;
  };
}

/** Finds what group 1 captured in known matches. */
export interface CaptureFinder {
  /** An upper bound of the number of steps that `find` takes per character. */
  readonly instructionCount: number;
  /**
   * Returns the range of what group 1 captured in the match from `from` to the end of `text`, which is empty if the group
   * took no part, or undefined if the expression has no such match. If `hasNext`, the last character of `text` is the one
   * after the match.
   *
   * Linear in the length of `text`. No other text is needed: the expression prefers the known match to all others, so
   * it prefers that path to all others with this end, and assertions depend on the adjacent characters only.
   */
  find(text: string, from: number, hasNext: boolean): readonly [start: number, end: number] | undefined;
}

/** Returns undefined if the expression has no group that captures. */
export function compileCaptureFinder(source: string, caseSensitive: boolean): CaptureFinder | undefined {
  const compile = (end: string) => {
    classBudget = newClassBudget();
    const flags = flagsFor(caseSensitive);
    try {
      return __RE2.compileImpl(`(?:${source})${end}`, flags, false);
    } catch (error) {
      if (!source.includes("\\Q")) throw error;
      // `\Q` without `\E` quotes the rest of the expression.
      return __RE2.compileImpl(`(?:${source}\\E)${end}`, flags, false);
    }
  };
  const beforeNext = compile("(?s:.)\\z");
  if (beforeNext.numberOfCapturingGroups() === 0) return undefined;
  let atEnd: LinearProgram | undefined;
  return {
    instructionCount: beforeNext.numberOfInstructions(),
    find(text, from, hasNext) {
      atEnd ??= hasNext ? undefined : compile("\\z");
      const program = hasNext ? beforeNext : (atEnd ?? beforeNext);
      const [found, ends] = program.matchWithGroup(text, from, text.length, __RE2Flags.UNANCHORED, 2);
      if (!found || ends?.[0] !== from) return undefined;
      const [, , first = -1, last = -1] = ends;
      return first < 0 ? [from, from] : [first, last];
    },
  };
}

const assertionOf: Readonly<Record<string, Assertion>> = {
  BEGIN_LINE: "lineStart",
  END_LINE: "lineEnd",
  BEGIN_TEXT: "textStart",
  END_TEXT: "textEnd",
  WORD_BOUNDARY: "wordBoundary",
  NO_WORD_BOUNDARY: "noWordBoundary",
};

function convert(tree: Tree): Syntax {
  const name = __Regexp.Op[tree.op] ?? "";
  const assertion = assertionOf[name];
  if (assertion !== undefined) return { kind: assertion };
  switch (name) {
    case "NO_MATCH":
      return { kind: "nothing" };
    case "EMPTY_MATCH":
      return { kind: "empty" };
    case "LITERAL":
      return literal(tree);
    case "CHAR_CLASS":
      return tree.runes.length === 0 ? { kind: "nothing" } : { kind: "class", ranges: ascending(tree.runes) };
    case "ANY_CHAR":
      return { kind: "class", ranges: [0, 0x10ffff] };
    case "ANY_CHAR_NOT_NL":
      return { kind: "class", ranges: [0, 0x09, 0x0b, 0x10ffff] };
    case "CAPTURE":
      return convert(only(tree));
    case "STAR":
      return repeat(tree, 0, Number.POSITIVE_INFINITY);
    case "PLUS":
      return repeat(tree, 1, Number.POSITIVE_INFINITY);
    case "QUEST":
      return repeat(tree, 0, 1);
    case "REPEAT":
      return repeat(tree, tree.min, tree.max < 0 ? Number.POSITIVE_INFINITY : tree.max);
    case "CONCAT":
      return { kind: "concat", children: tree.subs.map(convert) };
    case "ALTERNATE":
      return { kind: "alternate", children: tree.subs.map(convert) };
    default:
      throw new Error(`re2js returned an unknown node: ${tree.op}`);
  }
}

/** A literal does not fold if none of its code points has another case, whatever its flags. */
function literal(tree: Tree): Syntax {
  const codePoints = Array.from(tree.runes);
  const fold =
    (tree.flags & __RE2Flags.FOLD_CASE) !== 0 &&
    codePoints.some((codePoint) => __Unicode.simpleFold(codePoint) !== codePoint);
  return codePoints.length === 0 ? { kind: "empty" } : { kind: "literal", codePoints, fold };
}

/** Sorts and merges ranges: the parser leaves those of a merged class in the order in which they were written. */
function ascending(runes: ArrayLike<number>): number[] {
  const pairs: [number, number][] = [];
  for (let at = 0; at < runes.length; at += 2) pairs.push([runes[at] ?? 0, runes[at + 1] ?? 0]);
  const ranges: number[] = [];
  for (const [first, last] of pairs.sort((left, right) => left[0] - right[0])) {
    const end = ranges.length - 1;
    if (end > 0 && first <= (ranges[end] ?? 0) + 1) ranges[end] = Math.max(ranges[end] ?? 0, last);
    else ranges.push(first, last);
  }
  return ranges;
}

function repeat(tree: Tree, min: number, max: number): Syntax {
  if (max === 0) return { kind: "empty" };
  const greedy = (tree.flags & __RE2Flags.NON_GREEDY) === 0;
  return { kind: "repeat", child: convert(only(tree)), min, max, greedy };
}

function only(tree: Tree): Tree {
  const [child] = tree.subs;
  if (child === undefined) throw new Error(`re2js returned a node without a child: ${tree.op}`);
  return child;
}

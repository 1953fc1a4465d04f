/**
 * The typed face of re2js: its parser, which gives us the tree and Go's error texts, and its linear engine.
 *
 * The names with underscores are internals that the build adds to the package's exports (`scripts/re2jsInternals.mjs`).
 */
import * as exported from "re2js";
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
  /** `Op` gives the name of each number. */
  readonly __Regexp: { readonly Op: Readonly<Record<number, string>> };
  readonly __RE2Flags: Readonly<
    Record<"PERL" | "ONE_LINE" | "FOLD_CASE" | "NON_GREEDY" | "UNANCHORED", number>
  >;
  readonly __RE2: { compileImpl(source: string, flags: number, longest: boolean): LinearProgram };
  readonly __Unicode: { simpleFold(codePoint: number): number };
}

const { __Parser, __Regexp, __RE2Flags, __RE2, __Unicode } = exported as unknown as Internals;

/** `^` and `$` stand at lines, `.` is not a newline, `[^a]` may be one. */
function flagsFor(caseSensitive: boolean): number {
  const multiline = __RE2Flags.PERL & ~__RE2Flags.ONE_LINE;
  return caseSensitive ? multiline : multiline | __RE2Flags.FOLD_CASE;
}

/** Throws FAILED_TO_PARSE_QUERY with Go's text, which ends in the part of the expression that is at fault. */
export function parseSyntax(source: string, caseSensitive: boolean): Syntax {
  try {
    return convert(__Parser.parse(source, flagsFor(caseSensitive)));
  } catch (cause) {
    if (!(cause instanceof exported.RE2JSException)) throw cause;
    throw new ServiceError("FAILED_TO_PARSE_QUERY", cause.message, { cause });
  }
}

/** Every code point that equals `codePoint` where case does not count, itself included, ascending. */
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
  const program = __RE2.compileImpl(source, flagsFor(caseSensitive), false);
  const run = (text: string, from: number, groupCount: number) =>
    program.matchWithGroup(text, from, text.length, __RE2Flags.UNANCHORED, groupCount);
  return (text, from) => {
    // Without groups the fast automaton answers, and most texts end there.
    if (from > text.length || !run(text, from, 0)[0]) return undefined;
    const [found, ends] = run(text, from, 1);
    return found && ends !== null ? [ends[0] ?? 0, ends[1] ?? 0] : undefined;
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
      throw new Error(`re2js gave an unknown node: ${tree.op}`);
  }
}

/** A literal of which no code point has another case does not fold, however it was written. */
function literal(tree: Tree): Syntax {
  const codePoints = Array.from(tree.runes);
  const fold =
    (tree.flags & __RE2Flags.FOLD_CASE) !== 0 &&
    codePoints.some((codePoint) => __Unicode.simpleFold(codePoint) !== codePoint);
  return codePoints.length === 0 ? { kind: "empty" } : { kind: "literal", codePoints, fold };
}

/** The parser leaves the ranges of a merged class in the order in which they were written. */
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
  if (child === undefined) throw new Error(`re2js gave a node without a child: ${tree.op}`);
  return child;
}

/**
 * Prints patterns as regular expressions for Zoekt, which uses Go's syntax.
 *
 * Expressions are printed from the syntax tree, so that nothing that a user writes can mean something else to Go's parser:
 * groups are removed, classes are ranges of code points, and no flag is left.
 */
import type { Pattern } from "#query/query";
import { foldingOrbit, parseSyntax } from "#query/regexp/re2";
import { maxCodePoint, type Syntax, someNode } from "#query/regexp/syntax";

export interface ZoektPattern {
  readonly source: string;
  readonly caseSensitive: boolean;
  /** Whether it matches the same texts as the pattern. Otherwise it matches more. */
  readonly isExact: boolean;
}

/** Zoekt looks up shorter literals in no index. */
const minIndexedLength = 3;
/** Longer expressions are not sent, because classes such as `\pL` have hundreds of ranges. */
const maxSourceLength = 20_000;
const replacement = 0xfffd;
/** In almost no text. */
const noncharacter = 0x10ffff;

/** Returns undefined if Zoekt cannot filter by the pattern, as if it matched every text. */
export function zoektPattern(pattern: Pattern): ZoektPattern | undefined {
  return limited(
    pattern.kind === "literal"
      ? printLiteral(pattern)
      : printSyntax(parseSyntax(pattern.source, pattern.caseSensitive)),
  );
}

/**
 * The same for a pattern that matches a name of a definition: matches the text of every document with such a name. The ends
 * of a name are not those of a line.
 */
export function zoektNamePattern(pattern: Pattern): ZoektPattern | undefined {
  if (pattern.kind === "literal") return zoektPattern(pattern);
  const syntax = parseSyntax(pattern.source, pattern.caseSensitive);
  return limited(printSyntax(isWholeName(syntax) ? withWordBoundaries(syntax) : withoutAssertions(syntax)));
}

/** Whether the expression matches only names that consist of one word: `^name$`. */
function isWholeName(node: Syntax): node is Extract<Syntax, { kind: "concat" }> {
  if (node.kind !== "concat" || node.children.length !== 3) return false;
  const [start, literal, end] = node.children;
  const isAnchored =
    (start?.kind === "lineStart" || start?.kind === "textStart") &&
    (end?.kind === "lineEnd" || end?.kind === "textEnd");
  if (!isAnchored || literal?.kind !== "literal") return false;
  const { codePoints, fold } = literal;
  // The letters k and s fold to others that are not characters of a word.
  const isWord = /^\w+$/.test(String.fromCodePoint(...codePoints));
  const ends = [codePoints[0] ?? 0, codePoints.at(-1) ?? 0];
  return isWord && !(fold && ends.some((end) => foldingOrbit(end).some((each) => each > 0x7f)));
}

/** Replaces the ends of a name, which are those of a word in the text. */
function withWordBoundaries({ children }: Extract<Syntax, { kind: "concat" }>): Syntax {
  const boundary: Syntax = { kind: "wordBoundary" };
  return { kind: "concat", children: [boundary, ...children.slice(1, -1), boundary] };
}

function withoutAssertions(node: Syntax): Syntax {
  switch (node.kind) {
    case "lineStart":
    case "lineEnd":
    case "textStart":
    case "textEnd":
    case "wordBoundary":
    case "noWordBoundary":
      return { kind: "empty" };
    case "repeat":
      return { ...node, child: withoutAssertions(node.child) };
    case "concat":
    case "alternate":
      return { ...node, children: node.children.map(withoutAssertions) };
    default:
      return node;
  }
}

function limited(printed: ZoektPattern | undefined): ZoektPattern | undefined {
  return printed === undefined || printed.source.length > maxSourceLength ? undefined : printed;
}

function printLiteral({
  text,
  caseSensitive,
}: Extract<Pattern, { kind: "literal" }>): ZoektPattern | undefined {
  if (text === "") return undefined;
  const codePoints = codePointsOf(text);
  const folds = !caseSensitive && !isFoldedByZoekt(codePoints);
  return {
    source: printCodePoints(codePoints, folds),
    caseSensitive,
    isExact: !codePoints.includes(replacement) && !(folds && codePoints.some(isMisread)),
  };
}

function printSyntax(syntax: Syntax): ZoektPattern | undefined {
  if (canBeEmpty(syntax)) return undefined;
  const folds = someNode(syntax, (node) => node.kind === "literal" && node.fold);
  const isMixed =
    folds && someNode(syntax, (node) => node.kind === "class" || (node.kind === "literal" && !node.fold));
  const isWidened = someNode(
    syntax,
    (node) =>
      node.kind === "literal" && node.codePoints.some((each) => each === replacement || isMisread(each)),
  );
  return { source: print(syntax), caseSensitive: !folds, isExact: !isMixed && !isWidened };
}

function print(node: Syntax): string {
  switch (node.kind) {
    case "nothing":
      return "[^\\x{0}-\\x{10FFFF}]";
    case "empty":
      return "";
    case "literal":
      return printCodePoints(node.codePoints, node.fold, true);
    case "class":
      return printClass(node.ranges);
    case "lineStart":
      return "(?m:^)";
    case "lineEnd":
      return "(?m:$)";
    case "textStart":
      return "\\A";
    case "textEnd":
      return "\\z";
    case "wordBoundary":
      return "\\b";
    case "noWordBoundary":
      return "\\B";
    case "repeat":
      return `(?:${print(node.child)})${quantifier(node.min, node.max)}`;
    case "concat":
      return node.children
        .map((child) => (child.kind === "alternate" ? `(?:${print(child)})` : print(child)))
        .join("");
    case "alternate":
      return node.children.map(print).join("|");
  }
}

function quantifier(min: number, max: number): string {
  if (max === Number.POSITIVE_INFINITY) return min === 0 ? "*" : min === 1 ? "+" : `{${min},}`;
  return min === 0 && max === 1 ? "?" : min === max ? `{${min}}` : `{${min},${max}}`;
}

/**
 * Whether Zoekt ignores case in a literal as Trawl does, except for U+017F: a text with that letter is found only by a
 * pattern that contains it. A class would find it, too, but Zoekt would then evaluate an expression on many documents.
 */
function isFoldedByZoekt(codePoints: readonly number[]): boolean {
  return (
    codePoints.length >= minIndexedLength &&
    codePoints.every((each) => each <= 0x7f || foldingOrbit(each).length === 1)
  );
}

/**
 * Whether Zoekt overlooks a case of a letter in a class that consists of its two cases, as of ß: one that is longer in UTF-8.
 */
function isMisread(codePoint: number): boolean {
  const orbit = codePoint <= 0x7f ? [] : foldingOrbit(codePoint);
  const lengths = orbit.map((each) => Buffer.byteLength(String.fromCodePoint(each)));
  return orbit.length === 2 && lengths[0] !== lengths[1];
}

/**
 * Prints U+FFFD as any character, because it also stands for invalid UTF-8, which Zoekt compares byte by byte. With
 * `fold`, prints letters of which Zoekt does not know all cases as classes. With `widens`, a class has more than the two
 * cases of a letter that Zoekt misreads, also if Zoekt joins alternatives.
 */
function printCodePoints(codePoints: readonly number[], fold: boolean, widens = fold): string {
  return codePoints
    .map((codePoint) => {
      if (codePoint === replacement) return "(?s:.)";
      const orbit = fold ? foldingOrbit(codePoint) : [codePoint];
      if (widens && isMisread(codePoint)) orbit.push(noncharacter);
      if (orbit.some((each) => each > 0x7f) && orbit.length > 1)
        return printClass(orbit.flatMap((each) => [each, each]));
      return printCodePoint(codePoint);
    })
    .join("");
}

function printCodePoint(codePoint: number): string {
  const character = String.fromCodePoint(codePoint);
  if (/[\\.+*?()|[\]{}^$]/.test(character)) return `\\${character}`;
  return codePoint < 0x20 || codePoint === 0x7f ? `\\x{${codePoint.toString(16)}}` : character;
}

function printClass(ranges: readonly number[]): string {
  let text = "";
  for (let at = 0; at < ranges.length; at += 2) {
    const [first = 0, last = 0] = [ranges[at], ranges[at + 1]];
    text += `\\x{${first.toString(16)}}`;
    if (last > first) text += `-\\x{${Math.min(last, maxCodePoint).toString(16)}}`;
  }
  return text === "" ? "[^\\x{0}-\\x{10FFFF}]" : `[${text}]`;
}

/** Whether some text contains an empty match, as almost every text then does. */
function canBeEmpty(node: Syntax): boolean {
  switch (node.kind) {
    case "nothing":
    case "class":
      return false;
    case "literal":
      return node.codePoints.length === 0;
    case "repeat":
      return node.min === 0 || canBeEmpty(node.child);
    case "concat":
      return node.children.every(canBeEmpty);
    case "alternate":
      return node.children.some(canBeEmpty);
    default:
      return true;
  }
}

/** Returns the code points of a text. A surrogate without its pair is U+FFFD, as it is in UTF-8. */
function codePointsOf(text: string): number[] {
  return Array.from(text, (character) => {
    const codePoint = character.codePointAt(0) ?? replacement;
    return codePoint >= 0xd800 && codePoint <= 0xdfff ? replacement : codePoint;
  });
}

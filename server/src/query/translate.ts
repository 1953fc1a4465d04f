/**
 * An RE2 tree as a JavaScript expression for V8, which runs it many times faster than a linear engine would.
 *
 * The translation matches a text exactly when RE2 does, and at the same place, but for one corner: where a loop's body
 * prefers to match nothing (`(a??)*`), the two leave the loop at different ends. JavaScript's `i` and `s` flags are
 * never used: their folding and their line ends are not RE2's.
 */
import { foldingOrbit } from "./re2";
import { type Assertion, maxCodePoint, type Syntax, someNode } from "./syntax";

/** What `new RegExp` takes; flags without `g` and `y`. */
export interface ExpressionSource {
  readonly source: string;
  readonly flags: string;
}

interface Dialect {
  /** Ranges end here: code points that the text cannot hold only slow the expression down. */
  readonly lastCodePoint: number;
  readonly assertions: Readonly<Record<Assertion, string>>;
}

/** For texts of ASCII without carriage return: there the `m` flag sees the same lines as RE2, and is three times faster. */
export function toAsciiExpression(root: Syntax): ExpressionSource {
  const multiline = someNode(root, (node) => node.kind === "lineStart" || node.kind === "lineEnd");
  const text = multiline ? { textStart: "(?<![^])", textEnd: "(?![^])" } : { textStart: "^", textEnd: "$" };
  const words = { wordBoundary: "\\b", noWordBoundary: "\\B" };
  const assertions = { lineStart: "^", lineEnd: "$", ...text, ...words };
  return { source: emit(root, { lastCodePoint: 0x7f, assertions }), flags: multiline ? "m" : "" };
}

/**
 * For any text.
 *
 * V8 also tries assertions between the halves of a surrogate pair, where RE2 never stands. So each says what it wants to
 * see on both sides: no half of a pair is a newline, an end, or a character of `\w` or `\W`.
 */
export function toUnicodeExpression(root: Syntax): ExpressionSource {
  const assertions = {
    lineStart: "(?:^|(?<=\\n))",
    lineEnd: "(?=\\n|$)",
    textStart: "^",
    textEnd: "$",
    wordBoundary: "\\b",
    noWordBoundary: "(?:(?<=\\w)(?=\\w)|(?<=\\W|^)(?=\\W|$))",
  };
  return { source: emit(root, { lastCodePoint: maxCodePoint, assertions }), flags: "u" };
}

function emit(node: Syntax, dialect: Dialect): string {
  switch (node.kind) {
    case "nothing":
      return "[]";
    case "empty":
      return "(?:)";
    case "literal":
      return node.codePoints.map((codePoint) => emitCodePoint(codePoint, node.fold, dialect)).join("");
    case "class":
      return emitClass(node.ranges, dialect.lastCodePoint);
    case "repeat":
      return emitAtom(node.child, dialect) + quantifier(node.min, node.max) + (node.greedy ? "" : "?");
    case "concat":
      return node.children
        .map((child) => (child.kind === "alternate" ? `(?:${emit(child, dialect)})` : emit(child, dialect)))
        .join("");
    case "alternate":
      return node.children.map((child) => emit(child, dialect)).join("|");
    default:
      return dialect.assertions[node.kind];
  }
}

function emitAtom(node: Syntax, dialect: Dialect): string {
  const single = node.kind === "class" || (node.kind === "literal" && node.codePoints.length === 1);
  return single ? emit(node, dialect) : `(?:${emit(node, dialect)})`;
}

function quantifier(min: number, max: number): string {
  if (max === Number.POSITIVE_INFINITY) return min === 0 ? "*" : min === 1 ? "+" : `{${min},}`;
  if (min === 0 && max === 1) return "?";
  return min === max ? `{${min}}` : `{${min},${max}}`;
}

function emitCodePoint(codePoint: number, fold: boolean, { lastCodePoint }: Dialect): string {
  const orbit = (fold ? foldingOrbit(codePoint) : [codePoint]).filter((each) => each <= lastCodePoint);
  const [only] = orbit;
  if (only === undefined) return "[]";
  return orbit.length === 1 ? emitLiteral(only) : `[${orbit.map(emitLiteral).join("")}]`;
}

const digits = "48,57";
const wordCharacters = "48,57,65,90,95,95,97,122";

function emitClass(ranges: readonly number[], lastCodePoint: number): string {
  const clipped = clip(ranges, lastCodePoint);
  if (clipped.length === 0) return "[]";
  const rest = complement(clipped, lastCodePoint);
  if (rest.length === 0) return "[^]";
  const key = clipped.join();
  if (key === digits) return "\\d";
  if (key === wordCharacters) return "\\w";
  // The shorter way to write it; also the faster one for "anything but a few".
  return rest.length < clipped.length ? `[^${emitRanges(rest)}]` : `[${emitRanges(clipped)}]`;
}

function emitRanges(ranges: readonly number[]): string {
  let source = "";
  for (let at = 0; at < ranges.length; at += 2) {
    const first = ranges[at] ?? 0;
    const last = ranges[at + 1] ?? 0;
    source += first === last ? emitLiteral(first) : `${emitLiteral(first)}-${emitLiteral(last)}`;
  }
  return source;
}

function clip(ranges: readonly number[], lastCodePoint: number): number[] {
  const clipped: number[] = [];
  for (let at = 0; at < ranges.length && (ranges[at] ?? 0) <= lastCodePoint; at += 2) {
    clipped.push(ranges[at] ?? 0, Math.min(ranges[at + 1] ?? 0, lastCodePoint));
  }
  return clipped;
}

function complement(ranges: readonly number[], lastCodePoint: number): number[] {
  const rest: number[] = [];
  let next = 0;
  for (let at = 0; at < ranges.length; at += 2) {
    const first = ranges[at] ?? 0;
    if (next < first) rest.push(next, first - 1);
    next = (ranges[at + 1] ?? 0) + 1;
  }
  if (next <= lastCodePoint) rest.push(next, lastCodePoint);
  return rest;
}

/** Safe inside and outside a class, with and without the `u` flag. */
function emitLiteral(codePoint: number): string {
  const character = String.fromCodePoint(codePoint);
  if (/^[\w ]$/.test(character)) return character;
  if (codePoint < 0x100) return `\\x${hexadecimal(codePoint, 2)}`;
  return codePoint < 0x10000 ? `\\u${hexadecimal(codePoint, 4)}` : `\\u{${hexadecimal(codePoint, 0)}}`;
}

function hexadecimal(codePoint: number, width: number): string {
  return codePoint.toString(16).padStart(width, "0");
}

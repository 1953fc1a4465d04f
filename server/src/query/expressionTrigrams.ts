/**
 * From an expression to the trigrams that every match of it needs, after Russ Cox, "Regular Expression Matching with
 * a Trigram Index".
 *
 * Going up the tree, each node tells what is known of the texts that it matches: all of them, while they are few
 * (`exact`), else how they begin and end; and a formula that is true of each. Joining two nodes puts the ends of one
 * beside the beginnings of the other, which is where the trigrams across the joint come from. Wherever a set grows too
 * large, what it says goes into the formula and its strings are cut, so that the work stays proportional to the tree.
 */
import { type ByteString, foldCodePoint, foldVariants } from "./folding";
import type { Syntax } from "./syntax";
import { all, allOf, anyOf, bounded, none, type TrigramFormula, trigramsOfAny } from "./trigramFormula";

/** How the texts of a node begin and end. */
interface Ends {
  readonly canBeEmpty: boolean;
  /** All texts that match; absent once they are too many or too long. */
  readonly exact?: ReadonlySet<ByteString>;
  /** Each text that matches begins with one of these, and ends with one of `suffixes`. Unused beside `exact`. */
  readonly prefixes: ReadonlySet<ByteString>;
  readonly suffixes: ReadonlySet<ByteString>;
}

interface Knowledge {
  readonly ends: Ends;
  readonly formula: TrigramFormula;
}

const maxExact = 8;
/** Beyond these many strings, or code points in a class, a disjunction of trigrams is no filter any more. */
const maxStrings = 20;
const maxClassSize = 60;
const maxJoint = 100;
const maxTrigrams = 512;
/** What stands behind this many code points of one literal adds work and hardly ever sorts out a block. */
const maxLiteralLength = 256;
/** `x{9}` is read as `x{4}` followed by anything that still ends in `x`. */
const maxCopies = 4;

const nothingKnown: ReadonlySet<ByteString> = new Set([""]);
const anything: Ends = { canBeEmpty: true, prefixes: nothingKnown, suffixes: nothingKnown };
const something: Ends = { ...anything, canBeEmpty: false };
const emptyText = exactly(nothingKnown);

/** The formula of a whole expression. */
export function expressionTrigrams(root: Syntax): TrigramFormula {
  const { ends, formula } = analyze(root);
  const sets = ends.exact === undefined ? [ends.prefixes, ends.suffixes] : [ends.exact];
  return bounded(allOf([formula, ...sets.map(trigramsOfAny)]), maxTrigrams);
}

function analyze(node: Syntax): Knowledge {
  switch (node.kind) {
    case "nothing":
      return { ends: something, formula: none };
    case "literal":
      return concat(literalParts(node.codePoints, node.fold));
    case "class":
      return { ends: classEnds(node.ranges), formula: all };
    case "repeat":
      return repeat(node.child, node.min, node.max);
    case "concat":
      return concat(node.children.map(analyze));
    case "alternate":
      return alternate(node.children.map(analyze));
    default:
      // An assertion takes no room, so the texts around it touch.
      return { ends: emptyText, formula: all };
  }
}

/** Runs of code points that have one form each are taken at once. */
function literalParts(codePoints: readonly number[], fold: boolean): Knowledge[] {
  const parts: Ends[] = [];
  let run = "";
  for (const codePoint of codePoints.slice(0, maxLiteralLength)) {
    const variants = fold ? foldVariants(codePoint) : [foldCodePoint(codePoint)];
    const [only] = variants;
    if (variants.length === 1 && only !== undefined) {
      run += only;
    } else {
      parts.push(exactly(new Set([run])), oneOf(variants));
      run = "";
    }
  }
  parts.push(exactly(new Set([run])));
  if (codePoints.length > maxLiteralLength) parts.push(something);
  return parts.map((ends) => ({ ends, formula: all }));
}

function classEnds(ranges: readonly number[]): Ends {
  let size = 0;
  for (let at = 0; at < ranges.length; at += 2) size += (ranges[at + 1] ?? 0) - (ranges[at] ?? 0) + 1;
  if (size > maxClassSize) return something;
  const variants = new Set<ByteString | undefined>();
  for (let at = 0; at < ranges.length; at += 2) {
    const last = ranges[at + 1] ?? 0;
    for (let codePoint = ranges[at] ?? 0; codePoint <= last; codePoint++)
      variants.add(foldCodePoint(codePoint));
  }
  return oneOf(variants);
}

function exactly(texts: ReadonlySet<ByteString>): Ends {
  return { ...anything, canBeEmpty: texts.has(""), exact: texts };
}

function oneOf(variants: Iterable<ByteString | undefined>): Ends {
  const texts = new Set<ByteString>();
  for (const variant of variants) {
    if (variant === undefined) return something;
    texts.add(variant);
  }
  return texts.size > maxStrings ? something : exactly(texts);
}

function repeat(child: Syntax, min: number, max: number): Knowledge {
  const once = analyze(child);
  if (min === 0) {
    return max === 1
      ? alternate([once, { ends: emptyText, formula: all }])
      : { ends: anything, formula: all };
  }
  const copies = concat(new Array<Knowledge>(Math.min(min, maxCopies)).fill(once));
  if (min === max && min <= maxCopies) return copies;
  // However often it repeats, it begins with the copies that there are at least, and ends with them.
  const required = [copies.formula];
  return { ends: open(copies.ends, required), formula: allOf(required) };
}

/** `required` collects what every match needs; it is joined once, for a tree may have thousands of children. */
function concat(parts: readonly Knowledge[]): Knowledge {
  const required: TrigramFormula[] = [];
  let ends = emptyText;
  for (const part of parts) {
    required.push(part.formula);
    ends = join(ends, part.ends, required);
  }
  return { ends, formula: allOf(required) };
}

function join(left: Ends, right: Ends, required: TrigramFormula[]): Ends {
  const canBeEmpty = left.canBeEmpty && right.canBeEmpty;
  if (left.exact !== undefined && right.exact !== undefined) {
    if (left.exact.size * right.exact.size <= maxStrings) {
      return cut({ ...anything, canBeEmpty, exact: cross(left.exact, right.exact) }, required);
    }
    return join(open(left, required), open(right, required), required);
  }
  // Open sets hold at most two bytes of each string, so this alone sees the trigrams across the joint.
  const isOpen = left.exact === undefined && right.exact === undefined;
  if (isOpen && left.suffixes.size * right.prefixes.size <= maxJoint) {
    required.push(trigramsOfAny(cross(left.suffixes, right.prefixes)));
  }
  const prefixes =
    left.exact === undefined
      ? union(left.canBeEmpty ? [left.prefixes, right.prefixes] : [left.prefixes])
      : cross(left.exact, right.prefixes);
  const suffixes =
    right.exact === undefined
      ? union(right.canBeEmpty ? [left.suffixes, right.suffixes] : [right.suffixes])
      : cross(left.suffixes, right.exact);
  return cut({ canBeEmpty, prefixes, suffixes }, required);
}

function alternate(branches: readonly Knowledge[]): Knowledge {
  const possible = branches.filter((branch) => branch.formula.kind !== "none");
  if (possible.length === 0) return { ends: something, formula: none };
  const exacts = possible.map((branch) => branch.ends.exact).filter((exact) => exact !== undefined);
  const texts = union(exacts);
  // Exact texts are all that is known of a node, so none of these formulas says anything.
  if (exacts.length === possible.length && texts.size <= maxStrings) {
    const required: TrigramFormula[] = [];
    return { ends: cut(exactly(texts), required), formula: allOf(required) };
  }
  const formulas: TrigramFormula[] = [];
  const opened = possible.map(({ ends, formula }) => {
    const required = [formula];
    const own = open(ends, required);
    formulas.push(allOf(required));
    return own;
  });
  const required = [anyOf(formulas)];
  const ends = {
    canBeEmpty: opened.some((branch) => branch.canBeEmpty),
    prefixes: union(opened.map((branch) => branch.prefixes)),
    suffixes: union(opened.map((branch) => branch.suffixes)),
  };
  return { ends: cut(ends, required), formula: allOf(required) };
}

/** Brings the sets back to size; what they said before goes into `required`. */
function cut(ends: Ends, required: TrigramFormula[]): Ends {
  if (ends.exact !== undefined) {
    const isShort = [...ends.exact].some((text) => text.length <= 3);
    return isShort && ends.exact.size <= maxExact ? ends : open(ends, required);
  }
  required.push(trigramsOfAny(ends.prefixes), trigramsOfAny(ends.suffixes));
  return {
    canBeEmpty: ends.canBeEmpty,
    prefixes: shortened(ends.prefixes, (text, length) => text.slice(0, length)),
    suffixes: shortened(ends.suffixes, (text, length) => text.slice(Math.max(0, text.length - length))),
  };
}

/** Gives up `exact`. */
function open(ends: Ends, required: TrigramFormula[]): Ends {
  if (ends.exact === undefined) return ends;
  return cut({ canBeEmpty: ends.canBeEmpty, prefixes: ends.exact, suffixes: ends.exact }, required);
}

function shortened(
  texts: ReadonlySet<ByteString>,
  shorten: (text: ByteString, length: number) => ByteString,
): ReadonlySet<ByteString> {
  let short = texts;
  for (let length = 2; length === 2 || short.size > maxStrings; length--) {
    short = new Set([...short].map((text) => shorten(text, length)));
  }
  // Where anything may stand, the other strings say nothing.
  return short.has("") ? nothingKnown : short;
}

function cross(left: ReadonlySet<ByteString>, right: ReadonlySet<ByteString>): ReadonlySet<ByteString> {
  const product = new Set<ByteString>();
  for (const first of left) for (const second of right) product.add(first + second);
  return product;
}

function union(sets: readonly ReadonlySet<ByteString>[]): ReadonlySet<ByteString> {
  const merged = new Set<ByteString>();
  for (const set of sets) for (const text of set) merged.add(text);
  return merged;
}

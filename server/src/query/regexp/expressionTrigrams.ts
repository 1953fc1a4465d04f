/**
 * Computes the trigrams that every match of an expression contains, after Russ Cox, "Regular Expression Matching with
 * a Trigram Index".
 *
 * The analysis is bottom-up. For each node, it computes the texts that the node matches while there are few (`exact`),
 * otherwise their prefixes and suffixes, and a formula that is true for all of them. Concatenation combines the
 * suffixes of one node with the prefixes of the next, which yields the trigrams across the boundary. When a set grows
 * too large, its trigrams are added to the formula and its strings are shortened. The work has a budget; when it is
 * spent, the remaining nodes count as matching anything.
 */
import { type ByteString, foldCodePoint, foldVariants } from "./folding";
import type { Syntax } from "./syntax";
import {
  all,
  allOf,
  anyOf,
  bounded,
  none,
  type TrigramFormula,
  trigramsOf,
  trigramsOfAny,
} from "./trigramFormula";

/** What is known about the texts that a node matches. */
interface Ends {
  readonly canBeEmpty: boolean;
  /** All texts that match; absent once they are too many or too long. */
  readonly exact?: ReadonlySet<ByteString>;
  /** Each matching text begins with one of these, and ends with one of `suffixes`. Unused if `exact` is present. */
  readonly prefixes: ReadonlySet<ByteString>;
  readonly suffixes: ReadonlySet<ByteString>;
}

interface Analysis {
  readonly ends: Ends;
  readonly formula: TrigramFormula;
}

const maxExact = 8;
/** With more strings, or code points in a class, a disjunction of trigrams filters too little. */
const maxStrings = 20;
const maxClassSize = 60;
const maxJoint = 100;
const maxTrigrams = 512;
/** More code points of one literal add work, and hardly ever exclude a block. */
const maxLiteralLength = 256;
/** `x{9}` is analyzed as `x{4}` followed by anything that ends in `x`. */
const maxCopies = 4;

/** The number of strings and formula parts that one analysis may build: a few milliseconds. */
const maxWork = 5000;
let work = 0;

const nothingKnown: ReadonlySet<ByteString> = new Set([""]);
const anyEnds: Ends = { canBeEmpty: true, prefixes: nothingKnown, suffixes: nothingKnown };
const nonEmptyText: Ends = { ...anyEnds, canBeEmpty: false };
const emptyText = exactly(nothingKnown);
const anyText: Analysis = { ends: anyEnds, formula: all };

/** Returns the trigram formula of an expression. */
export function expressionTrigrams(root: Syntax): TrigramFormula {
  // Nearly every literal has only one text, and then there is nothing to combine.
  const [part, ...others] = root.kind === "literal" ? literalParts(root.codePoints, root.fold) : [];
  const [text] = part?.ends.exact ?? [];
  if (text !== undefined && others.length === 0) return bounded(trigramsOf(text), maxTrigrams);
  work = 0;
  const { ends, formula } = analyze(root);
  const sets = ends.exact === undefined ? [ends.prefixes, ends.suffixes] : [ends.exact];
  return bounded(allOf([formula, ...sets.map(trigramsOfAny)]), maxTrigrams);
}

function analyze(node: Syntax): Analysis {
  if (work++ > maxWork) return anyText;
  switch (node.kind) {
    case "nothing":
      return { ends: nonEmptyText, formula: none };
    case "literal":
      return concat(literalParts(node.codePoints, node.fold));
    case "class":
      return { ends: classEnds(node.ranges), formula: all };
    case "repeat":
      return repeat(node.child, node.min, node.max);
    case "concat":
      return concat(eachAnalyzed(node.children));
    case "alternate":
      return alternate(node.children.map(analyze));
    default:
      // An assertion is empty, so the texts around it are adjacent.
      return { ends: emptyText, formula: all };
  }
}

/** Analyzes lazily, so that analyzing and joining share the budget. Once it is spent, `anyText` ends the sequence. */
function* eachAnalyzed(nodes: readonly Syntax[]): Generator<Analysis> {
  for (const node of nodes) {
    yield analyze(node);
    if (work > maxWork) {
      yield anyText;
      return;
    }
  }
}

/** Groups runs of code points with only one folded form. */
function literalParts(codePoints: readonly number[], fold: boolean): Analysis[] {
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
  if (codePoints.length > maxLiteralLength) parts.push(nonEmptyText);
  return parts.map((ends) => ({ ends, formula: all }));
}

function classEnds(ranges: readonly number[]): Ends {
  let size = 0;
  for (let at = 0; at < ranges.length; at += 2) size += (ranges[at + 1] ?? 0) - (ranges[at] ?? 0) + 1;
  if (size > maxClassSize) return nonEmptyText;
  const variants = new Set<ByteString | undefined>();
  for (let at = 0; at < ranges.length; at += 2) {
    const last = ranges[at + 1] ?? 0;
    for (let codePoint = ranges[at] ?? 0; codePoint <= last; codePoint++)
      variants.add(foldCodePoint(codePoint));
  }
  return oneOf(variants);
}

function exactly(texts: ReadonlySet<ByteString>): Ends {
  return { ...anyEnds, canBeEmpty: texts.has(""), exact: texts };
}

function oneOf(variants: Iterable<ByteString | undefined>): Ends {
  const texts = new Set<ByteString>();
  for (const variant of variants) {
    if (variant === undefined) return nonEmptyText;
    texts.add(variant);
  }
  return texts.size > maxStrings ? nonEmptyText : exactly(texts);
}

function repeat(child: Syntax, min: number, max: number): Analysis {
  const once = analyze(child);
  if (min === 0) {
    return max === 1 ? alternate([once, { ends: emptyText, formula: all }]) : { ends: anyEnds, formula: all };
  }
  const copies = concat(new Array<Analysis>(Math.min(min, maxCopies)).fill(once));
  if (min === max && min <= maxCopies) return copies;
  // However often it repeats, it begins and ends with at least `min` copies.
  const required = [copies.formula];
  return { ends: open(copies.ends, required), formula: allOf(required) };
}

/** Collects the formulas of the parts and merges them once, because a tree may have thousands of children. */
function concat(parts: Iterable<Analysis>): Analysis {
  const required: TrigramFormula[] = [];
  let ends = emptyText;
  for (const part of parts) {
    required.push(part.formula);
    ends = join(ends, part.ends, required);
  }
  return { ends, formula: mergeFormulas(required) };
}

/** Merges formulas, and charges the budget for each of their parts. */
function mergeFormulas(required: readonly TrigramFormula[]): TrigramFormula {
  for (const formula of required)
    work += formula.kind === "and" || formula.kind === "or" ? formula.parts.length : 1;
  return allOf(required);
}

function join(left: Ends, right: Ends, required: TrigramFormula[]): Ends {
  const canBeEmpty = left.canBeEmpty && right.canBeEmpty;
  if (left.exact !== undefined && right.exact !== undefined) {
    if (left.exact.size * right.exact.size <= maxStrings) {
      return cut({ ...anyEnds, canBeEmpty, exact: cross(left.exact, right.exact) }, required);
    }
    return join(open(left, required), open(right, required), required);
  }
  // The strings have at most two bytes here, so only this sees the trigrams across the boundary.
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

function alternate(branches: readonly Analysis[]): Analysis {
  const possible = branches.filter((branch) => branch.formula.kind !== "none");
  if (possible.length === 0) return { ends: nonEmptyText, formula: none };
  const exacts = possible.map((branch) => branch.ends.exact).filter((exact) => exact !== undefined);
  const texts = union(exacts);
  // With exact texts, the formulas add nothing.
  if (exacts.length === possible.length && texts.size <= maxStrings) {
    const required: TrigramFormula[] = [];
    return { ends: cut(exactly(texts), required), formula: mergeFormulas(required) };
  }
  const formulas: TrigramFormula[] = [];
  const opened = possible.map(({ ends, formula }) => {
    const required = [formula];
    const own = open(ends, required);
    formulas.push(mergeFormulas(required));
    return own;
  });
  const required = [anyOf(formulas)];
  const ends = {
    canBeEmpty: opened.some((branch) => branch.canBeEmpty),
    prefixes: union(opened.map((branch) => branch.prefixes)),
    suffixes: union(opened.map((branch) => branch.suffixes)),
  };
  return { ends: cut(ends, required), formula: mergeFormulas(required) };
}

/** Shortens sets that are too large. Their trigrams are added to `required` first. */
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

/** Replaces `exact` with prefixes and suffixes. */
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
  // If one text may begin with anything, the others exclude nothing.
  return short.has("") ? nothingKnown : short;
}

function cross(left: ReadonlySet<ByteString>, right: ReadonlySet<ByteString>): ReadonlySet<ByteString> {
  const product = new Set<ByteString>();
  for (const first of left) for (const second of right) product.add(first + second);
  work += product.size;
  return product;
}

function union(sets: readonly ReadonlySet<ByteString>[]): ReadonlySet<ByteString> {
  const merged = new Set<ByteString>();
  for (const set of sets) for (const text of set) merged.add(text);
  work += merged.size;
  return merged;
}

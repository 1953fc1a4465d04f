/**
 * A trigram formula selects candidate blocks: it is true for every block that contains a match.
 *
 * A trigram is three adjacent bytes, folded as in `folding.ts`, as the number `b0 << 16 | b1 << 8 | b2`. No trigram
 * contains a newline, because blocks end at lines.
 */
import type { ByteString } from "./folding";

export type TrigramFormula =
  /** Always true: the index cannot help. */
  | { readonly kind: "all" }
  /** Never true. */
  | { readonly kind: "none" }
  | { readonly kind: "trigram"; readonly value: number }
  | { readonly kind: "and" | "or"; readonly parts: readonly TrigramFormula[] };

export const all: TrigramFormula = { kind: "all" };
export const none: TrigramFormula = { kind: "none" };

/** Returns the conjunction of the trigrams of a string; `all` if it has none. */
export function trigramsOf(text: ByteString): TrigramFormula {
  const values = new Set<number>();
  for (let at = 0; at + 3 <= text.length; at++) {
    const three = text.slice(at, at + 3);
    if (!three.includes("\n")) values.add(trigramValue(three));
  }
  return joined("and", Array.from(values, trigram), all);
}

/** Returns a formula that is true if the trigrams of at least one of the strings are present. */
export function trigramsOfAny(texts: Iterable<ByteString>): TrigramFormula {
  const parts: TrigramFormula[] = [];
  for (const text of texts) {
    const part = trigramsOf(text);
    if (part.kind === "all") return all;
    parts.push(part);
  }
  return anyOf(parts);
}

/** Returns the conjunction: flattened, without duplicates, and without parts that others imply. */
export function allOf(formulas: readonly TrigramFormula[]): TrigramFormula {
  const parts = flat("and", formulas);
  if (parts.some((part) => part.kind === "none")) return none;
  const trigrams = new Set(parts.map(trigramOf));
  const isImplied = (part: TrigramFormula) =>
    part.kind === "or" && part.parts.some((each) => within(each, trigrams));
  return joined(
    "and",
    parts.filter((part) => part.kind !== "all" && !isImplied(part)),
    all,
  );
}

/**
 * Returns the disjunction: flattened, without duplicates and parts that imply another, with shared trigrams factored
 * out.
 */
export function anyOf(formulas: readonly TrigramFormula[]): TrigramFormula {
  const parts = flat("or", formulas);
  if (parts.some((part) => part.kind === "all")) return all;
  const remaining = withoutImplying(parts.filter((part) => part.kind !== "none"));
  const shared = remaining.length < 2 ? new Set<number>() : sharedTrigrams(remaining);
  if (shared.size === 0) return joined("or", remaining, none);
  const rest = remaining.map((part) =>
    allOf(partsOf("and", part).filter((each) => !shared.has(trigramOf(each)))),
  );
  return allOf([...[...shared].map(trigram), anyOf(rest)]);
}

/**
 * Returns a formula with at most `maxTrigrams` trigrams that the given one implies.
 *
 * Long conjunctions are thinned out evenly, because the rarest trigram may be anywhere in them. A formula that is still
 * too long becomes `all`.
 */
export function bounded(formula: TrigramFormula, maxTrigrams: number): TrigramFormula {
  for (const width of [maxTrigrams, 8, 2]) {
    const thinner = thinned(formula, width);
    if (trigramCount(thinner) <= maxTrigrams) return thinner;
  }
  return all;
}

function trigramValue(three: ByteString): number {
  return (three.charCodeAt(0) << 16) | (three.charCodeAt(1) << 8) | three.charCodeAt(2);
}

/** Pairs are compared up to this many parts. Beyond that, comparing costs more than a shorter formula saves. */
const maxComparedParts = 64;

function trigram(value: number): TrigramFormula {
  return { kind: "trigram", value };
}

function partsOf(kind: "and" | "or", formula: TrigramFormula): readonly TrigramFormula[] {
  return formula.kind === kind ? formula.parts : [formula];
}

/** Returns -1 for anything but a trigram. */
function trigramOf(formula: TrigramFormula): number {
  return formula.kind === "trigram" ? formula.value : -1;
}

function joined(
  kind: "and" | "or",
  parts: readonly TrigramFormula[],
  nothing: TrigramFormula,
): TrigramFormula {
  const [first, ...others] = parts;
  if (first === undefined) return nothing;
  return others.length === 0 ? first : { kind, parts };
}

function flat(kind: "and" | "or", formulas: readonly TrigramFormula[]): TrigramFormula[] {
  const distinct = new Map<string, TrigramFormula>();
  for (const formula of formulas) {
    for (const part of partsOf(kind, formula)) {
      const key = keyOf(part);
      if (!distinct.has(key)) distinct.set(key, part);
    }
  }
  return [...distinct.values()];
}

const keys = new WeakMap<TrigramFormula, string>();

function keyOf(formula: TrigramFormula): string {
  if (formula.kind === "trigram") return formula.value.toString(36);
  if (formula.kind === "all" || formula.kind === "none") return formula.kind;
  const known = keys.get(formula);
  if (known !== undefined) return known;
  const key = `(${formula.kind} ${formula.parts.map(keyOf).sort().join(" ")})`;
  keys.set(formula, key);
  return key;
}

/** Whether the formula is a conjunction of trigrams that are all among `trigrams`. */
function within(formula: TrigramFormula, trigrams: ReadonlySet<number>): boolean {
  return partsOf("and", formula).every((part) => part.kind === "trigram" && trigrams.has(part.value));
}

function withoutImplying(parts: readonly TrigramFormula[]): readonly TrigramFormula[] {
  if (parts.length > maxComparedParts) return parts;
  const sets = parts.map((part) => new Set(partsOf("and", part).map(trigramOf)));
  return parts.filter((_, index) => {
    const own = sets[index] ?? new Set();
    return !parts.some((other, at) => at !== index && within(other, own));
  });
}

function sharedTrigrams(parts: readonly TrigramFormula[]): Set<number> {
  const [first, ...others] = parts.map((part) => new Set(partsOf("and", part).map(trigramOf)));
  const shared = new Set(first);
  shared.delete(-1);
  for (const other of others) {
    for (const value of shared) if (!other.has(value)) shared.delete(value);
    if (shared.size === 0) break;
  }
  return shared;
}

function thinned(formula: TrigramFormula, width: number): TrigramFormula {
  if (formula.kind !== "and" && formula.kind !== "or") return formula;
  const parts = formula.parts.map((part) => thinned(part, width));
  if (formula.kind === "or") return anyOf(parts);
  const step = Math.max(1, parts.length / width);
  return allOf(parts.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step)));
}

function trigramCount(formula: TrigramFormula): number {
  if (formula.kind === "trigram") return 1;
  if (formula.kind !== "and" && formula.kind !== "or") return 0;
  return formula.parts.reduce((sum, part) => sum + trigramCount(part), 0);
}

/**
 * Finds the phrase that the words of a query form. `return new Error` matches files that contain all three words, but a
 * file that contains them next to each other is probably what was meant.
 */
import type { Pattern, Query } from "#query/query";
import { literalPattern } from "#query/regexp/regexp";
import type { Leaf, ParsedQuery } from "./parse";

export interface Phrase {
  readonly pattern: Pattern;
  readonly text: string;
  /** The words in the query, with the parentheses that belong to them, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** Filters between the words. They are not part of the text. */
  readonly filters: readonly Leaf[];
}

/**
 * Returns the phrase of at least two words, exactly as written, including their whitespace, quotes and parentheses.
 * Filters between the words count as a space. An explicit AND separates phrases; the one with the most words is returned.
 *
 * Returns undefined for alternatives, for expressions, and if no words are next to each other.
 */
export function phraseOf(parsed: Pick<ParsedQuery, "query" | "leaves" | "layout">): Phrase | undefined {
  const { query, layout } = parsed;
  if (query.kind !== "and") return undefined;
  const caseSensitive = textPatterns(query).every((pattern) => pattern.caseSensitive);
  const longestFirst = wordRuns(parsed)
    .filter((words) => words.length > 1 && words.every(({ isQuoted }) => isQuoted || !layout.isRegex))
    .toSorted((one, other) => other.length - one.length);
  for (const words of longestFirst) {
    const phrase = phraseOfWords(words, parsed);
    if (phrase !== undefined) return { ...phrase, pattern: literalPattern(phrase.text, caseSensitive) };
  }
  return undefined;
}

/** Returns undefined if the parentheses of the words also enclose others. */
function phraseOfWords(
  words: readonly Leaf[],
  { leaves, layout: { text, partners } }: Pick<ParsedQuery, "leaves" | "layout">,
): Omit<Phrase, "pattern"> | undefined {
  const { start, end } = withPartners(words, partners);
  const filters = leaves.filter(
    (leaf) => leaf.termStart >= start && leaf.termStart < end && !words.includes(leaf),
  );
  const first = words[0]?.termStart ?? start;
  const last = words.at(-1)?.termStart ?? end;
  if (filters.some(({ prefix, termStart }) => prefix === undefined || termStart < first || termStart > last))
    return undefined;
  const parts = words.map((word, index) => {
    const next = words[index + 1]?.termStart ?? end;
    const isBeforeFilter = filters.some(({ termStart }) => termStart > word.termStart && termStart < next);
    return `${text.slice(word.termStart, word.end)}${isBeforeFilter ? " " : text.slice(word.end, next)}`;
  });
  return { text: `${text.slice(start, first)}${parts.join("")}`, start, end, filters };
}

/** Returns the words of each sequence of words, without the words of alternatives. */
function wordRuns({ leaves, layout }: Pick<ParsedQuery, "leaves" | "layout">): readonly Leaf[][] {
  const gaps = leaves.map(({ start }, index) => layout.text.slice(leaves[index - 1]?.end ?? 0, start));
  const hasOperator = (index: number) => /or|OR|AND/.test(gaps[index] ?? "");
  const groups = leaves
    .filter((_, index) => /or|OR/.test(gaps[index] ?? ""))
    .map(({ start }) => groupAround(start, layout.partners));
  const isAlternative = ({ start }: Leaf) => groups.some(([open, close]) => open < start && start < close);
  let words: Leaf[] = [];
  const runs = [words];
  for (const [index, leaf] of leaves.entries()) {
    const isWord = leaf.prefix === undefined;
    const isPart = isWord && !leaf.isNegated && !isAlternative(leaf);
    if (hasOperator(index) || (isWord && !isPart)) {
      words = [];
      runs.push(words);
    }
    if (isPart) words.push(leaf);
  }
  return runs;
}

/** Returns the range of the innermost parentheses around an offset, or of the whole query. */
export function groupAround(offset: number, partners: Int32Array): readonly [open: number, close: number] {
  for (let open = offset - 1; open >= 0; open--) {
    const close = partners[open] ?? -1;
    if (close >= offset) return [open, close];
  }
  return [-1, partners.length];
}

/** Returns the range of the words, extended to the partners of parentheses in it. */
function withPartners(words: readonly Leaf[], partners: Int32Array): { start: number; end: number } {
  let start = words[0]?.termStart ?? 0;
  let end = words.at(-1)?.end ?? start;
  for (let open = end - 1; open >= 0; open--) {
    const close = partners[open] ?? -1;
    if (open >= start && close >= end) end = close + 1;
    else if (open < start && close >= start && close < end) start = open;
  }
  return { start, end };
}

function textPatterns(query: Query): readonly Pattern[] {
  switch (query.kind) {
    case "text":
      return query.where === "name" ? [] : [query.pattern];
    case "and":
    case "or":
      return query.children.flatMap(textPatterns);
    default:
      return [];
  }
}

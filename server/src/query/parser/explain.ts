/** Explains how a query was parsed, reports problems and suggests fixes, while the query is being typed. */

import { readCostOf, searchesText } from "#query/analysis/readCost";
import { simplifyQuery } from "#query/analysis/simplify";
import type { Query } from "#query/query";
import type { Edit } from "./errors";
import { type OutlinedQuery, type QueryFix, suggestFixes, workingFixes } from "./fixes";
import { type ForeignFilter, foreignFilter } from "./foreignFilters";
import { skipWhitespace } from "./lex";
import { type Leaf, type Outline, outlineQuery, type ParseOptions } from "./parse";
import { groupAround, phraseOf } from "./phrase";
import type { PrefixName } from "./prefixes";
import { revisionSeparator } from "./terms";
import { quoteText } from "./write";

/** A valid filter. The range is in UTF-16 units of the query, and includes a preceding negation. */
export interface ExplainedFilter {
  readonly offset: number;
  readonly length: number;
  readonly prefix: PrefixName;
  readonly value: string;
  readonly isNegated: boolean;
  /** The canonical form, if it was written in another one. */
  readonly readAs?: string;
}

export interface QueryProblem {
  readonly offset: number;
  readonly length: number;
  readonly severity: "error" | "hint";
  readonly message: string;
  readonly fixes: readonly QueryFix[];
}

export interface QueryExplanation {
  /** In text order. */
  readonly filters: readonly ExplainedFilter[];
  /** Errors first. */
  readonly problems: readonly QueryProblem[];
  /** Whether it searches text, and does not only filter documents. */
  readonly hasText: boolean;
  /** Whether it can run without reading all text. */
  readonly isCheap: boolean;
  /** The same query with its words as one quoted phrase; absent if they do not form one. */
  readonly phraseQuery?: string;
  /** The text of that phrase. */
  readonly phrase?: string;
  /** Absent if the query is invalid. */
  readonly query?: Query;
}

/** Longer queries are generated, not typed: they get no hints or fixes, and never count as cheap. */
export const maxHandwrittenLength = 1000;

/** Never throws. An empty query has no problems. */
export function explainQuery(text: string, options: ParseOptions): QueryExplanation {
  const isHandwritten = text.length <= maxHandwrittenLength;
  const outline = outlineQuery(text, options);
  const draft = { text, options, outline };
  const fixes = isHandwritten ? suggestFixes(draft) : [];
  const errors = outline.errors.map(({ offset, length, message }, index): QueryProblem => {
    return { offset, length, severity: "error", message, fixes: fixes[index] ?? [] };
  });
  const filters = outline.leaves.flatMap((leaf) => explainFilter(text, leaf));
  const problems = [...errors, ...(isHandwritten ? hintsOf(draft) : [])];
  if (errors.length > 0 || skipWhitespace(text, 0, text.length) === text.length)
    return { filters, problems, hasText: false, isCheap: false };
  const query = simplifyQuery(outline.query);
  return {
    filters,
    problems,
    hasText: outline.description !== undefined || searchesText(query),
    isCheap: isHandwritten && (outline.description !== undefined || readCostOf(query) !== "all"),
    query,
    ...(isHandwritten ? quoteWords(text, outline) : {}),
  };
}

function quoteWords(text: string, outline: Outline): Pick<QueryExplanation, "phraseQuery" | "phrase"> {
  const phrase = phraseOf(outline);
  if (phrase === undefined) return {};
  // A filter in parentheses may be negated with them.
  const isInGroup = ({ termStart }: Leaf) =>
    groupAround(termStart, outline.layout.partners)[0] >= phrase.start;
  if (phrase.filters.some(isInGroup)) return {};
  const filters = phrase.filters.map(({ start, end }) => ` ${text.slice(start, end)}`);
  const quoted = `${quoteText(phrase.text)}${filters.join("")}`;
  const phraseQuery = `${text.slice(0, phrase.start)}${quoted}${text.slice(phrase.end)}`.trim();
  return { phraseQuery, phrase: phrase.text };
}

function explainFilter(text: string, leaf: Leaf): ExplainedFilter[] {
  const { start, termStart, end, prefix, value, isQuoted, isNegated, isValid } = leaf;
  if (prefix === undefined || !isValid) return [];
  const negations: readonly string[] = text.slice(start, termStart).match(/NOT|-/g) ?? [];
  const sign = negations.length % 2 === 1 ? "-" : "";
  const separator = prefix.name === "repo" && !isQuoted ? revisionSeparator(value) : -1;
  const parts = `repo:${value.slice(0, separator)} rev:${value.slice(separator + 1)}`;
  const isForeign = negations.includes("NOT") || prefix.text !== `${prefix.name}:`;
  const readAs =
    separator >= 0 ? (sign === "" ? parts : `-(${parts})`) : isForeign ? `${sign}${prefix.name}:` : undefined;
  return [
    {
      offset: start,
      length: end - start,
      prefix: prefix.name,
      value,
      isNegated,
      ...(readAs === undefined ? {} : { readAs }),
    },
  ];
}

/** Each hint requires parsing the whole query again, with its edit applied. */
const maxHints = 10;

interface LikelyMistake {
  readonly message: string;
  readonly offset: number;
  readonly length: number;
  readonly edit: Edit;
}

/** Returns hints for valid terms that are probably mistakes. */
function hintsOf(draft: OutlinedQuery): QueryProblem[] {
  const { suggestions, leaves } = draft.outline;
  const misspelled = suggestions.map(({ offset, length, prefix, suggestion }) =>
    textPrefix({ offset, length, prefix, equivalent: suggestion }),
  );
  const foreign = leaves.flatMap((leaf) => {
    const found = foreignFilter(draft.text, leaf);
    return found === undefined ? [] : [textPrefix(found)];
  });
  const quotes = leaves.flatMap((leaf): LikelyMistake[] => {
    const edit = closingQuote(draft.text, draft.outline, leaf);
    const message = "This quote is not closed, so it is searched as text.";
    return edit === undefined ? [] : [{ message, offset: leaf.valueStart, length: 1, edit }];
  });
  const parentheses = leaves.flatMap((leaf): LikelyMistake[] => {
    const edit = closingParenthesis(draft.text, draft.outline, leaf);
    const message = "This parenthesis is not closed, so it is searched as text.";
    return edit === undefined ? [] : [{ message, offset: leaf.termStart, length: 1, edit }];
  });
  return [...misspelled, ...foreign, ...quotes, ...parentheses]
    .sort((left, right) => left.offset - right.offset)
    .slice(0, maxHints)
    .map(({ edit, ...mistake }) => ({ ...mistake, severity: "hint", fixes: workingFixes(draft, [edit]) }));
}

function textPrefix({ offset, length, prefix, equivalent }: ForeignFilter): LikelyMistake {
  const message = `"${prefix}" is searched as text. Did you mean "${equivalent}"?`;
  return {
    message,
    offset,
    length,
    edit: { title: `Use "${equivalent}"`, offset, length, text: equivalent },
  };
}

/** Closes a parenthesis that seems to open a group, before the next filter or at the end. */
function closingParenthesis(text: string, { leaves, layout }: Outline, leaf: Leaf): Edit | undefined {
  const { termStart, end, isQuoted, prefix } = leaf;
  const opensGroup = text[termStart] === "(" && layout.partners[termStart] === -1 && end > termStart + 1;
  if (isQuoted || prefix !== undefined || !opensGroup || !/^\s+(?:or|OR)\s/.test(text.slice(end)))
    return undefined;
  const next = leaves.find(({ start, prefix }) => start >= end && prefix !== undefined);
  const offset = text.slice(0, next?.start ?? text.length).trimEnd().length;
  return { title: "Close the parenthesis", offset, length: 0, text: ")" };
}

/** Closes an open quote before the next filter, at the end of its group, or at the end of the line. */
function closingQuote(text: string, { leaves, layout }: Outline, leaf: Leaf): Edit | undefined {
  const { valueStart, end, isQuoted } = leaf;
  if (isQuoted || text[valueStart] !== '"' || end <= valueStart + 1) return undefined;
  const next = leaves.find(({ start, prefix }) => start >= end && prefix !== undefined);
  const close = layout.partners.findLast((partner, open) => open < valueStart && partner >= end);
  const line = text.indexOf("\n", valueStart);
  const ends = [next?.start, close, line < 0 ? undefined : line].filter((each) => each !== undefined);
  const quoted = text.slice(valueStart, Math.min(text.length, ...ends)).trimEnd();
  return { title: "Close the quote", offset: valueStart, length: quoted.length, text: `${quoted}"` };
}

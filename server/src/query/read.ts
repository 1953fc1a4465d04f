/** How a query is understood, what is wrong with it and what would mend it: for a person who is still writing it. */
import type { Edit } from "./fault";
import { type ForeignFilter, foreignFilter } from "./foreign";
import { skipBlanks } from "./lex";
import { type Draft, type Mending, mendFaults, mendingsOf } from "./mend";
import { looksForText, readingOf } from "./narrowing";
import { type Leaf, type Outline, outlineQuery, type ParseOptions } from "./parse";
import type { PrefixName } from "./prefixes";
import type { Query } from "./query";
import { simplifyQuery } from "./simplify";
import { revisionSign } from "./terms";

/** A filter that was understood; places are UTF-16 units of the query and hold the negation in front of it. */
export interface ReadFilter {
  readonly offset: number;
  readonly length: number;
  readonly prefix: PrefixName;
  readonly value: string;
  readonly isNegated: boolean;
  /** How a spelling that is not our own was read. */
  readonly readAs?: string;
}

export interface QueryProblem {
  readonly offset: number;
  readonly length: number;
  readonly severity: "error" | "hint";
  readonly message: string;
  readonly fixes: readonly Mending[];
}

export interface ReadQuery {
  /** In the order of the text. */
  readonly filters: readonly ReadFilter[];
  /** Errors first. */
  readonly problems: readonly QueryProblem[];
  /** Whether text is looked for, and not only documents by what they are. */
  readonly hasText: boolean;
  /** Whether it can run without reading all text there is. */
  readonly isCheap: boolean;
  /** Absent where it cannot run. */
  readonly query?: Query;
}

/** Never throws. Blank text asks for nothing, and has no problem either. */
export function readQuery(text: string, options: ParseOptions): ReadQuery {
  const outline = outlineQuery(text, options);
  const draft = { text, options, outline };
  const mendings = mendFaults(draft);
  const errors = outline.faults.map(({ offset, length, message }, at): QueryProblem => {
    return { offset, length, severity: "error", message, fixes: mendings[at] ?? [] };
  });
  const filters = outline.leaves.flatMap((leaf) => readFilter(text, leaf));
  const problems = [...errors, ...hintsOf(draft)];
  if (errors.length > 0 || skipBlanks(text, 0, text.length) === text.length)
    return { filters, problems, hasText: false, isCheap: false };
  const query = simplifyQuery(outline.query);
  return { filters, problems, hasText: looksForText(query), isCheap: readingOf(query) !== "all", query };
}

function readFilter(text: string, leaf: Leaf): ReadFilter[] {
  const { start, at, end, prefix, value, isQuoted, isNegated, isUnderstood } = leaf;
  if (prefix === undefined || !isUnderstood) return [];
  const signs: readonly string[] = text.slice(start, at).match(/NOT|-/g) ?? [];
  const sign = signs.length % 2 === 1 ? "-" : "";
  const place = prefix.name === "repo" && !isQuoted ? revisionSign(value) : -1;
  const parts = `repo:${value.slice(0, place)} rev:${value.slice(place + 1)}`;
  const isForeign = signs.includes("NOT") || prefix.text !== `${prefix.name}:`;
  const readAs =
    place >= 0 ? (sign === "" ? parts : `-(${parts})`) : isForeign ? `${sign}${prefix.name}:` : undefined;
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

/** Each is a reading of the whole query with its edit made. */
const maxHints = 10;

interface Slip {
  readonly message: string;
  readonly offset: number;
  readonly length: number;
  readonly edit: Edit;
}

/** What may be a slip: it is read as text. */
function hintsOf(draft: Draft): QueryProblem[] {
  const { suggestions, leaves } = draft.outline;
  const misspelt = suggestions.map(({ offset, length, prefix, suggestion }) =>
    textPrefix({ offset, length, prefix, meaning: suggestion }),
  );
  const foreign = leaves.flatMap((leaf) => {
    const found = foreignFilter(draft.text, leaf);
    return found === undefined ? [] : [textPrefix(found)];
  });
  const quotes = leaves.flatMap((leaf): Slip[] => {
    const edit = closingQuote(draft.text, draft.outline, leaf);
    const message = "This quote is not closed, so it is read as text.";
    return edit === undefined ? [] : [{ message, offset: leaf.valueStart, length: 1, edit }];
  });
  return [...misspelt, ...foreign, ...quotes]
    .sort((left, right) => left.offset - right.offset)
    .slice(0, maxHints)
    .map(({ edit, ...slip }) => ({ ...slip, severity: "hint", fixes: mendingsOf(draft, [edit]) }));
}

function textPrefix({ offset, length, prefix, meaning }: ForeignFilter): Slip {
  const message = `"${prefix}" is read as text. Did you mean "${meaning}"?`;
  return { message, offset, length, edit: { title: `Use "${meaning}"`, offset, length, text: meaning } };
}

/** Closes a quote that nothing closes: before the next filter, where its group ends, or at the end of the line. */
function closingQuote(text: string, { leaves, layout }: Outline, leaf: Leaf): Edit | undefined {
  const { valueStart, end, isQuoted } = leaf;
  if (isQuoted || text[valueStart] !== '"' || end <= valueStart + 1) return undefined;
  const next = leaves.find(({ start, prefix }) => start >= end && prefix !== undefined);
  const close = layout.partners.findLast((partner, open) => open < valueStart && partner >= end);
  const line = text.indexOf("\n", valueStart);
  const ends = [next?.start, close, line < 0 ? undefined : line].filter((each) => each !== undefined);
  const stretch = text.slice(valueStart, Math.min(text.length, ...ends)).trimEnd();
  return { title: "Close the quote", offset: valueStart, length: stretch.length, text: `${stretch}"` };
}

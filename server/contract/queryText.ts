/**
 * Edits a query as text, so that the search boxes of the extension and of the pages always show the whole query.
 *
 * Offsets are in UTF-16 units. The service parses filters and reports their ranges (`readQuery`). This file only inserts
 * and removes words, without changing the meaning of the others.
 */
import type { QueryFilter } from "./queries";

/** `value` is unquoted. */
export type Filter = Pick<QueryFilter, "prefix" | "value" | "isNegated">;

/** Returns a filter as typed: `-file:"my notes"`. */
export function filterText({ prefix, value, isNegated }: Filter): string {
  return `${isNegated ? "-" : ""}${prefix}:${encodedValue(prefix, value)}`;
}

/** Adds a filter to a query, replacing its opposite. A filter that is already present is not added again. */
export function withFilter(query: string, filter: Filter): string {
  const text = filterText(filter);
  if (indexOfWord(query, text) >= 0) return query;
  const opposite = filterText(oppositeOf(filter));
  const offset = indexOfWord(query, opposite);
  const rest = offset < 0 ? query : withoutRange(query, offset, opposite.length);
  return withConditions(rest, text);
}

function oppositeOf(filter: Filter): Filter {
  if (filter.prefix !== "tests") return { ...filter, isNegated: !filter.isNegated };
  return { ...filter, value: filter.value === "no" ? "only" : "no" };
}

/** Replaces all filters with these prefixes by others. */
export function withFiltersReplaced(
  query: string,
  parsed: readonly QueryFilter[],
  prefixes: readonly string[],
  filters: readonly Filter[],
): string {
  const rest = withoutFilters(
    query,
    parsed.filter(({ prefix }) => prefixes.includes(prefix)),
  );
  return filters.reduce(withFilter, rest);
}

/**
 * Makes the words of a query its description (`words:`), or its description words again. Returns undefined if there are
 * no words, or if the meaning would change: a filter that moves is in a group or the operand of an operator.
 */
export function withWordsToggled(query: string, parsed: readonly QueryFilter[]): string | undefined {
  const descriptions = parsed.filter(({ prefix }) => prefix === "words");
  const moved = descriptions.length > 0 ? descriptions : parsed;
  if (moved.some((filter) => isOperand(query, filter))) return undefined;
  if (descriptions.length > 0) {
    const text = descriptions.flatMap(({ value }) => value.split(/\s+/).map(asWord)).join(" ");
    return `${text} ${withoutFilters(query, descriptions)}`.trim();
  }
  const text = withoutFilters(query, parsed)
    .replace(/["\s]+/g, " ")
    .trim();
  if (text === "") return undefined;
  const filters = parsed.map(({ offset, length }) => query.slice(offset, offset + length));
  return [filterText({ prefix: "words", value: text, isNegated: false }), ...filters].join(" ");
}

/** Whether a filter is in a group or next to an operator. */
function isOperand(query: string, { offset, length }: Pick<QueryFilter, "offset" | "length">): boolean {
  const masked = maskPhrases(query);
  return (
    depthAt(query, offset) !== 0 ||
    /(?<!\S)(?:or|OR|AND|NOT)\s+$/.test(masked.slice(0, offset)) ||
    /^\s+(?:or|OR|AND)(?!\S)/.test(masked.slice(offset + length))
  );
}

/** Quotes a word of a description if it could be parsed as something else than a word. */
function asWord(word: string): string {
  return /["()\\]|^-|^(?:or|OR|AND|NOT)$|^[a-z]+:/.test(word) ? quoted(word) : word;
}

/** Removes these filters from a query. */
export function withoutFilters(
  query: string,
  filters: readonly Pick<QueryFilter, "offset" | "length">[],
): string {
  return filters
    .toSorted((one, other) => other.offset - one.offset)
    .reduce((text, { offset, length }) => withoutRange(text, offset, length), query);
}

/** Removes a range from a query, together with an operator or parentheses that it leaves without operands. */
export function withoutRange(query: string, offset: number, length: number): string {
  let before = query.slice(0, offset).trimEnd();
  let after = query.slice(offset + length).trimStart();
  for (;;) {
    const opening = /(?:^|(?<=[\s(]))(?:NOT\s+)?-?\($/.exec(before);
    const isFirst = before === "" || opening !== null;
    const isLast = after === "" || after.startsWith(")");
    const endOperator = /(?:^|\s)(?:or|OR|AND)$/.exec(before);
    const startOperator = /^(?:or|OR|AND)(?=\s)\s*/.exec(after);
    if (endOperator !== null && (isLast || startOperator !== null)) {
      before = before.slice(0, endOperator.index).trimEnd();
    } else if (isFirst && startOperator !== null) {
      after = after.slice(startOperator[0].length);
    } else if (opening !== null && after.startsWith(")")) {
      before = before.slice(0, opening.index).trimEnd();
      after = after.slice(1).trimStart();
    } else break;
  }
  const isTight = before === "" || after === "" || before.endsWith("(") || after.startsWith(")");
  return `${before}${isTight ? "" : " "}${after}`;
}

/**
 * Adds conditions to a valid query, so that they apply to all of it. Parentheses that are searched as text may have no
 * partner: then they apply to each alternative.
 */
export function withConditions(query: string, conditions: string): string {
  const text = query.trim();
  if (text === "" || conditions === "") return text || conditions;
  const masked = maskPhrases(text);
  const alternatives = alternativesIn(masked);
  const hasPartners = !/[()]/.test(withoutGroups(masked, /\([^()]*\)/g));
  if (alternatives.length === 0 || hasPartners) return `${grouped(text)} ${conditions}`;
  const ends = [...alternatives, text.length];
  return ends.map((end, at) => `${text.slice(ends[at - 1] ?? 0, end)} ${conditions}`).join("");
}

/** Adds parentheses if a term next to the query would apply to a part of it only, or would make a word an operator. */
export function grouped(query: string): string {
  const text = query.trim();
  const hasAlternatives = alternativesIn(maskPhrases(text)).length > 0;
  if (!hasAlternatives && !/^(?:or|OR|AND)(?!\S)|(?<!\S)NOT$/.test(text)) return text;
  // A backslash would escape the parenthesis.
  return text.endsWith("\\") ? `(${text} )` : `(${text})`;
}

/** Returns the offsets of `or` outside of groups. */
function alternativesIn(masked: string): number[] {
  const outside = withoutGroups(masked, /(?<![^\s(])-?\([^()]*\)/g);
  return [...outside.matchAll(/\s+(?:or|OR)(?=\s)/g)].map(({ index }) => index);
}

/** Masks groups, from the inside out. */
function withoutGroups(text: string, group: RegExp): string {
  const outside = text.replace(group, maskOf);
  return outside === text ? text : withoutGroups(outside, group);
}

function maskOf(text: string): string {
  return "x".repeat(text.length);
}

/** Returns the value of `repo:` that matches exactly this repository. */
export function exactRepository(name: string): string {
  return `^${escaped(name)}$`;
}

/** Returns the value of `author:` that matches exactly this name with this email, or with any. */
export function exactAuthor(name: string, email?: string): string {
  return `^${escaped(name)} <${email === undefined ? "" : `${escaped(email)}>$`}`;
}

/** Returns the value of `file:` that matches exactly this path. */
export function exactFile(path: string): string {
  return `^${escaped(path)}$`;
}

/** Returns the value of `file:` for everything below a folder; the empty path is the root. */
export function inFolder(path: string): string {
  return path === "" ? "" : `^${escaped(path)}/`;
}

/** Returns the value of `file:` for files with the same extension: `.ts` of `src/a.d.ts`; undefined if there is none. */
export function withExtensionOf(path: string): string | undefined {
  const extension = /[^/](\.[^./]+)$/.exec(path)?.[1];
  return extension === undefined ? undefined : `${escaped(extension)}$`;
}

/** Escapes `text` for use in a regular expression. */
export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** Quotes `text` as one literal phrase. */
export function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

/**
 * Returns pasted text as it is inserted into a query: text with several lines becomes a quoted phrase, so that exactly
 * this text is found. Whitespace around it is removed.
 */
export function pastedText(query: string, offset: number, length: number, pasted: string): string {
  const text = pasted.replace(/\r\n?/g, "\n").trim();
  if (!text.includes("\n")) return text;
  const before = query.slice(0, offset);
  const after = query.slice(offset + length);
  const isInQuotes = /(?:^|[\s(:])"/.test(maskPhrases(before)) && after.includes('"');
  if (isInQuotes) return quoted(text).slice(1, -1);
  return `${/(?:^|[\s(:])$/.test(before) ? "" : " "}${quoted(text)}${/^(?:$|[\s)])/.test(after) ? "" : " "}`;
}

/**
 * Masks quoted phrases and escaped characters, so that the rest can be searched for filters and operators. Offsets stay
 * the same.
 */
export function maskPhrases(query: string): string {
  return query.replace(quotedOrEscaped, maskOf);
}

/** Quotes `text` if it could be parsed as a filter or an operator. */
export function asLiteral(text: string): string {
  const words = text.trim();
  return /^[\w.$-]+$/.test(words) && !/^(?:-|or$|and$|not$)/i.test(words) ? words : quoted(words);
}

function encodedValue(prefix: string, value: string): string {
  const isPlain =
    value !== "" &&
    !/[\s"]/.test(value) &&
    !/^[a-z]+:/.test(value) &&
    !(prefix === "repo" && value.includes("@") && value.startsWith("^")) &&
    // An unescaped parenthesis could pair with one outside of the value.
    !/(?<!\\)[()]/.test(value);
  return isPlain ? value : quoted(value);
}

/** Returns the offset of `text` as a separate word outside of parentheses, or -1. */
function indexOfWord(query: string, text: string): number {
  for (let offset = query.indexOf(text); offset >= 0; offset = query.indexOf(text, offset + 1)) {
    const end = offset + text.length;
    const isWord = /^\s?$/.test(query.charAt(offset - 1)) && /^\s?$/.test(query.charAt(end));
    if (isWord && depthAt(query, offset) === 0) return offset;
  }
  return -1;
}

function depthAt(query: string, end: number): number {
  const before = query.slice(0, end).replace(quotedOrEscaped, "");
  return before.split("(").length - before.split(")").length;
}

/** Phrases and escaped characters, whose parentheses are literal. */
const quotedOrEscaped = /(?<=^|[\s(:])"(?:\\[\s\S]|[^"\\])*"|\\./g;

/**
 * Changes of a query as text, so that what is in the box stays the whole truth. Pure: knows no VS Code.
 *
 * Places are UTF-16 units. What a filter is and where it stands, the service says (`readQuery`); here words are only
 * put in and taken out, without changing what the others mean.
 */
import type { QueryFilter } from "#contract/queries";

/** `value` as it is meant: without quotes. */
export type Filter = Pick<QueryFilter, "prefix" | "value" | "isNegated">;

/** As it is typed: `-file:"my notes"`. */
export function filterText({ prefix, value, isNegated }: Filter): string {
  return `${isNegated ? "-" : ""}${prefix}:${written(prefix, value)}`;
}

/** The query with one more condition; it takes the place of its opposite, and stands there once only. */
export function withFilter(query: string, filter: Filter): string {
  const text = filterText(filter);
  if (placeOf(query, text) >= 0) return query;
  const opposite = filterText({ ...filter, isNegated: !filter.isNegated });
  const at = placeOf(query, opposite);
  const rest = at < 0 ? query : withoutStretch(query, at, opposite.length);
  return [grouped(rest), text].filter((part) => part !== "").join(" ");
}

/** The query without all filters of these prefixes, and with others in their place. */
export function withFiltersReplaced(
  query: string,
  present: readonly QueryFilter[],
  prefixes: readonly string[],
  filters: readonly Filter[],
): string {
  const rest = present
    .filter(({ prefix }) => prefixes.includes(prefix))
    .toSorted((one, other) => other.offset - one.offset)
    .reduce((text, { offset, length }) => withoutStretch(text, offset, length), query);
  return filters.reduce(withFilter, rest);
}

/** The query without what stands there, and without the operator or the parentheses that this leaves alone. */
export function withoutStretch(query: string, offset: number, length: number): string {
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

/** In parentheses where something beside it would belong to a part of it only. */
export function grouped(query: string): string {
  const text = query.trim();
  let outside = withoutQuotes(text);
  for (let before = ""; before !== outside; ) {
    before = outside;
    outside = outside.replace(/\([^()]*\)/g, "()");
  }
  return /\s(?:or|OR)\s/.test(outside) ? `(${text})` : text;
}

/** Value of `repo:` for this one repository. */
export function exactRepository(name: string): string {
  return `^${escaped(name)}$`;
}

/** Value of `file:` for this one path. */
export function exactFile(path: string): string {
  return `^${escaped(path)}$`;
}

/** Value of `file:` for all below a folder; the empty path is the root, which holds everything. */
export function inFolder(path: string): string {
  return path === "" ? "" : `^${escaped(path)}/`;
}

/** Value of `file:` for all files with this ending: `.ts` of `src/a.d.ts`; undefined where a path has none. */
export function withExtensionOf(path: string): string | undefined {
  const extension = /[^/](\.[^./]+)$/.exec(path)?.[1];
  return extension === undefined ? undefined : `${escaped(extension)}$`;
}

/** An expression that finds `text` as it stands. */
export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** One literal phrase, whatever stands in it. */
export function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

/** A text that reads as filters or operators is quoted; other words stay as a person would type them. */
export function asLiteral(text: string): string {
  const words = text.trim();
  return /^[\w.$-]+$/.test(words) && !/^(?:-|or$|and$|not$)/i.test(words) ? words : quoted(words);
}

function written(prefix: string, value: string): string {
  const isPlain =
    value !== "" &&
    !/[\s"]/.test(value) &&
    !/^[a-z]+:/.test(value) &&
    !(prefix === "repo" && value.includes("@") && value.startsWith("^")) &&
    // A parenthesis that is not escaped may have a partner outside of the value.
    !/(?<!\\)[()]/.test(value);
  return isPlain ? value : quoted(value);
}

/** Where `text` stands as a word of its own, outside of parentheses; -1 where it does not. */
function placeOf(query: string, text: string): number {
  for (let at = query.indexOf(text); at >= 0; at = query.indexOf(text, at + 1)) {
    const isWord = /^\s?$/.test(query.charAt(at - 1)) && /^\s?$/.test(query.charAt(at + text.length));
    if (isWord && depthAt(query, at) === 0) return at;
  }
  return -1;
}

function depthAt(query: string, end: number): number {
  const before = withoutQuotes(query.slice(0, end));
  return before.split("(").length - before.split(")").length;
}

/** Without phrases, and without escaped characters, which open and close nothing. */
function withoutQuotes(query: string): string {
  return query.replace(/(?<=^|[\s(:])"(?:\\.|[^"\\\n])*"|\\./g, "");
}

/**
 * The `file:` filters of a query as lists of files to include and to exclude, in the syntax of VS Code's own search: globs
 * separated by commas, where a plain name means a file or folder, and `./` the root. Pure: does not use VS Code.
 */
import type { QueryFilter } from "#contract/queries";
import { filterText, withConditions, withFilter, withoutFilters } from "#contract/queryText";

export interface FileLists {
  readonly include: string;
  readonly exclude: string;
}

/** Returns undefined for a list that cannot express the filters, such as two that must both match. */
export function fileListsOf(
  filters: readonly QueryFilter[],
): Readonly<Record<keyof FileLists, string | undefined>> {
  const values = (isNegated: boolean) =>
    filters
      .filter((filter) => filter.prefix === "file" && filter.isNegated === isNegated)
      .map(({ value }) => entriesOf(value).join(", "));
  const [include = "", ...others] = values(false);
  return { include: others.length > 0 ? undefined : include, exclude: values(true).join(", ") };
}

/** Replaces the `file:` filters of a parsed query by those for a list; those that exclude files and are still listed stay. */
export function withFileList(
  query: string,
  filters: readonly QueryFilter[],
  list: keyof FileLists,
  text: string,
): string {
  const isNegated = list === "exclude";
  const before = filters.filter((filter) => filter.prefix === "file" && filter.isNegated === isNegated);
  const listed = splitList(text);
  // An expression that excludes files keeps its meaning: as an entry of a list, it would be the name of a file or folder.
  const kept = before.filter(
    ({ value }) => isNegated && entriesOf(value).every((entry) => listed.includes(entry)),
  );
  const keptEntries = kept.flatMap(({ value }) => entriesOf(value));
  const entries = listed.filter((entry) => !keptEntries.includes(entry));
  const rest = withoutFilters(
    query,
    before.filter((filter) => !kept.includes(filter)),
  );
  const values = isNegated ? entries.map((entry) => filterValue([entry]) ?? entry) : includedValues(entries);
  if (isNegated || values.length < 2) {
    return values.reduce((whole, value) => withFilter(whole, { prefix: "file", value, isNegated }), rest);
  }
  const alternatives = values.map((value) => filterText({ prefix: "file", value, isNegated }));
  return withConditions(rest, `(${alternatives.join(" or ")})`);
}

/** Returns the values of which one must match: a single one if the entries can be combined. */
function includedValues(entries: readonly string[]): readonly string[] {
  if (entries.length === 0) return [];
  const value = filterValue(entries);
  return value === undefined ? entries.map((entry) => filterValue([entry]) ?? entry) : [value];
}

/** Whether an entry has characters that only an expression has. */
export function isExpression(entry: string): boolean {
  return /[\\^$()|+[\]]/.test(entry);
}

/** Whether the service reads a value as a glob: only if it begins with a star, or has one after a slash. */
export function isGlob(value: string): boolean {
  return /(?:^|\/)\*/.test(value);
}

function hasWildcard(entry: string): boolean {
  return /[*?{]/.test(entry);
}

/** Splits a list at commas that are not inside braces. */
function splitList(text: string): readonly string[] {
  const parts = text.match(/(?:\{[^{}]*\}|[^,])+/g) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

/** Returns the value of `file:` for entries; undefined if one is an expression, or several differ in their root. */
function filterValue(entries: readonly string[]): string | undefined {
  if (entries.some(isExpression)) return undefined;
  const [first = ""] = entries;
  const isRooted = first.startsWith("./");
  if (entries.some((entry) => entry.startsWith("./") !== isRooted)) return undefined;
  const names = entries.map((entry) => entry.replace(/^\.?\/|\/+$/g, ""));
  const [only = ""] = names;
  if (names.length === 1 && hasWildcard(only)) {
    const value = isRooted ? `/${only}` : isGlob(only) ? only : `**/${only}`;
    if (isGlob(value)) return value;
  }
  const globs = names.flatMap((name) => (hasWildcard(name) && !isRooted ? [name] : [name, `${name}/**`]));
  return `${isRooted ? "/" : "**/"}{${globs.join(",")}}`;
}

/** Reads a value as the entries that it was written for, or as itself. */
export function entriesOf(value: string): readonly string[] {
  const [, root = "", list] = /^(\/|\*\*\/)\{((?:[^{}]|\{[^{}]*\})*)\}$/.exec(value) ?? [];
  if (list === undefined) {
    const [, name = ""] = /^\*\*\/([^/*][^/]*\*[^/]*)$/.exec(value) ?? [];
    return [name === "" ? value.replace(/^\/(?=.*[*?])/, "./") : name];
  }
  const globs = splitList(list);
  const names = globs.filter((glob) => !glob.endsWith("/**") || !globs.includes(glob.slice(0, -3)));
  return names.map((name) => (root === "/" ? `./${name}` : name));
}

/** Converts a search to the arguments of VS Code's own search, which can also replace. Pure: does not use VS Code. */
import type { QueryFilter } from "#contract/queries";
import { escaped, maskPhrases, withoutFilters } from "#contract/queryText";
import { entriesOf, isExpression, isGlob } from "./fileFilters";
import type { SearchState } from "./searchState";

/** The arguments of `workbench.action.findInFiles`. */
export interface EditorSearch {
  readonly query: string;
  readonly isRegex: boolean;
  readonly isCaseSensitive: boolean;
  readonly matchWholeWord: boolean;
  readonly filesToInclude: string;
  readonly filesToExclude: string;
  readonly showIncludesExcludes: boolean;
  readonly onlyOpenEditors: boolean;
  /**
   * Empty, to show the box for replacing, which is what VS Code's search can do in addition. Absent if filters were left
   * out, because replacing would then affect more than the search had found.
   */
  readonly replace?: "";
  readonly triggerSearch: true;
}

/**
 * Returns the same search as far as possible: several words become a phrase, and only `file:` and `case:` filters are
 * kept. `openEditors` are the filters that were added for the open editors.
 */
export function editorSearchOf(
  { query, isRegex, isWholeWord, caseSensitivity, narrowed }: SearchState,
  filters: readonly QueryFilter[],
  openEditors: readonly QueryFilter[] = [],
): EditorSearch {
  const words = withoutFilters(query, filters);
  const alternatives = isRegex ? [words] : alternativesOf(words);
  const literals = alternatives.map(unquoted);
  const text = isRegex
    ? wholePhrase.test(words)
      ? escaped(unquoted(words))
      : words
    : literals.length === 1
      ? (literals[0] ?? "")
      : literals.map(escaped).join("|");
  const mode = filters.find(({ prefix }) => prefix === "case")?.value;
  const isSmart = mode === "auto" || (mode === undefined && caseSensitivity === "smart");
  const others = filters.filter((filter) => filter.prefix !== "case" && !openEditors.includes(filter));
  const files = others.filter(({ prefix }) => prefix === "file");
  const included = files.filter(({ isNegated }) => !isNegated);
  // Of several lists to include, each must match.
  const include = globsOf(included.length > 1 ? [] : included);
  const exclude = globsOf(files.filter(({ isNegated }) => isNegated));
  const isComplete =
    files.length === others.length &&
    included.length < 2 &&
    include.isComplete &&
    exclude.isComplete &&
    narrowed.length === 0;
  return {
    query: text,
    isRegex: isRegex || literals.length > 1,
    isCaseSensitive: isSmart
      ? /\p{Lu}/u.test(words)
      : mode === "yes" || (mode === undefined && caseSensitivity === "sensitive"),
    matchWholeWord: isWholeWord,
    filesToInclude: include.globs,
    filesToExclude: exclude.globs,
    showIncludesExcludes: include.globs !== "" || exclude.globs !== "" || openEditors.length > 0,
    onlyOpenEditors: openEditors.length > 0,
    ...(isComplete ? { replace: "" } : {}),
    triggerSearch: true,
  };
}

/** A query that consists of one quoted phrase. */
const wholePhrase = /^"(?:\\[\s\S]|[^"\\])*"$/;

function unquoted(text: string): string {
  return wholePhrase.test(text) ? text.slice(1, -1).replace(/\\(["\\])/g, "$1") : text;
}

/** Splits at `or`, unless parentheses make that ambiguous. */
function alternativesOf(text: string): readonly string[] {
  const masked = maskPhrases(text);
  if (/[()]/.test(masked)) return [text];
  const operators = [...masked.matchAll(/\s+(?:or|OR)\s+/g)];
  const starts = [0, ...operators.map(({ index, 0: operator }) => index + operator.length)];
  return starts.map((start, at) => text.slice(start, operators[at]?.index ?? text.length).trim());
}

/** Returns the globs that match the same paths as filters, and whether there are some for each. */
function globsOf(filters: readonly QueryFilter[]): { readonly globs: string; readonly isComplete: boolean } {
  const found = filters.map(({ value }) => globsFor(value));
  return {
    globs: found.flatMap((globs) => globs ?? []).join(", "),
    isComplete: !found.includes(undefined),
  };
}

/** Returns globs for a value of `file:`: a glob, a part of the path, or an exact file, folder or extension. */
function globsFor(value: string): readonly string[] | undefined {
  if (isGlob(value)) {
    const entries = entriesOf(value);
    return entries.some(isExpression) ? undefined : entries;
  }
  const [, start, body = "", end] = /^(\^?)(.*?)([/$]?)$/.exec(value) ?? [];
  const path = body.replace(/\\(.)/g, "$1");
  // Of the special characters of expressions, only a dot is likely to be meant literally. A comma separates globs.
  if (/[\\^$()|+[\]*?{},]/.test(body.replace(/\\\W/g, "")) || isExpression(path)) return undefined;
  if (start === "") return end === "$" ? [`*${path}`] : [`*${path}${end}*`];
  return end === "" ? undefined : [end === "/" ? `./${path}/**` : `./${path}`];
}

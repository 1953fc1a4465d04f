/** Filters of a commit list, and their syntax: `author:Ada since:"2 weeks ago"`. Pure: does not use VS Code. */

export const filterNames = ["author", "message", "since", "until", "path", "lines", "ref"] as const;
export type FilterName = (typeof filterNames)[number];

/** No value is empty. `lines` requires `path`. */
export type CommitFilter = Readonly<Partial<Record<FilterName, string>>>;

/** Parses a filter. Words without a filter name search the message. The last of several equal filters wins. */
export function parseFilter(text: string): CommitFilter {
  const found: Partial<Record<FilterName, string>> = {};
  const words: string[] = [];
  for (const [, name = "", quoted, plain = ""] of text.matchAll(
    /(?:([a-z]+):)?(?:"((?:[^"\\]|\\.)*)"?|(\S*))/gs,
  )) {
    const value = quoted === undefined ? plain : quoted.replace(/\\(["\\])/g, "$1");
    const known = filterNames.find((each) => each === name);
    if (known === undefined) words.push(name === "" ? value : `${name}:${value}`);
    else if (value !== "") found[known] = value;
  }
  const message = words.filter((word) => word !== "").join(" ");
  return clean(message === "" ? found : { ...found, message });
}

/** Formats each filter as `parseFilter` reads it. */
export function filterParts(filter: CommitFilter): readonly string[] {
  return filterNames.flatMap((name) => {
    const value = filter[name];
    return value === undefined ? [] : [`${name}:${quoteIfNeeded(value)}`];
  });
}

export function withoutFilter(filter: CommitFilter, name: FilterName): CommitFilter {
  const { [name]: _, ...rest } = filter;
  return clean(rest);
}

/** Escapes text as a POSIX basic regular expression that matches it literally. */
export function literalExpression(text: string): string {
  return text.replace(/[\\.*[\]^$]/g, "\\$&");
}

function quoteIfNeeded(value: string): string {
  return /^[^\s"\\]+$/.test(value) ? value : `"${value.replace(/["\\]/g, "\\$&")}"`;
}

/** Drops `lines` without `path`. */
function clean(filter: CommitFilter): CommitFilter {
  if (filter.path !== undefined || filter.lines === undefined) return filter;
  const { lines: _, ...rest } = filter;
  return rest;
}

/** Which commits a list shows, and how people write that: `author:Ada since:"2 weeks ago"`. Pure: knows no VS Code. */

export const filterNames = ["author", "message", "since", "until", "path", "lines", "ref"] as const;
export type FilterName = (typeof filterNames)[number];

/** Nothing in it is empty. `lines` are of the file `path`. */
export type CommitFilter = Readonly<Partial<Record<FilterName, string>>>;

/** Words without a name are the message. What is named twice counts as it was named last. */
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

/** One part for each filter, as `parseFilter` reads them. */
export function filterParts(filter: CommitFilter): readonly string[] {
  return filterNames.flatMap((name) => {
    const value = filter[name];
    return value === undefined ? [] : [`${name}:${written(value)}`];
  });
}

export function withoutFilter(filter: CommitFilter, name: FilterName): CommitFilter {
  const { [name]: _, ...rest } = filter;
  return clean(rest);
}

/** A name as the POSIX basic regular expression that matches nothing else. */
export function literalExpression(text: string): string {
  return text.replace(/[\\.*[\]^$]/g, "\\$&");
}

function written(value: string): string {
  return /^[^\s"\\]+$/.test(value) ? value : `"${value.replace(/["\\]/g, "\\$&")}"`;
}

/** Lines are of a file. */
function clean(filter: CommitFilter): CommitFilter {
  if (filter.path !== undefined || filter.lines === undefined) return filter;
  const { lines: _, ...rest } = filter;
  return rest;
}

import type { Pattern, Query } from "./query";

/**
 * Prints a query in one line, for people and tests: `(and "foo" name:/\.ts$/ (not language:Go))`.
 *
 * Literals are in quotes, expressions between slashes; a `c` after either means case-sensitive.
 */
export function printQuery(query: Query): string {
  switch (query.kind) {
    case "const":
      return String(query.value);
    case "and":
    case "or":
      return `(${[query.kind, ...query.children.map(printQuery)].join(" ")})`;
    case "not":
      return `(not ${printQuery(query.child)})`;
    case "text":
      return (query.where === "both" ? "" : `${query.where}:`) + printPattern(query.pattern);
    case "symbol":
      return `symbol:${printPattern(query.pattern)}`;
    case "author":
      return `author:${printPattern(query.pattern)}`;
    case "committed":
      return `${query.bound}:${JSON.stringify(query.date)}`;
    case "language":
    case "revision":
    case "repositorySet":
    case "topic":
      return `${query.kind}:${query.names.join(",")}`;
    case "type":
      return `(type:${query.type} ${printQuery(query.child)})`;
    case "repository":
      return `repository:${printPattern(query.pattern)}`;
    case "context":
      return `context:${query.name}`;
    case "flag":
      return `${query.flag}:${query.value}`;
    case "visibility":
      return `visibility:${query.value}`;
    case "repositoryIds":
      return `repositoryIds:${query.ids.join(",")}`;
  }
}

function printPattern(pattern: Pattern): string {
  const text = pattern.kind === "literal" ? JSON.stringify(pattern.text) : `/${pattern.source}/`;
  return pattern.caseSensitive ? `${text}c` : text;
}

/** Restricts a query to whole words: what it looks for must begin and end where a word does. */
import type { Pattern, Query } from "./query";
import { escapeExpression } from "./regexp";

/** Terms on paths alone are filters, and stay as they are. */
export function onlyWholeWords(query: Query): Query {
  switch (query.kind) {
    case "text":
      return query.where === "name" ? query : { ...query, pattern: wholeWord(query.pattern) };
    case "and":
    case "or":
      return { ...query, children: query.children.map(onlyWholeWords) };
    case "not":
      return { ...query, child: onlyWholeWords(query.child) };
    case "type":
      return { ...query, child: onlyWholeWords(query.child) };
    default:
      return query;
  }
}

/** A literal that begins with `(` has no edge of a word there, and needs none. */
export function wholeWord(pattern: Pattern): Pattern {
  if (pattern.kind === "regexp") return { ...pattern, source: `\\b(?:${pattern.source})\\b` };
  const { text, caseSensitive } = pattern;
  const before = /^\w/.test(text) ? "\\b" : "";
  const after = /\w$/.test(text) ? "\\b" : "";
  if (before === "" && after === "") return pattern;
  return {
    kind: "regexp",
    source: `${before}${escapeExpression(text)}${after}`,
    caseSensitive,
  };
}

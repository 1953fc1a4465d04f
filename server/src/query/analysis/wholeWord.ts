/** Restricts a query to whole words: matches must begin and end at word boundaries. */
import type { Pattern, Query } from "#query/query";
import { escapeExpression } from "#query/regexp/regexp";

/** Leaves terms that apply only to paths unchanged, because they are filters. */
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

/** A literal needs a boundary only at an end that is a word character. */
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

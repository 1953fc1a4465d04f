/** Writes queries from the arguments of tools, and escapes what would be query syntax in them. */
import { globExpression, hasWildcards } from "#query/parser/glob";
import { quoteText, writeExpression, writeName } from "#query/parser/write";

/** Returns a filter for one repository, or for those whose name contains a text. */
export function repositoryFilter(name: string, match: "exact" | "contains"): string {
  const expression = writeExpression(name);
  return `repo:${match === "exact" ? `^${expression}$` : expression}`;
}

/**
 * Returns a filter for paths that match a glob or contain a text. By default, `*`, `?`, `[` and `{` make it a glob. A
 * leading `/` is the root of the repository.
 */
export function fileFilter(
  path: string,
  kind: "glob" | "text" = hasWildcards(path) ? "glob" : "text",
): string {
  if (kind === "glob") return `file:${escapeWhitespace(globExpression(path))}`;
  return path.startsWith("/") ? `file:^${writeExpression(path.slice(1))}` : `file:${writeExpression(path)}`;
}

/** Returns a filter for the file at a path. */
export function exactFileFilter(path: string): string {
  return `file:^${writeExpression(path)}$`;
}

/** Returns a term for text, or for an expression, that files must contain. */
export function contentTerm(pattern: string, isRegex: boolean): string {
  return `content:${isRegex ? `(?:${escapeWhitespace(pattern)})` : quoteText(pattern)}`;
}

export function wordsFilter(description: string): string {
  return `words:${quoteText(description)}`;
}

export function revisionFilter(rev: string): string {
  return `rev:${writeName(rev)}`;
}

/** Returns the filters for the arguments that `grep` and `find` share. */
export function commonFilters(input: {
  readonly repo?: string | undefined;
  readonly lang?: string | undefined;
  readonly rev?: string | undefined;
}): readonly string[] {
  const { repo, lang, rev } = input;
  return [
    ...(repo === undefined ? [] : [repositoryFilter(repo, "contains")]),
    ...(lang === undefined ? [] : [`lang:${writeName(lang)}`]),
    ...(rev === undefined ? [] : [revisionFilter(rev)]),
  ];
}

/** Writes whitespace in an expression as escapes, because unescaped whitespace separates terms. */
function escapeWhitespace(expression: string): string {
  return expression.replace(/\\([\s\S])|\s/g, (part, escaped?: string) => {
    const character = escaped ?? part;
    if (!/\s/.test(character)) return part;
    return `\\x{${character.charCodeAt(0).toString(16)}}`;
  });
}

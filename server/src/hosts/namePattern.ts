/** Patterns of repository names in connections: globs, or expressions between slashes. */
import { RE2JS } from "re2js";
import { globMatcher } from "#base/glob";

/**
 * Compiles a pattern: a glob in which `*` does not match a slash and `**` does, or an RE2 expression between slashes,
 * which matches anywhere. Expressions run in linear time, because the names come from hosts.
 *
 * Throws if the expression is invalid.
 */
export function nameMatcher(pattern: string, isCaseSensitive: boolean): (name: string) => boolean {
  const expression = /^\/(.+)\/$/s.exec(pattern)?.[1];
  if (expression !== undefined) {
    const compiled = RE2JS.compile(expression, isCaseSensitive ? 0 : RE2JS.CASE_INSENSITIVE);
    return (name) => compiled.matcher(name).find();
  }
  if (isCaseSensitive) return globMatcher(pattern);
  const matches = globMatcher(pattern.toLowerCase());
  return (name) => matches(name.toLowerCase());
}

/** Returns why a pattern is invalid, or `undefined`. */
export function checkNamePattern(pattern: string): string | undefined {
  try {
    nameMatcher(pattern, true);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

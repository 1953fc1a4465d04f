/** Turns terms, and the values of filters, into query nodes. */
import type { ServiceError } from "#base/error";
import { nearestNames } from "#base/nearestNames";
import { parseDate } from "#base/parseDate";
import { testPathExpression } from "#languages/categorize";
import { nearestLanguages, resolveLanguage } from "#languages/languages";
import { parseDescription } from "#query/description";
import { beginsWithEcosystem } from "#query/packageName";
import type { Pattern, Query } from "#query/query";
import type { ClassBudget } from "#query/regexp/re2";
import { checkExpression, literalPattern } from "#query/regexp/regexp";
import { type Edit, parseError } from "./errors";
import { expressionError } from "./expressionErrors";
import { globExpression, isGlob } from "./glob";
import { fileFilters, type GroupProperty, groupings, type PrefixName } from "./prefixes";
import { writeName } from "./write";

/** Whether case matters: always, never, or in terms that contain a capital. */
export type CaseMode = "yes" | "no" | "auto";

/** A term whose case mode is known later, because `case:` may follow it. */
export type Term = (mode: CaseMode) => Query;

/** A value as written. */
export interface Value {
  /** The prefix with its colon. */
  readonly prefix: string;
  /** The offset of the prefix in the query, in UTF-16 units. */
  readonly prefixOffset: number;
  /** Without quotes. */
  readonly text: string;
  readonly isQuoted: boolean;
  /** Its offset in the query, in UTF-16 units, after an opening quote. */
  readonly offset: number;
  /** As written, with its quotes. */
  readonly written: string;
}

export interface TermContext {
  readonly isRegexEnabled: boolean;
  readonly contexts: ReadonlySet<string>;
  /** Whether the query searches for commits. */
  readonly forCommits: boolean;
  /** What the expressions of the query may still cost. Absent: they are not checked. */
  readonly classBudget: ClassBudget | undefined;
}

type ResultType = Extract<Query, { kind: "type" }>["type"];

/** What one filter contributes: a term, revision names, or a mode of its whole group. */
export interface FilterEffect {
  readonly term?: Term;
  readonly revisions?: readonly string[];
  readonly case?: CaseMode;
  readonly type?: ResultType;
  readonly words?: string;
  readonly grouping?: GroupProperty;
}

/** Returns the term for a bare or quoted word, or for the value of `content:`. Quoted text is literal in both modes. */
export function textTerm(
  value: Omit<Value, "prefix" | "prefixOffset">,
  where: "both" | "content",
  context: TermContext,
): Term {
  const { text, isQuoted } = value;
  // Every document contains the empty string.
  if (text === "") return () => ({ kind: "const", value: true });
  if (context.isRegexEnabled && !isQuoted)
    return expressionTerm(text, value, context, (pattern) => ({ kind: "text", pattern, where }));
  return (mode) => ({ kind: "text", pattern: literalPattern(text, isSensitive(mode, text)), where });
}

/** Throws FAILED_TO_PARSE_QUERY if the value is invalid for the prefix. */
export function filterEffect(name: PrefixName, value: Value, context: TermContext): FilterEffect {
  if (context.forCommits && fileFilters.has(name)) {
    const length = value.offset - (value.isQuoted ? 1 : 0) - value.prefixOffset + value.written.length;
    const what = `"${value.prefix}" filters files and cannot be combined with "type:commit"`;
    throw parseError(what, value.prefixOffset, { length, advice: "Remove one of them." });
  }
  switch (name) {
    case "file":
      return { term: fileTerm(value, context) };
    case "repo":
      return repositoryEffect(value, context);
    case "lang":
      return fixedTerm({ kind: "language", names: [parseLanguage(value)] });
    case "rev":
      return { revisions: [requireValue(value, "a revision")] };
    case "content":
      return { term: textTerm(value, "content", context) };
    case "sym":
      return { term: expressionTerm(value.text, value, context, (pattern) => ({ kind: "symbol", pattern })) };
    case "words":
      return { words: parseWords(value) };
    case "case":
      return { case: requireOneOf(value, ["yes", "no", "auto"]) };
    case "type":
      return { type: parseResultType(value) };
    case "archived":
    case "fork":
    case "dependencies":
      return fixedTerm({ kind: "flag", flag: name, value: requireOneOf(value, ["yes", "no", "only"]) });
    case "tests":
      return fixedTerm(testsQuery(requireOneOf(value, ["yes", "no", "only"])));
    case "visibility":
      return fixedTerm({ kind: "visibility", value: requireOneOf(value, ["public", "private", "any"]) });
    case "context":
      return fixedTerm({ kind: "context", name: parseContext(value, context) });
    case "reposet":
      return fixedTerm({ kind: "repositorySet", names: parseNames(value, "repositories") });
    case "topic":
      return fixedTerm({
        kind: "topic",
        names: parseNames(value, "topics").map((each) => each.toLowerCase()),
      });
    case "group":
      return { grouping: requireOneOf(value, groupings) };
    case "author":
      return { term: authorTerm(value, context) };
    case "since":
    case "until":
      return fixedTerm({ kind: "committed", bound: name, date: checkDate(value) });
  }
}

/** Author names ignore case. */
function authorTerm(value: Value, context: TermContext): Term {
  const term = expressionTerm(value.text, value, context, (pattern) => ({ kind: "author", pattern }));
  return () => term("no");
}

function checkDate(value: Value): string {
  if (parseDate(value.text) !== undefined) return value.text;
  const examples = ["2026-01-31", "2 weeks ago", "yesterday"];
  const what = `Expected a date after "${value.prefix}", found "${value.text}"`;
  throw valueError(what, value, examples, 'Use a date such as 2026-01-31 or "2 weeks ago".');
}

function fixedTerm(query: Query): FilterEffect {
  return { term: () => query };
}

/** Where the source of an expression is in a query. */
type ValueLocation = Pick<Value, "offset" | "isQuoted" | "written">;

function expressionTerm(
  source: string,
  location: ValueLocation,
  context: TermContext,
  wrap: (pattern: Pattern) => Query,
): Term {
  checkSource(source, location, context);
  // Letters that name a class or an assertion are not part of the text.
  const letters = source.replace(/\\(?:[pP](?:\{[^}\\]*\}|.)|.)/gu, "");
  return (mode) => wrap({ kind: "regexp", source, caseSensitive: isSensitive(mode, letters) });
}

function isSensitive(mode: CaseMode, text: string): boolean {
  return mode === "yes" || (mode === "auto" && /\p{Lu}/u.test(text));
}

function checkSource(source: string, location: ValueLocation, { classBudget }: TermContext): void {
  if (classBudget === undefined) return;
  try {
    checkExpression(source, classBudget);
  } catch (cause) {
    throw expressionError(cause, source, location);
  }
}

function fileTerm(value: Value, context: TermContext): Term {
  const { text, offset } = value;
  const wrap = (pattern: Pattern): Query => ({ kind: "text", pattern, where: "name" });
  if (text.length > 2 && text.startsWith("/") && text.endsWith("/")) {
    return expressionTerm(text.slice(1, -1), { ...value, offset: offset + 1 }, context, wrap);
  }
  return expressionTerm(isGlob(text) ? globExpression(text) : text, value, context, wrap);
}

function testsQuery(value: "yes" | "no" | "only"): Query {
  if (value === "yes") return { kind: "const", value: true };
  const pattern: Pattern = { kind: "regexp", source: testPathExpression, caseSensitive: true };
  const only: Query = { kind: "text", pattern, where: "name" };
  return value === "only" ? only : { kind: "not", child: only };
}

/**
 * Returns the offset of the `@` between repository and revision in an unquoted value, or -1. In the name of a package,
 * the version follows an `@`.
 */
export function revisionSeparator(value: string): number {
  if (beginsWithEcosystem(value)) return -1;
  return value.search(/(?<!\\)@/);
}

function repositoryEffect(value: Value, context: TermContext): FilterEffect {
  const at = value.isQuoted ? -1 : revisionSeparator(value.text);
  const name = at < 0 ? value.text : value.text.slice(0, at);
  const revision = at < 0 ? undefined : value.text.slice(at + 1);
  if (name === "") {
    throw parseError(`Expected a repository after "${value.prefix}"`, value.offset);
  }
  if (revision === "") {
    throw parseError('Expected a revision after "@"', value.offset + value.text.length);
  }
  checkSource(name, value, context);
  const pattern: Pattern = { kind: "regexp", source: name, caseSensitive: false };
  const term: Term = () => ({ kind: "repository", pattern });
  return revision === undefined ? { term } : { term, revisions: [revision] };
}

function parseLanguage(value: Value): string {
  const found = resolveLanguage(requireValue(value, "a language"));
  if (found !== undefined) return found;
  const nearest = nearestLanguages(value.text);
  const advice = nearest.length === 0 ? "" : `Did you mean ${joinAlternatives(nearest)}?`;
  throw valueError(`Unknown language "${value.text}"`, value, nearest, advice);
}

function parseResultType(value: Value): ResultType {
  return requireOneOf(value, ["file", "symbol", "repo", "commit"]);
}

function parseWords(value: Value): string {
  if (parseDescription(value.text) !== undefined) return value.text;
  throw parseError(`Expected words after "${value.prefix}", found "${value.text}"`, value.offset, {
    length: value.text.length,
    advice: 'Describe what to find, as in words:"retry failed requests".',
  });
}

function parseContext(value: Value, { contexts }: TermContext): string {
  if (contexts.has(requireValue(value, "a context"))) return value.text;
  const advice =
    contexts.size === 0 ? "No contexts are configured." : `Use ${joinAlternatives([...contexts].sort())}.`;
  const nearest = nearestNames(value.text, contexts);
  throw valueError(`Unknown context "${value.text}"`, value, nearest, advice);
}

function parseNames(value: Value, what: string): string[] {
  const names = value.text.split(",").map((name) => name.trim());
  const nonEmpty = names.filter((name) => name !== "");
  if (nonEmpty.length === 0) throw parseError(`Expected ${what} after "${value.prefix}"`, value.offset);
  return [...new Set(nonEmpty)];
}

function requireValue(value: Value, what: string): string {
  if (value.text === "") throw parseError(`Expected ${what} after "${value.prefix}"`, value.offset);
  return value.text;
}

function requireOneOf<Word extends string>(value: Value, words: readonly Word[]): Word {
  const found = words.find((word) => word === value.text);
  if (found !== undefined) return found;
  const nearest = nearestNames(value.text, words);
  const what = `Expected ${joinAlternatives(words)} after "${value.prefix}", found "${value.text}"`;
  throw valueError(what, value, nearest.length > 0 ? nearest : words);
}

/** Returns the error for an invalid value. `instead` lists what may have been meant. */
function valueError(what: string, value: Value, alternatives: readonly string[], advice = ""): ServiceError {
  const { written, offset, isQuoted } = value;
  const range = { offset: isQuoted ? offset - 1 : offset, length: written.length };
  const edits = alternatives.map(
    (name): Edit => ({ ...range, title: `Use "${name}"`, text: writeName(name) }),
  );
  return parseError(what, offset, { length: isQuoted ? written.length - 2 : written.length, edits, advice });
}

function joinAlternatives(words: readonly string[]): string {
  const [last = ""] = words.slice(-1);
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} or ${last}`;
}

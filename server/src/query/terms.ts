/** What each prefix makes of its value. */
import type { ServiceError } from "#base/error";
import { nearestNames } from "#base/nearest";
import { parseDate } from "#base/writtenDate";
import { nearestLanguages, resolveLanguage } from "#languages/languages";
import { expressionError } from "./expressionFault";
import { type Edit, parseError } from "./fault";
import { globExpression, isGlob } from "./glob";
import { ofFiles, type PrefixName } from "./prefixes";
import type { Pattern, Query } from "./query";
import { checkExpression } from "./regexp";
import { writeName } from "./write";

/** Whether capitals count: always, never, or in terms that have one. */
export type CaseMode = "yes" | "no" | "auto";

/** A term whose case is decided later, because `case:` may stand behind it. */
export type Term = (mode: CaseMode) => Query;

/** A value as a person wrote it. */
export interface Value {
  /** The prefix with its colon. */
  readonly prefix: string;
  /** Without quotes. */
  readonly text: string;
  readonly isQuoted: boolean;
  /** Where it begins in the query, in UTF-16 units, behind a quote. */
  readonly offset: number;
  /** As it stands there, with its quotes. */
  readonly written: string;
}

export interface TermContext {
  readonly isRegexEnabled: boolean;
  readonly contexts: ReadonlySet<string>;
  /** Whether the query searches for commits. */
  readonly forCommits: boolean;
}

type ResultType = Extract<Query, { kind: "type" }>["type"];

/** What one expression with a prefix says: a term, names of revisions, or how its whole group is to be read. */
export interface Meaning {
  readonly term?: Term;
  readonly revisions?: readonly string[];
  readonly case?: CaseMode;
  readonly type?: ResultType;
}

/** A bare or quoted term, or the value of `content:`. A quoted one is plain text in both modes. */
export function textTerm(
  value: Omit<Value, "prefix">,
  where: "both" | "content",
  { isRegexEnabled }: TermContext,
): Term {
  const { text, isQuoted } = value;
  // Everything contains nothing.
  if (text === "") return () => ({ kind: "const", value: true });
  if (isRegexEnabled && !isQuoted)
    return expressionTerm(text, value, (pattern) => ({ kind: "text", pattern, where }));
  return (mode) => ({
    kind: "text",
    pattern: { kind: "literal", text, caseSensitive: isSensitive(mode, text) },
    where,
  });
}

/** Throws FAILED_TO_PARSE_QUERY where the value is none that the prefix takes. */
export function prefixMeaning(name: PrefixName, value: Value, context: TermContext): Meaning {
  if (context.forCommits && ofFiles.has(name)) {
    throw valueError(`"${value.prefix}" is about files, and does not go with "type:commit"`, value, []);
  }
  switch (name) {
    case "file":
      return { term: fileTerm(value) };
    case "repo":
      return repositoryMeaning(value);
    case "lang":
      return fixed({ kind: "language", names: [languageNamed(value)] });
    case "rev":
      return { revisions: [nonEmpty(value, "the name of a revision")] };
    case "content":
      return { term: textTerm(value, "content", context) };
    case "sym":
      return { term: expressionTerm(value.text, value, (pattern) => ({ kind: "symbol", pattern })) };
    case "case":
      return { case: oneOf(value, ["yes", "no", "auto"]) };
    case "type":
      return { type: typeNamed(value) };
    case "archived":
    case "fork":
      return fixed({ kind: "flag", flag: name, value: oneOf(value, ["yes", "no", "only"]) });
    case "visibility":
      return fixed({ kind: "visibility", value: oneOf(value, ["public", "private", "any"]) });
    case "context":
      return fixed({ kind: "context", name: contextNamed(value, context) });
    case "reposet":
      return fixed({ kind: "repositorySet", names: listed(value) });
    case "author":
      return { term: authorTerm(value) };
    case "since":
    case "until":
      return fixed({ kind: "committed", bound: name, date: dateWritten(value) });
  }
}

/** Names of people are never told apart by case. */
function authorTerm(value: Value): Term {
  const term = expressionTerm(value.text, value, (pattern) => ({ kind: "author", pattern }));
  return () => term("no");
}

function dateWritten(value: Value): string {
  if (parseDate(value.text) !== undefined) return value.text;
  const examples = ["2026-01-31", "2 weeks ago", "yesterday"];
  throw valueError(`Expected a date after "${value.prefix}", found "${value.text}"`, value, examples);
}

function fixed(query: Query): Meaning {
  return { term: () => query };
}

/** The place of an expression in a query: `source` begins at `offset`, or behind a slash there. */
type Place = Pick<Value, "offset" | "isQuoted" | "written">;

function expressionTerm(source: string, place: Place, wrap: (pattern: Pattern) => Query): Term {
  checkAt(source, place);
  // Letters that only name a class or an assertion are no capitals of the text.
  const letters = source.replace(/\\(?:[pP](?:\{[^}]*\}|.)|.)/gu, "");
  return (mode) => wrap({ kind: "regexp", source, caseSensitive: isSensitive(mode, letters) });
}

function isSensitive(mode: CaseMode, text: string): boolean {
  return mode === "yes" || (mode === "auto" && /\p{Lu}/u.test(text));
}

function checkAt(source: string, place: Place): void {
  try {
    checkExpression(source);
  } catch (cause) {
    throw expressionError(cause, source, place);
  }
}

function fileTerm(value: Value): Term {
  const { text, offset } = value;
  const wrap = (pattern: Pattern): Query => ({ kind: "text", pattern, where: "name" });
  if (text.length > 2 && text.startsWith("/") && text.endsWith("/")) {
    return expressionTerm(text.slice(1, -1), { ...value, offset: offset + 1 }, wrap);
  }
  return expressionTerm(isGlob(text) ? globExpression(text) : text, value, wrap);
}

/** Where the `@` stands that parts a repository from its revision, in a value without quotes; -1 without one. */
export function revisionSign(value: string): number {
  return value.search(/(?<!\\)@/);
}

function repositoryMeaning(value: Value): Meaning {
  const at = value.isQuoted ? -1 : revisionSign(value.text);
  const name = at < 0 ? value.text : value.text.slice(0, at);
  const revision = at < 0 ? undefined : value.text.slice(at + 1);
  if (name === "") throw parseError("Expected the name of a repository", value.offset);
  if (revision === "") {
    throw parseError('Expected the name of a revision after "@"', value.offset + value.text.length);
  }
  checkAt(name, value);
  const pattern: Pattern = { kind: "regexp", source: name, caseSensitive: false };
  const term: Term = () => ({ kind: "repository", pattern });
  return revision === undefined ? { term } : { term, revisions: [revision] };
}

function languageNamed(value: Value): string {
  const found = resolveLanguage(value.text);
  if (found !== undefined) return found;
  const nearest = nearestLanguages(value.text);
  const hint = nearest.length === 0 ? "" : ` (near are ${nearest.join(", ")})`;
  throw valueError(`Unknown language "${value.text}"`, value, nearest, hint);
}

function typeNamed(value: Value): ResultType {
  return oneOf(value, ["file", "symbol", "repo", "commit"]);
}

function contextNamed(value: Value, { contexts }: TermContext): string {
  if (contexts.has(value.text)) return value.text;
  const known = contexts.size === 0 ? "none is configured" : `known are ${listing([...contexts].sort())}`;
  throw valueError(`Unknown context "${value.text}" (${known})`, value, nearestNames(value.text, contexts));
}

function listed(value: Value): string[] {
  const names = value.text.split(",").map((name) => name.trim());
  const given = names.filter((name) => name !== "");
  if (given.length === 0)
    throw parseError(`Expected names of repositories after "${value.prefix}"`, value.offset);
  return [...new Set(given)];
}

function nonEmpty(value: Value, what: string): string {
  if (value.text === "") throw parseError(`Expected ${what} after "${value.prefix}"`, value.offset);
  return value.text;
}

function oneOf<Word extends string>(value: Value, words: readonly Word[]): Word {
  const found = value.isQuoted ? undefined : words.find((word) => word === value.text);
  if (found !== undefined) return found;
  const nearest = nearestNames(value.text, words);
  const what = `Expected ${listing(words)} after "${value.prefix}", found "${value.text}"`;
  throw valueError(what, value, nearest.length > 0 ? nearest : words);
}

/** A value that is none, and names that may have been meant. */
function valueError(what: string, value: Value, instead: readonly string[], hint = ""): ServiceError {
  const { written, offset, isQuoted } = value;
  const place = { offset: isQuoted ? offset - 1 : offset, length: written.length };
  const edits = instead.map((name): Edit => ({ ...place, title: `Use "${name}"`, text: writeName(name) }));
  return parseError(what, offset, { length: isQuoted ? written.length - 2 : written.length, edits, hint });
}

function listing(words: readonly string[]): string {
  const [last = ""] = words.slice(-1);
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} or ${last}`;
}

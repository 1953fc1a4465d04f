/** What each prefix makes of its value. */
import { ServiceError } from "#base/error";
import { nearestLanguages, resolveLanguage } from "#languages/languages";
import { explainFault } from "./expressionFault";
import { globExpression, isGlob } from "./glob";
import type { PrefixName } from "./prefixes";
import type { Pattern, Query } from "./query";
import { checkExpression } from "./regexp";

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
}

export interface TermContext {
  readonly isRegexEnabled: boolean;
  readonly contexts: ReadonlySet<string>;
}

/** What one expression with a prefix says: a term, names of revisions, or how its whole group is to be read. */
export interface Meaning {
  readonly term?: Term;
  readonly revisions?: readonly string[];
  readonly case?: CaseMode;
  readonly type?: "file" | "symbol" | "repo";
}

export function parseError(message: string, offset: number): ServiceError {
  return new ServiceError("FAILED_TO_PARSE_QUERY", `${message} at offset ${offset}.`);
}

/** A bare or quoted term, or the value of `content:`. A quoted one is plain text in both modes. */
export function textTerm(
  { text, isQuoted, offset }: Omit<Value, "prefix">,
  where: "both" | "content",
  { isRegexEnabled }: TermContext,
): Term {
  // Everything contains nothing.
  if (text === "") return () => ({ kind: "const", value: true });
  if (isRegexEnabled && !isQuoted)
    return expressionTerm(text, offset, (pattern) => ({ kind: "text", pattern, where }));
  return (mode) => ({
    kind: "text",
    pattern: { kind: "literal", text, caseSensitive: isSensitive(mode, text) },
    where,
  });
}

/** Throws FAILED_TO_PARSE_QUERY where the value is none that the prefix takes. */
export function prefixMeaning(name: PrefixName, value: Value, context: TermContext): Meaning {
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
      return { term: expressionTerm(value.text, value.offset, (pattern) => ({ kind: "symbol", pattern })) };
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
  }
}

function fixed(query: Query): Meaning {
  return { term: () => query };
}

function expressionTerm(source: string, offset: number, wrap: (pattern: Pattern) => Query): Term {
  checkAt(source, offset);
  // Letters that only name a class or an assertion are no capitals of the text.
  const letters = source.replace(/\\(?:[pP](?:\{[^}]*\}|.)|.)/gu, "");
  return (mode) => wrap({ kind: "regexp", source, caseSensitive: isSensitive(mode, letters) });
}

function isSensitive(mode: CaseMode, text: string): boolean {
  return mode === "yes" || (mode === "auto" && /\p{Lu}/u.test(text));
}

function checkAt(source: string, offset: number): void {
  try {
    checkExpression(source);
  } catch (cause) {
    if (!(cause instanceof ServiceError)) throw cause;
    const fault = explainFault(cause.message, source);
    const place = `Invalid regular expression at offset ${offset + fault.offset}`;
    throw new ServiceError("FAILED_TO_PARSE_QUERY", `${place}: ${fault.text}.`, { cause });
  }
}

function fileTerm({ text, offset }: Value): Term {
  const wrap = (pattern: Pattern): Query => ({ kind: "text", pattern, where: "name" });
  if (text.length > 2 && text.startsWith("/") && text.endsWith("/")) {
    return expressionTerm(text.slice(1, -1), offset + 1, wrap);
  }
  return expressionTerm(isGlob(text) ? globExpression(text) : text, offset, wrap);
}

function repositoryMeaning(value: Value): Meaning {
  const at = value.isQuoted ? -1 : value.text.search(/(?<!\\)@/);
  const name = at < 0 ? value.text : value.text.slice(0, at);
  const revision = at < 0 ? undefined : value.text.slice(at + 1);
  if (name === "") throw parseError("Expected the name of a repository", value.offset);
  if (revision === "") {
    throw parseError('Expected the name of a revision after "@"', value.offset + value.text.length);
  }
  checkAt(name, value.offset);
  const pattern: Pattern = { kind: "regexp", source: name, caseSensitive: false };
  const term: Term = () => ({ kind: "repository", pattern });
  return revision === undefined ? { term } : { term, revisions: [revision] };
}

function languageNamed(value: Value): string {
  const found = resolveLanguage(value.text);
  if (found !== undefined) return found;
  const nearest = nearestLanguages(value.text);
  const hint = nearest.length === 0 ? "" : ` (near are ${nearest.join(", ")})`;
  throw parseError(`Unknown language "${value.text}"${hint}`, value.offset);
}

function typeNamed(value: Value): "file" | "symbol" | "repo" {
  if (value.text === "commit") {
    throw parseError('"type:commit" is not supported: the history is not indexed', value.offset);
  }
  return oneOf(value, ["file", "symbol", "repo"]);
}

function contextNamed(value: Value, { contexts }: TermContext): string {
  if (contexts.has(value.text)) return value.text;
  const known = contexts.size === 0 ? "none is configured" : `known are ${listing([...contexts].sort())}`;
  throw parseError(`Unknown context "${value.text}" (${known})`, value.offset);
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
  throw parseError(`Expected ${listing(words)} after "${value.prefix}", found "${value.text}"`, value.offset);
}

function listing(words: readonly string[]): string {
  const [last = ""] = words.slice(-1);
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} or ${last}`;
}

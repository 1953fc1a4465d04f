/**
 * Translates queries into Zoekt's query text.
 *
 * The text selects at least the documents that match: what Zoekt cannot express, or evaluates differently, is left out. The
 * search worker then evaluates the query itself on the documents that Zoekt returns.
 *
 * Every value is in double quotes, every field and operator outside of them, and each condition is in a group of its own
 * with its own `case:`. So no value changes the structure of the text.
 */
import type { Query } from "#query/query";
import { namesRevision } from "#shard/evaluation/compile";
import { definesNames, parsedLanguages } from "#symbols/grammars/grammars";
import { zoektNamePattern, zoektPattern } from "./zoektPattern";

/** A condition in Zoekt's syntax, or whether all documents pass it, or none. */
type Condition = string | boolean;

export interface QueryNames {
  /** Returns Zoekt's name of a repository, or undefined if no node has it. */
  readonly repositoryName: (id: number) => string | undefined;
}

/** More names would make the query longer than it saves. */
const maxRepositoryNames = 200;
/** The text that Zoekt searches instead of a document that it did not index. */
const notIndexed = '( case:yes content:"NOT-INDEXED: " )';

/** Returns the text for a search, or undefined if no document can match. */
export function zoektQuery(query: Query, names: QueryNames): string | undefined {
  const condition = atLeast(withTargets(query, "all"), names);
  if (condition === false) return undefined;
  const scope = namesRevision(query) ? [] : ['branch:"HEAD"'];
  const parts = condition === true ? scope : [...scope, condition];
  return parts.length === 0 ? "( )" : parts.join(" ");
}

/** Restricts text to what it is searched in, because the results are files or symbols. */
function withTargets(query: Query, target: "all" | "names" | "symbols"): Query {
  switch (query.kind) {
    case "and":
    case "or":
      return { ...query, children: query.children.map((child) => withTargets(child, target)) };
    case "not":
      return { ...query, child: withTargets(query.child, target) };
    case "type":
      return { ...query, child: withTargets(query.child, targetOf(query.type) ?? target) };
    case "text":
      if (target === "symbols" && query.where !== "name") return { kind: "symbol", pattern: query.pattern };
      return target === "names" && query.where === "both" ? { ...query, where: "name" } : query;
    default:
      return query;
  }
}

function targetOf(type: Extract<Query, { kind: "type" }>["type"]): "names" | "symbols" | undefined {
  return type === "file" ? "names" : type === "symbol" ? "symbols" : undefined;
}

/** Only documents in these languages have symbols. */
const hasDefinitions = anyOf(
  parsedLanguages()
    .filter(definesNames)
    .map((name) => `lang:${quoted(name)}`),
);

/** Returns a condition that every document passes that matches. */
function atLeast(query: Query, names: QueryNames): Condition {
  switch (query.kind) {
    case "const":
      return query.value;
    case "and":
      return allOf(query.children.map((child) => atLeast(child, names)));
    case "or":
      return anyOf(query.children.map((child) => atLeast(child, names)));
    case "not": {
      const excluded = negate(atMost(query.child, names));
      return readsContent(query.child) ? anyOf([excluded, notIndexed]) : excluded;
    }
    case "type": {
      const condition = atLeast(query.child, names);
      const isAboutSymbols = query.type === "symbol" && !selectsFiles(query.child);
      return isAboutSymbols ? allOf([hasDefinitions, condition]) : condition;
    }
    case "symbol": {
      const pattern = zoektNamePattern(query.pattern);
      const condition = pattern && textCondition("content", pattern.source, pattern.caseSensitive);
      return allOf([hasDefinitions, condition ?? true]);
    }
    case "text": {
      const pattern = zoektPattern(query.pattern);
      return pattern === undefined || textCondition(query.where, pattern.source, pattern.caseSensitive);
    }
    case "language":
      return anyOf(query.names.map((name) => `lang:${quoted(name)}`));
    case "repositoryIds":
      return query.ids.length > maxRepositoryNames || repositoryCondition(query.ids, names);
    default:
      return true;
  }
}

/** Returns a condition that no other document passes. */
function atMost(query: Query, names: QueryNames): Condition {
  switch (query.kind) {
    case "const":
      return query.value;
    case "and":
      return allOf(query.children.map((child) => atMost(child, names)));
    case "or":
      return anyOf(query.children.map((child) => atMost(child, names)));
    case "not":
      return negate(atLeast(query.child, names));
    case "text": {
      const pattern = zoektPattern(query.pattern);
      return pattern?.isExact === true && textCondition(query.where, pattern.source, pattern.caseSensitive);
    }
    case "language":
      return anyOf(query.names.map((name) => `lang:${quoted(name)}`));
    case "repositoryIds":
      return query.ids.length <= maxRepositoryNames && repositoryCondition(query.ids, names);
    default:
      return false;
  }
}

const fields = { content: "content", name: "file", both: "regex" } as const;

function textCondition(where: keyof typeof fields, source: string, caseSensitive: boolean): string {
  return `( case:${caseSensitive ? "yes" : "no"} ${fields[where]}:${quoted(source)} )`;
}

function repositoryCondition(ids: readonly number[], { repositoryName }: QueryNames): Condition {
  const sources = ids.flatMap((id) => {
    const name = repositoryName(id);
    return name === undefined ? [] : [exactly(name)];
  });
  return sources.length > 0 && `repo:${quoted(sources.join("|"))}`;
}

/** Returns an expression that matches only this text. */
export function exactly(text: string): string {
  return `\\A(?:${literalSource(text)})\\z`;
}

/** Returns an expression that finds this text. */
export function literalSource(text: string): string {
  return zoektPattern({ kind: "literal", text, caseSensitive: true })?.source ?? "";
}

/** In quotes, a backslash escapes the next character. */
export function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}

function allOf(conditions: readonly Condition[]): Condition {
  const texts = textsOf(conditions);
  if (conditions.includes(false)) return false;
  return texts.length === 0 || group(texts.join(" "));
}

function anyOf(conditions: readonly Condition[]): Condition {
  const texts = textsOf(conditions);
  if (conditions.includes(true)) return true;
  return texts.length > 0 && group(texts.join(" or "));
}

function negate(condition: Condition): Condition {
  return typeof condition === "boolean" ? !condition : `-${group(condition)}`;
}

/** The spaces make it a group of conditions; without them it would be a group of an expression. */
function group(text: string): string {
  return `( ${text} )`;
}

function textsOf(conditions: readonly Condition[]): string[] {
  return conditions.filter((condition) => typeof condition === "string");
}

/** Returns whether a part of the query has files as results, which need not define anything. */
function selectsFiles(query: Query): boolean {
  switch (query.kind) {
    case "and":
    case "or":
      return query.children.some(selectsFiles);
    case "not":
      return selectsFiles(query.child);
    case "type":
      return query.type === "file" || selectsFiles(query.child);
    default:
      return false;
  }
}

function readsContent(query: Query): boolean {
  switch (query.kind) {
    case "and":
    case "or":
      return query.children.some(readsContent);
    case "not":
    case "type":
      return readsContent(query.child);
    case "text":
      return query.where !== "name";
    default:
      return false;
  }
}

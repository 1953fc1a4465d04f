/**
 * From the text of a query to its tree.
 *
 *     query    = group
 *     group    = and-group { "or" and-group }                 also "OR"
 *     and-group = item { ["AND"] item }
 *     item     = { "-" | "NOT" } ( prefix value | "(" group ")" ) | ["NOT"] term
 *     term     = word | quoted
 *
 * `or`, `OR` and `AND` are operators between items and words elsewhere; `-` negates only filters and groups, so that
 * `-Wall` can be found. `case:` and `type:` speak of the whole group in which they stand, groups inside it included.
 * Several `rev:` of one and-group are one union. Prefixes: `prefixes.ts`; what is a word or a group: `lex.ts`.
 */
import {
  expressionEnd,
  groupEnd,
  isBlank,
  type Layout,
  layOut,
  quotedEnd,
  skipBlanks,
  unquote,
  wordEnd,
} from "./lex";
import { type Prefix, prefixAt, type Suggestion, suggestPrefix } from "./prefixes";
import type { Query } from "./query";
import {
  type CaseMode,
  type Meaning,
  parseError,
  prefixMeaning,
  type Term,
  type TermContext,
  textTerm,
} from "./terms";

export interface ParseOptions {
  readonly isRegexEnabled: boolean;
  readonly isCaseSensitivityEnabled: boolean;
  /** Names that `context:` may give. */
  readonly contexts?: ReadonlySet<string>;
}

export interface ParsedQuery {
  readonly query: Query;
  readonly suggestions: readonly Suggestion[];
  /** A revision is named somewhere, so that the default revision does not apply. */
  readonly hasRevision: boolean;
}

const maxQueryLength = 10_000;
const maxTerms = 1000;
/** Deeper trees would cost stack in every room that walks them. */
const maxDepth = 100;

/** Throws FAILED_TO_PARSE_QUERY; offsets in messages count from 0 in UTF-16 units of `text`. */
export function parseQuery(text: string, options: ParseOptions): ParsedQuery {
  if (text.length > maxQueryLength)
    throw parseError(`Expected at most ${maxQueryLength} characters, found more`, maxQueryLength);
  if (skipBlanks(text, 0, text.length) === text.length)
    throw parseError("Expected something to search for", text.length);
  const parser = new Parser(text, options);
  const query = parser.group(0, text.length, 0)(options.isCaseSensitivityEnabled ? "yes" : "no");
  return { query, suggestions: parser.suggestions, hasRevision: parser.hasRevision };
}

/** An item with the place behind it. */
interface Item {
  readonly meaning: Meaning;
  readonly end: number;
}

interface Branch {
  readonly start: number;
  readonly terms: Term[];
  readonly revisions: string[];
}

class Parser {
  readonly suggestions: Suggestion[] = [];
  hasRevision = false;
  readonly #layout: Layout;
  readonly #context: TermContext;
  #termCount = 0;

  constructor(text: string, { isRegexEnabled, contexts }: ParseOptions) {
    this.#layout = layOut(text, isRegexEnabled);
    this.#context = { isRegexEnabled, contexts: contexts ?? new Set() };
  }

  /** What stands between `start` and `end`, which may be nothing: that matches nothing. */
  group(start: number, end: number, depth: number): Term {
    const { text } = this.#layout;
    let branch: Branch = { start, terms: [], revisions: [] };
    const branches = [branch];
    const scope = new Scope();
    let operator: string | undefined;
    let next = skipBlanks(text, start, end);
    if (next === end) return () => ({ kind: "const", value: false });
    for (let isFirst = true; next < end; isFirst = false) {
      const found = isFirst ? undefined : this.#operatorAt(next, end);
      if (found !== undefined) {
        if (operator !== undefined) throw parseError(`Expected a term, found "${found}"`, next);
        operator = found;
        next = skipBlanks(text, next + found.length, end);
        if (found !== "AND") {
          branch = { start: next, terms: [], revisions: [] };
          branches.push(branch);
        }
        continue;
      }
      operator = undefined;
      const { meaning, end: behind } = this.#item(next, end, depth);
      scope.take(meaning, next);
      if (meaning.term !== undefined) branch.terms.push(meaning.term);
      branch.revisions.push(...(meaning.revisions ?? []));
      next = skipBlanks(text, behind, end);
    }
    const bare = branches.find(({ terms, revisions }) => terms.length + revisions.length === 0);
    if (branches.length > 1 && bare !== undefined) {
      throw parseError("Expected a term beside what speaks of the whole group", bare.start);
    }
    return scope.over(disjunction(branches.map(conjunction)));
  }

  /** `or`, `OR` or `AND` where something follows it. */
  #operatorAt(at: number, end: number): string | undefined {
    const { text } = this.#layout;
    const word = ["or", "OR", "AND"].find((each) => text.startsWith(each, at));
    if (word === undefined) return undefined;
    const behind = at + word.length;
    return this.#isWordEnd(behind, end) && skipBlanks(text, behind, end) < end ? word : undefined;
  }

  /** Whether an operator may end here: before a blank, a group or a quote. */
  #isWordEnd(at: number, end: number): boolean {
    const { text } = this.#layout;
    return isBlank(text[at]) || groupEnd(this.#layout, at, end) > 0 || quotedEnd(text, at, end) > 0;
  }

  #item(at: number, end: number, depth: number): Item {
    const { text } = this.#layout;
    if (++this.#termCount > maxTerms)
      throw parseError(`Expected at most ${maxTerms} terms, found one more`, at);
    if (depth > maxDepth)
      throw parseError(`Expected at most ${maxDepth} groups inside one another, found one more`, at);

    const behindNot = at + 3;
    if (text.startsWith("NOT", at) && this.#isWordEnd(behindNot, end)) {
      const next = skipBlanks(text, behindNot, end);
      if (next < end) return negated(this.#item(next, end, depth + 1), at);
    }
    if (text[at] === "-") {
      const next = skipBlanks(text, at + 1, end);
      const filter = this.#filterAt(next, end, depth);
      if (filter !== undefined) return negated(filter, at);
      if (text[at + 1] === "-" && prefixAt(text, at + 2) !== undefined) {
        throw parseError("Expected one dash before a filter (quotes make it text), found two", at);
      }
    }
    return this.#filterAt(at, end, depth) ?? this.#textAt(at, end);
  }

  /** A group or an expression with a prefix. */
  #filterAt(at: number, end: number, depth: number): Item | undefined {
    const close = groupEnd(this.#layout, at, end);
    if (close > 0) return { meaning: { term: this.group(at + 1, close, depth + 1) }, end: close + 1 };
    const prefix = prefixAt(this.#layout.text, at);
    return prefix === undefined || at >= end ? undefined : this.#prefixed(prefix, at, end);
  }

  #prefixed(prefix: Prefix, at: number, end: number): Item {
    const { text } = this.#layout;
    const start = skipBlanks(text, at + prefix.text.length, end);
    if (start >= end) throw parseError(`Expected a value after "${prefix.text}"`, end);
    const quoted = quotedEnd(text, start, end);
    const behind = quoted > 0 ? quoted : this.#valueEnd(prefix, start, end);
    const inner = prefixAt(text, start);
    if (quoted < 0 && inner !== undefined && prefix.name !== "content") {
      throw parseError(
        `Expected a value after "${prefix.text}", found "${inner.text}" (quotes make it text)`,
        start,
      );
    }
    const written = text.slice(start, behind);
    const value =
      quoted > 0
        ? { prefix: prefix.text, text: unquote(written), isQuoted: true, offset: start + 1 }
        : { prefix: prefix.text, text: written, isQuoted: false, offset: start };
    const meaning = prefixMeaning(prefix.name, value, this.#context);
    if (meaning.revisions !== undefined) this.hasRevision = true;
    return { meaning, end: behind };
  }

  #valueEnd({ name }: Prefix, start: number, end: number): number {
    const isExpression =
      name === "file" ||
      name === "repo" ||
      name === "sym" ||
      (name === "content" && this.#context.isRegexEnabled);
    return isExpression ? expressionEnd(this.#layout, start, end) : wordEnd(this.#layout.text, start, end);
  }

  #textAt(at: number, end: number): Item {
    const { text } = this.#layout;
    const quoted = quotedEnd(text, at, end);
    if (quoted > 0) {
      const value = { text: unquote(text.slice(at, quoted)), isQuoted: true, offset: at + 1 };
      return { meaning: { term: textTerm(value, "both", this.#context) }, end: quoted };
    }
    const suggestion = suggestPrefix(text, text[at] === "-" ? at + 1 : at);
    if (suggestion !== undefined) this.suggestions.push(suggestion);
    const behind = this.#context.isRegexEnabled
      ? expressionEnd(this.#layout, at, end)
      : wordEnd(text, at, end);
    const value = { text: text.slice(at, behind), isQuoted: false, offset: at };
    return { meaning: { term: textTerm(value, "both", this.#context) }, end: behind };
  }
}

/** What `case:` and `type:` say of a group. */
class Scope {
  #case: CaseMode | undefined;
  #type: Meaning["type"];

  take(meaning: Meaning, offset: number): void {
    if (meaning.case !== undefined) {
      if (this.#case !== undefined && this.#case !== meaning.case)
        throw parseError('Expected one "case:", found two', offset);
      this.#case = meaning.case;
    }
    if (meaning.type !== undefined) {
      if (this.#type !== undefined && this.#type !== meaning.type)
        throw parseError('Expected one "type:", found two', offset);
      this.#type = meaning.type;
    }
  }

  over(term: Term): Term {
    const type = this.#type;
    return (outer) => {
      const child = term(this.#case ?? outer);
      return type === undefined ? child : { kind: "type", type, child };
    };
  }
}

function negated({ meaning, end }: Item, offset: number): Item {
  if (meaning.case !== undefined || meaning.type !== undefined) {
    throw parseError('Expected a term to negate, found "case:" or "type:"', offset);
  }
  const { term, revisions = [] } = meaning;
  const child = conjunction({ terms: term === undefined ? [] : [term], revisions });
  return { meaning: { term: (mode) => ({ kind: "not", child: child(mode) }) }, end };
}

function conjunction({ terms, revisions }: Pick<Branch, "terms"> & { revisions: readonly string[] }): Term {
  const union: Term = () => ({ kind: "revision", names: [...new Set(revisions)] });
  const all = revisions.length === 0 ? terms : [...terms, union];
  const [only] = all;
  if (only === undefined) return () => ({ kind: "const", value: true });
  return all.length === 1 ? only : (mode) => ({ kind: "and", children: all.map((term) => term(mode)) });
}

function disjunction(branches: readonly Term[]): Term {
  const [only] = branches;
  if (branches.length === 1 && only !== undefined) return only;
  return (mode) => ({ kind: "or", children: branches.map((term) => term(mode)) });
}

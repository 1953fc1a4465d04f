/**
 * Parses the text of a query into a tree.
 *
 *     query    = group
 *     group    = and-group { "or" and-group }                 also "OR"
 *     and-group = item { ["AND"] item }
 *     item     = { "-" | "NOT" } ( prefix value | "(" group ")" ) | ["NOT"] term
 *     term     = word | quoted
 *
 * `or`, `OR` and `AND` are operators only after an item; elsewhere they are words. `-` negates only filters and groups,
 * so `-Wall` is a term. `case:` and `type:` apply to their whole group, including nested groups. Several `rev:` in one
 * and-group form a union. `type:commit` and `words:` apply to the whole query. `prefixes.ts` lists the prefixes, and `lex.ts`
 * decides what is a word or a group.
 */
import { isServiceError, type ServiceError } from "#base/error";
import { type Description, parseDescription } from "#query/description";
import type { Query } from "#query/query";
import { newClassBudget } from "#query/regexp/re2";
import {
  conflictError,
  doubleDashError,
  emptyGroupError,
  groupingError,
  misplacedWordsError,
  missingOperandError,
  missingTermError,
  missingValueError,
  negationError,
  nestedCommitTypeError,
  operatorError,
  parseError,
  type QueryError,
  queryErrorOf,
} from "./errors";
import { type Branch, conjunction, disjunction, matchAll, Scope } from "./groups";
import {
  expressionEnd,
  groupEnd,
  isWhitespace,
  type Layout,
  layOut,
  quotedEnd,
  skipWhitespace,
  unquote,
  wordEnd,
} from "./lex";
import { type GroupProperty, type Prefix, prefixAt, type Suggestion, suggestPrefix } from "./prefixes";
import { type FilterEffect, filterEffect, type Term, type TermContext, textTerm, type Value } from "./terms";

export interface ParseOptions {
  readonly isRegexEnabled: boolean;
  readonly isCaseSensitivityEnabled: boolean;
  /** The names that `context:` accepts. */
  readonly contexts?: ReadonlySet<string>;
  /** Whether the filters of commit searches are known even without `type:commit`. */
  readonly forCommits?: boolean;
  /** Skips checking expressions and suggesting prefixes, for callers that need only the positions. */
  readonly skipsChecks?: boolean;
  /** Whether matches are counted, so that `group:` is allowed. A property: only that one. */
  readonly isCount?: boolean | GroupProperty | undefined;
}

/** A term or a filter, with its positions in UTF-16 units. */
export interface Leaf {
  /** The start of the dashes and NOTs before it. */
  readonly start: number;
  /** Where the term or filter itself starts. */
  readonly termStart: number;
  readonly end: number;
  /** Absent for a term. */
  readonly prefix?: Prefix;
  /** The start of its value, or of the opening quote. */
  readonly valueStart: number;
  /** Without quotes. */
  readonly value: string;
  readonly isQuoted: boolean;
  /** Whether it excludes matches, considering all negations before it and before its groups. */
  readonly isNegated: boolean;
  readonly isValid: boolean;
}

export interface ParsedQuery {
  readonly query: Query;
  readonly suggestions: readonly Suggestion[];
  /** What the results are ranked by; absent without `words:`. Not part of `query`, which selects files. */
  readonly description?: Description | undefined;
  /** Whether it names a revision, so that the default revision does not apply. */
  readonly hasRevision: boolean;
  /** The value of `group:`. */
  readonly grouping: GroupProperty | undefined;
  readonly layout: Layout;
  readonly leaves: readonly Leaf[];
}

const maxQueryLength = 10_000;
const maxTerms = 1000;
/** Bounds the recursion of everything that walks the tree. */
const maxDepth = 100;
const maxErrors = 10;

/** Throws FAILED_TO_PARSE_QUERY; offsets in messages count from 0 in UTF-16 units of `text`. */
export function parseQuery(text: string, options: ParseOptions): ParsedQuery {
  if (text.length > maxQueryLength)
    throw parseError(`The query is longer than ${maxQueryLength} characters`, maxQueryLength, {
      advice: "Shorten it.",
    });
  if (skipWhitespace(text, 0, text.length) === text.length)
    throw parseError("Expected a search term", text.length);
  const { parser, query } = parse(text, options);
  const { errors, suggestions, description, hasRevision, grouping, layout, leaves } = parser;
  const [error] = errors;
  if (error !== undefined) throw error;
  return { query, suggestions, description, hasRevision, grouping, layout, leaves };
}

/** The parse of a query that may be invalid. `query` is meaningful only if there are no errors. */
export interface Outline extends ParsedQuery {
  readonly errors: readonly QueryError[];
}

/** Continues after errors, up to a limit. Never throws. An empty query has no errors, and matches nothing. */
export function outlineQuery(text: string, options: ParseOptions): Outline {
  const { parser, query } = parse(text, options);
  const { layout, suggestions, description, hasRevision, grouping, leaves } = parser;
  return {
    query,
    suggestions,
    description,
    hasRevision,
    grouping,
    layout,
    leaves,
    errors: parser.errors.map(queryErrorOf),
  };
}

function parse(text: string, options: ParseOptions): { parser: Parser; query: Query } {
  const attempt = (forCommits: boolean) => {
    const parser = new Parser(text, options, forCommits);
    const query = parser.group(0, text.length, 0)(options.isCaseSensitivityEnabled ? "yes" : "no");
    return { parser, query };
  };
  const found = attempt(options.forCommits ?? false);
  // `type:commit` may come last, but decides which filters exist.
  const isForCommits = found.query.kind === "type" && found.query.type === "commit";
  return isForCommits && !found.parser.layout.forCommits ? attempt(true) : found;
}

/** An item and its end. */
interface Item {
  readonly effect: FilterEffect;
  readonly end: number;
}

class Parser {
  readonly suggestions: Suggestion[] = [];
  /** In the order found. Invalid items match everything. */
  readonly errors: ServiceError[] = [];
  readonly leaves: Leaf[] = [];
  readonly layout: Layout;
  hasRevision = false;
  grouping: GroupProperty | undefined;
  /** The values of `words:`. */
  readonly #words: string[] = [];
  readonly #context: TermContext;
  readonly #isCount: boolean | GroupProperty;
  #termCount = 0;
  #isNegated = false;

  readonly #skipsChecks: boolean;

  constructor(text: string, options: ParseOptions, forCommits: boolean) {
    const { isRegexEnabled, contexts = new Set(), skipsChecks = false, isCount = false } = options;
    this.#isCount = isCount;
    this.layout = layOut(text, isRegexEnabled, forCommits);
    const classBudget = skipsChecks ? undefined : newClassBudget();
    this.#context = { isRegexEnabled, contexts, forCommits, classBudget };
    this.#skipsChecks = skipsChecks;
  }

  get description(): Description | undefined {
    return parseDescription(this.#words.join(" "));
  }

  /** Parses from `start` to `end`. An empty group matches nothing. */
  group(start: number, end: number, depth: number): Term {
    const { text } = this.layout;
    let branch: Branch = { start, terms: [], revisions: [] };
    const branches = [branch];
    const scope = new Scope();
    let words: { readonly start: number; readonly end: number } | undefined;
    let operator: string | undefined;
    let next = skipWhitespace(text, start, end);
    if (next === end) {
      if (depth > 0) this.errors.push(emptyGroupError(start - 1, end + 1));
      return () => ({ kind: "const", value: false });
    }
    for (let isFirst = true; next < end && this.errors.length < maxErrors; isFirst = false) {
      const found = isFirst ? undefined : this.#operatorAt(next, end);
      if (found !== undefined) {
        const isDouble = operator !== undefined;
        const operatorEnd = next + found.length;
        const isLast = skipWhitespace(text, operatorEnd, end) === end;
        if (isDouble) this.errors.push(operatorError(found, next));
        else if (isLast) this.errors.push(missingOperandError(found, operatorEnd));
        operator = found;
        next = skipWhitespace(text, operatorEnd, end);
        if (found !== "AND" && !isDouble && !isLast) {
          branch = { start: next, terms: [], revisions: [] };
          branches.push(branch);
        }
        continue;
      }
      operator = undefined;
      const { effect, end: itemEnd } = this.#item(next, end, depth);
      const conflict = scope.add(effect);
      if (conflict !== undefined) this.errors.push(conflictError(conflict, next, itemEnd));
      if (effect.type === "commit" && depth > 0) this.errors.push(nestedCommitTypeError(next, itemEnd));
      if (effect.words !== undefined) {
        this.#words.push(effect.words);
        words ??= { start: next, end: itemEnd };
        branch.terms.push(matchAll);
      }
      if (effect.grouping !== undefined) this.#group(effect.grouping, depth, next, itemEnd);
      if (effect.term !== undefined) branch.terms.push(effect.term);
      branch.revisions.push(...(effect.revisions ?? []));
      next = skipWhitespace(text, itemEnd, end);
    }
    if (words !== undefined) {
      const where =
        (depth > 0 && "group") ||
        (branches.length > 1 && "or") ||
        (scope.type && "type") ||
        (this.#isCount && "count");
      if (where !== undefined && where !== false)
        this.errors.push(misplacedWordsError(where, words.start, words.end));
    }
    const bare = branches.find(({ terms, revisions }) => terms.length + revisions.length === 0);
    if (branches.length > 1 && bare !== undefined) {
      this.errors.push(missingTermError(text, skipWhitespace(text, bare.start, end)));
    }
    return scope.apply(disjunction(branches.map(conjunction)));
  }

  #group(grouping: GroupProperty, depth: number, start: number, end: number): void {
    const allowed = this.grouping ?? (typeof this.#isCount === "string" ? this.#isCount : grouping);
    const isConflict = allowed !== grouping;
    const reason =
      (this.#isCount === false && "search") || (depth > 0 && "nested") || (isConflict && "conflict");
    if (reason !== false) this.errors.push(groupingError(reason, start, end));
    this.grouping ??= grouping;
  }

  /** Returns `or`, `OR` or `AND`. */
  #operatorAt(offset: number, end: number): string | undefined {
    const { text } = this.layout;
    const word = ["or", "OR", "AND"].find((each) => text.startsWith(each, offset));
    if (word === undefined) return undefined;
    const itemEnd = offset + word.length;
    return itemEnd === end || this.#isWordEnd(itemEnd, end) ? word : undefined;
  }

  /** Whether an operator may end here: before whitespace, a group or a quote. */
  #isWordEnd(offset: number, end: number): boolean {
    const { text } = this.layout;
    return (
      isWhitespace(text[offset]) ||
      groupEnd(this.layout, offset, end) > 0 ||
      quotedEnd(this.layout, offset, end) > 0
    );
  }

  /** Parses an item. `start` is where the dashes and NOTs before it start. */
  #item(offset: number, end: number, depth: number, start = offset): Item {
    const { text } = this.layout;
    if (++this.#termCount > maxTerms || depth > maxDepth) {
      if (this.#termCount > maxTerms + 1) return { effect: matchesAll, end };
      const what =
        depth > maxDepth
          ? `Groups are nested more than ${maxDepth} deep`
          : `The query has more than ${maxTerms} terms`;
      // The rest would only repeat the error.
      this.#termCount = Math.max(this.#termCount, maxTerms + 1);
      return this.#fail(parseError(what, offset, { advice: "Split it into several searches." }), end);
    }

    const notEnd = offset + 3;
    if (text.startsWith("NOT", offset) && this.#isWordEnd(notEnd, end)) {
      const next = skipWhitespace(text, notEnd, end);
      if (next < end)
        return this.#negated(
          offset,
          this.#readNegated(() => this.#item(next, end, depth + 1, start)),
        );
    }
    if (text[offset] === "-") {
      const next = skipWhitespace(text, offset + 1, end);
      const filter = this.#readNegated(() => this.#filterAt(next, end, depth, start));
      if (filter !== undefined) return this.#negated(offset, filter);
      if (text[offset + 1] === "-" && this.#prefixAt(offset + 2) !== undefined)
        this.errors.push(doubleDashError(offset));
    }
    return this.#filterAt(offset, end, depth, start) ?? this.#textAt(offset, end, start);
  }

  /** Parses the operand of a negation. */
  #readNegated<Read>(read: () => Read): Read {
    this.#isNegated = !this.#isNegated;
    const found = read();
    this.#isNegated = !this.#isNegated;
    return found;
  }

  #negated(offset: number, { effect, end }: Item): Item {
    if (effect.grouping !== undefined) return this.#fail(groupingError("nested", offset, end), end);
    if (effect.case !== undefined || effect.type !== undefined || effect.words !== undefined) {
      const filter = effect.case !== undefined ? "case" : effect.type !== undefined ? "type" : "words";
      return this.#fail(negationError(filter, offset, end), end);
    }
    const { term, revisions = [] } = effect;
    const child = conjunction({ terms: term === undefined ? [] : [term], revisions });
    return { effect: { term: (mode) => ({ kind: "not", child: child(mode) }) }, end };
  }

  /** Parses a group or a filter. */
  #filterAt(offset: number, end: number, depth: number, start: number): Item | undefined {
    const close = groupEnd(this.layout, offset, end);
    if (close > 0) return { effect: { term: this.group(offset + 1, close, depth + 1) }, end: close + 1 };
    const prefix = this.#prefixAt(offset);
    return prefix === undefined || offset >= end ? undefined : this.#prefixed(prefix, offset, end, start);
  }

  #prefixed(prefix: Prefix, offset: number, end: number, start: number): Item {
    const { text } = this.layout;
    const prefixEnd = offset + prefix.text.length;
    const valueStart = skipWhitespace(text, prefixEnd, end);
    const quoted = quotedEnd(this.layout, valueStart, end);
    const isQuoted = quoted > 0;
    const inner = isQuoted || valueStart >= end ? undefined : this.#prefixAt(valueStart);
    if (valueStart >= end || (inner !== undefined && prefix.name !== "content")) {
      // A filter after whitespace is parsed on its own.
      const isApart = valueStart > prefixEnd && inner !== undefined;
      const itemEnd = isApart ? prefixEnd : wordEnd(text, valueStart, end);
      const value = text.slice(valueStart, itemEnd);
      this.#addLeaf({
        start,
        termStart: offset,
        end: itemEnd,
        prefix,
        valueStart,
        value,
        isQuoted,
        isValid: false,
      });
      return this.#fail(missingValueError(prefix, inner, valueStart), itemEnd);
    }
    const itemEnd = isQuoted ? quoted : this.#valueEnd(prefix, valueStart, end);
    const value = {
      ...valueAt(text, valueStart, itemEnd, isQuoted),
      prefix: prefix.text,
      prefixOffset: offset,
    };
    const effect = this.#recover(() => filterEffect(prefix.name, value, this.#context));
    const isValid = effect !== undefined;
    this.#addLeaf({
      start,
      termStart: offset,
      end: itemEnd,
      prefix,
      valueStart,
      value: value.text,
      isQuoted,
      isValid,
    });
    if (effect?.revisions !== undefined) this.hasRevision = true;
    return { effect: effect ?? matchesAll, end: itemEnd };
  }

  #prefixAt(offset: number): Prefix | undefined {
    return prefixAt(this.layout.text, offset, this.layout.forCommits);
  }

  #valueEnd({ name }: Prefix, start: number, end: number): number {
    const isExpression =
      name === "file" ||
      name === "repo" ||
      name === "sym" ||
      name === "author" ||
      (name === "content" && this.#context.isRegexEnabled);
    return isExpression ? expressionEnd(this.layout, start, end) : wordEnd(this.layout.text, start, end);
  }

  #termEnd(offset: number, end: number): number {
    return this.#context.isRegexEnabled
      ? expressionEnd(this.layout, offset, end)
      : wordEnd(this.layout.text, offset, end);
  }

  #textAt(offset: number, end: number, start: number): Item {
    const { text } = this.layout;
    const quoted = quotedEnd(this.layout, offset, end);
    const isQuoted = quoted > 0;
    const suggestion =
      isQuoted || this.#skipsChecks
        ? undefined
        : suggestPrefix(text, text[offset] === "-" ? offset + 1 : offset);
    if (suggestion !== undefined) this.suggestions.push(suggestion);
    const value = valueAt(text, offset, isQuoted ? quoted : this.#termEnd(offset, end), isQuoted);
    const term = this.#recover(() => textTerm(value, "both", this.#context));
    const itemEnd = offset + value.written.length;
    const isValid = term !== undefined;
    this.#addLeaf({
      start,
      termStart: offset,
      end: itemEnd,
      valueStart: offset,
      value: value.text,
      isQuoted,
      isValid,
    });
    return { effect: term === undefined ? matchesAll : { term }, end: itemEnd };
  }

  /** Records the error of an invalid value, so that parsing can continue. */
  #recover<Read>(read: () => Read): Read | undefined {
    try {
      return read();
    } catch (error) {
      if (!isServiceError(error, "FAILED_TO_PARSE_QUERY")) throw error;
      this.errors.push(error);
      return undefined;
    }
  }

  #fail(error: ServiceError, end: number): Item {
    this.errors.push(error);
    return { effect: matchesAll, end };
  }

  #addLeaf(leaf: Omit<Leaf, "isNegated">): void {
    this.leaves.push({ ...leaf, isNegated: this.#isNegated });
  }
}

function valueAt(
  text: string,
  start: number,
  end: number,
  isQuoted: boolean,
): Omit<Value, "prefix" | "prefixOffset"> {
  const written = text.slice(start, end);
  return isQuoted
    ? { text: unquote(written), isQuoted, offset: start + 1, written }
    : { text: written, isQuoted, offset: start, written };
}

const matchesAll: FilterEffect = { term: matchAll };

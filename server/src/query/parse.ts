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
 * Several `rev:` of one and-group are one union. `type:commit` speaks of the whole query. Prefixes: `prefixes.ts`; what is a word or a group: `lex.ts`.
 */
import { isServiceError, type ServiceError } from "#base/error";
import {
  clashError,
  dashesError,
  faultOf,
  innerCommitsError,
  missingValueError,
  negationError,
  operatorError,
  parseError,
  type QueryFault,
} from "./fault";
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
  prefixMeaning,
  type Term,
  type TermContext,
  textTerm,
  type Value,
} from "./terms";

export interface ParseOptions {
  readonly isRegexEnabled: boolean;
  readonly isCaseSensitivityEnabled: boolean;
  /** Names that `context:` may give. */
  readonly contexts?: ReadonlySet<string>;
  /** Whether filters of searches for commits are known even without `type:commit`. */
  readonly forCommits?: boolean;
}

/** A term or a filter as it stands in the text. */
export interface Leaf {
  /** Where the dashes and NOTs in front of it begin. */
  readonly start: number;
  /** Where it begins itself. */
  readonly at: number;
  readonly end: number;
  /** Absent for a term. */
  readonly prefix?: Prefix;
  /** Where its value is written, at its quote if it has one. */
  readonly valueStart: number;
  /** Without quotes. */
  readonly value: string;
  readonly isQuoted: boolean;
  /** Whether it excludes, by what stands in front of it and of the groups around it. */
  readonly isNegated: boolean;
  readonly isUnderstood: boolean;
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
  const { parser, query } = parse(text, options);
  const [error] = parser.errors;
  if (error !== undefined) throw error;
  return { query, suggestions: parser.suggestions, hasRevision: parser.hasRevision };
}

/** What can be said of a text that may be no query: `query` is one only where there are no faults. */
export interface Outline extends ParsedQuery {
  readonly layout: Layout;
  readonly leaves: readonly Leaf[];
  readonly faults: readonly QueryFault[];
}

/** Reads on behind what is wrong. Never throws; no text at all is no fault here, and matches nothing. */
export function outlineQuery(text: string, options: ParseOptions): Outline {
  const { parser, query } = parse(text, options);
  const { layout, suggestions, hasRevision, leaves } = parser;
  return { query, suggestions, hasRevision, layout, leaves, faults: parser.errors.map(faultOf) };
}

function parse(text: string, options: ParseOptions): { parser: Parser; query: Query } {
  const read = (forCommits: boolean) => {
    const parser = new Parser(text, options, forCommits);
    const query = parser.group(0, text.length, 0)(options.isCaseSensitivityEnabled ? "yes" : "no");
    return { parser, query };
  };
  const found = read(options.forCommits ?? false);
  // Which filters there are is known only when `type:` has been read, wherever it stands.
  const isForCommits = found.query.kind === "type" && found.query.type === "commit";
  return isForCommits && !found.parser.layout.forCommits ? read(true) : found;
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
  /** In the order in which they were met. What is wrong matches everything. */
  readonly errors: ServiceError[] = [];
  readonly leaves: Leaf[] = [];
  readonly layout: Layout;
  hasRevision = false;
  readonly #context: TermContext;
  #termCount = 0;
  #isNegated = false;

  constructor(text: string, { isRegexEnabled, contexts }: ParseOptions, forCommits: boolean) {
    this.layout = layOut(text, isRegexEnabled, forCommits);
    this.#context = { isRegexEnabled, contexts: contexts ?? new Set(), forCommits };
  }

  /** What stands between `start` and `end`, which may be nothing: that matches nothing. */
  group(start: number, end: number, depth: number): Term {
    const { text } = this.layout;
    let branch: Branch = { start, terms: [], revisions: [] };
    const branches = [branch];
    const scope = new Scope();
    let operator: string | undefined;
    let next = skipBlanks(text, start, end);
    if (next === end) return () => ({ kind: "const", value: false });
    for (let isFirst = true; next < end; isFirst = false) {
      const found = isFirst ? undefined : this.#operatorAt(next, end);
      if (found !== undefined) {
        const isDouble = operator !== undefined;
        if (isDouble) this.errors.push(operatorError(found, next));
        operator = found;
        next = skipBlanks(text, next + found.length, end);
        if (found !== "AND" && !isDouble) {
          branch = { start: next, terms: [], revisions: [] };
          branches.push(branch);
        }
        continue;
      }
      operator = undefined;
      const { meaning, end: behind } = this.#item(next, end, depth);
      const clash = scope.take(meaning);
      if (clash !== undefined) this.errors.push(clashError(clash, next, behind));
      if (meaning.type === "commit" && depth > 0) this.errors.push(innerCommitsError(next, behind));
      if (meaning.term !== undefined) branch.terms.push(meaning.term);
      branch.revisions.push(...(meaning.revisions ?? []));
      next = skipBlanks(text, behind, end);
    }
    const bare = branches.find(({ terms, revisions }) => terms.length + revisions.length === 0);
    if (branches.length > 1 && bare !== undefined) {
      this.errors.push(parseError("Expected a term beside what speaks of the whole group", bare.start));
    }
    return scope.over(disjunction(branches.map(conjunction)));
  }

  /** `or`, `OR` or `AND` where something follows it. */
  #operatorAt(at: number, end: number): string | undefined {
    const { text } = this.layout;
    const word = ["or", "OR", "AND"].find((each) => text.startsWith(each, at));
    if (word === undefined) return undefined;
    const behind = at + word.length;
    return this.#isWordEnd(behind, end) && skipBlanks(text, behind, end) < end ? word : undefined;
  }

  /** Whether an operator may end here: before a blank, a group or a quote. */
  #isWordEnd(at: number, end: number): boolean {
    const { text } = this.layout;
    return isBlank(text[at]) || groupEnd(this.layout, at, end) > 0 || quotedEnd(text, at, end) > 0;
  }

  /** `start` is where the dashes and NOTs in front of the item begin. */
  #item(at: number, end: number, depth: number, start = at): Item {
    const { text } = this.layout;
    if (++this.#termCount > maxTerms || depth > maxDepth) {
      if (this.#termCount > maxTerms + 1) return { meaning: matchesAll, end };
      const most = depth > maxDepth ? `${maxDepth} groups inside one another` : `${maxTerms} terms`;
      // Whatever follows would be one too many again.
      this.#termCount = Math.max(this.#termCount, maxTerms + 1);
      return this.#wrong(parseError(`Expected at most ${most}, found one more`, at), end);
    }

    const behindNot = at + 3;
    if (text.startsWith("NOT", at) && this.#isWordEnd(behindNot, end)) {
      const next = skipBlanks(text, behindNot, end);
      if (next < end)
        return this.#negated(
          at,
          this.#flipped(() => this.#item(next, end, depth + 1, start)),
        );
    }
    if (text[at] === "-") {
      const next = skipBlanks(text, at + 1, end);
      const filter = this.#flipped(() => this.#filterAt(next, end, depth, start));
      if (filter !== undefined) return this.#negated(at, filter);
      if (text[at + 1] === "-" && this.#prefixAt(at + 2) !== undefined) this.errors.push(dashesError(at));
    }
    return this.#filterAt(at, end, depth, start) ?? this.#textAt(at, end, start);
  }

  /** Reads what stands behind a negation. */
  #flipped<Read>(read: () => Read): Read {
    this.#isNegated = !this.#isNegated;
    const found = read();
    this.#isNegated = !this.#isNegated;
    return found;
  }

  #negated(at: number, { meaning, end }: Item): Item {
    if (meaning.case !== undefined || meaning.type !== undefined)
      return this.#wrong(negationError(at, end), end);
    const { term, revisions = [] } = meaning;
    const child = conjunction({ terms: term === undefined ? [] : [term], revisions });
    return { meaning: { term: (mode) => ({ kind: "not", child: child(mode) }) }, end };
  }

  /** A group or an expression with a prefix. */
  #filterAt(at: number, end: number, depth: number, start: number): Item | undefined {
    const close = groupEnd(this.layout, at, end);
    if (close > 0) return { meaning: { term: this.group(at + 1, close, depth + 1) }, end: close + 1 };
    const prefix = this.#prefixAt(at);
    return prefix === undefined || at >= end ? undefined : this.#prefixed(prefix, at, end, start);
  }

  #prefixed(prefix: Prefix, at: number, end: number, start: number): Item {
    const { text } = this.layout;
    const behindPrefix = at + prefix.text.length;
    const valueStart = skipBlanks(text, behindPrefix, end);
    const quoted = quotedEnd(text, valueStart, end);
    const isQuoted = quoted > 0;
    const inner = isQuoted || valueStart >= end ? undefined : this.#prefixAt(valueStart);
    if (valueStart >= end || (inner !== undefined && prefix.name !== "content")) {
      // A filter behind a blank is understood on its own.
      const isApart = valueStart > behindPrefix && inner !== undefined;
      const behind = isApart ? behindPrefix : wordEnd(text, valueStart, end);
      const value = text.slice(valueStart, behind);
      this.#note({ start, at, end: behind, prefix, valueStart, value, isQuoted, isUnderstood: false });
      return this.#wrong(missingValueError(prefix, inner, valueStart), behind);
    }
    const behind = isQuoted ? quoted : this.#valueEnd(prefix, valueStart, end);
    const value = { ...valueAt(text, valueStart, behind, isQuoted), prefix: prefix.text };
    const meaning = this.#understood(() => prefixMeaning(prefix.name, value, this.#context));
    const isUnderstood = meaning !== undefined;
    this.#note({ start, at, end: behind, prefix, valueStart, value: value.text, isQuoted, isUnderstood });
    if (meaning?.revisions !== undefined) this.hasRevision = true;
    return { meaning: meaning ?? matchesAll, end: behind };
  }

  #prefixAt(at: number): Prefix | undefined {
    return prefixAt(this.layout.text, at, this.layout.forCommits);
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

  #textAt(at: number, end: number, start: number): Item {
    const { text } = this.layout;
    const quoted = quotedEnd(text, at, end);
    const isQuoted = quoted > 0;
    const suggestion = isQuoted ? undefined : suggestPrefix(text, text[at] === "-" ? at + 1 : at);
    if (suggestion !== undefined) this.suggestions.push(suggestion);
    const wordBehind = this.#context.isRegexEnabled
      ? expressionEnd(this.layout, at, end)
      : wordEnd(text, at, end);
    const value = valueAt(text, at, isQuoted ? quoted : wordBehind, isQuoted);
    const term = this.#understood(() => textTerm(value, "both", this.#context));
    const behind = at + value.written.length;
    const isUnderstood = term !== undefined;
    this.#note({ start, at, end: behind, valueStart: at, value: value.text, isQuoted, isUnderstood });
    return { meaning: term === undefined ? matchesAll : { term }, end: behind };
  }

  /** What is wrong with a value is noted, and the rest of the query read. */
  #understood<Read>(read: () => Read): Read | undefined {
    try {
      return read();
    } catch (error) {
      if (!isServiceError(error, "FAILED_TO_PARSE_QUERY")) throw error;
      this.errors.push(error);
      return undefined;
    }
  }

  #wrong(error: ServiceError, end: number): Item {
    this.errors.push(error);
    return { meaning: matchesAll, end };
  }

  #note(leaf: Omit<Leaf, "isNegated">): void {
    this.leaves.push({ ...leaf, isNegated: this.#isNegated });
  }
}

function valueAt(text: string, start: number, end: number, isQuoted: boolean): Omit<Value, "prefix"> {
  const written = text.slice(start, end);
  return isQuoted
    ? { text: unquote(written), isQuoted, offset: start + 1, written }
    : { text: written, isQuoted, offset: start, written };
}

const matchesAll: Meaning = { term: () => ({ kind: "const", value: true }) };

/** What `case:` and `type:` say of a group. */
class Scope {
  #case: CaseMode | undefined;
  #type: Meaning["type"];

  /** Gives what was said before, otherwise. */
  take(meaning: Meaning): "case" | "type" | undefined {
    const before = { case: this.#case, type: this.#type };
    this.#case ??= meaning.case;
    this.#type ??= meaning.type;
    if (meaning.case !== undefined && before.case !== undefined && meaning.case !== before.case)
      return "case";
    return meaning.type !== undefined && before.type !== undefined && meaning.type !== before.type
      ? "type"
      : undefined;
  }

  over(term: Term): Term {
    const type = this.#type;
    return (outer) => {
      const child = term(this.#case ?? outer);
      return type === undefined ? child : { kind: "type", type, child };
    };
  }
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

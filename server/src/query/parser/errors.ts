import { isServiceError, ServiceError } from "#base/error";
import { type Prefix, prefixAt } from "./prefixes";

/** A change to the text of a query. Offsets are UTF-16 units. */
export interface Edit {
  /** The label of its button. */
  readonly title: string;
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

/** Why a query cannot run, and the range to underline. */
export interface QueryError {
  /** One sentence, without the offset. */
  readonly message: string;
  readonly offset: number;
  readonly length: number;
  /** Edits that may fix it, best first. Callers check that the result is valid. */
  readonly edits: readonly Edit[];
}

interface ErrorOptions {
  readonly length?: number;
  readonly edits?: readonly Edit[];
  /** What to do, in one sentence. Only in the service error: editors offer the edits instead. */
  readonly advice?: string;
}

/** Returns FAILED_TO_PARSE_QUERY with a `QueryError` as its cause. `what` is a sentence without its period. */
export function parseError(
  what: string,
  offset: number,
  { length = 0, edits = [], advice = "" }: ErrorOptions = {},
): ServiceError {
  const error: QueryError = { message: `${what}.`, offset, length, edits };
  return toServiceError(error, `${what} at offset ${offset}.${advice === "" ? "" : ` ${advice}`}`);
}

export function toServiceError(error: QueryError, message: string): ServiceError {
  return new ServiceError("FAILED_TO_PARSE_QUERY", message, { cause: error });
}

/** Returns what was passed to `toServiceError`; rethrows any other error. */
export function queryErrorOf(error: unknown): QueryError {
  if (!isServiceError(error, "FAILED_TO_PARSE_QUERY") || !isQueryError(error.cause)) throw error;
  return error.cause;
}

function isQueryError(cause: unknown): cause is QueryError {
  return typeof cause === "object" && cause !== null && "edits" in cause;
}

export function operatorError(word: string, offset: number): ServiceError {
  const { length } = word;
  const advice = "Remove it, or quote it to search for the word.";
  const edits = [{ title: "Remove it", offset, length, text: "" }];
  return parseError(`Expected a term, found "${word}"`, offset, { length, edits, advice });
}

/** After `word`, at `offset`, the right operand is missing. */
export function missingOperandError(word: string, offset: number): ServiceError {
  const { length } = word;
  const advice = "Remove it, or quote it to search for the word.";
  const range = { offset: offset - length, length };
  const edits = [
    { ...range, title: "Remove it", text: "" },
    { ...range, title: "Quote it", text: `"${word}"` },
  ];
  return parseError(`Expected a term after "${word}"`, offset, { edits, advice });
}

/** The parentheses from `offset` to `end` are empty. */
export function emptyGroupError(offset: number, end: number): ServiceError {
  const length = end - offset;
  const advice = "Remove the parentheses, or escape them to search for the text.";
  const edits = [
    { title: "Escape it", offset, length, text: "\\(\\)" },
    { title: "Remove it", offset, length, text: "" },
  ];
  return parseError("Expected a term inside the parentheses", offset, { length, edits, advice });
}

/** Two filters of one group contradict each other; the second one is from `offset` to `end`. */
export function conflictError(filter: "case" | "type", offset: number, end: number): ServiceError {
  const length = end - offset;
  const edits = [{ title: "Remove it", offset, length, text: "" }];
  const what = `A group can have only one "${filter}:"`;
  return parseError(what, offset, { length, edits, advice: "Remove one of them." });
}

/** There is a `type:commit` inside a group, from `offset` to `end`. */
export function nestedCommitTypeError(offset: number, end: number): ServiceError {
  const length = end - offset;
  const edits = [{ title: "Remove it", offset, length, text: "" }];
  const what = '"type:commit" cannot be inside a group';
  return parseError(what, offset, { length, edits, advice: "Move it out of the parentheses." });
}

/** There is a `words:` from `offset` to `end` where it cannot be: in a group, `or` or a count, or next to a `type:`. */
export function misplacedWordsError(
  where: "group" | "or" | "type" | "count",
  offset: number,
  end: number,
): ServiceError {
  const length = end - offset;
  const edits = [{ title: "Remove it", offset, length, text: "" }];
  const reasons = {
    group: { what: "be inside a group", advice: "Move it out of the parentheses." },
    or: {
      what: 'be combined with "or"',
      advice: 'Remove one of them: "words:" needs only some of its words.',
    },
    type: { what: 'be combined with "type:"', advice: "Remove one of them." },
    count: { what: "be counted", advice: "It returns only the best matches: search for them instead." },
  };
  const { what, advice } = reasons[where];
  return parseError(`"words:" cannot ${what}`, offset, { length, edits, advice });
}

/** There is a `group:` from `offset` to `end` in a query whose matches are not counted, or where it has no effect. */
export function groupingError(
  reason: "search" | "nested" | "conflict",
  offset: number,
  end: number,
): ServiceError {
  const length = end - offset;
  const edits = [{ title: "Remove it", offset, length, text: "" }];
  const reasons = {
    search: {
      what: '"group:" is for counts, not for lists of matches',
      advice: 'Remove it, or count with "trawl search --count-by" or POST /api/count.',
    },
    nested: {
      what: '"group:" applies to the whole query',
      advice: "Move it out of the parentheses and the negation.",
    },
    conflict: {
      what: "Matches can be grouped by only one property",
      advice: 'Remove one "group:" or "groupBy".',
    },
  };
  const { what, advice } = reasons[reason];
  return parseError(what, offset, { length, edits, advice });
}

export function doubleDashError(offset: number): ServiceError {
  const edits = [{ title: "Use one dash", offset, length: 2, text: "-" }];
  const advice = "Remove one, or quote the term to search for the text.";
  return parseError("Expected one dash before a filter, found two", offset, { length: 2, edits, advice });
}

/** There is a negated `case:`, `type:` or `words:` from `offset` to `end`. */
export function negationError(filter: "case" | "type" | "words", offset: number, end: number): ServiceError {
  const length = end - offset;
  const edits = [{ title: "Remove it", offset, length, text: "" }];
  return parseError(`Cannot negate "${filter}:"`, offset, { length, edits, advice: "Remove the negation." });
}

/** An operand of `or`, at `offset`, has only `case:` or `type:`, and no term. */
export function missingTermError(text: string, offset: number): ServiceError {
  const filter = prefixAt(text, offset)?.text ?? "";
  const advice = '"or" needs a term on both sides.';
  return parseError(`Expected a term next to "${filter}"`, offset, { advice });
}

/** At `offset`, the value of a filter is missing, or another filter follows instead. */
export function missingValueError(prefix: Prefix, inner: Prefix | undefined, offset: number): ServiceError {
  const what = `Expected a value after "${prefix.text}"`;
  if (inner === undefined) return parseError(what, offset);
  const { length } = inner.text;
  const advice = "Quote the value to use it as text.";
  return parseError(`${what}, found "${inner.text}"`, offset, { length, advice });
}

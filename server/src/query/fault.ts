import { isServiceError, ServiceError } from "#base/error";
import type { Prefix } from "./prefixes";

/** A change of a query's text. Places are UTF-16 units. */
export interface Edit {
  /** What it does, as words for a button. */
  readonly title: string;
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

/** Why a query cannot run, and where that shows. */
export interface QueryFault {
  /** One sentence, without the place. */
  readonly message: string;
  readonly offset: number;
  readonly length: number;
  /** What may mend it, best first; that it does is not known. */
  readonly edits: readonly Edit[];
}

/**
 * The error of a fault: FAILED_TO_PARSE_QUERY, with `what` and the place in its message. It also has `hint`, which says
 * what edits would.
 */
export function parseError(
  what: string,
  offset: number,
  {
    length = 0,
    edits = [],
    hint = "",
  }: Partial<Pick<QueryFault, "length" | "edits"> & { readonly hint: string }> = {},
): ServiceError {
  const fault: QueryFault = { message: `${what}.`, offset, length, edits };
  return errorOf(fault, `${what}${hint} at offset ${offset}.`);
}

export function errorOf(fault: QueryFault, message: string): ServiceError {
  return new ServiceError("FAILED_TO_PARSE_QUERY", message, { cause: fault });
}

/** The fault that `errorOf` made an error of; any other error goes on its way. */
export function faultOf(error: unknown): QueryFault {
  if (!isServiceError(error, "FAILED_TO_PARSE_QUERY") || !isFault(error.cause)) throw error;
  return error.cause;
}

function isFault(cause: unknown): cause is QueryFault {
  return typeof cause === "object" && cause !== null && "edits" in cause;
}

export function operatorError(word: string, offset: number): ServiceError {
  const place = { offset, length: word.length };
  const edits = [{ ...place, title: "Remove it", text: "" }];
  return parseError(`Expected a term, found "${word}"`, offset, { length: word.length, edits });
}

/** Two filters that speak of one group say different things; the second one stands from `offset` to `end`. */
export function clashError(what: "case" | "type", offset: number, end: number): ServiceError {
  const length = end - offset;
  const edits = [{ title: "Remove it", offset, length, text: "" }];
  return parseError(`Expected one "${what}:", found two`, offset, { length, edits });
}

/** `type:commit` stands in a group, from `offset` to `end`. */
export function innerCommitsError(offset: number, end: number): ServiceError {
  const length = end - offset;
  const what = 'Expected "type:commit" outside of groups, because it speaks of the whole query';
  return parseError(what, offset, { length, edits: [{ title: "Remove it", offset, length, text: "" }] });
}

export function dashesError(offset: number): ServiceError {
  const edits = [{ title: "Use one dash", offset, length: 2, text: "-" }];
  const what = "Expected one dash before a filter (quotes make it text), found two";
  return parseError(what, offset, { length: 2, edits });
}

/** What stands from `offset` to `end` cannot be negated. */
export function negationError(offset: number, end: number): ServiceError {
  const what = 'Expected a term to negate, found "case:" or "type:"';
  const edits = [{ title: "Remove it", offset, length: end - offset, text: "" }];
  return parseError(what, offset, { length: end - offset, edits });
}

/** Where a value should be, at `offset`, there is nothing or a filter. */
export function missingValueError(prefix: Prefix, inner: Prefix | undefined, offset: number): ServiceError {
  const what = `Expected a value after "${prefix.text}"`;
  if (inner === undefined) return parseError(what, offset);
  const length = inner.text.length;
  return parseError(`${what}, found "${inner.text}" (quotes make it text)`, offset, { length });
}

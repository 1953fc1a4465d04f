/** Failures of requests to code hosts, as problems that people see. */
import { ZodError } from "zod";
import { isServiceError } from "#base/error";
import { sanitize } from "#base/sanitize";
import type { HostProblem } from "./codeHost";

/** A request that failed for good, with what people are told about it. */
export class HostFailure extends Error {
  readonly problem: HostProblem;
  /** Whether the API itself responded that what was asked for does not exist. */
  readonly isAbsence: boolean;

  constructor(problem: HostProblem, isAbsence = false) {
    super(problem.message);
    this.problem = problem;
    this.isAbsence = isAbsence;
  }
}

/** Returns the status with which the API responded that something does not exist, or is not visible. */
export function absenceStatus(error: unknown): number | undefined {
  return error instanceof HostFailure && error.isAbsence ? error.problem.status : undefined;
}

/** Returns the problem of a failed request. Throws CANCELLED again. */
export function problemOf(error: unknown): HostProblem {
  if (error instanceof HostFailure) return error.problem;
  if (isServiceError(error, "CANCELLED")) throw error;
  // Secrets that cannot be read; the message names only where they should be.
  if (isServiceError(error, "USAGE")) return { message: error.message };
  return { message: `The response of the host is not what its API describes${malformedField(error)}.` };
}

/** Names the field that a schema rejects, without its value, for the end of a sentence. */
export function malformedField(error: unknown): string {
  const [first] = error instanceof ZodError ? error.issues : [];
  return first === undefined || first.path.length === 0 ? "" : `, at "${first.path.join(".").slice(0, 100)}"`;
}

/** Describes a status that is not expected, without a final period. */
export function describeStatus(status: number): string {
  if (status === 401) return "The host refused the credentials (401)";
  if (status === 403) return "The host denied access (403)";
  if (status === 404) return "The host found nothing, or nothing that these credentials may see (404)";
  if (status === 429) return "The host limits the rate of requests (429)";
  return `The host responded with status ${status}`;
}

const maxQuoteLength = 200;

/** Returns what the host says about a failure, as a quote for a message, or nothing. `redact` removes secrets. */
export function quoteHost(body: Buffer, redact: (text: string) => string): string {
  if (body.length > 64 * 1024) return "";
  const said = messageIn(body.toString("utf8"));
  if (said === undefined) return "";
  // Redacts first: a part of a secret would not be recognized.
  const quote = sanitize(redact(said).replace(/\s+/g, " ").trim());
  return quote === ""
    ? ""
    : `: ${quote.length > maxQuoteLength ? `${quote.slice(0, maxQuoteLength)}…` : quote}`;
}

/** Finds the message in `{message}`, `{error: {message}}` or `{errors: [{message}]}`. */
function messageIn(text: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const read = (from: unknown, key: string) =>
    typeof from === "object" && from !== null ? (from as Record<string, unknown>)[key] : undefined;
  const errors = read(value, "errors");
  const candidates = [
    read(value, "message"),
    read(read(value, "error"), "message"),
    read(Array.isArray(errors) ? errors[0] : undefined, "message"),
    read(value, "error_description"),
    read(value, "error"),
  ];
  return candidates.find((candidate) => typeof candidate === "string");
}

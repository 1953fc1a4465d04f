/** What the outside sent, checked against a row's schema; the one place where `unknown` becomes a request. */
import * as z from "zod";
import { ServiceError } from "#base/error";
import { isAskedByQuery, type Operation } from "#contract/operation";

/**
 * The request with its defaults. Unknown fields are dropped, and `null` stands for an absent optional field.
 *
 * Throws INVALID_REQUEST_BODY, or INVALID_QUERY_PARAMS for a row that is read from a query string.
 */
export function validate(row: Operation, raw: unknown): unknown {
  const code = isAskedByQuery(row) ? "INVALID_QUERY_PARAMS" : "INVALID_REQUEST_BODY";
  const sent = raw ?? {};
  if (!isPlainObject(sent)) {
    throw new ServiceError(code, `The request must be a JSON object, but is ${shown(sent)}.`);
  }
  const checked = row.request.safeParse(withoutNulls(row.request, sent));
  if (checked.success) return checked.data;
  const complaints = checked.error.issues.map((issue) => complaint(row.request, sent, issue));
  throw new ServiceError(code, [...new Set(complaints)].join(" "));
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function withoutNulls(schema: z.ZodObject, sent: Record<string, unknown>): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.shape)) {
    if (!Object.hasOwn(sent, name)) continue;
    const value = sent[name];
    if (value === null && z.safeParse(field, undefined).success) continue;
    kept[name] = value;
  }
  return kept;
}

function complaint(schema: z.ZodObject, sent: Record<string, unknown>, issue: z.core.$ZodIssue): string {
  const name = String(issue.path[0] ?? "");
  const field = schema.shape[name];
  const expected = field === undefined ? issue.message : expectation(z.toJSONSchema(field, { io: "input" }));
  if (!Object.hasOwn(sent, name)) return `"${name}" is missing: it must be ${expected}.`;
  return `"${name}" must be ${expected}, but is ${shown(sent[name])}.`;
}

function expectation(schema: z.core.JSONSchema.BaseSchema): string {
  if (schema.enum !== undefined)
    return `one of ${schema.enum.map((value) => JSON.stringify(value)).join(", ")}`;
  if (schema.type === "integer") return `an integer${bounds(schema.minimum, schema.maximum)}`;
  if (schema.type === "boolean") return "true or false";
  if (schema.format === "date-time") return "a date and time with its offset, as in 2026-01-31T12:00:00Z";
  if (schema.format === "email") return "an e-mail address";
  if (schema.type === "string") {
    return schema.maxLength === undefined ? "a string" : `a string of at most ${schema.maxLength} characters`;
  }
  return `of type ${String(schema.type)}`;
}

function bounds(minimum: number | undefined, maximum: number | undefined): string {
  const upper = maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? undefined : maximum;
  if (minimum === undefined) return upper === undefined ? "" : ` of at most ${upper}`;
  return upper === undefined ? ` of at least ${minimum}` : ` from ${minimum} to ${upper}`;
}

/** Never walks into the value: it may be nested as deep as a body is long. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value !== "string") return String(value);
  const short = value.length <= 60 ? value : `${value.slice(0, 60)}…`;
  return `${JSON.stringify(short)}${value.length > 200 ? ` (${value.length} characters)` : ""}`;
}

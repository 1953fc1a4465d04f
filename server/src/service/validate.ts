/** Validates requests against the schema of their operation. Nothing else turns `unknown` into a request. */
import * as z from "zod";
import { type ErrorCode, ServiceError } from "#base/error";
import { type Operation, usesQueryString } from "#contract/operation";
import { describeIssue, formatValue, isPlainObject, unwrapSchema } from "./describeIssue";

/**
 * Returns the request with defaults filled in. Drops unknown fields and treats `null` as an absent optional field.
 *
 * Throws INVALID_REQUEST_BODY, or INVALID_QUERY_PARAMS if the request is a query string.
 */
export function validate(operation: Operation, raw: unknown): unknown {
  const code = usesQueryString(operation) ? "INVALID_QUERY_PARAMS" : "INVALID_REQUEST_BODY";
  return validateObject(operation.request, raw, code);
}

/** Like `validate`, for a schema. Throws an error with this code. */
export function validateObject<Schema extends z.ZodObject>(
  schema: Schema,
  raw: unknown,
  code: ErrorCode,
): z.output<Schema> {
  const sent = raw ?? {};
  if (!isPlainObject(sent)) {
    throw new ServiceError(code, `The request must be a JSON object, but is ${formatValue(sent)}.`);
  }
  const parsed = schema.safeParse(withoutNulls(schema, sent));
  if (parsed.success) return parsed.data;
  const messages = parsed.error.issues.map((issue) => describeIssue(schema, sent, issue));
  throw new ServiceError(code, [...new Set(messages)].join(" "));
}

/** Returns a copy of the known fields of `sent`, recursively, without optional fields that are `null`. */
function withoutNulls(schema: z.ZodObject, sent: Record<string, unknown>): Record<string, unknown> {
  const known: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.shape)) {
    if (!Object.hasOwn(sent, name)) continue;
    const value = sent[name];
    if (value === null && z.safeParse(field, undefined).success) continue;
    const inner = unwrapSchema(field);
    known[name] = inner instanceof z.ZodObject && isPlainObject(value) ? withoutNulls(inner, value) : value;
  }
  return known;
}

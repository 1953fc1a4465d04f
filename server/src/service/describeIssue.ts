/** Describes why a schema rejects a value: which field is wrong, what it must be, and what it is. */
import * as z from "zod";

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the schema inside optional and default schemas. */
export function unwrapSchema(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.ZodOptional ||
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodDefault
    ? unwrapSchema(schema.unwrap())
    : schema;
}

/** Describes an issue in one sentence that names the innermost field, as in `place.lineNumber` and `paths[3]`. */
export function describeIssue(
  schema: z.ZodObject,
  sent: Readonly<Record<string, unknown>>,
  issue: z.core.$ZodIssue,
): string {
  let field: z.core.$ZodType | undefined = schema;
  let value: unknown = sent;
  let name = "";
  for (const key of issue.path) {
    name += typeof key === "number" ? `[${key}]` : `${name === "" ? "" : "."}${String(key)}`;
    field = field && fieldOf(field, key);
    value = isContainer(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  const expected =
    field === undefined
      ? issue.message
      : describeExpectation(z.toJSONSchema(field, { io: "input" }), issue.code === "invalid_format");
  if (value === undefined) return `"${name}" is missing: it must be ${expected}.`;
  return `"${name}" must be ${expected}, but is ${formatValue(value)}.`;
}

function fieldOf(schema: z.core.$ZodType, key: PropertyKey): z.core.$ZodType | undefined {
  const inner = unwrapSchema(schema);
  if (inner instanceof z.ZodArray) return inner.element;
  if (inner instanceof z.ZodRecord) return inner.valueType;
  return inner instanceof z.ZodObject ? inner.shape[String(key)] : undefined;
}

function isContainer(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === "object" && value !== null;
}

/** `isFormat`: a string has the wrong format, rather than the wrong length. */
function describeExpectation(schema: z.core.JSONSchema.BaseSchema, isFormat: boolean): string {
  if (schema.enum !== undefined)
    return `one of ${schema.enum.map((value) => JSON.stringify(value)).join(", ")}`;
  if (schema.type === "integer") return `an integer${describeBounds(schema.minimum, schema.maximum)}`;
  if (schema.type === "boolean") return "true or false";
  if (schema.format === "date-time") return "a date and time with its offset, as in 2026-01-31T12:00:00Z";
  if (schema.format === "email") return "an email address";
  const [example] = schema.examples ?? [];
  if (isFormat && schema.pattern !== undefined && example !== undefined)
    return `a string such as ${formatValue(example)}`;
  if (schema.type === "string")
    return `a string${describeLength(schema.minLength, schema.maxLength, "character")}`;
  if (schema.type === "array") return `an array${describeLength(schema.minItems, schema.maxItems, "item")}`;
  if (schema.type === "object") return "an object";
  return `of type ${String(schema.type)}`;
}

function describeBounds(minimum: number | undefined, maximum: number | undefined): string {
  if (minimum === undefined) return maximum === undefined ? "" : ` of at most ${maximum}`;
  return maximum === undefined ? ` of at least ${minimum}` : ` from ${minimum} to ${maximum}`;
}

function describeLength(minimum = 0, maximum: number | undefined, unit: string): string {
  const lower = minimum === 0 ? [] : [`at least ${minimum} ${unit}${minimum === 1 ? "" : "s"}`];
  const upper = maximum === undefined ? [] : [`at most ${maximum} ${unit}${maximum === 1 ? "" : "s"}`];
  return lower.length + upper.length === 0 ? "" : ` of ${[...lower, ...upper].join(" and ")}`;
}

/** Formats a value for a message. Never recurses, because the value may be nested arbitrarily deep. */
export function formatValue(value: unknown): string {
  if (Array.isArray(value)) return `an array of ${value.length} item${value.length === 1 ? "" : "s"}`;
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value !== "string") return String(value);
  const short = value.length <= 60 ? value : `${value.slice(0, 60)}…`;
  return `${JSON.stringify(short)}${value.length > 200 ? ` (${value.length} characters)` : ""}`;
}

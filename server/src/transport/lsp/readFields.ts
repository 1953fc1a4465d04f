/** Reads settings field by field, so that one invalid value does not discard the others. */
import * as z from "zod";
import { describeIssue } from "#service/describeIssue";

/**
 * The configuration section of Trawl's settings. Clients that send all of their settings nest Trawl's under this name.
 */
export const settingsSection = "trawl";

export interface ReadFields<Fields> {
  readonly fields: Partial<Fields>;
  /** One message for each value that is ignored. */
  readonly problems: readonly string[];
}

/**
 * Reads the fields of `schema` from `value`, or from the object that it contains as `settings`, `trawl` or
 * `settings.trawl`. Absent and `null` fields are omitted; unknown ones are ignored.
 */
export function readFields<Schema extends z.ZodObject>(
  schema: Schema,
  value: unknown,
): ReadFields<z.output<Schema>> {
  const outer = toRecord(toRecord(value)["settings"] ?? value);
  const given = toRecord(outer[settingsSection] ?? outer);
  const problems: string[] = [];
  const fields: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.shape)) {
    const fieldValue = given[name];
    if (fieldValue === undefined || fieldValue === null) continue;
    const parsed = z.safeParse(field, fieldValue);
    if (parsed.success) fields[name] = parsed.data;
    else problems.push(...parsed.error.issues.map((issue) => describeSetting(schema, given, name, issue)));
  }
  return { fields: fields as Partial<z.output<Schema>>, problems };
}

function describeSetting(
  schema: z.ZodObject,
  given: Readonly<Record<string, unknown>>,
  name: string,
  issue: z.core.$ZodIssue,
): string {
  return `Ignored a setting: ${describeIssue(schema, given, { ...issue, path: [name, ...issue.path] })}`;
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

/** Parses the connections of a configuration file, and describes what is wrong with them. */
import * as z from "zod";
import { usageError } from "#base/error";
import { nearestNames } from "#base/nearestNames";
import { type Connection, connectionsSchema, connectionTypes } from "./connection";

/**
 * Checks the connections of a configuration file, and adds the defaults.
 *
 * Throws USAGE with a message for each problem, which names the setting after `where`, and never its value: that may be
 * a secret.
 */
export function parseConnections(
  value: unknown,
  where = "connections",
): Readonly<Record<string, Connection>> {
  const parsed = connectionsSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw usageError(parsed.error.issues.map((issue) => describe(issue, value, where)).join("\n"));
}

function describe(issue: z.core.$ZodIssue, value: unknown, where: string): string {
  let name = where;
  for (const key of issue.path) name += typeof key === "number" ? `[${key}]` : `.${String(key)}`;
  switch (issue.code) {
    case "unrecognized_keys": {
      const known = knownKeys(issue.path, value);
      const unknown = issue.keys.map((key) => {
        const [nearest] = nearestNames(key, known);
        const hint =
          nearest === undefined ? `It can have ${known.join(", ")}.` : `Did you mean "${nearest}"?`;
        return `"${name}" has no setting "${key}". ${hint}`;
      });
      return unknown.join("\n");
    }
    case "invalid_key":
      return `"${name}": The name ${issue.issues[0]?.message ?? "is invalid"}.`;
    case "invalid_union":
      if (!issue.message.startsWith("Invalid")) return `"${name}" ${issue.message}.`;
      return `"${name}" must be one of ${connectionTypes.map(({ shape }) => `"${shape.type.value}"`).join(", ")}.`;
    case "invalid_type":
      return `"${name}" ${issue.message.startsWith("Invalid") ? `must be of type ${issue.expected}` : issue.message}.`;
    default:
      return `"${name}" ${issue.message}.`;
  }
}

/** Returns the settings that the object at `path` of the connections can have. */
function knownKeys([name, ...path]: readonly PropertyKey[], connections: unknown): readonly string[] {
  const type = (connections as Record<PropertyKey, { readonly type?: unknown }>)[name ?? ""]?.type;
  let schema: z.core.$ZodType | undefined = connectionTypes.find(({ shape }) => shape.type.value === type);
  for (const key of path) schema = schema && objectIn(schema)?.shape[String(key)];
  return Object.keys((schema && objectIn(schema)?.shape) ?? {});
}

function objectIn(schema: z.core.$ZodType): z.ZodObject | undefined {
  if (schema instanceof z.ZodObject) return schema;
  return schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional
    ? objectIn(schema.unwrap())
    : undefined;
}

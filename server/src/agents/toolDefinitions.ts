/** The tools as clients list them. */
import * as z from "zod";
import type { ToolDefinition } from "#contract/agentTools";
import { tools } from "./tools";

/** Cached, because every request over HTTP needs them, and converting schemas takes milliseconds. */
const known = new Map<boolean, readonly ToolDefinition[]>();

/** Returns the definitions of all tools, in a fixed order. With `isStructured`, they contain output schemas. */
export function toolDefinitions({ isStructured = false } = {}): readonly ToolDefinition[] {
  const definitions =
    known.get(isStructured) ??
    tools.map(({ name, title, description, input, output }) => {
      const definition = { name, title, description, inputSchema: toSchema(input) };
      return isStructured ? { ...definition, outputSchema: toSchema(output) } : definition;
    });
  known.set(isStructured, definitions);
  return definitions;
}

function toSchema(object: z.ZodObject): ToolDefinition["inputSchema"] {
  const { $schema: _, ...schema } = z.toJSONSchema(object, { io: "input", override: omitLimits });
  return { ...schema, type: "object" };
}

/** Omits what costs tokens and is rarely wrong. An error says what the limit is. */
function omitLimits({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  for (const keyword of ["minLength", "maxLength", "maximum", "pattern"] as const) delete jsonSchema[keyword];
}

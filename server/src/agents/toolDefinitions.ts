/** The tools as clients list them. */
import * as z from "zod";
import type { ToolDefinition } from "#contract/agentTools";
import { tools } from "./tools";

/** Returns the definitions of all tools, in a fixed order. */
export function toolDefinitions(): readonly ToolDefinition[] {
  return tools.map(({ name, title, description, input }) => {
    const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input", override: omitLimits });
    return { name, title, description, inputSchema: { ...schema, type: "object" } };
  });
}

/** Omits what costs tokens and is rarely wrong. An error says what the limit is. */
function omitLimits({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  for (const keyword of ["minLength", "maxLength", "maximum", "pattern"] as const) delete jsonSchema[keyword];
}

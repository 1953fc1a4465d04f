import { runTool } from "#agents/runTool";
import type { Tool } from "#agents/tool";
import { tools } from "#agents/tools";
import { usageError } from "#base/error";
import { readConfiguration } from "./configuration";
import type { CommandContext } from "./context";
import type { Flags } from "./flags";

/** Runs a tool for agents, or lists the tools. */
export async function toolCommand(context: CommandContext, flags: Flags): Promise<number> {
  const { terminal } = context;
  const [name, ...fields] = flags.positionals;
  if (name === undefined) {
    await terminal.print(tools.map(describeTool).join(""));
    return 0;
  }
  const args = readArguments(name, fields, flags.text("json"));
  const configuration = readConfiguration(flags, context.currentFolder, context.defaultDataDir);
  const instance = await context.open(configuration, "read");
  try {
    const call = { credentials: { kind: "local" }, signal: context.interrupted, source: "trawl" } as const;
    const { text, isError, structured } = await runTool(name, args, instance.teamCaller, call, {
      isStructured: flags.has("structured"),
      onDefect(error) {
        throw error;
      },
    });
    if (isError) terminal.printError(`${text}\n`);
    else await terminal.print(`${structured === undefined ? text : JSON.stringify(structured)}\n`);
    return isError ? 1 : 0;
  } finally {
    await instance.close();
  }
}

function describeTool({ name, description, input }: Tool): string {
  return `${name}\n    ${description}\n    Fields: ${Object.keys(input.shape).join(", ")}\n`;
}

function readArguments(name: string, fields: readonly string[], json: string | undefined): unknown {
  if (json !== undefined) {
    if (fields.length > 0) throw usageError("--json and FIELD=VALUE cannot be combined.");
    try {
      return JSON.parse(json);
    } catch {
      throw usageError("--json must be a JSON object.");
    }
  }
  const shape = tools.find((tool) => tool.name === name)?.input.shape ?? {};
  return Object.fromEntries(
    fields.map((field) => {
      const separator = field.indexOf("=");
      if (separator < 1) throw usageError(`Expected FIELD=VALUE, not "${field}".`);
      const key = field.slice(0, separator);
      const schema = Object.hasOwn(shape, key) ? shape[key] : undefined;
      return [key, readValue(schema, field.slice(separator + 1))];
    }),
  );
}

/** Values of fields that are not strings are JSON. */
function readValue(schema: Tool["input"]["shape"][string] | undefined, text: string): unknown {
  if (schema === undefined || schema.safeParse(text).success) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Random arguments of tools for agents: plausible ones, wrong ones, and anything that JSON can express. */
import * as fc from "fast-check";
import { estimateTokens } from "#agents/printListing";
import { runTool } from "#agents/runTool";
import { toolDefinitions } from "#agents/toolDefinitions";
import type { Caller } from "#contract/service";

const words = [
  "github.com/acme/shop",
  "shop",
  "src/cart.ts",
  "Cart",
  "total",
  "main",
  "v1",
  "HEAD",
  "HEAD~1",
  "typescript",
  "1-3",
  "0-0",
  "999999999",
  "**/*.ts",
  "../..",
  "/",
  "",
  "(",
  "a|b",
  "[",
  '"',
  "\\",
  "\u0000",
  "-x",
  "--output=x",
  "repo:",
  "or",
  "2 weeks ago",
  "lines",
  "files",
  "symbols",
  "definitions",
  "count",
];
const text = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...words) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
);
const value = fc.oneof(
  { weight: 8, arbitrary: text },
  fc.boolean(),
  fc.integer(),
  fc.integer({ min: 0, max: 500 }),
  fc.constant(null),
  fc.array(text, { maxLength: 3 }),
  fc.array(
    fc.record(
      { repo: text, path: text, rev: text, lines: text, symbol: text },
      { requiredKeys: ["repo", "path"] },
    ),
    { minLength: 1, maxLength: 3 },
  ),
  fc.record({ repo: text, path: text, line: fc.integer() }),
  fc.jsonValue({ maxDepth: 3 }),
);

export interface ToolCall {
  readonly name: string;
  readonly args: unknown;
}

interface Schema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** Values of the type that a schema requires, and now and then others. */
function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 40, arbitrary: typedValuesOf(schema) }, { weight: 1, arbitrary: value });
}

function typedValuesOf({ type, enum: choices, items = {}, properties = {}, required = [] }: Schema) {
  if (choices !== undefined) return fc.constantFrom(...choices);
  if (type === "string") return text;
  if (type === "boolean") return fc.boolean();
  if (type === "integer") {
    return fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: 1, max: 20 }) },
      fc.integer({ min: 200, max: 9000 }),
    );
  }
  if (type === "array") return fc.array(valuesOf(items), { minLength: 1, maxLength: 3 });
  const fields = Object.entries(properties).map(([field, schema]) => {
    const values = valuesOf(schema);
    return [
      field,
      required.includes(field) ? values : fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, values),
    ] as const;
  });
  return fc.record(Object.fromEntries(fields)).map((record) =>
    // Absent fields, rather than undefined ones.
    JSON.parse(JSON.stringify(record)),
  );
}

/** Calls of every tool. */
export const toolCalls: fc.Arbitrary<ToolCall> = fc.oneof(
  ...toolDefinitions().map(({ name, inputSchema }) =>
    fc.record({ name: fc.constant(name), args: valuesOf(inputSchema as Schema) }),
  ),
);

/** Runs a call, and returns what is wrong with its result; `undefined` if nothing is. */
export async function checkToolCall({ name, args }: ToolCall, caller: Caller): Promise<string | undefined> {
  let defect: unknown;
  const call = { credentials: { kind: "local" }, signal: new AbortController().signal } as const;
  const { text, isError } = await runTool(name, args, caller, call, {
    onDefect(error) {
      defect = error;
    },
  });
  if (defect !== undefined) return String(defect);
  const { maxTokens } = (args ?? {}) as { readonly maxTokens?: unknown };
  const isBudget = typeof maxTokens === "number" && maxTokens >= 200 && maxTokens <= 50_000;
  const tokens = estimateTokens(text);
  if (tokens > (isBudget ? maxTokens : 8000)) return `${tokens} tokens`;
  if (isError !== text.startsWith("Error: "))
    return `An error that looks like a result, or the reverse: ${text}`;
  if (/internal error/i.test(text)) return text;
  return /[^\P{Cc}\t\n]|[\u202a-\u202e]/u.test(text) ? "Control characters" : undefined;
}

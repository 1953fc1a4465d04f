/** Random arguments of tools for agents: plausible ones, wrong ones, and anything that JSON can express. */
import * as fc from "fast-check";
import { toolDefinitions } from "#agents/toolDefinitions";

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

/** Calls of every tool. Most arguments have a known name. */
export const toolCalls: fc.Arbitrary<ToolCall> = fc.oneof(
  ...toolDefinitions().map(({ name, inputSchema }) => {
    const fields = Object.entries(inputSchema["properties"] as Record<string, { readonly type?: string }>);
    const known = fields.map(([field, { type }]) => [
      field,
      type === "string" ? fc.oneof({ weight: 6, arbitrary: text }, value) : value,
    ]);
    const args = fc.record(Object.fromEntries(known), { requiredKeys: [] });
    return fc.record({ name: fc.constant(name), args: fc.oneof({ weight: 20, arbitrary: args }, value) });
  }),
);

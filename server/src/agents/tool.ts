/**
 * What a tool for agents is: a description, a schema of its arguments, and a function that returns lines.
 *
 * A tool calls operations of the contract and knows nothing about budgets, cursors or protocols: `runTool.ts` prints its
 * lines.
 */
import * as z from "zod";
import type { OperationName } from "#contract/operations";
import type { RequestInput, ResponseOf } from "#contract/service";
import { resultFields } from "./output";

/** Calls an operation for the caller of the tool. */
export type Send = <Name extends OperationName>(
  name: Name,
  request: RequestInput<Name>,
) => Promise<ResponseOf<Name>>;

/** A line of a result. */
export interface Line {
  readonly text: string;
  /** What it belongs to, outermost first: its file, then its definition. Printed when it changes. */
  readonly headings?: readonly string[];
  /** What it stands for, in structured content: a line of `file` or, without one, an item of the result. */
  readonly item?: object;
  /** The file that the first heading names. */
  readonly file?: object | undefined;
}

/** Lines in their order: an array, or `lazyLines`. */
export interface Lines {
  readonly length: number;
  /** Returns the lines from an index on. */
  slice(from: number): Iterable<Line>;
}

/** Returns one line for each item, made only when it is printed: most results are longer than a page. */
export function lazyLines<Item>(items: readonly Item[], toLine: (item: Item) => Line): Lines {
  return {
    length: items.length,
    *slice(from) {
      for (const item of items.slice(from)) yield toLine(item);
    },
  };
}

/** What a tool found. Texts may contain anything: `printListing` sanitizes them. */
export interface Listing {
  /** What was found, or that nothing was. One sentence, or several. */
  readonly summary: string;
  /** Best first, or in the order of the file. */
  readonly lines: Lines;
  /** Number of lines before the first of `lines`. They were not fetched because the cursor skips them. Default: 0. */
  readonly skipped?: number;
  /** Number of lines in total. Default: `skipped` and those in `lines`. */
  readonly total?: number;
  /** What makes the result incomplete, and what to do next. Sentences. */
  readonly notes?: readonly string[];
  /** How to get fewer lines, as a clause: "add path or lang". */
  readonly narrow: string;
  /** Whether nothing that matches can be missing. Default: true. */
  readonly isExhaustive?: boolean;
  /** Why it is not, as a code. */
  readonly reason?: string | undefined;
  /** More fields of the structured content. */
  readonly counts?: Readonly<Record<string, number>>;
}

export interface ToolContext {
  readonly send: Send;
  /** Number of lines that earlier pages of the same result have shown. */
  readonly offset: number;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  /** For the model: what it does, and when to use it. */
  readonly description: string;
  readonly input: z.ZodObject;
  /** The structured content of its results. */
  readonly output: z.ZodObject;
  /** Throws a `ServiceError` whose message says what to do next. */
  run(input: unknown, context: ToolContext): Promise<Listing>;
}

/** Creates a tool whose `run` gets validated arguments. */
export function tool<Shape extends z.ZodRawShape>(definition: {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Shape;
  /** Besides `resultFields`. */
  readonly output: z.ZodRawShape;
  run(input: z.output<z.ZodObject<Shape>>, context: ToolContext): Promise<Listing>;
}): Tool {
  const { name, title, description, run } = definition;
  const input = z.object({ ...definition.input, ...pageFields });
  return {
    name,
    title,
    description,
    input,
    output: z.object({ ...resultFields, ...definition.output }),
    run: (validated, context) => run(validated as z.output<z.ZodObject<Shape>>, context),
  };
}

export const defaultMaxTokens = 8000;

/** Arguments of every tool. */
const pageFields = {
  maxTokens: z.int().min(200).max(50_000).default(defaultMaxTokens).describe("Limit of the result's length."),
  cursor: z.string().max(200).optional().describe("From the previous result, for its next page."),
};
export const PageInput = z.object(pageFields);

/** Arguments that several tools have. */
export const repoInput = z.string().min(1).max(1000).describe("Repository name, or its last part if unique.");
export const revInput = z
  .string()
  .min(1)
  .max(250)
  .optional()
  .describe("Branch, tag or commit. Default: the current files.");
export const pathInput = z.string().max(4096);
export const linesInput = z
  .string()
  .regex(/^[1-9]\d{0,8}(-[1-9]\d{0,8})?$/)
  .meta({ examples: ["12-40"] })
  .optional();
export const langInput = z.string().min(1).max(100).optional();

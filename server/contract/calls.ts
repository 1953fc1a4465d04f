/** Schemas of call hierarchies: which definitions call one another, and where. */
import * as z from "zod";
import { Range } from "./position";
import { SearchStats } from "./search";
import { Certainty, FoundSymbol, SymbolMatch, SymbolRequest, SymbolResult } from "./symbols";

export const CallRequest = SymbolRequest.extend({
  direction: z
    .enum(["incoming", "outgoing"])
    .default("incoming")
    .describe("Whether to find the callers of the name, or what its definition calls."),
  depth: z
    .int()
    .min(0)
    .max(3)
    .default(1)
    .describe(
      "How many levels to follow; with 0, the response contains only the definitions of the name. Calls with the certainty `name` are not followed further. Of outgoing calls with that certainty, only some are listed.",
    ),
  matches: z.int().min(1).max(10_000).default(1000).describe("Maximum number of call sites in the response."),
}).describe("A function, method, type or macro, and which of its calls to find.");
export type CallRequest = z.output<typeof CallRequest>;

export const CallDefinition = FoundSymbol.extend({
  wholeRange: Range.optional().describe(
    "Range of the whole definition; absent if its file was not read, for example because of a timeout.",
  ),
  depth: z.int().min(0).describe("Number of calls between it and the requested name."),
}).describe("A definition that calls or is called. A file with calls at the top level has the kind `file`.");
export type CallDefinition = z.output<typeof CallDefinition>;

export const CallSites = z
  .object({
    caller: z.int().min(0).describe("Index of the calling definition in `definitions`."),
    callee: z.int().min(0).describe("Index of the called definition in `definitions`."),
    certainty: Certainty,
    sites: z
      .array(SymbolMatch.pick({ lineContent: true, range: true }).describe("A call in the caller's file."))
      .describe("The calls, in the order of the file."),
  })
  .describe("The calls from one definition to another.");
export type CallSites = z.output<typeof CallSites>;

export const CallHierarchy = z
  .object({
    stats: SymbolResult.shape.stats
      .extend({
        flushReason: SearchStats.shape.flushReason,
        unparsedFiles: z
          .int()
          .optional()
          .describe("Number of files that may contain more calls but could not be parsed."),
      })
      .describe("Statistics of the result; `matchCount` counts call sites."),
    definitions: z
      .array(CallDefinition)
      .describe(
        "The definitions of the name, with depth 0, then callers or callees, each once, nearest first. Empty if no definition of the name is known: its calls are unknown then, and `isExhaustive` is false, even if `flushReason` is `NONE`.",
      ),
    calls: z
      .array(CallSites)
      .describe(
        "Nearest first, then highest confidence first. Each pair appears once for each certainty, so recursion ends.",
      ),
    repositoryInfo: SymbolResult.shape.repositoryInfo,
  })
  .describe("Which definitions call one another, and where.");
export type CallHierarchy = z.output<typeof CallHierarchy>;

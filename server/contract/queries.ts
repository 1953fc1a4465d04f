/** How a query is read, and how one goes on: what a search box needs beside the search. */
import * as z from "zod";

const query = z.string().max(10_000).describe("The query as it stands.");
const offset = z.int().min(0).describe("Place in the query, in UTF-16 units from 0.");
const length = z.int().min(0).describe("Length, in UTF-16 units.");

export const ReadQueryRequest = z
  .object({
    query,
    isRegexEnabled: z.boolean().default(false).describe("Whether words are RE2 expressions."),
    isCaseSensitivityEnabled: z.boolean().default(false).describe("Whether case counts."),
  })
  .describe("A query to be read, not run.");
export type ReadQueryRequest = z.output<typeof ReadQueryRequest>;

export const QueryFilter = z
  .object({
    offset,
    length,
    prefix: z.string().describe("Our own name of the filter without its colon, as in `lang`."),
    value: z.string().describe("What it asks for, without quotes."),
    isNegated: z.boolean().describe("Whether it excludes."),
    readAs: z
      .string()
      .optional()
      .describe("How a spelling that is not our own was read, as in `repo:` for `r:`."),
  })
  .describe("A filter that was understood.");
export type QueryFilter = z.output<typeof QueryFilter>;

const QueryFix = z
  .object({
    title: z.string().describe("What it does, as words for a button."),
    query: z.string().describe("The query after it."),
    isRegexEnabled: z.boolean().optional().describe("The flag after it, where it changes."),
  })
  .describe("A change that mends the query.");
export type QueryFix = z.output<typeof QueryFix>;

const QueryProblem = z
  .object({
    offset,
    length,
    severity: z.enum(["error", "hint"]).describe("Whether the query cannot run, or may be a slip."),
    message: z.string().describe("One sentence without the offset."),
    fixes: z.array(QueryFix),
  })
  .describe("What is wrong with a query, or may be.");
export type QueryProblem = z.output<typeof QueryProblem>;

export const QueryReading = z
  .object({
    filters: z.array(QueryFilter).describe("In the order of the text."),
    problems: z.array(QueryProblem).describe("Errors first."),
    hasText: z.boolean().describe("Whether text is looked for, not only files by what they are."),
    isCheap: z
      .boolean()
      .describe("Whether the index can narrow the search, so that it may run while typing."),
  })
  .describe("How a query is understood.");
export type QueryReading = z.output<typeof QueryReading>;

export const CompleteQueryRequest = z
  .object({
    query,
    offset: offset.describe("Where the cursor stands, in UTF-16 units from 0."),
    isRegexEnabled: z.boolean().default(false).describe("Whether words are RE2 expressions."),
    limit: z.int().min(1).max(100).default(20).describe("Proposals, at most."),
  })
  .describe("A query and a place in it.");
export type CompleteQueryRequest = z.output<typeof CompleteQueryRequest>;

export const QueryCompletion = z
  .object({
    label: z.string().describe("What a list shows."),
    text: z.string().describe("What takes the place of the replaced stretch."),
    detail: z.string().describe("A few words about it, or empty."),
    kind: z.enum(["filter", "repository", "revision", "language", "path", "context", "value"]),
  })
  .describe("A way to go on.");
export type QueryCompletion = z.output<typeof QueryCompletion>;

export const QueryCompletions = z
  .object({
    offset,
    length: length.describe("Length of the stretch that a proposal replaces, in UTF-16 units."),
    items: z.array(QueryCompletion).describe("Best first."),
  })
  .describe("Ways to go on at the cursor.");
export type QueryCompletions = z.output<typeof QueryCompletions>;

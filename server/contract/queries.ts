/** Schemas for explaining and completing queries in search boxes. */
import * as z from "zod";

const query = z
  .string()
  .max(10_000)
  .meta({ examples: ["lang:typescript addItem"] })
  .describe("The query, complete or not.");
const offset = z.int().min(0).describe("Offset in the query, in UTF-16 units from 0.");
const length = z.int().min(0).describe("Length, in UTF-16 units.");

const isCount = z
  .boolean()
  .default(false)
  .describe("Whether the query is for `POST /api/count`, so that `group:` is allowed.");

export const ReadQueryRequest = z
  .object({
    query,
    isRegexEnabled: z
      .boolean()
      .default(false)
      .describe("Whether terms are regular expressions in RE2 syntax."),
    isCaseSensitivityEnabled: z.boolean().default(false).describe("Whether the search is case-sensitive."),
    isCount,
  })
  .describe("A query to explain without running it.");
export type ReadQueryRequest = z.output<typeof ReadQueryRequest>;

export const QueryFilter = z
  .object({
    offset,
    length,
    prefix: z.string().describe("Canonical name of the filter without its colon, such as `lang`."),
    value: z.string().describe("Value of the filter, without quotes."),
    isNegated: z.boolean().describe("Whether it is negated."),
    readAs: z.string().optional().describe("Canonical spelling of an alias, such as `repo:` for `r:`."),
  })
  .describe("A filter of the query.");
export type QueryFilter = z.output<typeof QueryFilter>;

const QueryFix = z
  .object({
    title: z.string().describe("Label of the fix, for a button."),
    query: z.string().describe("The query with the fix applied."),
    isRegexEnabled: z.boolean().optional().describe("New value of the flag; absent if it does not change."),
  })
  .describe("A quick fix for the query.");
export type QueryFix = z.output<typeof QueryFix>;

const QueryProblem = z
  .object({
    offset,
    length,
    severity: z
      .enum(["error", "hint"])
      .describe("Whether the query cannot run (`error`) or may contain a mistake (`hint`)."),
    message: z.string().describe("One sentence without the offset."),
    fixes: z.array(QueryFix),
  })
  .describe("A problem in the query.");
export type QueryProblem = z.output<typeof QueryProblem>;

export const QueryExplanation = z
  .object({
    filters: z.array(QueryFilter).describe("In the order of the text."),
    problems: z.array(QueryProblem).describe("Errors first."),
    hasText: z.boolean().describe("Whether the query searches text, not only file attributes."),
    isCheap: z.boolean().describe("Whether the index narrows the search enough to run it on each keystroke."),
    phraseQuery: z
      .string()
      .optional()
      .describe("For a query of several words: the same query with the words as one quoted phrase."),
    phrase: z
      .string()
      .optional()
      .describe("The text of that phrase. Files that contain it come first in search results."),
  })
  .describe("How a query was parsed.");
export type QueryExplanation = z.output<typeof QueryExplanation>;

export const CompleteQueryRequest = z
  .object({
    query,
    offset: offset.describe("Cursor offset, in UTF-16 units from 0."),
    isRegexEnabled: z
      .boolean()
      .default(false)
      .describe("Whether terms are regular expressions in RE2 syntax."),
    isCount,
    limit: z.int().min(1).max(100).default(20).describe("Maximum number of completions."),
  })
  .describe("A query and a cursor in it.");
export type CompleteQueryRequest = z.output<typeof CompleteQueryRequest>;

export const QueryCompletion = z
  .object({
    label: z.string().describe("Label for a list."),
    text: z.string().describe("Text that replaces the range."),
    detail: z.string().describe("Short description; may be empty."),
    kind: z.enum(["filter", "repository", "revision", "language", "path", "context", "value"]),
  })
  .describe("A completion.");
export type QueryCompletion = z.output<typeof QueryCompletion>;

export const QueryCompletions = z
  .object({
    offset,
    length: length.describe("Length of the text that a completion replaces, in UTF-16 units."),
    items: z.array(QueryCompletion).describe("Best first."),
  })
  .describe("Completions at the cursor.");
export type QueryCompletions = z.output<typeof QueryCompletions>;

import * as z from "zod";
import { serverProblemField } from "./repositories";
import { SearchRequest, SearchResult, SearchStats, Suggestion } from "./search";

/** The properties by which matches can be grouped. */
export const groupings = ["repo", "folder", "language", "author", "symbol", "text"] as const;

export const CountRequest = SearchRequest.omit({
  matches: true,
  contextLines: true,
  whole: true,
  explain: true,
  enclosing: true,
  scores: true,
  filesOnly: true,
})
  .extend({
    groupBy: z
      .enum(groupings)
      .optional()
      .describe(
        "What to group by. `folder`: the directory of the file. `language`: that of the file. `author`: who last changed the line. `symbol`: the innermost definition around the match; local variables are part of the one around them, and a name is not part of its definition. `text`: what the first group of the expression captured, otherwise the match. `group:` in the query is the same. Absent: no groups.",
      ),
    depth: z
      .int()
      .min(1)
      .max(100)
      .optional()
      .describe(
        "For `folder`: how many levels below the root of the repository to tell apart. Default: all.",
      ),
    limit: z.int().min(1).max(10_000).default(100).describe("Maximum number of groups in the response."),
  })
  .describe("A search of which only the number of matches is wanted.");
export type CountRequest = z.output<typeof CountRequest>;

export const CountedGroup = z
  .object({
    repository: z.string().optional().describe("Name of the repository. For `repo`, `folder` and `symbol`."),
    folder: z.string().optional().describe("Path of the directory; empty for the root. For `folder`."),
    language: z.string().optional().describe("Linguist's name, empty if unknown. For `language`."),
    authorName: z
      .string()
      .optional()
      .describe(
        "Name, as `.mailmap` maps it; empty for changes that are not committed, and for matches in file names. For `author`.",
      ),
    authorEmail: z.string().optional().describe("E-mail address, like `authorName`. For `author`."),
    fileName: z.string().optional().describe("Path of the file. For `symbol`."),
    symbol: z
      .string()
      .optional()
      .describe("Name of the definition; empty for matches outside of all definitions. For `symbol`."),
    kind: z.string().optional().describe("Kind of the definition; empty if there is none. For `symbol`."),
    parent: z
      .string()
      .optional()
      .describe("Name of the definition around it; empty if there is none. For `symbol`."),
    text: z.string().optional().describe("The text. For `text`."),
    isTextCut: z
      .boolean()
      .optional()
      .describe(
        "Whether `text` is only the first 1,000 bytes, which the texts of this group share. For `text`.",
      ),
    matchCount: z.int().min(1).describe("Number of matches."),
    fileCount: z.int().min(1).describe("Number of files with a match of this group."),
  })
  .describe("The matches that share a property.");
export type CountedGroup = z.output<typeof CountedGroup>;

export const CountResult = z
  .object({
    matchCount: z.int().min(0).describe("Number of matches, of all groups."),
    fileCount: z.int().min(0).describe("Number of files with a match."),
    repositoryCount: z.int().min(0).describe("Number of repositories with a match."),
    groupBy: z.enum(groupings).optional().describe("What the groups are; absent if there are none."),
    groups: z.array(CountedGroup).describe("Those with the most matches first."),
    groupCount: z.int().min(0).describe("Number of groups."),
    omittedGroupCount: z.int().min(0).describe("Number of groups that `limit` left out."),
    isExhaustive: z
      .boolean()
      .describe(
        "Whether all numbers are exact. If not, `stats.flushReason` is the reason. With `MATCH_LIMIT`, only the groups are incomplete, because too many files would have to be blamed; with `BYTE_LIMIT`, because there are too many groups, or matches too long for captures.",
      ),
    stats: SearchStats,
    serverProblem: serverProblemField,
    unavailable: SearchResult.shape.unavailable,
    suggestions: z.array(Suggestion).optional().describe("Likely mistakes in the query."),
  })
  .describe("Numbers of matches.");
export type CountResult = z.output<typeof CountResult>;

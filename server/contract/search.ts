import * as z from "zod";
import { commitFields } from "./commits";
import { Position, Range } from "./position";
import { RepositoryInfo } from "./repositories";

const maxQueryCharacters = 10_000;

export const SearchRequest = z
  .object({
    query: z
      .string()
      // JSON Schema counts code points, `.max()` would count UTF-16 units; a blank query is the parser's to refuse.
      .refine((text) => text.length <= maxQueryCharacters || [...text].length <= maxQueryCharacters, {
        error: `expected at most ${maxQueryCharacters} characters`,
      })
      .meta({ minLength: 1, maxLength: maxQueryCharacters })
      .describe("What to look for, in the query language."),
    matches: z.int().min(1).max(100_000).default(500).describe("Ranges in the answer, at most."),
    contextLines: z.int().min(0).max(100).default(0).describe("Lines around each match."),
    whole: z.boolean().default(false).describe("Whether `files[].content` carries the whole file."),
    isRegexEnabled: z.boolean().default(false).describe("Whether words are RE2 expressions."),
    isCaseSensitivityEnabled: z.boolean().default(false).describe("Whether case counts."),
    isWholeWordEnabled: z
      .boolean()
      .default(false)
      .describe("Whether a match must begin and end at a word's edge."),
    explain: z.boolean().default(false).describe("Whether each file says how its rank came about."),
  })
  .describe("A search.");
export type SearchRequest = z.output<typeof SearchRequest>;

const count = (description: string) => z.int().min(0).describe(description);
const nanoseconds = (description: string) => z.int().min(0).describe(`${description}, in nanoseconds.`);

export const SearchStats = z
  .object({
    actualMatchCount: count("Ranges in the answer."),
    totalMatchCount: count("Ranges found."),
    duration: nanoseconds("Time from the plan to the answer"),
    fileCount: count("Documents with a match."),
    filesSkipped: count("Documents that could match but were not read."),
    contentBytesLoaded: count("Bytes of text read."),
    indexBytesLoaded: count("Bytes of index read."),
    crashes: count("Shards that could not be searched."),
    shardFilesConsidered: count("Documents of the shards that were searched."),
    filesConsidered: count("Documents that the index could not rule out."),
    filesLoaded: count("Documents whose text was read."),
    shardsScanned: count("Shards that were searched."),
    shardsSkipped: count("Shards left out because enough was found or time was up."),
    shardsSkippedFilter: count("Shards that the index ruled out."),
    ngramMatches: count("Candidates that the posting lists gave."),
    ngramLookups: count("Posting lists that were looked up."),
    wait: nanoseconds("Time spent waiting for a worker"),
    matchTreeConstruction: nanoseconds("Time spent preparing"),
    matchTreeSearch: nanoseconds("Time spent searching"),
    regexpsConsidered: count("Stretches of text that an expression was run over."),
    flushReason: z
      .enum([
        "NONE",
        "MATCH_LIMIT",
        "TIME_LIMIT",
        "BYTE_LIMIT",
        "INDEXING",
        "REVISION_NOT_INDEXED",
        "SHARD_DAMAGED",
        "ENGINE_PARTIAL",
      ])
      .describe("Why the answer may be incomplete."),
  })
  .describe("What the search cost.");
export type SearchStats = z.output<typeof SearchStats>;

const SymbolParent = z
  .object({
    symbol: z.string().describe("Name of the enclosing definition, or empty."),
    kind: z.string().describe("Its kind, or empty."),
  })
  .describe("The definition around a definition.");

export const SymbolHit = z
  .object({
    symbol: z.string().describe("Name of the definition."),
    kind: z.string().describe("What it defines: `class`, `method`, `function`, `field` and so on."),
    parent: SymbolParent,
  })
  .describe("A definition that a range touches.");

export const Chunk = z
  .object({
    content: z.string().describe("Whole lines, with the final newline where the file has one."),
    matchRanges: z.array(Range).describe("The matches within; positions in the file."),
    contentStart: Position,
    symbols: z.array(SymbolHit).describe("The definitions that the matches touch."),
  })
  .describe("Lines around one match or several; `content` begins at `contentStart`.");
export type Chunk = z.output<typeof Chunk>;

export const FileMatch = z
  .object({
    fileName: z
      .object({
        text: z.string().describe("Path, relative to the repository's root."),
        matchRanges: z.array(Range).describe("Matches in the path; only where no text matched."),
      })
      .describe("The file's path."),
    webUrl: z.string().describe("Page of this service that opens the file; empty where there is none."),
    repository: z.string().describe("Name of the repository."),
    repositoryId: z.int().describe("Number of the repository."),
    language: z.string().describe("Linguist's name of the language, or empty."),
    chunks: z.array(Chunk).describe("Matches in the text, in the order of the file."),
    externalWebUrl: z.string().describe("The code host's page of the file; empty where there is none."),
    branches: z.array(z.string()).describe("Full names of the searched refs that hold this very content."),
    content: z.string().describe("The whole file where that was asked for, else empty."),
    origin: z
      .enum(["commit", "workingTree", "unsaved"])
      .describe("Whether the text is a commit's, the working tree's or an editor's."),
    commit: z.string().describe("Commit of the first of `branches`; empty without history."),
    blobSha: z.string().describe("Git's hash of the content; empty where it is in no repository."),
    explanation: z.string().optional().describe("How the rank came about, where that was asked for."),
  })
  .describe("The matches in one file.");
export type FileMatch = z.output<typeof FileMatch>;

export const Suggestion = z
  .object({
    offset: z.int().min(0).describe("Where the word stands in the query, in UTF-16 units from 0."),
    length: z.int().min(1).describe("Its length, in UTF-16 units."),
    prefix: z.string().describe("The word, which reads like a filter but is none."),
    suggestion: z.string().describe("The filter that may have been meant."),
  })
  .describe("A likely slip in the query.");

export const FoundCommit = z
  .object({
    repository: z.string().describe("Name of the repository."),
    repositoryId: z.int().describe("Number of the repository."),
    ...commitFields,
    commitDate: z.string().describe("Commit date, ISO 8601 with offset."),
    webUrl: z.string().describe("Page of this service that shows it; empty where there is none."),
    externalWebUrl: z.string().describe("The code host's page; empty where there is none."),
  })
  .describe("A commit whose message matches.");
export type FoundCommit = z.output<typeof FoundCommit>;

export const SearchResult = z
  .object({
    stats: SearchStats,
    files: z.array(FileMatch).describe("Best first."),
    commits: z
      .array(FoundCommit)
      .optional()
      .describe("Newest first; only, and in place of files, where `type:commit` asks for them."),
    repositoryInfo: z.array(RepositoryInfo).describe("The repositories of the files."),
    isSearchExhaustive: z.boolean().describe("Whether nothing can have been left out."),
    suggestions: z.array(Suggestion).optional().describe("Likely slips in the query."),
  })
  .describe("What a search found.");
export type SearchResult = z.output<typeof SearchResult>;

export const SearchFiles = SearchResult.pick({ files: true, commits: true, repositoryInfo: true }).describe(
  "Files as they are found, or commits; `repositoryInfo` tells of each repository when it first appears.",
);

export const SearchProgress = z
  .object({
    fileCount: z.int().describe("Files sent so far."),
    matchCount: z.int().describe("Ranges sent so far."),
  })
  .describe("How far a streamed search has come.");

/** What is emitted while a streamed search runs. Its end, `done` or `error`, is the answer of the call. */
export const SearchEvent = z
  .discriminatedUnion("event", [
    z
      .object({ event: z.literal("files").describe("Files were found."), data: SearchFiles })
      .describe("Files were found."),
    z
      .object({ event: z.literal("progress").describe("The search goes on."), data: SearchProgress })
      .describe("The search goes on."),
  ])
  .describe("Something that happened during a streamed search.");
export type SearchEvent = z.output<typeof SearchEvent>;

export const SearchEnd = SearchResult.omit({ files: true, commits: true }).describe(
  "The end of a streamed search.",
);
export type SearchEnd = z.output<typeof SearchEnd>;

import * as z from "zod";
import { commitFields } from "./commits";
import { Position, Range } from "./position";
import { RepositoryInfo, serverField, serverProblemField } from "./repositories";

const maxQueryCharacters = 10_000;

export const SearchRequest = z
  .object({
    query: z
      .string()
      // Not `.max()`, which counts UTF-16 units: JSON Schema counts code points. The parser rejects blank queries.
      .refine((text) => text.length <= maxQueryCharacters || [...text].length <= maxQueryCharacters, {
        error: `expected at most ${maxQueryCharacters} characters`,
      })
      .meta({
        minLength: 1,
        maxLength: maxQueryCharacters,
        examples: ["addItem", "lang:typescript addItem", "file:*.ts sym:Cart", "type:commit fix"],
      })
      .describe("The query."),
    matches: z.int().min(1).max(100_000).default(500).describe("Maximum number of ranges in the response."),
    matchesPerFile: z
      .int()
      .min(1)
      .max(100_000)
      .optional()
      .describe(
        "Maximum number of ranges per file. Others do not count for `matches`, so that the response contains more files, and do not make it incomplete. Default: no limit.",
      ),
    contextLines: z.int().min(0).max(100).default(0).describe("Number of context lines around each match."),
    whole: z.boolean().default(false).describe("Whether `files[].content` contains the whole file."),
    isRegexEnabled: z
      .boolean()
      .default(false)
      .describe("Whether terms are regular expressions in RE2 syntax."),
    isCaseSensitivityEnabled: z.boolean().default(false).describe("Whether the search is case-sensitive."),
    isWholeWordEnabled: z
      .boolean()
      .default(false)
      .describe("Whether matches must begin and end at word boundaries."),
    explain: z.boolean().default(false).describe("Whether to explain the rank of each file."),
    enclosing: z
      .boolean()
      .default(false)
      .describe("Whether to return the definition that encloses each chunk."),
    scores: z.boolean().optional().describe("Whether to return the score of each file. Default: no."),
    exceptRepositories: z
      .array(z.string())
      .max(10_000)
      .optional()
      .describe("Exact names of repositories that are not searched, in any case."),
    filesOnly: z
      .boolean()
      .default(false)
      .describe(
        "Whether to return only which files match, and how often: `chunks` is empty and `matchCount` is set, except for matches in the name, which `fileName` has. Faster, above all with `matchesPerFile: 1`, which returns up to `matches` files.",
      ),
  })
  .describe("A search.");
export type SearchRequest = z.output<typeof SearchRequest>;

const count = (description: string) => z.int().min(0).describe(description);
const nanoseconds = (description: string) => z.int().min(0).describe(`${description}, in nanoseconds.`);

export const SearchStats = z
  .object({
    actualMatchCount: count("Number of ranges in the response; with `filesOnly`, as if it contained them."),
    totalMatchCount: count("Number of ranges found."),
    duration: nanoseconds("Time from planning to the response"),
    fileCount: count("Documents with a match."),
    filesSkipped: count("Documents that could match but were not read."),
    filesMissing: count(
      "Documents that could match but whose text is missing from the repository, as in a partial clone. If there are any, the response is not exhaustive.",
    ),
    repositoriesEvicted: count(
      "Repositories that could match but have no index, because the index has reached its limit of disk space (`maxIndexBytes`). If there are any, the response is not exhaustive. `repo:` with the name of one indexes it again.",
    ),
    contentBytesLoaded: count("Bytes of text read."),
    indexBytesLoaded: count("Bytes of index read."),
    crashes: count("Shards that could not be searched."),
    shardFilesConsidered: count("Shards that were searched, or ruled out by their index."),
    filesConsidered: count("Documents that the index could not rule out."),
    filesLoaded: count("Documents whose text was read."),
    shardsScanned: count("Shards that were searched."),
    shardsSkipped: count("Shards skipped because the match limit or the deadline was reached."),
    shardsSkippedFilter: count("Shards that the index ruled out."),
    ngramMatches: count("Candidates from the posting lists."),
    ngramLookups: count("Posting lists that were looked up."),
    wait: nanoseconds("Time spent waiting for a worker"),
    matchTreeConstruction: nanoseconds("Time spent preparing"),
    matchTreeSearch: nanoseconds("Time spent searching"),
    regexpsConsidered: count("Ranges of text that a regular expression was run on."),
    flushReason: z
      .enum([
        "NONE",
        "MATCH_LIMIT",
        "TIME_LIMIT",
        "BYTE_LIMIT",
        "INDEXING",
        "RIGHTS_UNKNOWN",
        "REPOSITORY_EVICTED",
        "REVISION_NOT_INDEXED",
        "SHARD_DAMAGED",
        "ENGINE_PARTIAL",
      ])
      .describe("Why the response may be incomplete."),
  })
  .describe("Statistics of the search.");
export type SearchStats = z.output<typeof SearchStats>;

const SymbolParent = z
  .object({
    symbol: z.string().describe("Name of the enclosing definition; may be empty."),
    kind: z.string().describe("Its kind; may be empty."),
  })
  .describe("The enclosing definition.");

export const SymbolHit = z
  .object({
    symbol: z.string().describe("Name of the definition."),
    kind: z.string().describe("Kind of definition: `class`, `method`, `function`, `field` and so on."),
    parent: SymbolParent,
  })
  .describe("A definition that a range touches.");

export const Chunk = z
  .object({
    content: z.string().describe("Whole lines, including the final newline if the file has one."),
    matchRanges: z.array(Range).describe("Matches in the chunk, as positions in the file."),
    contentStart: Position,
    symbols: z.array(SymbolHit).describe("The definitions that the matches touch."),
    enclosing: z
      .object({
        symbol: z.string().describe("Name of the definition."),
        kind: z.string().describe("Its kind."),
      })
      .optional()
      .describe(
        "The innermost definition that contains all matches of the chunk and whose name is not in `content`, if it was requested. Absent if there is none, or if the file is not parsed.",
      ),
  })
  .describe("Lines around one or more matches. `content` begins at `contentStart`.");
export type Chunk = z.output<typeof Chunk>;

export const FileMatch = z
  .object({
    fileName: z
      .object({
        text: z.string().describe("Path, relative to the repository's root."),
        matchRanges: z.array(Range).describe("Matches in the path; only if no text matched."),
      })
      .describe("The file's path."),
    webUrl: z.string().describe("URL of this service's page for the file; may be empty."),
    repository: z.string().describe("Name of the repository."),
    repositoryId: z.int().describe("Id of the repository."),
    language: z.string().describe("Linguist's name of the language, or empty."),
    chunks: z
      .array(Chunk)
      .describe(
        "Matches in the text, in file order. Chunks that contain the phrase (`phraseMatchCount`) come first.",
      ),
    externalWebUrl: z.string().describe("URL of the code host's page for the file; may be empty."),
    branches: z.array(z.string()).describe("Full names of the searched refs that contain this content."),
    content: z.string().describe("The whole file if it was requested, otherwise empty."),
    origin: z
      .enum(["commit", "workingTree", "unsaved"])
      .describe("Whether the text comes from a commit, the working tree or an unsaved document."),
    commit: z.string().describe("Commit of the first entry of `branches`; empty for plain folders."),
    blobSha: z.string().describe("Git blob SHA of the content; empty if it is in no repository."),
    explanation: z.string().optional().describe("Explanation of the rank, if it was requested."),
    matchCount: z
      .int()
      .optional()
      .describe(
        "Number of matches in the file; only if the response contains fewer ranges of it, as with `filesOnly`.",
      ),
    score: z.number().optional().describe("Score of the file, if it was requested; higher is better."),
    server: serverField,
  })
  .describe("The matches in one file.");
export type FileMatch = z.output<typeof FileMatch>;

export const Suggestion = z
  .object({
    offset: z.int().min(0).describe("Offset of the word in the query, in UTF-16 units from 0."),
    length: z.int().min(1).describe("Its length, in UTF-16 units."),
    prefix: z
      .string()
      .describe(
        "The word that is probably wrong: it looks like a filter but is not one, or no repository or revision has that name.",
      ),
    suggestion: z.string().describe("The text that replaces it."),
  })
  .describe("A likely mistake in the query.");

export const FoundCommit = z
  .object({
    repository: z.string().describe("Name of the repository."),
    repositoryId: z.int().describe("Id of the repository."),
    ...commitFields,
    commitDate: z.string().describe("Commit date, ISO 8601 with offset."),
    webUrl: z.string().describe("URL of this service's page for it; may be empty."),
    externalWebUrl: z.string().describe("URL of the code host's page; may be empty."),
    server: serverField,
  })
  .describe("A commit whose message matches.");
export type FoundCommit = z.output<typeof FoundCommit>;

const UnavailablePart = z
  .object({
    node: z.string().describe("Name of the node in the configuration."),
    reason: z.string().describe("Why, as the rest of a sentence: `cannot be reached`."),
    repositoryCount: z
      .int()
      .optional()
      .describe(
        "Number of searched repositories of which matches may be missing; absent if that is unknown.",
      ),
  })
  .describe("A node that was not searched, or only in part.");

export const SearchResult = z
  .object({
    stats: SearchStats,
    files: z.array(FileMatch).describe("Best first."),
    commits: z
      .array(FoundCommit)
      .optional()
      .describe("Commits, newest first; only for `type:commit`, instead of files."),
    repositoryInfo: z.array(RepositoryInfo).describe("The repositories of the files."),
    isSearchExhaustive: z
      .boolean()
      .describe(
        "Whether the response is complete: no match can be missing because of a limit, a timeout or unfinished indexing.",
      ),
    serverProblem: serverProblemField,
    unavailable: z
      .array(UnavailablePart)
      .optional()
      .describe(
        "Nodes of a cluster that did not take part in the search, or only in part; absent if all did.",
      ),
    suggestions: z.array(Suggestion).optional().describe("Likely mistakes in the query."),
    phraseMatchCount: z
      .int()
      .optional()
      .describe(
        "For a query of several words: number of matches of the words as one phrase. Files with the phrase come first, and in them the chunks with the phrase. Absent if there are none.",
      ),
  })
  .describe("The result of a search.");
export type SearchResult = z.output<typeof SearchResult>;

export const SearchFiles = SearchResult.pick({ files: true, commits: true, repositoryInfo: true }).describe(
  "Files or commits as they are found. `repositoryInfo` contains each repository when it first appears.",
);

export const SearchProgress = z
  .object({
    fileCount: z.int().describe("Files sent so far."),
    matchCount: z.int().describe("Ranges sent so far."),
  })
  .describe("Progress of a streamed search.");

/** An event of a streamed search, except the last one, which is `done` or `error`. */
export const SearchEvent = z
  .discriminatedUnion("event", [
    z
      .object({ event: z.literal("files").describe("Files were found."), data: SearchFiles })
      .describe("Files were found."),
    z
      .object({ event: z.literal("progress").describe("The search is still running."), data: SearchProgress })
      .describe("The search is still running."),
  ])
  .describe("An event of a streamed search.");
export type SearchEvent = z.output<typeof SearchEvent>;

export const SearchEnd = SearchResult.omit({ files: true, commits: true }).describe(
  "The last event of a streamed search.",
);
export type SearchEnd = z.output<typeof SearchEnd>;

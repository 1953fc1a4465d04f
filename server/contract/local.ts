/** What only the person at this computer may ask: rows without `http`, over LSP and the socket. */
import * as z from "zod";
import { RepositoryState } from "./repositories";

export const PathsRequest = z
  .object({ paths: z.array(z.string().min(1)).min(1).describe("Absolute paths of repositories or folders.") })
  .describe("Places on this computer.");
export type PathsRequest = z.output<typeof PathsRequest>;

export const AddPathsRequest = z
  .object({
    ...PathsRequest.shape,
    areOpen: z
      .boolean()
      .default(false)
      .describe(
        "Whether an editor adds what it has open: what was removed from the index stays away, and a folder inside of a repository stands for the whole.",
      ),
  })
  .describe("Places on this computer, and who adds them.");
export type AddPathsRequest = z.output<typeof AddPathsRequest>;

export const AddedPaths = z
  .object({ repositories: z.array(z.string()).describe("Names of the repositories found there.") })
  .describe("What is known from now on.");
export type AddedPaths = z.output<typeof AddedPaths>;

export const RemovedPaths = z
  .object({
    repositories: z.array(z.string()).describe("Names of the repositories forgotten."),
    excluded: z
      .array(z.string())
      .describe(
        "Those of the places below another place that is known: passed over there until they are added again.",
      ),
  })
  .describe("What is not known any more.");
export type RemovedPaths = z.output<typeof RemovedPaths>;

export const IndexingRequest = z
  .object({
    follow: z.boolean().default(false).describe("Whether to go on telling after everything is indexed."),
    withSymbols: z
      .boolean()
      .default(false)
      .describe("Whether everything counts as indexed only when its definitions are known, too."),
  })
  .describe("How long to tell about indexing.");
export type IndexingRequest = z.output<typeof IndexingRequest>;

/**
 * Sent at most a few times a second, also where repositories have only gone. The first one tells of every repository that
 * is not ready.
 */
export const IndexingProgress = z
  .object({
    repositories: z
      .array(
        z.object({
          repositoryId: z.int().describe("Number of the repository."),
          repository: z.string().describe("Name of the repository."),
          state: RepositoryState,
          progress: z.number().describe("How much of the present index run is done, 0 to 1."),
          error: z.string().optional().describe("Why the last index run failed."),
        }),
      )
      .describe("Those whose state or progress changed."),
    total: z.int().describe("Repositories known."),
    ready: z.int().describe("Those of them that are up to date."),
  })
  .describe("How far indexing is.");
export type IndexingProgress = z.output<typeof IndexingProgress>;

export const IndexingEnd = z
  .object({
    total: z.int().describe("Repositories known."),
    ready: z.int().describe("Those of them that are up to date."),
    failed: z
      .array(z.object({ repository: z.string(), error: z.string() }))
      .describe("Those that could not be indexed, and why."),
  })
  .describe("Where the index stands when nothing is left to do.");
export type IndexingEnd = z.output<typeof IndexingEnd>;

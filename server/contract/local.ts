/** Schemas of the local user's operations on the index. LSP and the socket serve them, REST does not. */
import * as z from "zod";
import { RepositoryState } from "./repositories";

export const PathsRequest = z
  .object({ paths: z.array(z.string().min(1)).min(1).describe("Absolute paths of repositories or folders.") })
  .describe("Paths on this computer.");
export type PathsRequest = z.output<typeof PathsRequest>;

export const AddPathsRequest = z
  .object({
    ...PathsRequest.shape,
    areOpen: z
      .boolean()
      .default(false)
      .describe(
        "Whether these are folders that an editor has open. Removed repositories are then not added again, and a folder inside a repository adds that repository.",
      ),
  })
  .describe("Paths to add.");
export type AddPathsRequest = z.output<typeof AddPathsRequest>;

export const AddedPaths = z
  .object({ repositories: z.array(z.string()).describe("Names of the repositories found at the paths.") })
  .describe("The added repositories.");
export type AddedPaths = z.output<typeof AddedPaths>;

export const RemovedPaths = z
  .object({
    repositories: z.array(z.string()).describe("Names of the removed repositories."),
    excluded: z
      .array(z.string())
      .describe("Paths inside another added path. They are skipped there until they are added again."),
  })
  .describe("The removed repositories and paths.");
export type RemovedPaths = z.output<typeof RemovedPaths>;

export const IndexingRequest = z
  .object({
    follow: z.boolean().default(false).describe("Whether to keep reporting after everything is indexed."),
    withSymbols: z.boolean().default(false).describe("Whether to wait for symbols as well."),
    withDependencies: z
      .boolean()
      .default(false)
      .describe("Whether to wait for packages as well, which the events omit."),
    withMirrors: z
      .boolean()
      .default(false)
      .describe("Whether to wait for clones of repositories of code hosts as well."),
  })
  .describe("How long to report progress.");
export type IndexingRequest = z.output<typeof IndexingRequest>;

/**
 * Sent at most a few times a second. An event with no repositories reports that some were removed. The first event
 * lists every repository that is not ready.
 */
export const IndexingProgress = z
  .object({
    repositories: z
      .array(
        z.object({
          repositoryId: z.int().describe("Id of the repository."),
          repository: z.string().describe("Name of the repository."),
          state: RepositoryState,
          progress: z.number().describe("Progress of the current index run, 0 to 1."),
          error: z.string().optional().describe("Why the last index run failed."),
        }),
      )
      .describe("Repositories whose state or progress changed."),
    total: z.int().describe("Number of repositories."),
    ready: z.int().describe("Number of repositories that are up to date."),
    packages: z
      .object({ total: z.int(), ready: z.int() })
      .optional()
      .describe("Number of packages, and of those that are indexed; only if the call waits for them."),
  })
  .describe("Indexing progress.");
export type IndexingProgress = z.output<typeof IndexingProgress>;

export const IndexingEnd = z
  .object({
    total: z.int().describe("Number of repositories."),
    ready: z.int().describe("Number of repositories that are up to date."),
    failed: z
      .array(z.object({ repository: z.string(), error: z.string() }))
      .describe("Repositories that could not be indexed, with the reason."),
    cloning: z
      .int()
      .optional()
      .describe(
        "Number of repositories of code hosts that are still to be cloned; absent if there are none.",
      ),
    listing: z
      .int()
      .optional()
      .describe("Number of code hosts that have never been listed; absent if there are none."),
  })
  .describe("State of the index after indexing.");
export type IndexingEnd = z.output<typeof IndexingEnd>;

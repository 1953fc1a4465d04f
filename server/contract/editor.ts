/** Schemas of the local user's operations that support an editor. LSP and the socket serve them, REST does not. */
import * as z from "zod";

const names = z.array(z.string().min(1)).min(1).describe("Names of repositories.");

export const Done = z.object({}).describe("The operation succeeded.");

export const Siblings = z
  .object({
    repositories: z
      .array(
        z.object({
          path: z.string().describe("Absolute path of the clone."),
          name: z.string().describe("The name that it would get in the index."),
          sizeBytes: z
            .int()
            .describe("Size of its object database in bytes; a lower bound if counting was cut short."),
        }),
      )
      .describe("Clones next to the open folders that are not indexed, by name."),
    isComplete: z.boolean().describe("Whether the search finished in time."),
  })
  .describe("Clones that could be added.");
export type Siblings = z.output<typeof Siblings>;

export const Examples = z
  .object({
    queries: z.array(
      z.object({
        query: z.string(),
        repositories: z.int().describe("Number of repositories with matches."),
        matches: z.int().describe("Number of matches; a lower bound if counting was cut short."),
      }),
    ),
  })
  .describe("At most three example queries, made of names that the open repositories define.");
export type Examples = z.output<typeof Examples>;

export const LocateRequest = z
  .object({
    repository: z.string().min(1).describe("Name of the repository."),
    path: z.string().describe("Path, relative to its root; empty for the root itself."),
    blobSha: z.string().optional().describe("Git blob SHA of the content that `lines` refer to."),
    lines: z.array(z.int().min(1)).max(10_000).default([]).describe("Line numbers to map, from 1."),
  })
  .describe("A file of a response.");
export type LocateRequest = z.output<typeof LocateRequest>;

export const LocatedFile = z
  .object({
    state: z
      .enum(["same", "changed", "gone", "noClone"])
      .describe("Whether the file on disk, or its unsaved text, still has this content."),
    path: z.string().optional().describe("Absolute path of the file or folder; absent if there is no clone."),
    lines: z
      .array(z.int().nullable())
      .describe("The current number of each line, from 1; null if the line no longer exists."),
  })
  .describe("The editable file on this computer.");
export type LocatedFile = z.output<typeof LocatedFile>;

export const RepositoriesByName = z.object({ repositories: names }).describe("Repositories by name.");

export const PauseRequest = z
  .object({ isPaused: z.boolean().describe("Whether to pause indexing. Searches still work.") })
  .describe("Whether to pause indexing.");

export const EndpointRequest = z
  .object({
    port: z.int().min(0).max(65_535).optional().describe("If absent, the default port or the next free one."),
    allowedOrigins: z
      .array(z.string())
      .optional()
      .describe("Further browser origins that may call, and embed pages."),
  })
  .describe("How to serve the REST API.");

export const EndpointAddress = z.object({ url: z.string() }).describe("URL of the REST API.");

export const InstanceState = z
  .object({
    version: z.string(),
    pid: z.int().describe("Id of the process that owns the index."),
    dataDir: z.string(),
    url: z.string().optional().describe("URL of the REST API; absent if it is not served."),
    isPaused: z.boolean(),
    configurationProblem: z
      .string()
      .optional()
      .describe("Why a change of the configuration file is not in use; absent if the file is."),
    paths: z.int().describe("Number of added paths."),
    repositories: z.int().describe("Number of repositories."),
    ready: z.int().describe("Number of repositories that are up to date."),
    failed: z.int().describe("Number of repositories whose last index run failed."),
    polled: z
      .int()
      .describe(
        "Number of repositories that are polled because the system's limit on file watches is reached.",
      ),
    contentBytes: z.int().describe("Bytes of indexed text."),
    indexBytes: z.int().describe("Bytes of the index on disk, with symbols and packages."),
    maxIndexBytes: z.int().optional().describe("Limit of `indexBytes`; absent without one."),
    evicted: z
      .int()
      .describe("Number of repositories that have no index, because of the limit of disk space."),
    memoryBytes: z.int().describe("Memory of the process in bytes."),
    maxMemoryBytes: z.int().optional().describe("Soft limit on `memoryBytes`; absent without one."),
    uptimeSeconds: z.int(),
  })
  .describe("The running instance.");
export type InstanceState = z.output<typeof InstanceState>;

export const Clones = z
  .object({
    clones: z.array(
      z.object({
        repositoryId: z.int(),
        repository: z.string().describe("Name of the repository."),
        folder: z
          .string()
          .describe("Absolute path of its working tree, or of the repository directory if it is bare."),
        isBare: z.boolean(),
        cloneUrl: z
          .string()
          .optional()
          .describe("URL that a mirror of a code host is cloned from; absent for other repositories."),
      }),
    ),
  })
  .describe("The clones on this computer.");
export type Clones = z.output<typeof Clones>;

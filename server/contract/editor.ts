/** What an editor on this computer asks of its own Trawl beside searching: rows without `http`. */
import * as z from "zod";

const names = z.array(z.string().min(1)).min(1).describe("Names of repositories.");

export const Done = z.object({}).describe("It is done.");

export const Siblings = z
  .object({
    repositories: z
      .array(
        z.object({
          path: z.string().describe("Absolute path of the clone."),
          name: z.string().describe("The name that it would have."),
          sizeBytes: z.int().describe("Bytes of its objects on disk, as far as they were counted."),
        }),
      )
      .describe("Clones next to the open folders that are not indexed, by name."),
    isComplete: z.boolean().describe("Whether all were found in the time there was."),
  })
  .describe("What could be added.");
export type Siblings = z.output<typeof Siblings>;

export const Examples = z
  .object({
    queries: z.array(
      z.object({
        query: z.string(),
        repositories: z.int().describe("Repositories in which it is found."),
        matches: z.int().describe("Matches in all of them, as far as they were counted."),
      }),
    ),
  })
  .describe("Queries to begin with, made of names that the open repositories really use; at most three.");
export type Examples = z.output<typeof Examples>;

export const LocateRequest = z
  .object({
    repository: z.string().min(1).describe("Name of the repository."),
    path: z.string().describe("Path, relative to its root; empty for the root itself."),
    blobSha: z.string().optional().describe("The content that `lines` are meant in."),
    lines: z.array(z.int().min(1)).max(10_000).default([]).describe("Lines to find again, from 1."),
  })
  .describe("A file as an answer gave it.");
export type LocateRequest = z.output<typeof LocateRequest>;

export const Location = z
  .object({
    state: z
      .enum(["same", "changed", "gone", "noClone"])
      .describe("Whether the file on disk, or its unsaved text, holds the same content as then."),
    path: z.string().optional().describe("Absolute path of the file or folder; absent without a clone."),
    lines: z
      .array(z.int().nullable())
      .describe("Where each line stands now, from 1; null where it is not there any more."),
  })
  .describe("The editable file behind an answer.");
export type Location = z.output<typeof Location>;

export const RepositoriesNamed = z.object({ repositories: names }).describe("Some repositories.");

export const PauseRequest = z
  .object({ isPaused: z.boolean().describe("Whether indexing is to rest; searching goes on.") })
  .describe("Whether to index.");

export const EndpointRequest = z
  .object({
    port: z.int().min(0).max(65_535).optional().describe("Absent: the default port, or the next free one."),
    allowedOrigins: z.array(z.string()).optional().describe("Browser origins that may call, beside its own."),
  })
  .describe("Where to listen.");

export const EndpointAddress = z.object({ url: z.string() }).describe("Where the REST interface answers.");

export const InstanceState = z
  .object({
    version: z.string(),
    pid: z.int().describe("Process that holds the index."),
    dataDir: z.string(),
    url: z.string().optional().describe("Where the REST interface answers; absent while it does not listen."),
    isPaused: z.boolean(),
    repositories: z.int().describe("Repositories known."),
    ready: z.int().describe("Those of them that are up to date."),
    failed: z.int().describe("Those of them whose last index run failed."),
    polled: z
      .int()
      .describe("Those that are looked at from time to time because the system watches no more."),
    contentBytes: z.int().describe("Bytes of indexed text."),
    indexBytes: z.int().describe("Bytes of the index on disk."),
    memoryBytes: z.int().describe("Bytes of memory that the process has."),
    uptimeSeconds: z.int(),
  })
  .describe("The Trawl that answers.");
export type InstanceState = z.output<typeof InstanceState>;

export const Clones = z
  .object({
    clones: z.array(
      z.object({
        repositoryId: z.int(),
        repository: z.string().describe("Name of the repository."),
        folder: z.string().describe("Absolute path of its working tree; of the repository where it is bare."),
        isBare: z.boolean(),
      }),
    ),
  })
  .describe("Where repositories lie on this computer.");
export type Clones = z.output<typeof Clones>;

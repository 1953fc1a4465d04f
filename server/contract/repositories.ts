import * as z from "zod";
import { pageFields } from "./position";

export const CodeHostType = z
  .enum([
    "github",
    "gitlab",
    "gitea",
    "gerrit",
    "bitbucketServer",
    "bitbucketCloud",
    "genericGitHost",
    "azuredevops",
  ])
  .describe("The kind of code host.");
export type CodeHostType = z.output<typeof CodeHostType>;

export const serverField = z
  .string()
  .optional()
  .describe("URL of the team's server that it comes from; absent if it comes from this service.");

export const serverProblemField = z
  .string()
  .optional()
  .describe("Why the part of the team's server is missing; absent if it is not.");

export const RepositoryInfo = z
  .object({
    id: z.int().describe("Id of the repository, from 1; never reused."),
    name: z.string().describe("Fully qualified name, as in `github.com/o/r`."),
    displayName: z.string().describe("Display name of the repository."),
    webUrl: z.string().describe("URL of this service's page for the repository; may be empty."),
    externalWebUrl: z.string().describe("URL of the code host's page for the repository; may be empty."),
    codeHostType: CodeHostType,
    server: serverField,
  })
  .describe("A repository with files in the response.");
export type RepositoryInfo = z.output<typeof RepositoryInfo>;

export const RepositoryState = z
  .enum(["queued", "cloning", "indexing", "ready", "stale", "failed", "evicted"])
  .describe(
    "State of the repository's index. `evicted`: it has none, because of the limit of disk space (`maxIndexBytes`).",
  );
export type RepositoryState = z.output<typeof RepositoryState>;

const IndexedRevision = z
  .object({
    name: z.string().describe("Full ref name, or `HEAD` if it is detached."),
    commit: z.string().describe("The commit that it pointed to when it was indexed."),
  })
  .describe("A revision that can be searched.");

export const RepositoriesRequest = z
  .object({
    ...pageFields,
    sort: z
      .enum(["name", "pushed", "indexed", "stars"])
      .default("name")
      .describe("Sort key. `stars`: those on the code host."),
    direction: z.enum(["asc", "desc"]).default("asc").describe("Sort direction."),
    query: z
      .string()
      .optional()
      .describe("Only repositories whose name contains this text, or once was this text, ignoring case."),
    name: z
      .string()
      .optional()
      .describe("Only the repository that has this fully qualified name, or else had it before."),
    dependencies: z
      .enum(["no", "yes", "only"])
      .default("no")
      .describe("Whether to list packages that lock files name, such as `npm/zod@4.6.7`."),
  })
  .describe("A page of the repositories.");
export type RepositoriesRequest = z.output<typeof RepositoriesRequest>;

export const RepositoryItem = z
  .object({
    repoId: z.int().describe("Id of the repository, from 1; never reused."),
    repoName: z.string().describe("Fully qualified name."),
    formerNames: z
      .array(z.string())
      .optional()
      .describe("Names that it had on its code host before. They still lead to it."),
    repoDisplayName: z.string().optional().describe("Display name."),
    codeHostType: CodeHostType,
    webUrl: z.string().describe("URL of this service's page for the repository; may be empty."),
    externalWebUrl: z.string().optional().describe("URL of the code host's page for the repository."),
    defaultBranch: z.string().optional().describe("Short name of the default revision."),
    indexedAt: z.iso.datetime().optional().describe("When the index was last updated."),
    pushedAt: z.iso.datetime().optional().describe("Commit date of the default revision."),
    isFork: z.boolean().describe("Whether the code host calls it a fork."),
    isArchived: z.boolean().describe("Whether the code host calls it archived."),
    stars: z
      .int()
      .min(0)
      .optional()
      .describe("Number of its stars on the code host, as of the last listing."),
    topics: z.array(z.string()).optional().describe("Its topics on the code host; absent if none."),
    revisions: z.array(IndexedRevision).describe("Indexed revisions."),
    state: RepositoryState,
    progress: z.number().describe("Progress of the current index run, 0 to 1."),
    lastError: z.string().optional().describe("Why the last index run failed."),
    evictedReason: z
      .string()
      .optional()
      .describe("Why it has no index, and how to get one; present if the state is `evicted`."),
    evictedRevisions: z
      .array(z.string())
      .optional()
      .describe(
        "Revisions whose index was removed because of the limit of disk space. A search with `rev:` indexes them again. Absent if none.",
      ),
    documentCount: z
      .int()
      .describe("Documents in the index, skipped ones included, and files that the working tree adds."),
    skippedCount: z.int().describe("Number of documents whose text is not indexed."),
    contentBytes: z.int().describe("Bytes of indexed text, of the working tree too."),
    indexBytes: z.int().describe("Bytes of the index on disk."),
    isPolled: z
      .boolean()
      .describe(
        "Whether it is polled because the system's limit on file watches is reached; changes are then detected with a delay of several seconds.",
      ),
    symbolsReady: z.boolean().describe("Whether definitions can be searched."),
    dependencyCount: z
      .int()
      .optional()
      .describe("Number of packages that its lock files name and that are on this computer; absent if none."),
    dependencyProblem: z.string().optional().describe("Why more packages may be on this computer."),
    server: serverField,
  })
  .describe("A repository and the state of its index.");
export type RepositoryItem = z.output<typeof RepositoryItem>;

export const SkippedRequest = z
  .object({
    ...pageFields,
    repo: z.string().optional().describe("Only documents of the repository with this exact name."),
  })
  .describe("A page of the skipped documents.");
export type SkippedRequest = z.output<typeof SkippedRequest>;

export const SkippedDocument = z
  .object({
    repoId: z.int().describe("Id of the document's repository."),
    repoName: z.string().describe("Name of the document's repository."),
    path: z.string().describe("Path of the document, relative to the repository's root."),
    reason: z
      .enum(["tooLarge", "binary", "notText", "tooManyTrigrams", "missing", "unreadable", "excluded"])
      .describe("Why its text is not indexed."),
    sizeBytes: z.int().optional().describe("Size of the document, if known."),
  })
  .describe("A document that can be found only by its path.");
export type SkippedDocument = z.output<typeof SkippedDocument>;

export const UnparsedRequest = SkippedRequest.describe("A page of the documents without symbols.");
export type UnparsedRequest = z.output<typeof UnparsedRequest>;

export const UnparsedDocument = z
  .object({
    repoId: SkippedDocument.shape.repoId,
    repoName: SkippedDocument.shape.repoName,
    path: SkippedDocument.shape.path,
    language: z.string().describe("Linguist's name of the language."),
    reason: z.enum(["tooLarge", "tooSlow", "crashed"]).describe("Why its code was not parsed."),
    sizeBytes: z.int().describe("Size of the document."),
  })
  .describe("A document that is searched as text but has no symbols, although its language has a parser.");
export type UnparsedDocument = z.output<typeof UnparsedDocument>;

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
  .describe("The kind of place that a repository comes from.");
export type CodeHostType = z.output<typeof CodeHostType>;

export const RepositoryInfo = z
  .object({
    id: z.int().describe("Number of the repository, from 1, never reused."),
    name: z.string().describe("Fully-qualified name, as in `github.com/o/r`."),
    displayName: z.string().describe("A shorter name where the repository has one, else its name."),
    webUrl: z.string().describe("Page of this service that opens the repository; empty where there is none."),
    externalWebUrl: z.string().describe("The code host's page of the repository; empty where there is none."),
    codeHostType: CodeHostType,
  })
  .describe("A repository of which the answer holds files.");
export type RepositoryInfo = z.output<typeof RepositoryInfo>;

export const RepositoryState = z
  .enum(["queued", "cloning", "indexing", "ready", "stale", "failed"])
  .describe("Where the repository's index stands.");
export type RepositoryState = z.output<typeof RepositoryState>;

const IndexedRevision = z
  .object({
    name: z.string().describe("Full ref name, or `HEAD` where it is detached."),
    commit: z.string().describe("The commit that it named when it was indexed."),
  })
  .describe("A revision that can be searched.");

export const RepositoriesRequest = z
  .object({
    ...pageFields,
    sort: z.enum(["name", "pushed", "indexed"]).default("name").describe("What the list is ordered by."),
    direction: z.enum(["asc", "desc"]).default("asc").describe("Which end of the order comes first."),
    query: z.string().optional().describe("Only repositories whose name contains this text, in any case."),
  })
  .describe("Which page of the repositories.");
export type RepositoriesRequest = z.output<typeof RepositoriesRequest>;

export const RepositoryItem = z
  .object({
    repoId: z.int().describe("Number of the repository, from 1, never reused."),
    repoName: z.string().describe("Fully-qualified name."),
    repoDisplayName: z.string().optional().describe("A shorter name."),
    codeHostType: CodeHostType,
    webUrl: z.string().describe("Page of this service that opens the repository; empty where there is none."),
    externalWebUrl: z.string().optional().describe("The code host's page of the repository."),
    defaultBranch: z.string().optional().describe("Short name of the default revision."),
    indexedAt: z.iso.datetime().optional().describe("When the index was last brought up to date."),
    pushedAt: z.iso.datetime().optional().describe("Commit date of the default revision."),
    isFork: z.boolean().describe("Whether the code host calls it a fork."),
    isArchived: z.boolean().describe("Whether the code host calls it archived."),
    revisions: z.array(IndexedRevision).describe("What is indexed of it."),
    state: RepositoryState,
    progress: z.number().describe("How much of the present index run is done, 0 to 1."),
    lastError: z.string().optional().describe("Why the last index run failed."),
    documentCount: z.int().describe("Documents in the index, skipped ones included."),
    skippedCount: z.int().describe("Documents whose text is not indexed."),
    contentBytes: z.int().describe("Bytes of indexed text."),
    indexBytes: z.int().describe("Bytes of the index on disk."),
    isPolled: z
      .boolean()
      .describe(
        "Whether the system's limit keeps its folders from being watched, so that some changes are found only after seconds.",
      ),
    symbolsReady: z.boolean().describe("Whether definitions can be searched."),
  })
  .describe("A repository and the state of its index.");
export type RepositoryItem = z.output<typeof RepositoryItem>;

export const SkippedRequest = z
  .object({
    ...pageFields,
    repo: z.string().optional().describe("Only documents of the repository of this exact name."),
  })
  .describe("Which page of the skipped documents.");
export type SkippedRequest = z.output<typeof SkippedRequest>;

export const SkippedDocument = z
  .object({
    repoId: z.int().describe("Number of the document's repository."),
    repoName: z.string().describe("Name of the document's repository."),
    path: z.string().describe("Path of the document, relative to the repository's root."),
    reason: z
      .enum(["tooLarge", "binary", "notText", "tooManyTrigrams", "missing", "unreadable", "excluded"])
      .describe("Why its text is not indexed."),
    sizeBytes: z.int().optional().describe("Size of the document, where it is known."),
  })
  .describe("A document that is found by its name only.");
export type SkippedDocument = z.output<typeof SkippedDocument>;

export const UnparsedRequest = SkippedRequest.describe("Which page of the documents without symbols.");
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
  .describe("A document that is searched as text, but has no symbols although its language is parsed.");
export type UnparsedDocument = z.output<typeof UnparsedDocument>;

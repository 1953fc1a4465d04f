/** Browsing repositories at a revision, and their history. */
import * as z from "zod";
import { pageFields } from "./position";
import { CodeHostType } from "./repositories";

export const repoField = z.string().min(1).describe("Exact fully-qualified name of the repository.");

export const refField = z
  .string()
  .describe("Branch, tag, full ref name, commit or `HEAD`, with git's `~2` and `^` behind it.");

export const pathField = z
  .string()
  .describe("Path relative to the root, `/`-separated; taken literally. One leading `/` is dropped.");

export const SourceRequest = z
  .object({
    repo: repoField,
    path: pathField,
    ref: refField.optional().describe("The revision; absent: the default one of the repository."),
    lines: z
      .string()
      .max(20)
      .optional()
      .describe(
        "Lines that `webUrl` and `externalWebUrl` lead to: `10` or `10-20`; absent: the file as such.",
      ),
    encoding: z
      .enum(["utf-8", "base64"])
      .default("utf-8")
      .describe("What `source` is: the text, or the bytes in Base64, which are right for what is no UTF-8."),
  })
  .describe("Which file, at which revision.");
export type SourceRequest = z.output<typeof SourceRequest>;

export const FileSource = z
  .object({
    source: z
      .string()
      .describe("The whole text; bytes that are no UTF-8 became U+FFFD. Of a symbolic link its target."),
    language: z.string().describe("Linguist's name of the language; empty if unknown."),
    path: z.string().describe("Path of the file."),
    repo: z.string().describe("Name of the repository."),
    repoCodeHostType: CodeHostType,
    repoDisplayName: z.string().describe("A shorter name where the repository has one, else its name."),
    repoExternalWebUrl: z
      .string()
      .describe("The code host's page of the repository; empty where there is none."),
    webUrl: z.string().describe("Page of this service that opens the file; empty where there is none."),
    externalWebUrl: z.string().describe("The code host's page of the file; empty where there is none."),
    blobSha: z.string().describe("Git's name for the content."),
    commit: z.string().describe("The commit that the revision names; empty for a plain folder."),
  })
  .describe("A file at a revision.");
export type FileSource = z.output<typeof FileSource>;

export const TreeRequest = z
  .object({
    repoName: repoField,
    revisionName: refField.default("HEAD"),
    paths: z.array(pathField).max(1000).default([]).describe("Folders that are open, besides the root."),
  })
  .describe("Which folders, at which revision.");
export type TreeRequest = z.output<typeof TreeRequest>;

export interface TreeNode {
  type: "tree" | "blob" | "commit";
  path: string;
  name: string;
  children: TreeNode[];
}

export const TreeNode: z.ZodType<TreeNode> = z
  .object({
    type: z.enum(["tree", "blob", "commit"]).describe("A folder, a file or symbolic link, or a submodule."),
    path: z.string().describe("Path from the root, without leading `/`; empty for the root."),
    name: z.string().describe("Last segment of the path; `root` for the root."),
    get children() {
      return z.array(TreeNode).describe("What is in an open folder: folders first, then by name.");
    },
  })
  .describe("Something in a tree.");

export const FileTree = z.object({ tree: TreeNode }).describe("The root, and what is open below it.");
export type FileTree = z.output<typeof FileTree>;

export const BranchesRequest = z
  .object({
    ...pageFields,
    repo: repoField,
    query: z.string().optional().describe("Only names that contain this text, in any case."),
  })
  .describe("Which page of a repository's branches and tags.");
export type BranchesRequest = z.output<typeof BranchesRequest>;

export const Branch = z
  .object({
    name: z.string().describe("Short name."),
    fullName: z.string().describe("Full ref name."),
    commit: z.string().describe("The commit that it names."),
    date: z.string().describe("Commit date, ISO 8601 with offset; empty where the commit is not there."),
    isDefault: z.boolean().describe("Whether it is the repository's default revision."),
    isTag: z.boolean().describe("Whether it is a tag, and no branch."),
    isIndexed: z.boolean().describe("Whether it can be searched without waiting."),
  })
  .describe("A branch or a tag.");
export type Branch = z.output<typeof Branch>;

export const BlameRequest = z
  .object({
    repo: repoField,
    path: pathField,
    ref: refField.optional().describe("The revision; absent: the default one of the repository."),
    ignoreRevs: z
      .boolean()
      .optional()
      .describe(
        "Whether commits that `.git-blame-ignore-revs` names are passed over; absent: where there is one.",
      ),
    ignoreWhitespace: z
      .boolean()
      .default(false)
      .describe("Whether commits that only changed white space are passed over."),
    ignoreRevsFile: pathField
      .optional()
      .describe("The file that names commits to pass over; absent: `.git-blame-ignore-revs`."),
    followMoves: z
      .boolean()
      .default(false)
      .describe("Whether lines are followed that were moved, in the file or from another one: slow."),
    lines: z.string().max(20).optional().describe("Only these lines: `10` or `10-20`; absent: all of them."),
    isPatient: z
      .boolean()
      .default(false)
      .describe("Whether git may take six times as long as it may otherwise."),
  })
  .describe("Which file, at which revision.");
export type BlameRequest = z.output<typeof BlameRequest>;

export const BlameRange = z
  .object({
    hash: z.string().describe("The commit that the lines come from."),
    path: z.string().describe("Name of the file in that commit."),
    startLine: z.int().min(1).describe("First line, from 1."),
    lineCount: z.int().min(1).describe("How many lines."),
  })
  .describe("Adjacent lines of one commit and path.");
export type BlameRange = z.output<typeof BlameRange>;

export const BlameCommit = z
  .object({
    hash: z.string().describe("Full commit SHA."),
    date: z.string().describe("Author date, ISO 8601 with offset."),
    message: z.string().describe("Subject line."),
    authorName: z.string().describe("By `.mailmap`."),
    authorEmail: z.string().describe("By `.mailmap`."),
    previous: z
      .object({
        hash: z.string().describe("The commit before."),
        path: z.string().describe("Name of the file there."),
      })
      .optional()
      .describe("Where the file stood before this commit; absent where it began."),
  })
  .describe("A commit that lines come from.");
export type BlameCommit = z.output<typeof BlameCommit>;

export const Blame = z
  .object({
    ranges: z.array(BlameRange).describe("The lines that were asked for, in order."),
    commits: z.record(z.string(), BlameCommit).describe("By full SHA."),
  })
  .describe("Which commit each line comes from.");
export type Blame = z.output<typeof Blame>;

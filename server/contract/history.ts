/** Schemas for browsing repositories at a revision, and for their history. */
import * as z from "zod";
import { pageFields } from "./position";
import { CodeHostType } from "./repositories";

export const repoField = z
  .string()
  .min(1)
  .meta({ examples: ["github.com/acme/shop"] })
  .describe("Exact fully qualified name of the repository.");

/**
 * The constraints are documentation only: the service rejects a malformed name with `INVALID_GIT_REF`, as it rejects an
 * unknown one.
 */
export const refField = z
  .string()
  .meta({
    minLength: 1,
    maxLength: 250,
    pattern: "^[^\\u0000-\\u0020\\u007f:?*\\[\\\\~^/-][^\\u0000-\\u0020\\u007f:?*\\[\\\\]*$",
    examples: ["HEAD", "main"],
  })
  .describe(
    "Branch, tag, full ref name, commit SHA or `HEAD`; git's suffixes such as `~2` and `^` may follow.",
  );

/** The constraints are documentation only: the service checks paths itself, so that its error message says more. */
export const pathField = z
  .string()
  .meta({
    maxLength: 4096,
    pattern: "^(?!//)(?!(?:[^\\u0000]*/)?\\.\\.(?:/|$))[^\\u0000]*$",
    examples: ["src/cart.ts"],
  })
  .describe(
    "Path relative to the root, separated by `/`, taken literally and without `..` segments. One leading `/` is dropped.",
  );

/** The constraints are documentation only, as for `pathField`. */
export const linesField = z
  .string()
  .meta({ pattern: "^[1-9][0-9]{0,8}(-[1-9][0-9]{0,8})?$", examples: ["1-2"] });

export const SourceRequest = z
  .object({
    repo: repoField,
    path: pathField,
    ref: refField.optional().describe("The revision; if absent, the default revision of the repository."),
    lines: linesField
      .optional()
      .describe("Lines that `webUrl` and `externalWebUrl` select: `10` or `10-20`."),
    encoding: z
      .enum(["utf-8", "base64"])
      .default("utf-8")
      .describe(
        "Encoding of `source`: text, or the bytes in Base64, which preserves content that is not UTF-8.",
      ),
  })
  .describe("The file to return, and the revision.");
export type SourceRequest = z.output<typeof SourceRequest>;

export const FileSource = z
  .object({
    source: z
      .string()
      .describe("The whole text, with invalid UTF-8 replaced by U+FFFD; for a symbolic link, its target."),
    language: z.string().describe("Linguist's name of the language; empty if unknown."),
    path: z.string().describe("Path of the file."),
    repo: z.string().describe("Name of the repository."),
    repoCodeHostType: CodeHostType,
    repoDisplayName: z.string().describe("Display name of the repository."),
    repoExternalWebUrl: z.string().describe("URL of the code host's page for the repository; may be empty."),
    webUrl: z.string().describe("URL of this service's page for the file; may be empty."),
    externalWebUrl: z.string().describe("URL of the code host's page for the file; may be empty."),
    blobSha: z.string().describe("Git blob SHA of the content."),
    commit: z.string().describe("The commit of the revision; empty for a plain folder."),
  })
  .describe("A file at a revision.");
export type FileSource = z.output<typeof FileSource>;

export const TreeRequest = z
  .object({
    repoName: repoField,
    revisionName: refField.default("HEAD"),
    paths: z.array(pathField).max(1000).default([]).describe("Open folders, in addition to the root."),
  })
  .describe("The folders to list, and the revision.");
export type TreeRequest = z.output<typeof TreeRequest>;

export interface TreeNode {
  type: "tree" | "blob" | "commit";
  path: string;
  name: string;
  children: TreeNode[];
}

export const TreeNode: z.ZodType<TreeNode> = z
  .object({
    type: z
      .enum(["tree", "blob", "commit"])
      .describe("`tree`: a folder. `blob`: a file or symbolic link. `commit`: a submodule."),
    path: z.string().describe("Path from the root, without leading `/`; empty for the root."),
    name: z.string().describe("Last segment of the path; `root` for the root."),
    get children() {
      return z.array(TreeNode).describe("Entries of an open folder: folders first, then by name.");
    },
  })
  .describe("An entry of a tree.");

export const FileTree = z.object({ tree: TreeNode }).describe("The root with its open folders.");
export type FileTree = z.output<typeof FileTree>;

export const BranchesRequest = z
  .object({
    ...pageFields,
    repo: repoField,
    query: z.string().optional().describe("Only names that contain this text, ignoring case."),
    remotes: z.boolean().default(false).describe("Whether to list remote-tracking branches, too."),
  })
  .describe("A page of the branches and tags of a repository.");
export type BranchesRequest = z.output<typeof BranchesRequest>;

export const Branch = z
  .object({
    name: z.string().describe("Short name."),
    fullName: z.string().describe("Full ref name."),
    commit: z.string().describe("The commit that it points to."),
    date: z.string().describe("Commit date, ISO 8601 with offset; empty if the commit is missing."),
    isDefault: z.boolean().describe("Whether it is the repository's default revision."),
    isTag: z.boolean().describe("Whether it is a tag instead of a branch."),
    isIndexed: z.boolean().describe("Whether it can be searched without waiting."),
  })
  .describe("A branch or a tag.");
export type Branch = z.output<typeof Branch>;

export const BlameRequest = z
  .object({
    repo: repoField,
    path: pathField,
    ref: refField.optional().describe("The revision; if absent, the default revision of the repository."),
    ignoreRevs: z
      .boolean()
      .optional()
      .describe(
        "Whether to ignore the commits that `ignoreRevsFile` lists, if that file exists. Default: true.",
      ),
    ignoreWhitespace: z.boolean().default(false).describe("Whether to ignore whitespace changes."),
    ignoreRevsFile: pathField
      .optional()
      .describe("The file that lists the commits to ignore; if absent, `.git-blame-ignore-revs`."),
    followMoves: z
      .boolean()
      .default(false)
      .describe("Whether to follow moved lines, within the file or from other files. Slow."),
    lines: linesField.optional().describe("Only these lines: `10` or `10-20`."),
    isPatient: z.boolean().default(false).describe("Whether to allow git six times the usual time limit."),
  })
  .describe("The file to blame, and the revision.");
export type BlameRequest = z.output<typeof BlameRequest>;

export const BlameRange = z
  .object({
    hash: z.string().describe("The commit that the lines come from."),
    path: z.string().describe("Path of the file in that commit."),
    startLine: z.int().min(1).describe("First line, from 1."),
    lineCount: z.int().min(1).describe("Number of lines."),
  })
  .describe("Adjacent lines of one commit and path.");
export type BlameRange = z.output<typeof BlameRange>;

export const BlameCommit = z
  .object({
    hash: z.string().describe("Full commit SHA."),
    date: z.string().describe("Author date, ISO 8601 with offset."),
    message: z.string().describe("Subject line."),
    authorName: z.string().describe("Name of the author, according to `.mailmap`."),
    authorEmail: z.string().describe("Email address of the author, according to `.mailmap`."),
    previous: z
      .object({
        hash: z.string().describe("The previous commit."),
        path: z.string().describe("Path of the file in it."),
      })
      .optional()
      .describe("The file before this commit; absent if this commit added it."),
  })
  .describe("A commit that lines come from.");
export type BlameCommit = z.output<typeof BlameCommit>;

export const Blame = z
  .object({
    ranges: z.array(BlameRange).describe("Ranges of the requested lines, in order."),
    commits: z.record(z.string(), BlameCommit).describe("By full SHA."),
  })
  .describe("Which commit each line comes from.");
export type Blame = z.output<typeof Blame>;

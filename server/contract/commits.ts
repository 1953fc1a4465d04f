/** Schemas of commits, authors and diffs. */
import * as z from "zod";
import { linesField, pathField, refField, repoField } from "./history";
import { pageFields } from "./position";

const maxFilterCharacters = 1000;

const optionalRef = refField
  .optional()
  .describe("The revision; if absent, the default revision of the repository.");

const followRenames = z.boolean().default(true).describe("Whether to follow a file through renames.");

/** The pattern is documentation only, as for `pathField`. */
function filterField(description: string) {
  return z
    .string()
    .max(maxFilterCharacters)
    .meta({ pattern: "^[^\\u0000]*$" })
    .optional()
    .describe(description);
}

const dateFormats =
  'ISO 8601, or words such as "2 weeks ago"; a day without a time begins at midnight, in the time zone of the service';

export const CommitsRequest = z
  .object({
    ...pageFields,
    repo: repoField,
    ref: optionalRef,
    notIn: refField
      .optional()
      .describe("Only commits that are not reachable from this revision, as in `git log notIn..ref`."),
    path: pathField.optional().describe("Only commits that change this file or folder."),
    followRenames,
    lines: linesField
      .meta({ pattern: "^([1-9][0-9]{0,8}(-[1-9][0-9]{0,8})?)?$" })
      .optional()
      .describe("Only commits that change these lines of the file `path` at the revision: `10` or `10-20`."),
    query: filterField(
      "Only commits whose message matches this POSIX basic regular expression, ignoring case.",
    ),
    author: filterField("Only commits whose author's name or email address matches, as with `query`."),
    changedText: filterField(
      "Only commits that add or remove this text: that change how often a file contains it, as with `git log -S`. Literal, case-sensitive, and may have several lines. Merges are not searched.",
    ),
    since: filterField(`Only commits from this date on, by commit date: ${dateFormats}.`),
    until: filterField(`Only commits up to this date, by commit date, in the same formats as \`since\`.`),
  })
  .describe("A page of the commits of a repository.");
export type CommitsRequest = z.output<typeof CommitsRequest>;

/** Fields of every commit in a response. */
export const commitFields = {
  hash: z.string().describe("Full commit SHA."),
  date: z.string().describe("Author date, ISO 8601 with offset."),
  message: z.string().describe("Subject line."),
  refs: z
    .string()
    .describe("Short names of the refs that point to it, such as `HEAD -> main, tag: v1`; may be empty."),
  body: z.string().describe("The message after the subject line; may be empty."),
  authorName: z.string().describe("Name of the author."),
  authorEmail: z.string().describe("Email address of the author."),
};

export const CommitItem = z
  .object({
    ...commitFields,
    path: z.string().optional().describe("Path of the file in this commit, if a file was followed."),
    oldPath: z.string().optional().describe("Path of the file before this commit, if the commit renamed it."),
  })
  .describe("A commit.");
export type CommitItem = z.output<typeof CommitItem>;

export const CommitRequest = z
  .object({
    repo: repoField,
    ref: refField,
    containedIn: z
      .boolean()
      .default(false)
      .describe("Whether to return the branches and the oldest tag that contain the commit."),
  })
  .describe("The commit to return.");
export type CommitRequest = z.output<typeof CommitRequest>;

export const CommitDetails = z
  .object({
    ...commitFields,
    parents: z.array(z.string()).describe("SHAs of the parents; empty for a root commit."),
    committerName: z.string().describe("Name of the committer."),
    committerEmail: z.string().describe("Email address of the committer."),
    commitDate: z.string().describe("Commit date, ISO 8601 with offset."),
    webUrl: z.string().describe("URL of this service's page for it; may be empty."),
    externalWebUrl: z.string().describe("URL of the code host's page; may be empty."),
    incomplete: z
      .string()
      .optional()
      .describe("Why its parents and changes are not known: a shallow clone ends at it."),
    containedIn: z
      .object({
        branches: z.array(z.string()).describe("Short names."),
        tag: z.string().describe("Short name of the oldest tag; may be empty."),
      })
      .optional()
      .describe("Refs that contain it, if they were requested."),
  })
  .describe("A commit and its parents.");
export type CommitDetails = z.output<typeof CommitDetails>;

export const AuthorsRequest = z
  .object({
    ...pageFields,
    repo: repoField,
    ref: optionalRef,
    path: pathField.optional().describe("Only authors of commits that change this file or folder."),
    followRenames,
  })
  .describe("A page of the authors of a repository.");
export type AuthorsRequest = z.output<typeof AuthorsRequest>;

export const CommitAuthor = z
  .object({
    name: z.string().describe("Name of the author."),
    email: z.string().describe("Email address of the author."),
    commitCount: z.int().min(0).describe("Commits that the revision contains, merges included."),
    lastActiveAt: z
      .string()
      .describe(
        "Author date of the newest of these commits, ISO 8601 with offset; empty if it is unreadable.",
      ),
  })
  .describe("An author, by name and email address according to `.mailmap`.");
export type CommitAuthor = z.output<typeof CommitAuthor>;

export const DiffRequest = z
  .object({
    repo: repoField,
    base: refField.describe(
      "The old revision; for a root commit, git's empty tree `4b825dc642cb6eb9a060e54bf8d69288fbee4904`.",
    ),
    head: refField.describe("The new revision."),
    path: pathField
      .optional()
      .describe(
        "Only changes of this file, or of the files in this folder, under the old name or the new one.",
      ),
    mergeBase: z
      .boolean()
      .default(false)
      .describe("Whether to compare with the merge base of the two revisions instead of `base` itself."),
    hunks: z
      .boolean()
      .default(true)
      .describe("Whether to return hunks; otherwise `hunks` is empty and changed lines are counted."),
  })
  .describe("The revisions to compare.");
export type DiffRequest = z.output<typeof DiffRequest>;

const LineRange = z
  .object({
    start: z.int().min(0).describe("First line, from 1; 0 if there are none."),
    lines: z.int().min(0).describe("Number of lines."),
  })
  .describe("Lines of one side.");

export const Hunk = z
  .object({
    oldRange: LineRange,
    newRange: LineRange,
    body: z
      .string()
      .describe(
        "Lines, each after its marker (a space, `+` or `-`), including `\\ No newline at end of file`.",
      ),
    heading: z.string().describe("Section heading of the hunk; may be empty."),
  })
  .describe("Changed lines with three context lines.");
export type Hunk = z.output<typeof Hunk>;

export const ChangedFile = z
  .object({
    oldPath: z.string().describe("Name in the old revision; `/dev/null` for an added file."),
    newPath: z.string().describe("Name in the new revision; `/dev/null` for a deleted file."),
    hunks: z.array(Hunk).describe("Empty for binary files, and if only the path or mode changed."),
    addedLines: z
      .int()
      .min(0)
      .optional()
      .describe(
        "Number of added lines; absent with `hunks`, for binary files, and if a file became a symbolic link.",
      ),
    removedLines: z.int().min(0).optional().describe("Number of removed lines, as with `addedLines`."),
    oldMode: z
      .string()
      .optional()
      .describe("Git file mode of the old side, such as `100644`, if there is one."),
    newMode: z.string().optional().describe("Git file mode of the new side, if there is one."),
    isBinary: z.boolean().describe("Whether either side is binary."),
  })
  .describe("A changed file.");
export type ChangedFile = z.output<typeof ChangedFile>;

export const Diff = z
  .object({
    files: z.array(ChangedFile).describe("By path."),
    mergeBase: z.string().optional().describe("The merge base, if `mergeBase` was requested."),
  })
  .describe("The diff between two revisions.");
export type Diff = z.output<typeof Diff>;

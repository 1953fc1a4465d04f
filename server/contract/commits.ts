/** Commits, who wrote them, and what they change. */
import * as z from "zod";
import { pathField, refField, repoField } from "./history";
import { pageFields } from "./position";

const maxFilterCharacters = 1000;

const refOrHead = refField.optional().describe("The revision; absent: the default one of the repository.");

const followRenames = z
  .boolean()
  .default(true)
  .describe("Whether a file is followed to the names that it had before.");

function filter(description: string) {
  return z.string().max(maxFilterCharacters).optional().describe(description);
}

const dateForms =
  'ISO 8601, or words such as "2 weeks ago"; a day without a time begins at midnight, in the time zone of the service';

export const CommitsRequest = z
  .object({
    ...pageFields,
    repo: repoField,
    ref: refOrHead,
    notIn: refField
      .optional()
      .describe("Only commits that this revision does not contain: what `ref` is ahead of it."),
    path: pathField.optional().describe("Only commits that change this file or folder."),
    followRenames,
    lines: z
      .string()
      .optional()
      .describe("Only commits that change these lines of the file `path` at the revision: `10` or `10-20`."),
    query: filter("Only commits whose message matches this POSIX basic regular expression, in any case."),
    author: filter("The same for the author's name and e-mail."),
    since: filter(`Only commits from this date on, by commit date: ${dateForms}.`),
    until: filter(`Only commits up to this date, by commit date; written as \`since\`.`),
  })
  .describe("Which page of which commits.");
export type CommitsRequest = z.output<typeof CommitsRequest>;

/** What every answer about a commit tells of it. */
export const commitFields = {
  hash: z.string().describe("Full commit SHA."),
  date: z.string().describe("Author date, ISO 8601 with offset."),
  message: z.string().describe("Subject line."),
  refs: z
    .string()
    .describe("Short names of the refs that name it, as in `HEAD -> main, tag: v1`; else empty."),
  body: z.string().describe("What follows the subject line, else empty."),
  authorName: z.string().describe("Name of the author."),
  authorEmail: z.string().describe("Their e-mail address."),
};

export const CommitItem = z
  .object({
    ...commitFields,
    path: z.string().optional().describe("Name of the file in this commit, where one was followed."),
    oldPath: z.string().optional().describe("Its name before, where this commit renamed it."),
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
      .describe("Whether to tell which branches and which first tag contain the commit."),
  })
  .describe("Which commit.");
export type CommitRequest = z.output<typeof CommitRequest>;

export const CommitDetails = z
  .object({
    ...commitFields,
    parents: z.array(z.string()).describe("SHAs of the parents, none for a first commit."),
    committerName: z.string().describe("Name of who put it into the history."),
    committerEmail: z.string().describe("Their e-mail address."),
    commitDate: z.string().describe("Commit date, ISO 8601 with offset."),
    webUrl: z.string().describe("Page of this service that shows it; empty where there is none."),
    externalWebUrl: z.string().describe("The code host's page; empty where there is none."),
    containedIn: z
      .object({
        branches: z.array(z.string()).describe("Short names."),
        tag: z.string().describe("Short name of the oldest one; empty where there is none."),
      })
      .optional()
      .describe("What contains it, where that was asked for."),
  })
  .describe("A commit and its parents.");
export type CommitDetails = z.output<typeof CommitDetails>;

export const AuthorsRequest = z
  .object({
    ...pageFields,
    repo: repoField,
    ref: refOrHead,
    path: pathField.optional().describe("Only authors of commits that change this file or folder."),
    followRenames,
  })
  .describe("Which page of whose authors.");
export type AuthorsRequest = z.output<typeof AuthorsRequest>;

export const CommitAuthor = z
  .object({
    name: z.string().describe("Name of the author."),
    email: z.string().describe("Their e-mail address."),
    commitCount: z.int().min(0).describe("Commits that the revision contains, merges included."),
    lastActiveAt: z
      .string()
      .describe(
        "Author date of the newest of these commits, ISO 8601 with offset; empty where it is unreadable.",
      ),
  })
  .describe("Who wrote commits, by name and e-mail as `.mailmap` has them.");
export type CommitAuthor = z.output<typeof CommitAuthor>;

export const DiffRequest = z
  .object({
    repo: repoField,
    base: refField.describe(
      "The revision that is compared with; for a first commit git's empty tree, `4b825dc642cb6eb9a060e54bf8d69288fbee4904`.",
    ),
    head: refField.describe("The revision that is compared."),
    path: pathField
      .optional()
      .describe(
        "Only changes of this file, or of the files in this folder, under the old name or the new one.",
      ),
    mergeBase: z
      .boolean()
      .default(false)
      .describe("Whether to compare with the newest commit that both come from, instead of `base` itself."),
    hunks: z
      .boolean()
      .default(true)
      .describe("Whether to tell what differs in each file; else `hunks` are empty, and lines are counted."),
  })
  .describe("Which two revisions.");
export type DiffRequest = z.output<typeof DiffRequest>;

const LineRange = z
  .object({
    start: z.int().min(0).describe("First line, from 1; 0 where there are none."),
    lines: z.int().min(0).describe("How many."),
  })
  .describe("Lines of one side.");

export const Hunk = z
  .object({
    oldRange: LineRange,
    newRange: LineRange,
    body: z
      .string()
      .describe("Lines, each behind its marker: a blank, `+` or `-`; also `\\ No newline at end of file`."),
    heading: z.string().describe("The line that git takes for the heading of the section, or empty."),
  })
  .describe("Lines that differ, with three lines around them.");
export type Hunk = z.output<typeof Hunk>;

export const ChangedFile = z
  .object({
    oldPath: z.string().describe("Name in the old revision; `/dev/null` for an added file."),
    newPath: z.string().describe("Name in the new revision; `/dev/null` for a deleted file."),
    hunks: z.array(Hunk).describe("None for a binary file, and where nothing but name or mode changed."),
    addedLines: z
      .int()
      .min(0)
      .optional()
      .describe(
        "Lines of the new side that the old one has not; absent with `hunks`, for what is no text, and where a file became a link.",
      ),
    removedLines: z.int().min(0).optional().describe("The same of lines of the old side."),
    oldMode: z
      .string()
      .optional()
      .describe("Git's mode of the old side, as in `100644`, where there is one."),
    newMode: z.string().optional().describe("The same for the new side."),
    isBinary: z.boolean().describe("Whether it is no text on one of the sides."),
  })
  .describe("A file that differs.");
export type ChangedFile = z.output<typeof ChangedFile>;

export const Diff = z
  .object({
    files: z.array(ChangedFile).describe("By path."),
    mergeBase: z
      .string()
      .optional()
      .describe("The commit that was compared with, where that was left to `mergeBase`."),
  })
  .describe("What differs between two revisions.");
export type Diff = z.output<typeof Diff>;

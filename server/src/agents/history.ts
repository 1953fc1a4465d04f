import * as z from "zod";
import { isServiceError, ServiceError } from "#base/error";
import type { Blame } from "#contract/history";
import { type FileText, readFile } from "./currentFile";
import { count } from "./fileHeading";
import { requirePath, unknownFile, withRepository } from "./names";
import { filesOf, lineFields } from "./output";
import { type Line, type Listing, linesInput, pathInput, repoInput, revInput, type Send, tool } from "./tool";

const pageSize = 100;
const filter = z.string().min(1).max(1000).optional();

const input = {
  repo: repoInput,
  path: pathInput.min(1).optional().describe("File or folder."),
  lines: linesInput.describe("Of the file."),
  blame: z.boolean().default(false).describe("Last commit of each line of path instead."),
  rev: revInput.describe("Branch, tag or commit. Default: HEAD."),
  notIn: filter.describe("Revision without them."),
  author: filter,
  message: filter.describe("Regular expression."),
  text: filter.describe("Text added or removed."),
  since: filter.describe("Date, or 2 weeks ago."),
  until: filter,
};
const commitFields = { hash: z.string(), date: z.string(), author: z.string(), message: z.string() };
type Input = z.output<z.ZodObject<typeof input>>;

export const history = tool({
  name: "history",
  title: "Commits and blame",
  description: "Commits of a repository, file or lines, newest first; or blame of a file.",
  input,
  output: {
    files: filesOf({ ...lineFields, ...commitFields })
      .optional()
      .describe("With blame."),
    items: z
      .array(
        z.object({
          ...commitFields,
          repo: z.string(),
          refs: z.string().optional(),
          path: z.string().optional(),
          oldPath: z.string().optional(),
        }),
      )
      .optional(),
  },
  async run(args, { send, offset }): Promise<Listing> {
    const { repo, path, rev } = args;
    return await withRepository(send, repo, async (name) => {
      try {
        return args.blame ? await blame(name, args, send) : await listCommits(name, args, send, offset);
      } catch (error) {
        if (!isServiceError(error, "FILE_NOT_FOUND") || path === undefined) throw error;
        throw await unknownFile(send, name, path, rev);
      }
    });
  },
});

const narrow = "add path, author, since or message";

async function listCommits(repo: string, args: Input, send: Send, offset: number): Promise<Listing> {
  const { path, lines, rev, notIn, author, message, text: changedText, since, until } = args;
  if (lines !== undefined && path === undefined) throw missingPath("lines");
  const page = Math.floor(offset / pageSize) + 1;
  const optional = { path, lines, ref: rev, notIn, author, query: message, changedText, since, until };
  const given = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined));
  const { items, total, incomplete } = await send("commits", { repo, page, perPage: pageSize, ...given });
  const gap =
    incomplete === undefined
      ? { notes: [] }
      : { notes: [incomplete], isExhaustive: false, reason: "TIME_LIMIT" };
  const soFar = incomplete === undefined ? "" : " so far";
  if (total === 0) {
    if (path !== undefined) await requirePath(send, repo, path, rev);
    const notes = [`Searched ${repo}${path === undefined ? "" : ` ${path}`} at ${rev ?? "HEAD"}.`];
    return {
      summary: `No commit found${soFar}.`,
      lines: [],
      ...gap,
      notes: [...notes, ...gap.notes],
      narrow,
    };
  }
  return {
    summary: `${count(total, "commit")}${soFar}.`,
    ...gap,
    lines: items.map((commit) => {
      const { hash, date, authorName, refs, path: name, oldPath } = commit;
      const renamed = oldPath === undefined ? "" : ` (renamed from ${oldPath} to ${name ?? ""})`;
      const named = refs === "" ? "" : ` (${refs})`;
      return {
        headings: [repo],
        text: `${hash.slice(0, 12)} ${date.slice(0, 10)} ${authorName}: ${commit.message}${named}${renamed}`,
        item: {
          hash,
          date,
          author: authorName,
          message: commit.message,
          repo,
          refs: refs === "" ? undefined : refs,
          path: name,
          oldPath,
        },
      };
    }),
    skipped: (page - 1) * pageSize,
    total,
    narrow,
  };
}

async function blame(repo: string, { path, lines, rev }: Input, send: Send): Promise<Listing> {
  if (path === undefined) throw missingPath("blame");
  const ref = rev ?? "HEAD";
  const found = await send("blame", { repo, path, ref, ...(lines === undefined ? {} : { lines }) });
  const source = await readFile(send, { repo, path, rev: ref });
  const blamed = blameLines(found, source);
  return {
    summary: `${count(blamed.length, "line")}, ${count(Object.keys(found.commits).length, "commit")}.`,
    lines: blamed,
    narrow: "give lines",
  };
}

function blameLines({ ranges, commits }: Blame, { heading, item: file, lines }: FileText): readonly Line[] {
  return ranges.flatMap(({ hash, startLine, lineCount }) => {
    const { date = "", authorName = "", message = "" } = commits[hash] ?? {};
    const commit = `${hash.slice(0, 12)} ${date.slice(0, 10)} ${authorName}: ${message}`;
    return Array.from({ length: lineCount }, (_, index) => {
      const line = startLine + index;
      const text = lines[line - 1] ?? "";
      return {
        headings: [heading, commit],
        text: `${line}:${text}`,
        file,
        item: { line, text, hash, date, author: authorName, message },
      };
    });
  });
}

function missingPath(field: string): ServiceError {
  return new ServiceError("INVALID_REQUEST_BODY", `"path" is missing: "${field}" needs the path of a file.`);
}

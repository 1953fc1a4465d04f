import * as z from "zod";
import type { ChangedFile } from "#contract/commits";
import { emptyTree } from "#contract/snapshotUri";
import { count } from "./fileHeading";
import { requirePath, withRepository } from "./names";
import { filesOf, lineNumber } from "./output";
import { type Line, type Listing, pathInput, repoInput, type Send, tool } from "./tool";

const revision = z.string().min(1).max(250);

const changedFile = {
  repo: z.string(),
  path: z.string(),
  oldPath: z.string().optional().describe("If it was renamed."),
  change: z.enum(["added", "deleted", "modified", "renamed"]),
  addedLines: z.int().optional(),
  removedLines: z.int().optional(),
  isBinary: z.boolean(),
};
const patchLine = {
  oldLine: lineNumber.optional(),
  newLine: lineNumber.optional(),
  text: z.string().describe("As in a unified diff."),
};

export const diff = tool({
  name: "diff",
  title: "Show changes",
  description: "The changes between two revisions, or of one commit, as a unified diff.",
  input: {
    repo: repoInput,
    head: revision.describe("Branch, tag or commit."),
    base: revision.optional().describe("Old revision. Default: the parent of head."),
    mergeBase: z.boolean().default(false).describe("Compare with the merge base, as base...head."),
    path: pathInput.min(1).optional().describe("File or folder."),
    namesOnly: z.boolean().default(false),
  },
  output: { files: filesOf(patchLine, changedFile).optional() },
  async run({ repo, head, base, mergeBase, path, namesOnly }, { send }): Promise<Listing> {
    return await withRepository(send, repo, async (name) => {
      const compared = base === undefined ? await parentOf(send, name, head) : { base, summary: "" };
      const request = { repo: name, base: compared.base, head, mergeBase, hunks: !namesOnly };
      const { files } = await send("diff", { ...request, ...(path === undefined ? {} : { path }) });
      if (files.length === 0 && path !== undefined) await requirePath(send, name, path, head);
      const summary = `${compared.summary}${count(files.length, "changed file")} in ${name}.`;
      const lines = files.flatMap((file) => (namesOnly ? [nameLine(file, name)] : patchLines(file, name)));
      return { summary, lines, narrow: namesOnly ? "add path" : "add path, or set namesOnly" };
    });
  },
});

/** Returns the parent of a commit, and its message. */
async function parentOf(
  send: Send,
  repo: string,
  ref: string,
): Promise<{ readonly base: string; readonly summary: string }> {
  const { hash, parents, date, authorName, message, body } = await send("commit", { repo, ref });
  const text = body === "" ? "" : `\n${body}`;
  const summary = `commit ${hash.slice(0, 12)} ${date.slice(0, 10)} ${authorName}: ${message}${text}\n`;
  return { base: parents[0] ?? emptyTree, summary };
}

function nameLine(file: ChangedFile, repo: string): Line {
  const { addedLines, removedLines, isBinary } = file;
  const counts = addedLines === undefined ? "" : ` +${addedLines} -${removedLines ?? 0}`;
  return { text: `${fileName(file)}${isBinary ? " (binary)" : counts}`, file: fileItem(file, repo) };
}

/** `src/a.ts`, `src/a.ts (added)` or `src/a.ts -> src/b.ts`. */
function fileName({ oldPath, newPath }: ChangedFile): string {
  if (oldPath === "/dev/null") return `${newPath} (added)`;
  if (newPath === "/dev/null") return `${oldPath} (deleted)`;
  return oldPath === newPath ? newPath : `${oldPath} -> ${newPath}`;
}

function fileItem({ oldPath, newPath, addedLines, removedLines, isBinary }: ChangedFile, repo: string) {
  const isAdded = oldPath === "/dev/null";
  const isDeleted = newPath === "/dev/null";
  const isRenamed = !isAdded && !isDeleted && oldPath !== newPath;
  return {
    repo,
    path: isDeleted ? oldPath : newPath,
    oldPath: isRenamed ? oldPath : undefined,
    change: isAdded ? "added" : isDeleted ? "deleted" : isRenamed ? "renamed" : "modified",
    addedLines,
    removedLines,
    isBinary,
  };
}

function patchLines(changed: ChangedFile, repo: string): readonly Line[] {
  const heading = fileName(changed);
  const file = fileItem(changed, repo);
  if (changed.hunks.length === 0) {
    const { oldMode = "", newMode = "" } = changed;
    const modes = oldMode === newMode ? "no text changed" : `mode ${oldMode} -> ${newMode}`;
    return [{ headings: [heading], text: changed.isBinary ? "(binary)" : `(${modes})`, file }];
  }
  return changed.hunks.flatMap(({ oldRange, newRange, heading: section, body }) => {
    const head = `@@ -${oldRange.start},${oldRange.lines} +${newRange.start},${newRange.lines} @@ ${section}`;
    const headings = [heading, head.trimEnd()];
    let oldLine = oldRange.start;
    let newLine = newRange.start;
    return body
      .replace(/\n$/, "")
      .split("\n")
      .map((line) => {
        const text = line.replace(/\r$/, "");
        const marker = text[0] ?? " ";
        const item = {
          oldLine: marker === " " || marker === "-" ? oldLine++ : undefined,
          newLine: marker === " " || marker === "+" ? newLine++ : undefined,
          text,
        };
        return { headings, text, file, item };
      });
  });
}

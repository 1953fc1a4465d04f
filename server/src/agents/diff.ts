import * as z from "zod";
import type { ChangedFile } from "#contract/commits";
import { emptyTree } from "#contract/snapshotUri";
import { count } from "./fileHeading";
import { withRepository } from "./names";
import { type Line, type Listing, pathInput, repoInput, type Send, tool } from "./tool";

const revision = z.string().min(1).max(250);

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
  async run({ repo, head, base, mergeBase, path, namesOnly }, { send }): Promise<Listing> {
    return await withRepository(send, repo, async (name) => {
      const compared = base === undefined ? await parentOf(send, name, head) : { base, summary: "" };
      const request = { repo: name, base: compared.base, head, mergeBase, hunks: !namesOnly };
      const { files } = await send("diff", { ...request, ...(path === undefined ? {} : { path }) });
      const summary = `${compared.summary}${count(files.length, "changed file")} in ${name}.`;
      const lines = namesOnly ? files.map((file) => ({ text: nameLine(file) })) : files.flatMap(patchLines);
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

function nameLine(file: ChangedFile): string {
  const { addedLines, removedLines, isBinary } = file;
  const counts = addedLines === undefined ? "" : ` +${addedLines} -${removedLines ?? 0}`;
  return `${fileName(file)}${isBinary ? " (binary)" : counts}`;
}

/** `src/a.ts`, `src/a.ts (added)` or `src/a.ts -> src/b.ts`. */
function fileName({ oldPath, newPath }: ChangedFile): string {
  if (oldPath === "/dev/null") return `${newPath} (added)`;
  if (newPath === "/dev/null") return `${oldPath} (deleted)`;
  return oldPath === newPath ? newPath : `${oldPath} -> ${newPath}`;
}

function patchLines(file: ChangedFile): readonly Line[] {
  const heading = fileName(file);
  if (file.hunks.length === 0) {
    const { oldMode = "", newMode = "" } = file;
    const modes = oldMode === newMode ? "no text changed" : `mode ${oldMode} -> ${newMode}`;
    return [{ headings: [heading], text: file.isBinary ? "(binary)" : `(${modes})` }];
  }
  return file.hunks.flatMap(({ oldRange, newRange, heading: section, body }) => {
    const head = `@@ -${oldRange.start},${oldRange.lines} +${newRange.start},${newRange.lines} @@ ${section}`;
    const lines = body.replace(/\n$/, "").split("\n");
    return lines.map((text) => ({ headings: [heading, head.trimEnd()], text: text.replace(/\r$/, "") }));
  });
}

import * as z from "zod";
import { isServiceError } from "#base/error";
import type { TreeNode } from "#contract/history";
import { readFile } from "./currentFile";
import { count } from "./fileHeading";
import { findNode, withRepository } from "./names";
import { describeReason, outlineLines, requestOutline } from "./outlineLines";
import { filesOf, outlineFields } from "./output";
import { type Listing, pathInput, repoInput, revInput, type Send, tool } from "./tool";

const entry = z
  .object({ path: z.string(), type: z.enum(["tree", "blob", "commit"]) })
  .describe("An entry of a folder.");

export const outline = tool({
  name: "outline",
  title: "Outline a file or folder",
  description: "Definitions of a file with their lines, or the entries of a folder. Cheaper than read.",
  input: {
    repo: repoInput,
    path: pathInput.default("").describe("File or folder. Default: the root."),
    rev: revInput,
  },
  output: { files: filesOf(outlineFields).optional(), items: z.array(entry).optional() },
  async run({ repo, path, rev }, { send }): Promise<Listing> {
    return await withRepository(send, repo, async (name) => {
      const folder = await listFolder(send, name, path.replace(/^\/|\/$/g, ""), rev);
      if (folder !== undefined) return folder;
      const location = { repo: name, path, rev };
      const file = await readFile(send, location);
      const { heading, lines } = file;
      const found = await requestOutline(send, location);
      const { symbols } = found;
      if (symbols.length === 0) {
        return {
          summary: `${heading}: ${count(lines.length, "line")}.`,
          lines: [],
          notes: [describeReason(found)],
          narrow,
        };
      }
      const summary = `${count(symbols.length, "definition")} in ${count(lines.length, "line")}.`;
      return { summary, lines: outlineLines(found, file), narrow };
    });
  },
});

const narrow = "read one definition with read and symbol";

/** Returns the entries of a folder; `undefined` if there is none of that path. */
async function listFolder(
  send: Send,
  repo: string,
  path: string,
  rev: string | undefined,
): Promise<Listing | undefined> {
  const request = { repoName: repo, paths: [path], ...(rev === undefined ? {} : { revisionName: rev }) };
  let tree: TreeNode;
  try {
    ({ tree } = await send("tree", request));
  } catch (error) {
    if (isServiceError(error, "FILE_NOT_FOUND")) return undefined;
    throw error;
  }
  const node = findNode(tree, path);
  if (node === undefined || node.type !== "tree" || (path !== "" && node.children.length === 0))
    return undefined;
  const heading = `${repo} ${path === "" ? "/" : path}${rev === undefined ? "" : `@${rev}`}`;
  return {
    summary: `${count(node.children.length, "entry", "entries")}.`,
    lines: node.children.map(({ name, path: entryPath, type }) => ({
      headings: [heading],
      text: type === "tree" ? `${name}/` : type === "commit" ? `${name} (submodule)` : name,
      item: { path: entryPath, type },
    })),
    narrow: "outline a folder in it",
  };
}

/** Finds paths that are similar to one that no file has. */
import { nearestNames } from "#base/nearestNames";
import { hasWildcards } from "#query/parser/glob";
import { fileFilter } from "./queryText";
import type { Send } from "./tool";

const maxFiles = 2000;
/** Deeper paths are compared only as far. */
const maxDepth = 20;

/** Whether the path of a file matches, as in the tools `grep` and `find`. */
export async function pathMatches(send: Send, path: string, filters: readonly string[]): Promise<boolean> {
  return (await listPaths(send, fileFilter(path), filters, 1)).length > 0;
}

/**
 * Returns files and folders that have a name similar to the first part of `path` that does not occur. Before that part,
 * and before a wildcard, `path` must be right.
 */
export async function nearestPaths(
  send: Send,
  path: string,
  filters: readonly string[],
): Promise<readonly string[]> {
  const parts = path.replace(/^\/|\/$/g, "").split("/");
  const wildcard = parts.findIndex(hasWildcards);
  const literal = wildcard < 0 ? parts : parts.slice(0, wildcard);
  for (let depth = Math.min(literal.length - 1, maxDepth); depth > 0; depth--) {
    const parent = literal.slice(0, depth).join("/");
    const paths = await listPaths(send, fileFilter(`${parent}/`, "text"), filters, maxFiles);
    if (paths.length > 0) return similarParts(paths, literal[depth] ?? "", parent);
  }
  const [wanted = ""] = literal;
  const middle = Math.ceil(wanted.length / 2);
  for (const half of [wanted.slice(0, middle), wanted.slice(middle)].filter((each) => each !== "")) {
    const near = similarParts(await listPaths(send, fileFilter(half, "text"), filters, maxFiles), wanted);
    if (near.length > 0) return near;
  }
  return [];
}

/** Returns paths of files and folders with a similar name, in the folder `parent` or anywhere. */
function similarParts(paths: readonly string[], wanted: string, parent?: string): readonly string[] {
  const found = new Map<string, string>();
  for (const path of paths) {
    const parts = path.split("/");
    for (const [index, name] of parts.entries()) {
      const folder = parts.slice(0, index).join("/");
      if (parent !== undefined && folder !== parent && !folder.endsWith(`/${parent}`)) continue;
      for (const part of [name, name.replace(/(.)\.[^.]*$/, "$1")]) {
        if (!found.has(part)) found.set(part, parts.slice(0, index + 1).join("/"));
      }
    }
  }
  const near = nearestNames(wanted.slice(0, 200), found.keys());
  return [...new Set(near.map((part) => found.get(part) ?? part))];
}

async function listPaths(
  send: Send,
  filter: string,
  filters: readonly string[],
  matches: number,
): Promise<readonly string[]> {
  const { files } = await send("search", { query: [filter, ...filters].join(" "), matches });
  return files.map(({ fileName }) => fileName.text);
}

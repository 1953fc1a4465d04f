/** Suggests paths that are similar to one that does not exist. */
import { nearestNames } from "#base/nearestNames";
import { hasWildcards } from "#query/parser/glob";
import { fileFilter } from "./queryText";
import type { Send } from "./tool";

const maxFiles = 2000;
/** Segments beyond this depth are not compared. */
const maxDepth = 20;

/** Whether the path of a file matches, as in the tools `grep` and `find`, or may match because not all were searched. */
export async function mayMatchPath(send: Send, path: string, filters: readonly string[]): Promise<boolean> {
  const query = [fileFilter(path), ...filters].join(" ");
  const { files, isSearchExhaustive } = await send("search", { query, matches: 1, matchesPerFile: 1 });
  return files.length > 0 || !isSearchExhaustive;
}

/**
 * Returns files and folders with a name that is similar to the first segment of `path` that does not exist. The segments
 * before it must be correct. Nothing is similar to a wildcard.
 */
export async function nearestPaths(
  send: Send,
  path: string,
  filters: readonly string[],
): Promise<readonly string[]> {
  const root = path.startsWith("/") ? "/" : "";
  const segments = path.replace(/^\/|\/$/g, "").split("/");
  const wildcard = segments.findIndex(hasWildcards);
  const literal = wildcard < 0 ? segments : segments.slice(0, wildcard);
  const deepest = wildcard < 0 ? literal.length - 1 : literal.length;
  for (let depth = Math.min(deepest, maxDepth); depth > 0; depth--) {
    const parent = literal.slice(0, depth).join("/");
    const paths = await listPaths(send, `${root}${parent}/`, filters);
    const folded = parent.toLowerCase();
    const isParent = (folder: string) => (root === "" ? folder.endsWith(folded) : folder === folded);
    if (paths.length > 0) return similarPaths(paths, literal[depth] ?? "", isParent);
  }
  const [wanted = ""] = literal;
  const middle = Math.ceil(wanted.length / 2);
  for (const half of [wanted.slice(0, middle), wanted.slice(middle)].filter((each) => each !== "")) {
    const paths = await listPaths(send, half, filters);
    const near = similarPaths(paths, wanted, (folder) => root === "" || folder === "");
    if (near.length > 0) return near;
  }
  return [];
}

/** Returns files and folders with a similar name in the folders that `isParent` accepts, in lower case. */
function similarPaths(
  paths: readonly string[],
  wanted: string,
  isParent: (folder: string) => boolean,
): readonly string[] {
  const found = new Map<string, string>();
  for (const path of paths) {
    let folder = "";
    for (const name of path.split("/", maxDepth + 1)) {
      const location = folder === "" ? name : `${folder}/${name}`;
      if (isParent(folder.toLowerCase())) {
        for (const each of [name, name.replace(/(.)\.[^.]*$/, "$1")])
          if (!found.has(each)) found.set(each, location);
      }
      folder = location;
    }
  }
  const near = nearestNames(wanted.slice(0, 200), found.keys());
  return [...new Set(near.map((name) => found.get(name) ?? name))];
}

async function listPaths(send: Send, part: string, filters: readonly string[]): Promise<readonly string[]> {
  const query = [fileFilter(part, "text"), ...filters].join(" ");
  const { files } = await send("search", { query, matches: maxFiles, matchesPerFile: 1 });
  return files.map(({ fileName }) => fileName.text);
}

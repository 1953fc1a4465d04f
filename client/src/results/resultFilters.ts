/** "Exclude" and "Search In" for a result: filters added to the query that found it. Pure: does not use VS Code. */
import { posix } from "node:path";
import {
  exactFile,
  exactRepository,
  type Filter,
  inFolder,
  withExtensionOf,
  withFilter,
} from "#contract/queryText";
import { fileOf, type ResultNode, repositoryOf } from "./resultNodes";

export type Narrowing = "file" | "folder" | "repository" | "extension" | "tests";

/** Returns the filter for a row; `undefined` if the row has no such file, folder or repository. */
export function filterOf(node: ResultNode, what: Narrowing, isNegated: boolean): Filter | undefined {
  const path = fileOf(node)?.file.fileName.text;
  const repository = repositoryOf(node)?.name;
  const of = (prefix: "file" | "repo", value: string | undefined): Filter | undefined =>
    value === undefined || value === "" ? undefined : { prefix, value, isNegated };
  switch (what) {
    case "file":
      return of("file", path && exactFile(path));
    case "folder":
      if (node.kind === "folder") return of("file", inFolder(node.folder.path));
      return of("file", path && folderFilter(path));
    case "repository":
      return of("repo", repository && exactRepository(repository));
    case "extension":
      return of("file", path && withExtensionOf(path));
    case "tests":
      return { prefix: "tests", value: isNegated ? "no" : "only", isNegated: false };
  }
}

/** Adds filters to a query. */
export function narrowedQuery(query: string, filters: readonly (Filter | undefined)[]): string {
  return filters.reduce<string>(
    (text, filter) => (filter === undefined ? text : withFilter(text, filter)),
    query,
  );
}

/** Matches the files below the folder of `path`; for a file at the root, the other files at the root. */
function folderFilter(path: string): string {
  const folder = posix.dirname(path);
  return folder === "." ? "^[^/]*$" : inFolder(folder);
}

/** "Exclude" and "Search In" of a result: filters that are added to the query it was found with. Pure: knows no VS Code. */
import { posix } from "node:path";
import { exactFile, exactRepository, type Filter, inFolder, withExtensionOf, withFilter } from "./queryText";
import { fileOf, type ResultNode, repositoryOf } from "./resultNodes";

export type Narrowing = "file" | "folder" | "repository" | "extension" | "tests";

/** A word of the path says it: `test/a.go`, `a_test.go`, `a.spec.ts`, `test_a.py`, `__tests__/a.js`. */
const tests = "(^|[/._-])(tests?|specs?)([/._-]|$)";

/** Absent where a row has nothing of the kind. */
export function filterOf(node: ResultNode, what: Narrowing, isNegated: boolean): Filter | undefined {
  const path = fileOf(node)?.file.fileName.text;
  const repository = repositoryOf(node)?.name;
  const of = (prefix: "file" | "repo", value: string | undefined): Filter | undefined =>
    value === undefined || value === "" ? undefined : { prefix, value, isNegated };
  switch (what) {
    case "file":
      return of("file", path && exactFile(path));
    case "folder":
      return of("file", path && folderFilter(path));
    case "repository":
      return of("repo", repository && exactRepository(repository));
    case "extension":
      return of("file", path && withExtensionOf(path));
    case "tests":
      return of("file", tests);
  }
}

/** The query with that condition, beside all that it has already. */
export function narrowedQuery(query: string, filters: readonly (Filter | undefined)[]): string {
  return filters.reduce<string>(
    (text, filter) => (filter === undefined ? text : withFilter(text, filter)),
    query,
  );
}

/** The files that lie beside this one have no folder in their path where it lies at the root. */
function folderFilter(path: string): string {
  const folder = posix.dirname(path);
  return folder === "." ? "^[^/]*$" : inFolder(folder);
}

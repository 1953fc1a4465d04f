/**
 * Parses the searches that a team commits: `.trawl/searches.jsonc`, JSON with comments. Does not use VS Code.
 *
 * `{"searches": [{"name": "…", "query": "…", "description": "…", "case": "smart", "regex": false, "wholeWord": false}]}`
 */
import { findNodeAtLocation, type Node, type ParseError, parseTree } from "jsonc-parser";
import type { SearchState } from "#client/search/searchState";

export interface SharedSearch {
  readonly name: string;
  readonly description: string;
  readonly state: SearchState;
  /** Start of the search in the file, in UTF-16 units. */
  readonly offset: number;
}

export interface SharedProblem {
  readonly message: string;
  readonly offset: number;
  readonly length: number;
}

export interface SharedFile {
  readonly searches: readonly SharedSearch[];
  /** What was skipped, and why. */
  readonly problems: readonly SharedProblem[];
}

const maxBytes = 1024 * 1024;
const maxSearches = 1000;

export function parseTeamFile(text: string): SharedFile {
  const problems: SharedProblem[] = [];
  const report = (message: string, { offset, length }: Pick<Node, "offset" | "length">) =>
    problems.push({ message, offset, length });
  if (text.length > maxBytes) {
    report("The file is too large for a list of searches.", { offset: 0, length: 1 });
    return { searches: [], problems };
  }
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  for (const error of errors.slice(0, 1)) report("This is not valid JSON.", error);
  if (root === undefined) return { searches: [], problems };
  const list = root.type === "object" ? findNodeAtLocation(root, ["searches"]) : undefined;
  if (list?.type !== "array") {
    if (errors.length === 0) report('The file must be an object with an array "searches".', root);
    return { searches: [], problems };
  }
  const searches = (list.children ?? []).slice(0, maxSearches).flatMap((node) => {
    const search = sharedSearch(node, report);
    return search === undefined ? [] : [search];
  });
  return { searches, problems };
}

function sharedSearch(
  node: Node,
  report: (message: string, range: Pick<Node, "offset" | "length">) => void,
): SharedSearch | undefined {
  if (node.type !== "object") {
    report("A search must be an object.", node);
    return undefined;
  }
  const value = (name: string, type: "string" | "boolean"): unknown => {
    const found = findNodeAtLocation(node, [name]);
    if (found === undefined) return undefined;
    if (found.type === type) return found.value as unknown;
    report(`"${name}" must be a ${type}.`, found);
    return undefined;
  };
  const query = value("query", "string");
  if (typeof query !== "string" || query.trim() === "") {
    report('A search needs a "query".', node);
    return undefined;
  }
  const name = value("name", "string");
  const description = value("description", "string");
  const sensitivity = value("case", "string") ?? "smart";
  if (sensitivity !== "smart" && sensitivity !== "insensitive" && sensitivity !== "sensitive") {
    report('"case" must be "smart", "insensitive" or "sensitive".', node);
    return undefined;
  }
  return {
    name: typeof name === "string" && name.trim() !== "" ? name : query,
    description: typeof description === "string" ? description : "",
    state: {
      query,
      caseSensitivity: sensitivity,
      isRegex: value("regex", "boolean") === true,
      isWholeWord: value("wholeWord", "boolean") === true,
      narrowed: [],
    },
    offset: node.offset,
  };
}

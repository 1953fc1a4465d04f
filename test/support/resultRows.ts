/** Sets of results and their rows as text, for tests of `ResultModel`. */
import type { ViewMode } from "#client/results/resultGroups";
import type { Arrangement, ResultModel } from "#client/results/resultModel";
import type { ResultNode } from "#client/results/resultNodes";
import type { SortOrder } from "#client/results/resultOrder";
import type { ResultSet } from "#client/search/resultSet";
import type { SearchState } from "#client/search/searchState";
import type { FileMatch } from "#contract/search";
import { fileMatch } from "#test/support/fileMatch";

const state: SearchState = {
  query: "m",
  caseSensitivity: "smart",
  isRegex: false,
  isWholeWord: false,
  narrowed: [],
};

export function set(files: readonly FileMatch[], change: Partial<ResultSet> = {}): ResultSet {
  const request = { query: "m" };
  return { id: 1, state, request, startedAt: 0, files, repositories: new Map(), outcome: "done", ...change };
}

export function found(
  repository: string,
  path: string,
  lines: readonly number[],
  change: Partial<FileMatch> = {},
) {
  const file = fileMatch(repository, path, ...lines.map((number) => ({ number, text: `m ${number}` })));
  const repositoryId = [...repository].reduce((sum, character) => sum * 31 + character.charCodeAt(0), 0);
  return { ...file, repositoryId, ...change };
}

export const by = (order: SortOrder, viewMode: ViewMode = "list"): Arrangement => ({ order, viewMode });
export const ranked = (score: number) => ({ explanation: `edges ${score}, weight 1` });

/** The rows as text, indented by two spaces per level. */
export function treeLines(model: ResultModel, node?: ResultNode, depth = 0): string[] {
  return model
    .children(node)
    .flatMap((child) => [`${"  ".repeat(depth)}${labelOf(child)}`, ...treeLines(model, child, depth + 1)]);
}

export function labelOf(node: ResultNode): string {
  switch (node.kind) {
    case "set":
      return "set";
    case "repository":
      return `${node.name} ${node.matchCount} in ${node.fileCount}`;
    case "folder":
      return `${node.folder.name}/ ${node.folder.matchCount}`;
    case "file":
      return `${node.file.repository}/${node.file.fileName.text} ${node.matchCount}`;
    case "line":
      return `${node.line.lineNumber}`;
    case "copies":
      return `${node.files.length} identical`;
    case "commit":
      return `${node.commit.repository} ${node.commit.message}`;
    case "more":
      return `${node.matchCount} more in ${node.count} ${node.of}`;
  }
}

/** Returns the row with this text. */
export function rowWith(model: ResultModel, text: string): ResultNode {
  const all = (node?: ResultNode): ResultNode[] =>
    model.children(node).flatMap((each) => [each, ...all(each)]);
  const row = all().find((each) => labelOf(each) === text);
  if (row === undefined) throw new Error(`no row "${text}" in:\n${treeLines(model).join("\n")}`);
  return row;
}

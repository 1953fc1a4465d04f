/** The rows of a tree of results as plain data. Pure: does not use VS Code. */

import { keyOf, type ResultSet } from "#client/search/resultSet";
import type { FileMatch, FoundCommit } from "#contract/search";
import type { Folder } from "./resultFolders";
import type { ResultLine } from "./resultLines";

export type ResultNode =
  | SetNode
  | RepositoryNode
  | FolderNode
  | FileNode
  | LineNode
  | CopiesNode
  | CommitNode
  | MoreNode;

interface Node {
  /** Stable across refreshes, so that selection and expansion survive them. */
  readonly id: string;
}

/** A pinned set of results. */
export interface SetNode extends Node {
  readonly kind: "set";
  readonly set: ResultSet;
}

export interface RepositoryNode extends Node {
  readonly kind: "repository";
  readonly parent: SetNode | undefined;
  readonly repositoryId: number;
  readonly name: string;
  readonly displayName: string;
  readonly externalWebUrl: string;
  readonly fileCount: number;
  readonly matchCount: number;
  /** The first of them determine the revisions that the row shows. */
  readonly files: readonly FileMatch[];
  /** In a search for repositories: the match in the name. Such a row has no children. */
  readonly nameMatch: FileMatch | undefined;
}

/** A folder with results, if they are shown as a tree. */
export interface FolderNode extends Node {
  readonly kind: "folder";
  readonly parent: RepositoryNode | FolderNode;
  readonly folder: Folder;
  /** Index of its first file among those of the repository. */
  readonly firstFile: number;
}

export interface FileNode extends Node {
  readonly kind: "file";
  readonly parent: RepositoryNode | FolderNode | CopiesNode;
  readonly file: FileMatch;
  readonly matchCount: number;
  readonly lineCount: number;
  /** How many of the lines contain the whole phrase of the query. They are its first rows. */
  readonly phraseLineCount: number;
  /** The same content at the same path in other repositories. */
  readonly copies: readonly FileMatch[];
}

export interface LineNode extends Node {
  readonly kind: "line";
  readonly parent: FileNode;
  readonly line: ResultLine;
}

/** A child of a file: its copies in other repositories. */
export interface CopiesNode extends Node {
  readonly kind: "copies";
  readonly parent: FileNode;
  readonly files: readonly FileMatch[];
}

/** A commit whose message matched. */
export interface CommitNode extends Node {
  readonly kind: "commit";
  readonly parent: SetNode | undefined;
  readonly commit: FoundCommit;
}

/** Represents rows that are not created yet; with `unfetched`, for matches that were not fetched yet. */
export interface MoreNode extends Node {
  readonly kind: "more";
  readonly parent: FileNode | RepositoryNode | SetNode | undefined;
  readonly of: "lines" | "files" | "repositories" | "unfetched";
  readonly count: number;
  readonly matchCount: number;
}

export function parentOf(node: ResultNode): ResultNode | undefined {
  return node.kind === "set" ? undefined : node.parent;
}

/** Returns the file that a row belongs to; none for a repository or a pinned set. */
export function fileOf(node: ResultNode): FileNode | undefined {
  switch (node.kind) {
    case "file":
      return node;
    case "line":
    case "copies":
      return node.parent;
    default:
      return undefined;
  }
}

export function repositoryOf(node: ResultNode): RepositoryNode | undefined {
  for (let each: ResultNode | undefined = node; each !== undefined; each = parentOf(each)) {
    if (each.kind === "repository") return each;
  }
  return undefined;
}

/** Returns the pinned set that a row belongs to; `undefined` for rows of the current search. */
export function setOf(node: ResultNode): SetNode | undefined {
  for (let each: ResultNode | undefined = node; each !== undefined; each = parentOf(each)) {
    if (each.kind === "set") return each;
  }
  return undefined;
}

export function repositoryId(prefix: string, id: number): string {
  return `${prefix}/${id}`;
}

export function fileId(prefix: string, file: FileMatch): string {
  return `${prefix}/${keyOf(file)}`;
}

/** Differs from the ids of files, which contain more than their path. */
export function folderId(repository: string, path: string): string {
  return `${repository}\0${path}/`;
}

export function lineId(file: string, lineNumber: number): string {
  return `${file}\0${lineNumber}`;
}

/** Whether a match is a repository's name, as found by a search for repositories. */
export function isRepositoryMatch({ fileName, repository, chunks, blobSha }: FileMatch): boolean {
  return chunks.length === 0 && blobSha === "" && fileName.text === repository;
}

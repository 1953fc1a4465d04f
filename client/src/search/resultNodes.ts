/** The rows of a tree of results as plain data. Pure: knows no VS Code. */
import type { FileMatch, FoundCommit } from "#contract/search";
import type { ResultLine } from "./resultLines";
import { keyOf, type ResultSet } from "./resultSet";

export type ResultNode = SetNode | RepositoryNode | FileNode | LineNode | CopiesNode | CommitNode | MoreNode;

interface Node {
  /** The same for the same thing in each refresh, so that what is selected and expanded stays so. */
  readonly id: string;
}

/** Results that were pinned. */
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
  /** Its first files say on which revisions they were found. */
  readonly files: readonly FileMatch[];
  /** Of a search for repositories: what of the name was found, and nothing below. */
  readonly found: FileMatch | undefined;
}

export interface FileNode extends Node {
  readonly kind: "file";
  readonly parent: RepositoryNode | CopiesNode;
  readonly file: FileMatch;
  readonly matchCount: number;
  readonly lineCount: number;
  /** The same content at the same path in other repositories. */
  readonly copies: readonly FileMatch[];
}

export interface LineNode extends Node {
  readonly kind: "line";
  readonly parent: FileNode;
  readonly line: ResultLine;
}

/** Under a file: the same file elsewhere. */
export interface CopiesNode extends Node {
  readonly kind: "copies";
  readonly parent: FileNode;
  readonly files: readonly FileMatch[];
}

/** A commit whose message was found. */
export interface CommitNode extends Node {
  readonly kind: "commit";
  readonly parent: SetNode | undefined;
  readonly commit: FoundCommit;
}

/** Stands for rows that are not made yet; `answer`: for matches that were not brought yet. */
export interface MoreNode extends Node {
  readonly kind: "more";
  readonly parent: FileNode | RepositoryNode | SetNode | undefined;
  readonly of: "lines" | "files" | "repositories" | "answer";
  readonly count: number;
  readonly matchCount: number;
}

export function parentOf(node: ResultNode): ResultNode | undefined {
  return node.kind === "set" ? undefined : node.parent;
}

/** The file that a row is about; of a repository and a pinned set none. */
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
  for (let at: ResultNode | undefined = node; at !== undefined; at = parentOf(at)) {
    if (at.kind === "repository") return at;
  }
  return undefined;
}

/** The pinned set that a row belongs to; `undefined` where it belongs to the present one. */
export function setOf(node: ResultNode): SetNode | undefined {
  for (let at: ResultNode | undefined = node; at !== undefined; at = parentOf(at)) {
    if (at.kind === "set") return at;
  }
  return undefined;
}

export function repositoryId(tree: string, id: number): string {
  return `${tree}/${id}`;
}

export function fileId(tree: string, file: FileMatch): string {
  return `${tree}/${keyOf(file)}`;
}

export function lineId(file: string, lineNumber: number): string {
  return `${file}\0${lineNumber}`;
}

/** A file that is a repository's name, as a search for repositories gives. */
export function isRepositoryItself({ fileName, repository, chunks, blobSha }: FileMatch): boolean {
  return chunks.length === 0 && blobSha === "" && fileName.text === repository;
}

import type { Origin } from "./document";
import type { RepositoryId } from "./repository";

/** `byteOffset` from 0 in the document's bytes, `lineNumber` from 1, `column` from 1 in code points. */
export interface Position {
  readonly byteOffset: number;
  readonly lineNumber: number;
  readonly column: number;
}

/** Half-open: `end` is the first position after the range. */
export interface Range {
  readonly start: Position;
  readonly end: Position;
}

/**
 * A definition whose name overlaps a range. `kind` is a `SymbolKind`. The fields of `parent` are `""` if there is none.
 */
export interface SymbolHit {
  readonly symbol: string;
  readonly kind: string;
  readonly parent: { readonly symbol: string; readonly kind: string };
}

/** `kind` is a `SymbolKind`. */
export interface EnclosingDefinition {
  readonly symbol: string;
  readonly kind: string;
}

/** Whole lines around one or more ranges, including the trailing newline if the document has one. */
export interface Chunk {
  readonly content: string;
  readonly contentStart: Position;
  readonly matchRanges: readonly Range[];
  readonly symbols: readonly SymbolHit[];
  /** Innermost, among those whose names are not in `content`; only on request. */
  readonly enclosing?: EnclosingDefinition;
}

/** All matches in one document: chunks in its text or ranges in its path, never both. */
export interface FileMatch {
  readonly repositoryId: RepositoryId;
  readonly path: string;
  readonly nameRanges: readonly Range[];
  /** The JSON of a `Chunk[]` in UTF-8, which HTTP responses contain as it is; `decodeChunks` decodes it. */
  readonly chunks: Uint8Array;
  /** The number of ranges in `chunks` and `nameRanges`. */
  readonly rangeCount: number;
  readonly language: string;
  /** The full names of the refs that the query covers and that contain this document. */
  readonly branches: readonly string[];
  readonly origin: Origin;
  /** Commit of the first of `branches`, `""` for a plain folder. */
  readonly commit: string;
  /** The git blob hash of the content, `""` if it is in no repository. */
  readonly blobSha: string;
  /** The whole document if requested, otherwise `""`. */
  readonly content: string;
  /** Higher is better. Comparable across shards. */
  readonly score: number;
  /** Ranges found in this document, before any display limit. */
  readonly matchCount: number;
  /** One line that explains `score`, if requested. */
  readonly explanation?: string | undefined;
}

/** Where a file comes from. Files of a repository that are in the same revisions share it. */
export type DocumentSource = Pick<FileMatch, "repositoryId" | "branches" | "origin" | "commit">;

/** Returns what distinguishes a file from others. Versions of one that is not indexed have no hash, but other branches. */
export function fileKey({ repositoryId, path, blobSha, origin, branches }: FileMatch): string {
  return [repositoryId, path, blobSha, origin, ...branches].join("\0");
}

const decoder = new TextDecoder();

export function decodeChunks({ chunks }: Pick<FileMatch, "chunks">): Chunk[] {
  return JSON.parse(decoder.decode(chunks));
}

export function encodeChunks(chunks: readonly Chunk[]): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(chunks));
}

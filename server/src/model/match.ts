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

/** A definition that a range touches. `kind` in LSP words; parent's fields are empty strings where there is none. */
export interface SymbolHit {
  readonly symbol: string;
  readonly kind: string;
  readonly parent: { readonly symbol: string; readonly kind: string };
}

/** Whole lines around one or more ranges, with the trailing newline where the document has one. */
export interface Chunk {
  readonly content: string;
  readonly contentStart: Position;
  readonly matchRanges: readonly Range[];
  readonly symbols: readonly SymbolHit[];
}

/** All hits in one document: chunks in its text or ranges in its name, never both. */
export interface FileMatch {
  readonly repositoryId: RepositoryId;
  readonly path: string;
  readonly nameRanges: readonly Range[];
  readonly chunks: readonly Chunk[];
  readonly language: string;
  /** Full ref names that the query covers and that hold this content. */
  readonly branches: readonly string[];
  readonly origin: Origin;
  /** Commit of the first of `branches`, `""` for a plain folder. */
  readonly commit: string;
  /** Git's hash of the content, `""` where it is in no repository. */
  readonly blobSha: string;
  /** The whole document where it was asked for, else `""`. */
  readonly content: string;
  /** Higher is better; compares across shards. */
  readonly score: number;
  /** Ranges found in this document, before any limit on display. */
  readonly matchCount: number;
  /** One line that tells how `score` came about, where it was asked for. */
  readonly explanation?: string;
}

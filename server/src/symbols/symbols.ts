/**
 * Definitions, occurrences and imports of single documents, found with tree-sitter.
 *
 * A grammar is WebAssembly, and hostile text can make it run out of memory or time, which ruins its thread. So parsing
 * has threads of its own: `parsing/parsers.ts` sends documents to worker threads that it can terminate and replace, and
 * every document gets a result, if only the reason why it was not parsed.
 *
 *     parsing/       worker threads -> parserTask.ts -> documentParser.ts, which uses everything below
 *     scopes/        declarations, scopes, and what an occurrence of a name refers to
 *     definitions/   definitions, imports, signatures and documentation from a syntax tree
 *     recovery/      error recovery: macros, and partial parses of text that cannot be parsed as a whole
 *     elision/       removes function bodies that need not be parsed
 *     grammars/      the grammar of each language, with queries for definitions, scopes and calls
 *
 * Offsets count the bytes of the document from 0, whatever its encoding; ends are exclusive.
 */
import type { Definition, DocumentSymbols } from "#model/symbol";

/** A text to parse. */
export interface SourceText {
  /** The name in Linguist; `grammarOf` decides whether it is parsed. */
  readonly language: string;
  readonly content: Uint8Array;
}

/**
 * Why a document was not parsed: its language has no grammar; it is larger than `maxParsedBytes`; it took too long; or
 * the parser crashed (out of memory, or a bug of the grammar).
 */
export const unparsedReasons = ["noGrammar", "tooLarge", "tooSlow", "crashed"] as const;
export type UnparsedReason = (typeof unparsedReasons)[number];

export interface Unparsed {
  readonly kind: "unparsed";
  readonly reason: UnparsedReason;
}

export type ParsedSymbols = ({ readonly kind: "parsed" } & DocumentSymbols) | Unparsed;

export type OccurrenceRole =
  /** The name of a definition of the document. */
  | "definition"
  /** Declares a name that is visible only in its scope: a local variable, a parameter. */
  | "local"
  /** Anything else, including imported names. */
  | "reference";

/** An occurrence of an identifier in code, not in comments or strings. */
export interface Occurrence {
  readonly start: number;
  readonly end: number;
  readonly role: OccurrenceRole;
  /**
   * Where the name is declared in this document, by the scoping rules of the language: `nameStart` of a definition, or
   * the offset of a local. -1 if it is declared elsewhere, or only types could decide (`a.name`).
   */
  readonly declaredAt: number;
  /** Whether it refers to a local, and so never to a definition of that name in another document. */
  readonly isLocal: boolean;
  /** The definition that contains it; absent at the top level. */
  readonly enclosing?: Pick<Definition, "name" | "kind">;
}

export type ParsedOccurrences =
  | {
      readonly kind: "parsed";
      readonly occurrences: readonly Occurrence[];
      /** What the document imports, as written. */
      readonly imports: readonly string[];
    }
  | Unparsed;

/** What is known about the type of an object. */
export type ValueSource =
  /** The type is named where the object is declared. */
  | { readonly kind: "type"; readonly name: string; readonly imports: readonly string[] }
  /** Its value is the result of a function or the value of a field. */
  | {
      readonly kind: "call" | "field";
      readonly name: string;
      /** Whether it is a member of a type, or a name of a package. */
      readonly isMember: boolean;
      /** Index of the value among the results of the function. */
      readonly position: number;
      /** Words that may name the type to which it belongs; empty if unknown. */
      readonly ownerWords: readonly string[];
      /** Imports that mention the word before its name. */
      readonly imports: readonly string[];
    };

/** A call of a function, method, constructor or macro, at the name of the callee. */
export interface CallSite {
  /** The name; if an import renames it, the name in the imported module. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** As in `Occurrence`; never a variable or parameter. */
  readonly declaredAt: number;
  /** The word before the operator of a member access: `box` in `box.open()`; `""` for other expressions. */
  readonly receiver?: string;
  /** Words that may name the type to which the callee belongs, or one of its subtypes. */
  readonly typeWords: readonly string[];
  /** What is known about the type of the receiver, in languages that declare variables without types. */
  readonly value?: ValueSource;
  /** Imports that mention the receiver or, without one, the name. */
  readonly imports: readonly string[];
}

export type ParsedCalls =
  | ({
      readonly kind: "parsed";
      /** By ascending start. */
      readonly calls: readonly CallSite[];
    } & DocumentSymbols)
  | Unparsed;

/** An identifier in code. */
export interface Identifier extends Occurrence {
  readonly name: string;
}

export type ParsedIdentifier =
  /** `identifier` is undefined in comments and strings, and on keywords and whitespace. */
  { readonly kind: "parsed"; readonly identifier: Identifier | undefined } | Unparsed;

/** The head of a definition, and its documentation. */
export interface Signature {
  /** The lines before its body, without their common indentation; at most `maxSignatureLines`. */
  readonly signature: string;
  /** Its comment or docstring, without comment markers; `""` if there is none. */
  readonly documentation: string;
}

export type ParsedSignature =
  | { readonly kind: "parsed"; readonly signature: Signature | undefined }
  | Unparsed;

/** Larger documents are not parsed, because they are data or generated. */
export const maxParsedBytes = 2 * 1024 * 1024;

/**
 * What one document defines, names and imports, by tree-sitter.
 *
 * A grammar is WebAssembly, and hostile text can make it run out of memory or of time; then its thread is of no use any
 * more. So nothing is parsed on a thread that does anything else: `parsers.ts` sends documents to threads that it can
 * end and replace, `parserTask.ts` is what runs there, and every document gets an answer, were it only a reason why
 * there is none.
 *
 *     parsers.ts     the threads        -> parserTask.ts -> documentParser.ts (text to tree) -> definitions.ts, occurrences.ts …
 *     bodies.ts      what of a text has to be parsed to find its definitions, or to tell what a name in it means
 *     pieces.ts      trees of the parts of a text that could not be read as a whole
 *     grammars.ts    which language has which grammar
 *     queries/       what of a tree is a definition, one file a grammar; scopes/: where names of locals count
 *
 * Offsets are in the document's bytes, from 0, whatever its encoding; ends are the first byte after.
 */
import type { DocumentSymbols } from "#model/symbol";

/** A text to parse. */
export interface SourceText {
  /** As Linguist names it; `grammarOf` tells which ones are parsed. */
  readonly language: string;
  readonly content: Uint8Array;
}

/**
 * Why a document was not parsed: no grammar for its language; larger than `maxParsedBytes`; more time than a document
 * may take; or its parser ended (memory, a defect of the grammar).
 */
export const unparsedReasons = ["noGrammar", "tooLarge", "tooSlow", "crashed"] as const;
export type UnparsedReason = (typeof unparsedReasons)[number];

export interface Unparsed {
  readonly kind: "unparsed";
  readonly reason: UnparsedReason;
}

export type ParsedSymbols = ({ readonly kind: "parsed" } & DocumentSymbols) | Unparsed;

/** What a place where a name stands in code is. */
export type OccurrenceRole =
  /** The name of one of the document's definitions. */
  | "definition"
  /** Declares something that counts in its own scope alone: a variable of a function, a parameter. */
  | "local"
  /** Anything else: a use, or a name brought in by an import. */
  | "reference";

/** A place of an identifier in code. Comments and strings hold none. */
export interface Occurrence {
  readonly start: number;
  readonly end: number;
  readonly role: OccurrenceRole;
  /**
   * Where in this document the name is declared that counts here, by the scopes of the language: `nameStart` of a
   * definition, or the place of a local. -1 where it comes from elsewhere, or only types could tell (`a.name`).
   */
  readonly declaredAt: number;
  /** What counts here can be used in its own scope alone: this is no use of anything of that name elsewhere. */
  readonly isLocal: boolean;
}

export type ParsedOccurrences =
  | {
      readonly kind: "parsed";
      readonly occurrences: readonly Occurrence[];
      /** What the document imports, as written: it tells what is meant. */
      readonly imports: readonly string[];
    }
  | Unparsed;

/** An identifier in code. */
export interface NamedPlace extends Occurrence {
  readonly name: string;
}

export type ParsedPlace =
  /** `place` is undefined where no identifier stands: in comments and strings, on keywords and blanks. */
  { readonly kind: "parsed"; readonly place: NamedPlace | undefined } | Unparsed;

/** What a person wants to read of a definition. */
export interface Signature {
  /** Its lines up to its body, without the indentation that they share; at most `maxSignatureLines`. */
  readonly signature: string;
  /** The comment before it, or the string at its beginning, without the marks of the comment; `""` if there is none. */
  readonly documentation: string;
}

export type ParsedSignature =
  | { readonly kind: "parsed"; readonly signature: Signature | undefined }
  | Unparsed;

/** Larger texts are data, or generated. */
export const maxParsedBytes = 2 * 1024 * 1024;

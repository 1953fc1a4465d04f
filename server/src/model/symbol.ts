/** What definitions are called, in LSP's words. An index in this list is how a kind is stored: never reorder it. */
export const symbolKinds = [
  "function",
  "method",
  "class",
  "interface",
  "struct",
  "enum",
  "enumMember",
  "type",
  "constant",
  "variable",
  "field",
  "property",
  "constructor",
  "namespace",
  "module",
  "package",
  "trait",
  "union",
  "macro",
  "operator",
  "event",
  "label",
] as const;
export type SymbolKind = (typeof symbolKinds)[number];

/** A definition in a document. Offsets are in the document's bytes, from 0; ends are the first byte after. */
export interface Definition {
  readonly name: string;
  readonly kind: SymbolKind;
  /** The name itself; of `a.b.c = …` the last part. */
  readonly nameStart: number;
  readonly nameEnd: number;
  /** The whole definition, without comments before it. */
  readonly start: number;
  readonly end: number;
  /** Index of the definition around it in the same list, -1 at the top. A parent stands before its children. */
  readonly parent: number;
  /** The name of what it belongs to where that is no definition around it: a Go receiver, a Rust `impl`; else `""`. */
  readonly owner: string;
  /** Cannot be named from outside the definition around it. */
  readonly isLocal: boolean;
}

/** What a parser found in one document, by ascending `nameStart`. */
export interface DocumentSymbols {
  readonly definitions: readonly Definition[];
  /** What it imports, as written: module paths, packages, included files. No entry twice. */
  readonly imports: readonly string[];
}

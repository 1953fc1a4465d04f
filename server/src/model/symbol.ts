/** The kinds of definitions, with LSP's names. A kind is stored as its index in this list: never reorder it. */
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

export const typeKinds: ReadonlySet<SymbolKind> = new Set([
  "class",
  "struct",
  "interface",
  "enum",
  "trait",
  "union",
]);
const functionKinds: ReadonlySet<SymbolKind> = new Set([
  "function",
  "method",
  "constructor",
  "operator",
  "macro",
]);

export function isFunctionKind(kind: SymbolKind): boolean {
  return functionKinds.has(kind);
}

/** A definition in a document. Offsets are in the document's bytes, from 0; ends are the first byte after. */
export interface Definition {
  readonly name: string;
  readonly kind: SymbolKind;
  /** The name itself; the last part of `a.b.c = …`. */
  readonly nameStart: number;
  readonly nameEnd: number;
  /** The whole definition, without comments before it. */
  readonly start: number;
  readonly end: number;
  /** Index of the enclosing definition in the same list, -1 at the top level. A parent precedes its children. */
  readonly parent: number;
  /** The name of its owner if that is not an enclosing definition: a Go receiver, a Rust `impl`; otherwise `""`. */
  readonly owner: string;
  /** Cannot be referenced from outside the enclosing definition. */
  readonly isLocal: boolean;
}

/** Whether the owner of a definition is nearer than its parent: `A::f` in a namespace belongs to `A`. */
export function isOwnerNearer(owner: string, parentKind: SymbolKind): boolean {
  return owner !== "" && (parentKind === "namespace" || parentKind === "module");
}

/** The symbols of one document, by ascending `nameStart`. */
export interface DocumentSymbols {
  readonly definitions: readonly Definition[];
  /** Imports as written: module paths, packages, included files. No duplicates. */
  readonly imports: readonly string[];
}

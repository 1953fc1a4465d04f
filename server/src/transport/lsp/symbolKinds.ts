/** Converts symbol kinds and outlines to their LSP equivalents. */
import {
  type DocumentSymbol,
  type Range,
  type SymbolInformation,
  SymbolKind,
} from "vscode-languageserver/node";
import type { OutlineSymbol } from "#contract/symbols";

const kinds: Readonly<Record<string, SymbolKind>> = {
  function: SymbolKind.Function,
  method: SymbolKind.Method,
  class: SymbolKind.Class,
  interface: SymbolKind.Interface,
  trait: SymbolKind.Interface,
  struct: SymbolKind.Struct,
  union: SymbolKind.Struct,
  enum: SymbolKind.Enum,
  enumMember: SymbolKind.EnumMember,
  type: SymbolKind.TypeParameter,
  constant: SymbolKind.Constant,
  macro: SymbolKind.Constant,
  variable: SymbolKind.Variable,
  label: SymbolKind.Key,
  field: SymbolKind.Field,
  property: SymbolKind.Property,
  constructor: SymbolKind.Constructor,
  namespace: SymbolKind.Namespace,
  module: SymbolKind.Module,
  package: SymbolKind.Package,
  operator: SymbolKind.Operator,
  event: SymbolKind.Event,
};

/** Converts a symbol kind. Unknown kinds, such as those of text matches, become variables. */
export function toLspKind(kind: string): SymbolKind {
  return Object.hasOwn(kinds, kind) ? (kinds[kind] ?? SymbolKind.Variable) : SymbolKind.Variable;
}

export interface OutlineOptions {
  /** Converts ranges to the client's columns. */
  readonly rangeOf: (range: OutlineSymbol["range"]) => Range;
  /** Replaces kinds that the client does not support. */
  readonly kindOf: (kind: SymbolKind) => SymbolKind;
}

/** Returns an outline as a tree. */
export function toDocumentSymbols(
  symbols: readonly OutlineSymbol[],
  { rangeOf, kindOf }: OutlineOptions,
): DocumentSymbol[] {
  const roots: DocumentSymbol[] = [];
  const items: DocumentSymbol[] = [];
  for (const { symbol, kind, range, wholeRange, parentIndex, owner } of symbols) {
    const selectionRange = rangeOf(range);
    const whole = rangeOf(wholeRange);
    const item: DocumentSymbol = {
      name: nameOf(symbol),
      ...(owner === "" ? {} : { detail: owner }),
      kind: kindOf(toLspKind(kind)),
      range: containsRange(whole, selectionRange) ? whole : selectionRange,
      selectionRange,
      children: [],
    };
    items.push(item);
    (items[parentIndex]?.children ?? roots).push(item);
  }
  return roots;
}

/** Returns an outline as a list, for clients that do not support trees. */
export function toSymbolInformation(
  symbols: readonly OutlineSymbol[],
  uri: string,
  { rangeOf, kindOf }: OutlineOptions,
): SymbolInformation[] {
  return symbols.map(({ symbol, kind, wholeRange, parentIndex, owner }) => {
    const container = symbols[parentIndex]?.symbol ?? owner;
    return {
      name: nameOf(symbol),
      kind: kindOf(toLspKind(kind)),
      location: { uri, range: rangeOf(wholeRange) },
      ...(container === "" ? {} : { containerName: container }),
    };
  });
}

/** Editors reject empty names. */
function nameOf(symbol: string): string {
  return symbol.trim() === "" ? "…" : symbol;
}

/** Editors reject symbols whose range does not contain their name. */
function containsRange(outer: Range, inner: Range): boolean {
  const isBefore = (one: Range["start"], other: Range["start"]) =>
    one.line < other.line || (one.line === other.line && one.character <= other.character);
  return isBefore(outer.start, inner.start) && isBefore(inner.end, outer.end);
}

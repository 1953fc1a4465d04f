/** Kinds and outlines of ours as LSP has them. */
import { type DocumentSymbol, type Range, SymbolKind } from "vscode-languageserver/node";
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

/** What is of no kind, because only its text is known, is a variable. */
export function lspKind(kind: string): SymbolKind {
  return Object.hasOwn(kinds, kind) ? (kinds[kind] ?? SymbolKind.Variable) : SymbolKind.Variable;
}

/** As a tree; `rangeIn` gives places as the editor counts them. */
export function documentSymbols(
  symbols: readonly OutlineSymbol[],
  rangeIn: (range: OutlineSymbol["range"]) => Range,
): DocumentSymbol[] {
  const roots: DocumentSymbol[] = [];
  const made: DocumentSymbol[] = [];
  for (const { symbol, kind, range, wholeRange, parentIndex, owner } of symbols) {
    const selectionRange = rangeIn(range);
    const whole = rangeIn(wholeRange);
    const item: DocumentSymbol = {
      // An editor takes no empty name.
      name: symbol.trim() === "" ? "…" : symbol,
      ...(owner === "" ? {} : { detail: owner }),
      kind: lspKind(kind),
      range: holds(whole, selectionRange) ? whole : selectionRange,
      selectionRange,
      children: [],
    };
    made.push(item);
    (made[parentIndex]?.children ?? roots).push(item);
  }
  return roots;
}

/** An editor refuses a definition that does not hold its own name. */
function holds(outer: Range, inner: Range): boolean {
  const isBefore = (one: Range["start"], other: Range["start"]) =>
    one.line < other.line || (one.line === other.line && one.character <= other.character);
  return isBefore(outer.start, inner.start) && isBefore(inner.end, outer.end);
}

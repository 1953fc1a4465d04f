/** Which definition stands in which: by containment, and by what counts in the languages. */
import type { SymbolKind } from "#model/symbol";

/** One match, in indices of the text. */
export interface Found {
  readonly role: "definition" | "scope" | "block";
  readonly name: string;
  kind: SymbolKind;
  readonly nameStart: number;
  readonly nameEnd: number;
  readonly start: number;
  end: number;
  owner: string;
  /** Belongs to what is around the function around it. */
  readonly isOuter: boolean;
  /** Those of one name beside each other are one. */
  readonly isPart: boolean;
}
/** From the most telling one on: when patterns give one name two kinds, the first in this list counts. */
const telling: readonly SymbolKind[] = [
  "constructor",
  "operator",
  "event",
  "method",
  "union",
  "trait",
  "struct",
  "interface",
  "enum",
  "class",
  "enumMember",
  "macro",
  "function",
  "property",
  "package",
  "namespace",
  "module",
  "type",
  "field",
  "constant",
  "variable",
  "label",
];
const rank = new Map(telling.map((kind, index) => [kind, index]));
const functions: ReadonlySet<SymbolKind> = new Set([
  "function",
  "method",
  "constructor",
  "operator",
  "macro",
]);
export const typeKinds: ReadonlySet<SymbolKind> = new Set([
  "class",
  "struct",
  "interface",
  "enum",
  "trait",
  "union",
]);
/** Of these, those inside functions are no definitions. */
const values: ReadonlySet<SymbolKind> = new Set(["variable", "constant", "field", "property"]);
/** A place in the tree of what was found; every step up is one look, because texts may be nested without end. */
export interface Nested {
  readonly found: Found;
  readonly isLocal: boolean;
  readonly parent: Nested | undefined;
  /** The nearest one around what is in it that is no block: this one, if it is none. */
  readonly holder: Nested | undefined;
  /** The nearest one around what is in it that is no function. */
  readonly outside: Nested | undefined;
}

/** Gives each definition once, with the one around it. */
export function nest(all: readonly Found[]): Nested[] {
  const sorted = [...all].sort(
    (left, right) => left.start - right.start || right.end - left.end || left.nameStart - right.nameStart,
  );
  const byName = new Map<number, Found>();
  const around: Nested[] = [];
  const definitions: Nested[] = [];
  for (const found of sorted) {
    const isDefinition = found.role === "definition";
    const same = isDefinition ? byName.get(found.nameStart) : undefined;
    if (same !== undefined) {
      merge(same, found);
      continue;
    }
    while ((around.at(-1)?.found.end ?? Number.POSITIVE_INFINITY) <= found.start) around.pop();
    const top = around.at(-1);
    const isSibling = top !== undefined && hasSameRange(found, top.found);
    const nested = nestedIn(found, isSibling || isDeclaredWith(found, top) ? around.at(-2) : top);
    if (nested === undefined) continue;
    if (isDefinition) {
      byName.set(found.nameStart, found);
      definitions.push(nested);
    }
    if (!isSibling) around.push(nested);
  }
  return definitions;
}

function merge(kept: Found, other: Found): void {
  if ((rank.get(other.kind) ?? 0) < (rank.get(kept.kind) ?? 0)) kept.kind = other.kind;
  if (kept.owner === "") kept.owner = other.owner;
}

/** Several names of one declaration are beside each other. */
function hasSameRange(found: Found, top: Found): boolean {
  return top.role === "definition" && top.start === found.start && top.end === found.end;
}

/** `typedef struct X { … } Y`, `struct X { … } y`: X is not a member of what is declared with it. */
function isDeclaredWith(found: Found, top: Nested | undefined): boolean {
  if (found.role !== "definition" || !typeKinds.has(found.kind) || top?.found.role !== "definition")
    return false;
  const { kind, nameStart } = top.found;
  return kind === "type" || (nameStart > found.nameStart && (kind === "variable" || kind === "field"));
}

/** What it is there; undefined when it is no definition there. */
function nestedIn(found: Found, around: Nested | undefined): Nested | undefined {
  const isInFunction = isFunctionLike(around?.found);
  if (found.role === "definition" && !found.isOuter && values.has(found.kind) && isInFunction)
    return undefined;
  const holder = found.isOuter ? around?.outside : around?.holder;
  const isLocal = found.isOuter
    ? (holder?.isLocal ?? false)
    : around !== undefined && (around.isLocal || isInFunction);
  if (found.role === "block") return { found, isLocal, parent: undefined, holder, outside: around?.outside };
  if (found.role === "definition" && holder !== undefined && !isInFunction) adapt(found, holder.found);
  // `typedef struct { int x; } T`: a name that comes later is no parent in a list by names, so it is told in words.
  const isParent = holder?.found.role === "definition" && holder.found.nameStart < found.nameStart;
  if (!isParent && holder !== undefined && found.owner === "") found.owner = holder.found.name;
  if (found.kind === "method" && found.name === found.owner) found.kind = "constructor";
  return new Place(found, isLocal, isParent ? holder : undefined, around);
}

/** Of anything but a block. */
class Place implements Nested {
  readonly found: Found;
  readonly isLocal: boolean;
  readonly parent: Nested | undefined;
  readonly holder: Nested = this;
  readonly outside: Nested | undefined;

  constructor(found: Found, isLocal: boolean, parent: Nested | undefined, around: Nested | undefined) {
    this.found = found;
    this.isLocal = isLocal;
    this.parent = parent;
    this.outside = isFunctionLike(found) ? around?.outside : this;
  }
}

export function isFunctionKind(kind: SymbolKind): boolean {
  return functions.has(kind);
}

function isFunctionLike(found: Found | undefined): boolean {
  return found?.role === "block" || (found?.role === "definition" && functions.has(found.kind));
}

/** A function in a class is a method; a variable there is a field. */
function adapt(found: Found, outer: Found): void {
  if (outer.role === "definition" && !typeKinds.has(outer.kind)) return;
  if (found.kind === "function") found.kind = found.name === outer.name ? "constructor" : "method";
  else if (found.kind === "variable" && outer.role === "definition") found.kind = "field";
}

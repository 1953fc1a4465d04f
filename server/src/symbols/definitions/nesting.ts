/** Nests definitions by containment, and adapts their kinds to their parents. */
import { isFunctionKind, type SymbolKind, typeKinds } from "#model/symbol";

/** One match, in UTF-16 indices. */
export interface FoundDefinition {
  readonly role: "definition" | "scope" | "block";
  readonly name: string;
  kind: SymbolKind;
  readonly nameStart: number;
  readonly nameEnd: number;
  readonly start: number;
  end: number;
  owner: string;
  /** Whether it is a member of what encloses its function, not of the function (`self.x = …`). */
  readonly isOuter: boolean;
  /** Whether adjacent matches with the same name are one definition. */
  readonly isPart: boolean;
}

/** Most specific first. If patterns yield two kinds for one name, the first in this list wins. */
const bySpecificity: readonly SymbolKind[] = [
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

const rank = new Map(bySpecificity.map((kind, index) => [kind, index]));

/** Kinds that are not definitions inside functions. */
const values: ReadonlySet<SymbolKind> = new Set(["variable", "constant", "field", "property"]);

/** A match with its ancestors. Every lookup takes one step, because hostile text can be nested without bounds. */
export interface Nested {
  readonly found: FoundDefinition;
  readonly isLocal: boolean;
  readonly parent: Nested | undefined;
  /** The nearest match that encloses its contents and is not a block: itself, unless it is one. */
  readonly container: Nested | undefined;
  /** The nearest match that encloses its contents and is neither a function nor a block. */
  readonly outside: Nested | undefined;
}

/** Returns each definition once, with its parent. */
export function nest(all: readonly FoundDefinition[]): Nested[] {
  const sorted = [...all].sort(
    (left, right) => left.start - right.start || right.end - left.end || left.nameStart - right.nameStart,
  );
  const byName = new Map<number, FoundDefinition>();
  const enclosing: Nested[] = [];
  const definitions: Nested[] = [];
  for (const found of sorted) {
    const isDefinition = found.role === "definition";
    const same = isDefinition ? byName.get(found.nameStart) : undefined;
    if (same !== undefined) {
      merge(same, found);
      continue;
    }
    while ((enclosing.at(-1)?.found.end ?? Number.POSITIVE_INFINITY) <= found.start) enclosing.pop();
    const top = enclosing.at(-1);
    const isSibling = top !== undefined && hasSameRange(found, top.found);
    const nested = nestedIn(found, isSibling || isDeclaredWith(found, top) ? enclosing.at(-2) : top);
    if (nested === undefined) continue;
    if (isDefinition) {
      byName.set(found.nameStart, found);
      definitions.push(nested);
    }
    if (!isSibling) enclosing.push(nested);
  }
  return definitions;
}

function merge(target: FoundDefinition, other: FoundDefinition): void {
  if ((rank.get(other.kind) ?? 0) < (rank.get(target.kind) ?? 0)) target.kind = other.kind;
  if (target.owner === "") target.owner = other.owner;
}

/** Whether two matches are names of one declaration, which makes them siblings. */
function hasSameRange(found: FoundDefinition, top: FoundDefinition): boolean {
  return top.role === "definition" && top.start === found.start && top.end === found.end;
}

/** `typedef struct X { … } Y`, `struct X { … } y`: X is not a member of what is declared with it. */
function isDeclaredWith(found: FoundDefinition, top: Nested | undefined): boolean {
  if (found.role !== "definition" || !typeKinds.has(found.kind) || top?.found.role !== "definition")
    return false;
  const { kind, nameStart } = top.found;
  return kind === "type" || (nameStart > found.nameStart && (kind === "variable" || kind === "field"));
}

/**
 * Adds the ancestors of a match. Returns undefined for a variable or the like in a function, which is no definition.
 */
function nestedIn(found: FoundDefinition, enclosing: Nested | undefined): Nested | undefined {
  const isInFunction = isFunctionLike(enclosing?.found);
  if (found.role === "definition" && !found.isOuter && values.has(found.kind) && isInFunction)
    return undefined;
  const container = found.isOuter ? enclosing?.outside : enclosing?.container;
  const isLocal = found.isOuter
    ? (container?.isLocal ?? false)
    : enclosing !== undefined && (enclosing.isLocal || isInFunction);
  if (found.role === "block")
    return { found, isLocal, parent: undefined, container, outside: enclosing?.outside };
  if (found.role === "definition" && container !== undefined && !isInFunction) adapt(found, container.found);
  // `typedef struct { int x; } T`: parents precede their children in the list, so `T` becomes the owner instead.
  const isParent = container?.found.role === "definition" && container.found.nameStart < found.nameStart;
  if (!isParent && container !== undefined && found.owner === "") found.owner = container.found.name;
  if (found.kind === "method" && found.name === found.owner) found.kind = "constructor";
  return new Container(found, isLocal, isParent ? container : undefined, enclosing);
}

/** A definition or a scope, but not a block. */
class Container implements Nested {
  readonly found: FoundDefinition;
  readonly isLocal: boolean;
  readonly parent: Nested | undefined;
  readonly container: Nested = this;
  readonly outside: Nested | undefined;

  constructor(
    found: FoundDefinition,
    isLocal: boolean,
    parent: Nested | undefined,
    enclosing: Nested | undefined,
  ) {
    this.found = found;
    this.isLocal = isLocal;
    this.parent = parent;
    this.outside = isFunctionLike(found) ? enclosing?.outside : this;
  }
}

function isFunctionLike(found: FoundDefinition | undefined): boolean {
  return found?.role === "block" || (found?.role === "definition" && isFunctionKind(found.kind));
}

/** Adapts the kind to the container: a function in a class is a method, and a variable in a class is a field. */
function adapt(found: FoundDefinition, outer: FoundDefinition): void {
  if (outer.role === "definition" && !typeKinds.has(outer.kind)) return;
  if (found.kind === "function") found.kind = found.name === outer.name ? "constructor" : "method";
  else if (found.kind === "variable" && outer.role === "definition") found.kind = "field";
}

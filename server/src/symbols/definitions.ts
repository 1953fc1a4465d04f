/**
 * Definitions and imports out of a tree, by the query of its grammar (`queries/<grammar>.scm`).
 *
 * What a pattern captures:
 *
 *     @name            the name; quotes and signs around it do not count
 *     @name.marked     the same behind a sign: `$name`
 *     @declarator      of C and its kin: a declarator, which has the name somewhere inside
 *     @<kind>          the definition, of a kind of `#model/symbol`
 *     @<kind>.outer    the same, but a member of what is around the function that it stands in (`self.x = …`)
 *     @owner           what it belongs to, by name, where that is no definition around it
 *     @scope           something that has a @name and is no definition itself: what is in it belongs to that name
 *     @block           what is in it is local
 *     @not             a name here is none
 *     @import          a module, a package or a file that is imported; @import.path: with braces for several
 *
 * Parents are told by containment: the definition around. Of several patterns that give one name, the most telling kind
 * counts. Variables inside functions are no definitions; functions and classes there are local ones.
 */

import type { Node, QueryMatch } from "web-tree-sitter";
import { type Definition, type DocumentSymbols, type SymbolKind, symbolKinds } from "#model/symbol";
import { nameInDeclarator } from "./declarator";
import { importsIn } from "./imports";
import type { DecodedText } from "./sourceText";

/** Longer ones are no names. */
const maxNameLength = 512;

/** One match, in indices of the text. */
interface Found {
  readonly role: "definition" | "scope" | "block";
  readonly name: string;
  kind: SymbolKind;
  readonly nameStart: number;
  readonly nameEnd: number;
  readonly start: number;
  readonly end: number;
  owner: string;
  /** Belongs to what is around the function around it. */
  readonly isOuter: boolean;
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
  "class",
  "enum",
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

const kinds: ReadonlySet<string> = new Set(symbolKinds);
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

export function definitionsIn(matches: readonly QueryMatch[], source: DecodedText): DocumentSymbols {
  const imports = new Set<string>();
  const found: Found[] = [];
  const excluded = new Set<number>();
  for (const { captures } of matches) readMatch(captures, source.text, found, imports, excluded);
  const known = found.filter(({ role, nameStart }) => role !== "definition" || !excluded.has(nameStart));
  const definitions = nest(known)
    .sort((left, right) => left.found.nameStart - right.found.nameStart)
    .map(toDefinition(source));
  return { definitions, imports: [...imports] };
}

type Captures = QueryMatch["captures"];

function readMatch(
  captures: Captures,
  text: string,
  found: Found[],
  imports: Set<string>,
  excluded: Set<number>,
): void {
  let nameNode: Node | undefined;
  let declarator: Node | undefined;
  let whole: Node | undefined;
  let kind: SymbolKind | undefined;
  let role: Found["role"] = "definition";
  let isOuter = false;
  let isMarked = false;
  let owner = "";
  for (const { name: capture, node } of captures) {
    if (capture === "name" || capture === "name.marked") {
      nameNode = node;
      isMarked = capture === "name.marked";
    } else if (capture === "declarator") declarator = node;
    else if (capture === "owner") owner = lastPart(node.text);
    else if (capture === "not") excluded.add(trimmed(text, node.startIndex, node.endIndex)[0]);
    else if (capture === "import" || capture === "import.path") {
      for (const path of importsIn(node.text, capture === "import.path")) imports.add(path);
    } else if (capture === "block") {
      found.push(block(node));
    } else if (capture === "scope") {
      whole = node;
      role = "scope";
    } else {
      const outer = capture.endsWith(".outer");
      const word = outer ? capture.slice(0, -".outer".length) : capture;
      if (!isKind(word)) continue;
      whole = node;
      kind = word;
      isOuter = outer;
    }
  }
  if (declarator !== undefined) {
    const declared = nameInDeclarator(declarator, kind === "function" || kind === "method");
    if (declared === undefined) return;
    nameNode = declared.name;
    owner = declared.owner;
    if (kind === "function") kind = functionKind(declared.name.type, owner);
  }
  if (nameNode === undefined || whole === undefined) return;
  const nameFrom = nameNode.startIndex + (isMarked ? 1 : 0);
  const [nameStart, nameEnd] = trimmed(text, nameFrom, nameEndOf(nameNode));
  const name = text.slice(nameStart, nameEnd);
  if (!isName(name)) return;
  found.push({
    role,
    name: role === "scope" ? lastPart(name) : name,
    kind: kind ?? "namespace",
    nameStart,
    nameEnd,
    start: Math.min(whole.startIndex, nameStart),
    end: Math.max(whole.endIndex, nameEnd),
    owner,
    isOuter,
  });
}

/** `operator bool() const` is the name up to its type. */
function nameEndOf(node: Node): number {
  const type = node.type === "operator_cast" ? node.childForFieldName("type") : null;
  return type?.endIndex ?? node.endIndex;
}

/** What stands outside of its class says to which one it belongs: `A::f`. */
function functionKind(nameType: string, owner: string): SymbolKind {
  if (nameType.startsWith("operator")) return "operator";
  return owner === "" ? "function" : "method";
}

function isKind(word: string): word is SymbolKind {
  return kinds.has(word);
}

function block(node: Node): Found {
  const { startIndex: start, endIndex: end } = node;
  return {
    role: "block",
    name: "",
    kind: "namespace",
    nameStart: start,
    nameEnd: start,
    start,
    end,
    owner: "",
    isOuter: false,
  };
}

function isName(name: string): boolean {
  return name !== "" && name !== "_" && name.length <= maxNameLength && !/[\n\r\0]/.test(name);
}

/** Without what marks a name: quotes, Ruby's colons, Rust's `r#`, JavaScript's `#`. */
function trimmed(text: string, start: number, end: number): readonly [start: number, end: number] {
  let from = start;
  let to = end;
  const quote = text[from];
  if (to - from > 1 && (quote === '"' || quote === "'" || quote === "`") && text[to - 1] === quote) {
    from++;
    to--;
  } else if (text.startsWith("r#", from)) from += 2;
  else if (/[:#@]/.test(text[from] ?? "") && to - from > 1 && /[\p{L}_]/u.test(text[from + 1] ?? "")) from++;
  else if (text.startsWith("@@", from)) from += 2;
  if (text[to - 1] === ":" && to - from > 1 && text[to - 2] !== ":") to--;
  return [from, to];
}

/** `A.B<C>` -> `B`. */
function lastPart(name: string): string {
  const plain = name.replace(/[<[(].*$/s, "").trim();
  return /[^.:\\/*&\s]+$/.exec(plain)?.[0] ?? plain;
}

/** A place in the tree of what was found; every step up is one look, because texts may be nested without end. */
interface Nested {
  readonly found: Found;
  readonly isLocal: boolean;
  readonly parent: Nested | undefined;
  /** The nearest one around what is in it that is no block: this one, if it is none. */
  readonly holder: Nested | undefined;
  /** The nearest one around what is in it that is no function. */
  readonly outside: Nested | undefined;
}

/** Gives each definition once, with the one around it. */
function nest(all: readonly Found[]): Nested[] {
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
    const nested = nestedIn(found, isSibling || isNamedByTypedef(found, top) ? around.at(-2) : top);
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

/** `typedef struct X { … } Y`: X is not a member of Y. */
function isNamedByTypedef(found: Found, top: Nested | undefined): boolean {
  return (
    found.role === "definition" &&
    typeKinds.has(found.kind) &&
    top?.found.role === "definition" &&
    top.found.kind === "type"
  );
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
  const nested = { found, isLocal, parent: isParent ? holder : undefined };
  return {
    ...nested,
    get holder() {
      return this;
    },
    get outside() {
      return isFunctionLike(found) ? around?.outside : this;
    },
  };
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

function toDefinition(
  source: DecodedText,
): (nested: Nested, index: number, all: readonly Nested[]) => Definition {
  const places = new Map<Nested, number>();
  return (nested, index) => {
    places.set(nested, index);
    const { found, parent, isLocal } = nested;
    return {
      name: found.name,
      kind: found.kind,
      nameStart: source.byteAt(found.nameStart),
      nameEnd: source.byteAt(found.nameEnd),
      start: source.byteAt(found.start),
      end: source.byteAt(found.end),
      parent: parent === undefined ? -1 : (places.get(parent) ?? -1),
      owner: found.owner,
      isLocal,
    };
  };
}

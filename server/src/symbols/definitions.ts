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
 *     @<kind>.part     the same, but parts of one name beside each other are one definition (Haskell's equations)
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
import { macroCall, nameInDeclarator } from "./declarator";
import { importsIn } from "./imports";
import { type Found, type Nested, nest } from "./nesting";
import { reservedWordsOf } from "./reservedWords";
import type { DecodedText } from "./sourceText";

/** Longer ones are no names. */
const maxNameLength = 512;
const kinds: ReadonlySet<string> = new Set(symbolKinds);

export function definitionsIn(
  matches: readonly QueryMatch[],
  source: DecodedText,
  grammar: string,
): DocumentSymbols {
  const imports = new Set<string>();
  const found: Found[] = [];
  const excluded = new Set<number>();
  for (const { captures } of matches) readMatch(captures, source.text, found, imports, excluded);
  const reserved = reservedWordsOf(grammar);
  const known = found.filter(
    ({ role, kind, name, nameStart }) =>
      role !== "definition" ||
      (!excluded.has(nameStart) &&
        // Macros may be named so, and names that are marked: C#'s `@if`.
        (!reserved.has(name) || kind === "macro" || source.text[nameStart - 1] === "@")),
  );
  const definitions = nest(joined(known))
    .sort((left, right) => left.found.nameStart - right.found.nameStart)
    .map(toDefinition(source));
  return { definitions, imports: [...imports] };
}

/** Parts of one name beside each other as one. */
function joined(found: readonly Found[]): Found[] {
  const kept: Found[] = [];
  for (const each of found) {
    const last = kept.at(-1);
    if (each.isPart && last?.isPart === true && last.name === each.name)
      last.end = Math.max(last.end, each.end);
    else kept.push(each);
  }
  return kept;
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
  let nameTo: number | undefined;
  let declarator: Node | undefined;
  let whole: Node | undefined;
  let kind: SymbolKind | undefined;
  let role: Found["role"] = "definition";
  let isOuter = false;
  let isPart = false;
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
      const dot = capture.indexOf(".");
      const word = dot < 0 ? capture : capture.slice(0, dot);
      if (!isKind(word)) continue;
      whole = node;
      kind = word;
      isOuter = capture.endsWith(".outer");
      isPart = capture.endsWith(".part");
    }
  }
  if (declarator !== undefined) {
    const declared = nameInDeclarator(declarator, kind === "function" || kind === "method");
    if (declared === undefined) return;
    nameNode = declared.name;
    nameTo = endOfDeclared(declared.name);
    owner = declared.owner;
    const call = kind === "function" && owner === "" ? macroCall(whole, declared.name) : undefined;
    if (call !== undefined && whole !== undefined) {
      if (call.test === undefined) {
        found.push(block(whole));
        return;
      }
      nameNode = call.test;
      nameTo = nameNode.endIndex;
      owner = call.suite;
    } else if (kind === "function") kind = functionKind(declared.name.type, owner);
  }
  if (nameNode === undefined || whole === undefined) return;
  const nameFrom = nameNode.startIndex + (isMarked ? 1 : 0);
  const [nameStart, nameEnd] = trimmed(text, nameFrom, nameTo ?? nameNode.endIndex);
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
    isPart,
  });
}

/** `operator bool() const` is the name up to its type. */
function endOfDeclared(node: Node): number {
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
    isPart: false,
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
  // Elixir's keywords hold the blank behind them.
  while (to - from > 1 && text[to - 1] === " ") to--;
  if (text[to - 1] === ":" && to - from > 1 && /[\p{L}\p{N}_?!"']/u.test(text[to - 2] ?? "")) to--;
  return [from, to];
}

/** `A.B<C>` -> `B`. */
function lastPart(name: string): string {
  const plain = name.replace(/[<[(].*$/s, "").trim();
  return /[^.:\\/*&\s]+$/.exec(plain)?.[0] ?? plain;
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

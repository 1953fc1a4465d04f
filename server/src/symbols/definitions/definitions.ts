/**
 * Collects definitions and imports from a tree, by the definition query of its grammar
 * (`grammars/definitions/<grammar>.scm`).
 *
 * Captures:
 *
 *     @name            the name; surrounding quotes and sigils are ignored
 *     @name.marked     the same after a sigil: `$name`
 *     @declarator      a declarator of C and related languages, which contains the name
 *     @<kind>          the definition, of a kind of `#model/symbol`
 *     @<kind>.outer    the same, but a member of what encloses its function (`self.x = …`)
 *     @<kind>.part     the same, but adjacent parts with one name are one definition (Haskell's equations)
 *     @owner           the name of what it belongs to, if no definition encloses it
 *     @scope           has a @name without being a definition: its contents belong to that name
 *     @block           its contents are local
 *     @not             excludes a name
 *     @import          an imported module, package or file; @import.path has braces for several
 *
 * The parent of a definition is the enclosing definition. If several patterns match one name, the most specific kind
 * wins. Variables inside functions are not definitions; functions and classes there are local definitions.
 */

import type { Node, QueryMatch } from "web-tree-sitter";
import { type Definition, type DocumentSymbols, type SymbolKind, symbolKinds } from "#model/symbol";
import type { DecodedText } from "#symbols/sourceText";
import { macroCall, nameInDeclarator } from "./declarator";
import { importsIn } from "./imports";
import { type FoundDefinition, type Nested, nest } from "./nesting";
import { reservedWordsOf } from "./reservedWords";

/** Longer text is not a name. */
const maxNameLength = 512;
const kinds: ReadonlySet<string> = new Set(symbolKinds);

/** Returns the definitions by ascending `nameStart`, and the imports, from the matches of the definition query. */
export function definitionsIn(
  matches: readonly QueryMatch[],
  source: DecodedText,
  grammar: string,
): DocumentSymbols {
  const imports = new Set<string>();
  const found: FoundDefinition[] = [];
  const excluded = new Set<number>();
  for (const { captures } of matches) readMatch(captures, source.text, found, imports, excluded);
  const reserved = reservedWordsOf(grammar);
  const known = found.filter(
    ({ role, kind, name, nameStart }) =>
      role !== "definition" ||
      (!excluded.has(nameStart) &&
        // Macros may have reserved names, and so may escaped names: C#'s `@if`.
        (!reserved.has(name) || kind === "macro" || source.text[nameStart - 1] === "@")),
  );
  const definitions = nest(mergeParts(known))
    .sort((left, right) => left.found.nameStart - right.found.nameStart)
    .map(toDefinition(source));
  return { definitions, imports: [...imports] };
}

/** Merges adjacent parts that have the same name. */
function mergeParts(found: readonly FoundDefinition[]): FoundDefinition[] {
  const merged: FoundDefinition[] = [];
  for (const each of found) {
    const last = merged.at(-1);
    if (each.isPart && last?.isPart === true && last.name === each.name)
      last.end = Math.max(last.end, each.end);
    else merged.push(each);
  }
  return merged;
}

type Captures = QueryMatch["captures"];

function readMatch(
  captures: Captures,
  text: string,
  found: FoundDefinition[],
  imports: Set<string>,
  excluded: Set<number>,
): void {
  let nameNode: Node | undefined;
  let nameEndIndex: number | undefined;
  let declarator: Node | undefined;
  let whole: Node | undefined;
  let kind: SymbolKind | undefined;
  let role: FoundDefinition["role"] = "definition";
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
    else if (capture === "not") excluded.add(trimName(text, node.startIndex, node.endIndex)[0]);
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
    nameEndIndex = endOfDeclared(declared.name);
    owner = declared.owner;
    const call = kind === "function" && owner === "" ? macroCall(whole, declared.name) : undefined;
    if (call !== undefined && whole !== undefined) {
      if (call.test === undefined) {
        found.push(block(whole));
        return;
      }
      nameNode = call.test;
      nameEndIndex = nameNode.endIndex;
      owner = call.suite;
    } else if (kind === "function") kind = functionKind(declared.name.type, owner);
  }
  if (nameNode === undefined || whole === undefined) return;
  const nameStartIndex = nameNode.startIndex + (isMarked ? 1 : 0);
  const [nameStart, nameEnd] = trimName(text, nameStartIndex, nameEndIndex ?? nameNode.endIndex);
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

/** Returns the end of a declared name. That of `operator bool() const` ends with its type. */
function endOfDeclared(node: Node): number {
  const type = node.type === "operator_cast" ? node.childForFieldName("type") : null;
  return type?.endIndex ?? node.endIndex;
}

/** A method outside of its class names its owner: `A::f`. */
function functionKind(nameType: string, owner: string): SymbolKind {
  if (nameType.startsWith("operator")) return "operator";
  return owner === "" ? "function" : "method";
}

function isKind(word: string): word is SymbolKind {
  return kinds.has(word);
}

function block(node: Node): FoundDefinition {
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

/** Strips what is not part of a name: quotes, Ruby's colons, Rust's `r#`, JavaScript's `#`. */
function trimName(text: string, start: number, end: number): readonly [start: number, end: number] {
  let from = start;
  let to = end;
  const quote = text[from];
  if (to - from > 1 && (quote === '"' || quote === "'" || quote === "`") && text[to - 1] === quote) {
    from++;
    to--;
  } else if (text.startsWith("r#", from)) from += 2;
  else if (/[:#@]/.test(text[from] ?? "") && to - from > 1 && /[\p{L}_]/u.test(text[from + 1] ?? "")) from++;
  else if (text.startsWith("@@", from)) from += 2;
  // Elixir's keywords include the following space.
  while (to - from > 1 && text[to - 1] === " ") to--;
  if (text[to - 1] === ":" && to - from > 1 && /[\p{L}\p{N}_?!"']/u.test(text[to - 2] ?? "")) to--;
  return [from, to];
}

/** Returns the last part of a qualified name: `B` of `A.B<C>`. */
function lastPart(name: string): string {
  const plain = name.replace(/[<[(].*$/s, "").trim();
  return /[^.:\\/*&\s]+$/.exec(plain)?.[0] ?? plain;
}

function toDefinition(
  source: DecodedText,
): (nested: Nested, index: number, all: readonly Nested[]) => Definition {
  const indices = new Map<Nested, number>();
  return (nested, index) => {
    indices.set(nested, index);
    const { found, parent, isLocal } = nested;
    return {
      name: found.name,
      kind: found.kind,
      nameStart: source.byteAt(found.nameStart),
      nameEnd: source.byteAt(found.nameEnd),
      start: source.byteAt(found.start),
      end: source.byteAt(found.end),
      parent: parent === undefined ? -1 : (indices.get(parent) ?? -1),
      owner: found.owner,
      isLocal,
    };
  };
}

/**
 * Where a name stands in code, and what it is there.
 *
 * Candidates are found in the text; the leaf of the tree at each of them says whether it is an identifier. So the tree
 * is asked only where the name stands, and a grammar needs no list of its kinds of identifiers.
 */
import type { Node } from "web-tree-sitter";
import type { Definition } from "#model/symbol";
import { Budget } from "./budget";
import type { Declarations } from "./declarations";
import type { Trees } from "./pieces";
import { resolve } from "./resolve";
import type { DecodedText } from "./sourceText";
import type { Occurrence } from "./symbols";

/** Nodes whose text is no code, though a word in it may be a node of its own. */
const notCode = /comment|string|char|heredoc|regex|quoted|text|line_str|escape(?!d$)|ERROR_TEXT|^content$/;
/** Text that grammars do not parse, and that is code: bodies of C's macros. */
const unparsedCode: ReadonlySet<string> = new Set(["preproc_arg", "token_tree"]);
const lookMs = 1000;
const wordCharacter = /[\p{L}\p{N}\p{M}\p{Pc}]/u;

/** A text and its trees. */
export interface Reading {
  readonly source: DecodedText;
  readonly trees: Trees;
  /** The text as the grammar saw it: without macros, which are code all the same. */
  readonly parsed: string;
  /** `$` is a letter of its names, and no sign before them. */
  readonly hasDollars: boolean;
}

/** A place of a name in the text, in indices. */
interface Spot {
  readonly start: number;
  readonly end: number;
  /** The leaf, where there is one for this name alone. */
  readonly leaf: Node | undefined;
}

/** `declarations` are read where the name may be declared in this document: a name that is only called is not. */
export function occurrencesOf(
  name: string,
  reading: Reading,
  definitions: readonly Definition[],
  declarations: () => Declarations,
): Occurrence[] {
  const budget = new Budget(lookMs);
  const spots = spotsOf(name, reading, budget);
  if (definitions.some((each) => each.name === name) || !spots.every(isCallee)) {
    const known = declarations();
    return spots.map((spot) => {
      budget.check();
      return occurrenceAt(spot, name, known);
    });
  }
  const { source } = reading;
  return spots.map(({ start, end }) => ({
    start: source.byteAt(start),
    end: source.byteAt(end),
    role: "reference",
    declaredAt: -1,
    isLocal: false,
  }));
}

function isCallee({ leaf }: Spot): boolean {
  const call = leaf?.parent;
  if (leaf === undefined || call == null || !/^call(?:_expression)?$/.test(call.type)) return false;
  return call.childForFieldName("function")?.id === leaf.id;
}

function spotsOf(name: string, reading: Reading, budget: Budget): Spot[] {
  const found: Spot[] = [];
  if (name === "") return found;
  const { hasDollars } = reading;
  const { text } = reading.source;
  for (let start = text.indexOf(name); start >= 0; start = text.indexOf(name, start + name.length)) {
    if (!isWhole(text, start, start + name.length, hasDollars)) continue;
    budget.check();
    const spot = spotAt(reading, start, start + name.length);
    if (spot !== undefined) found.push(spot);
  }
  return found;
}

/** The identifier whose first, inner or following place is at `offset`, in bytes. */
export function namedPlaceAt(
  offset: number,
  reading: Reading,
): { readonly name: string; readonly spot: Spot } | undefined {
  const { start, end } = wordRange(offset, reading.source, reading.hasDollars);
  if (start === end) return undefined;
  const spot = spotAt(reading, start, end) ?? markedSpot(reading, start, end);
  return spot === undefined ? undefined : { name: reading.source.text.slice(spot.start, spot.end), spot };
}

/** The word at a place, of letters, digits and what joins them; at its end counts, too. */
export function wordAt(offset: number, source: DecodedText, hasDollars: boolean): string {
  const { start, end } = wordRange(offset, source, hasDollars);
  return source.text.slice(start, end);
}

function wordRange(offset: number, { text, indexAt }: DecodedText, hasDollars: boolean) {
  let start = indexAt(offset);
  let end = start;
  while (start > 0 && isWordAt(text, start - 1, hasDollars)) start--;
  while (end < text.length && isWordAt(text, end, hasDollars)) end++;
  return { start, end };
}

export function occurrenceAt(
  { start, end, leaf }: Spot,
  name: string,
  declarations: Declarations,
): Occurrence {
  const { source } = declarations;
  const definition = declarations.definitionAt(source.byteAt(start));
  const resolved = resolve(name, start, leaf, declarations);
  const role = definition !== undefined ? "definition" : resolved.isDeclaration ? "local" : "reference";
  return {
    start: source.byteAt(start),
    end: source.byteAt(end),
    role,
    declaredAt: definition?.nameStart ?? resolved.declaredAt,
    isLocal: definition?.isLocal ?? resolved.isLocal,
  };
}

function isWhole(text: string, start: number, end: number, hasDollars: boolean): boolean {
  const isWord = (at: number) => isWordAt(text, at, hasDollars);
  return !(isWord(start) && isWord(start - 1)) && !(isWord(end - 1) && isWord(end));
}

function isWordAt(text: string, at: number, hasDollars: boolean): boolean {
  const code = text.charCodeAt(at);
  // Most text is ASCII, and an expression would be asked for each letter of it.
  if (code < 0x80)
    return (
      (code >= 0x61 && code <= 0x7a) ||
      (code >= 0x41 && code <= 0x5a) ||
      (code >= 0x30 && code <= 0x39) ||
      code === 0x5f ||
      (hasDollars && code === 0x24)
    );
  if (Number.isNaN(code)) return false;
  // Halves of a pair count as letters: scripts beyond the first plane are.
  return (code >= 0xd800 && code < 0xe000) || wordCharacter.test(text[at] ?? "");
}

function spotAt(reading: Reading, start: number, end: number): Spot | undefined {
  const { text } = reading.source;
  const leaf = reading.trees.rootAt(start).descendantForIndex(start, end);
  if (leaf === null) return undefined;
  const isUnseen = reading.parsed[start] !== text[start];
  // A root begins at the first leaf: what the grammar did not see may stand before it.
  if (leaf.startIndex > start || leaf.endIndex < end)
    return isUnseen ? { start, end, leaf: undefined } : undefined;
  const { type } = leaf;
  const isLeaf = leaf.childCount === 0;
  if (isLeaf && unparsedCode.has(type))
    return isProse(leaf) || isInQuotes(text, leaf.startIndex, start)
      ? undefined
      : { start, end, leaf: undefined };
  if (notCode.test(type) && !isInTemplate(leaf, start)) return undefined;
  if (isUnseen || notCode.test(type)) return { start, end, leaf: undefined };
  if (!isLeaf || !leaf.isNamed) return undefined;
  const isAlone = leaf.endIndex === end && isSign(text.slice(leaf.startIndex, start));
  return isAlone || leaf.isError ? { start, end, leaf } : undefined;
}

/** What may stand before a name in its leaf: `@@`, `:`, `r#`, but no part of a longer name. */
function isSign(text: string): boolean {
  return text === "r#" || (text.length <= 2 && !/[\p{L}\p{N}_]/u.test(text));
}

/** `"$name"`, where a grammar has a leaf for the sign, and makes none for the name or no identifier of it. */
function isInTemplate(leaf: Node, start: number): boolean {
  if (leaf.startIndex !== start) return false;
  if (leaf.type === "identifier_dollar_escaped") return true;
  return leaf.type === "string_content" && leaf.previousSibling?.text === "$";
}

/** C#'s `#region`, and messages, which are in words. */
function isProse(leaf: Node): boolean {
  return /region|error|warning|pragma|line/.test(leaf.parent?.type ?? "");
}

/** The words of a name with signs in it: `save!`, `--accent`, `do-this`. */
function markedSpot(reading: Reading, start: number, end: number): Spot | undefined {
  const { text } = reading.source;
  const leaf = reading.trees.rootAt(start).descendantForIndex(start, end);
  if (leaf === null || leaf.childCount > 0 || !leaf.isNamed) return undefined;
  const { type, startIndex, endIndex } = leaf;
  if (notCode.test(type) || unparsedCode.has(type)) return undefined;
  if (endIndex - startIndex > 256 || /\s/.test(text.slice(startIndex, endIndex))) return undefined;
  return { start: startIndex, end: endIndex, leaf };
}

/** Whether a place of unparsed code is in a string or a comment there. */
function isInQuotes(text: string, from: number, at: number): boolean {
  let quote = "";
  for (let index = from; index < at; index++) {
    const character = text[index] ?? "";
    if (character === "\\") index++;
    else if (quote !== "") {
      if (character === quote || (quote === "/" && text.startsWith("*/", index))) quote = "";
    } else if (character === '"' || character === "'") quote = character;
    else if (text.startsWith("//", index)) return true;
    else if (text.startsWith("/*", index)) quote = "/";
  }
  return quote !== "";
}

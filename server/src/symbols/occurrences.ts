/**
 * Where a name stands in code, and what it is there.
 *
 * Candidates are found in the text; the leaf of the tree at each of them says whether it is an identifier. So the tree
 * is asked only where the name stands, and a grammar needs no list of its kinds of identifiers.
 */
import type { Node } from "web-tree-sitter";
import type { Definition } from "#model/symbol";
import { Budget } from "./budget";
import type { Trees } from "./pieces";
import { type Declarations, resolve } from "./resolve";
import type { DecodedText } from "./sourceText";
import type { Occurrence } from "./symbols";

/** Nodes whose text is no code, though a word in it may be a node of its own. */
const notCode = /comment|string|char|heredoc|regex|quoted|text|line_str|escape|ERROR_TEXT/;
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
  const { text } = reading.source;
  for (let start = text.indexOf(name); start >= 0; start = text.indexOf(name, start + name.length)) {
    if (!isWhole(text, start, start + name.length)) continue;
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
  const { start, end } = wordRange(offset, reading.source);
  if (start === end) return undefined;
  const spot = spotAt(reading, start, end) ?? markedSpot(reading, start, end);
  return spot === undefined ? undefined : { name: reading.source.text.slice(spot.start, spot.end), spot };
}

/** The word at a place, of letters, digits and what joins them; at its end counts, too. */
export function wordAt(offset: number, source: DecodedText): string {
  const { start, end } = wordRange(offset, source);
  return source.text.slice(start, end);
}

function wordRange(offset: number, { text, indexAt }: DecodedText) {
  let start = indexAt(offset);
  let end = start;
  while (start > 0 && isWordAt(text, start - 1)) start--;
  while (end < text.length && isWordAt(text, end)) end++;
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

function isWhole(text: string, start: number, end: number): boolean {
  const startsAsWord = isWordAt(text, start);
  const endsAsWord = isWordAt(text, end - 1);
  return !(startsAsWord && isWordAt(text, start - 1)) && !(endsAsWord && isWordAt(text, end));
}

function isWordAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  // Most text is ASCII, and an expression would be asked for each letter of it.
  if (code < 0x80)
    return (
      (code >= 0x61 && code <= 0x7a) ||
      (code >= 0x41 && code <= 0x5a) ||
      (code >= 0x30 && code <= 0x39) ||
      code === 0x5f
    );
  if (Number.isNaN(code)) return false;
  // Halves of a pair count as letters: scripts beyond the first plane are.
  return (code >= 0xd800 && code < 0xe000) || wordCharacter.test(text[at] ?? "");
}

function spotAt(reading: Reading, start: number, end: number): Spot | undefined {
  const { text } = reading.source;
  const leaf = reading.trees.rootAt(start).descendantForIndex(start, end);
  if (leaf === null || leaf.startIndex > start || leaf.endIndex < end) return undefined;
  const { type } = leaf;
  const isLeaf = leaf.childCount === 0;
  if (isLeaf && unparsedCode.has(type))
    return isInQuotes(text, leaf.startIndex, start) ? undefined : { start, end, leaf: undefined };
  if (notCode.test(type)) return undefined;
  if (reading.parsed[start] !== text[start]) return { start, end, leaf: undefined };
  if (!isLeaf || !leaf.isNamed) return undefined;
  const isAlone = leaf.endIndex === end && start - leaf.startIndex <= 2;
  return isAlone || leaf.isError ? { start, end, leaf } : undefined;
}

/** The words of a name with signs in it: `save!`, `--accent`, `do-this`. */
function markedSpot(reading: Reading, start: number, end: number): Spot | undefined {
  const { text } = reading.source;
  const leaf = reading.trees.rootAt(start).descendantForIndex(start, end);
  if (leaf === null || leaf.childCount > 0 || !leaf.isNamed || notCode.test(leaf.type)) return undefined;
  const { startIndex, endIndex } = leaf;
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

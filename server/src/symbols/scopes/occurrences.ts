/**
 * Finds the occurrences of a name in code, and resolves them.
 *
 * Candidates are found by text search; the leaf of the tree at a candidate decides whether it is an identifier. So the
 * tree is visited only at candidates, and grammars need no list of their identifier nodes.
 */
import type { Node } from "web-tree-sitter";
import type { Definition } from "#model/symbol";
import { Budget } from "#symbols/budget";
import type { NameRules } from "#symbols/grammars/grammars";
import type { Trees } from "#symbols/recovery/recovery";
import type { DecodedText } from "#symbols/sourceText";
import type { Occurrence } from "#symbols/symbols";
import type { Declarations } from "./declarations";
import { resolve } from "./resolve";

/** Nodes whose text is not code, although a word in it may be a node of its own. */
const notCode = /comment|string|char|heredoc|regex|quoted|text|line_str|escape(?!d$)|ERROR_TEXT|^content$/;
/** Nodes with code that grammars do not parse, such as the bodies of C macros. */
const unparsedCode: ReadonlySet<string> = new Set(["preproc_arg", "token_tree"]);
const occurrencesMs = 1000;
const wordCharacter = /[\p{L}\p{N}\p{M}\p{Pc}]/u;

/** A text and its trees. */
export interface ParsedText {
  readonly source: DecodedText;
  readonly trees: Trees;
  /** The text as given to the grammar, with macros blanked. */
  readonly parsed: string;
  readonly rules: NameRules;
}

/** A possible occurrence, in UTF-16 indices. */
interface Candidate {
  readonly start: number;
  readonly end: number;
  /** The leaf, if there is one for this name alone. */
  readonly leaf: Node | undefined;
}

/**
 * Returns the occurrences of a name by ascending start. Calls `definitions` only if there are any, and `declarations`
 * only if the document may declare the name, not if it only calls it. Throws `BudgetSpent`.
 */
export function occurrencesOf(
  name: string,
  document: ParsedText,
  {
    definitions,
    declarations,
  }: { readonly definitions: () => readonly Definition[]; readonly declarations: () => Declarations },
): Occurrence[] {
  const budget = new Budget(occurrencesMs);
  const candidates = candidatesOf(name, document, budget);
  if (candidates.length === 0) return [];
  if (definitions().some((each) => each.name === name) || !candidates.every(isCallee)) {
    const known = declarations();
    return candidates.map((candidate) => {
      budget.check();
      return occurrenceAt(candidate, name, known);
    });
  }
  const { source } = document;
  return candidates.map(({ start, end }) => ({
    start: source.byteAt(start),
    end: source.byteAt(end),
    role: "reference",
    declaredAt: -1,
    isLocal: false,
  }));
}

function isCallee({ leaf }: Candidate): boolean {
  const call = leaf?.parent;
  if (leaf === undefined || call == null || !/^call(?:_expression)?$/.test(call.type)) return false;
  return call.childForFieldName("function")?.id === leaf.id;
}

function candidatesOf(name: string, document: ParsedText, budget: Budget): Candidate[] {
  const found: Candidate[] = [];
  if (name === "") return found;
  const { hasDollars } = document.rules;
  const { text } = document.source;
  for (let start = text.indexOf(name); start >= 0; start = text.indexOf(name, start + name.length)) {
    if (!isWhole(text, start, start + name.length, hasDollars)) continue;
    budget.check();
    const candidate = candidateAt(document, start, start + name.length);
    if (candidate !== undefined) found.push(candidate);
  }
  return found;
}

/** Returns the identifier at a byte offset, which may also be its end. */
export function findIdentifier(
  offset: number,
  document: ParsedText,
): { readonly name: string; readonly candidate: Candidate } | undefined {
  const { start, end } = wordRange(offset, document.source, document.rules.hasDollars);
  if (start === end) return undefined;
  const candidate = candidateAt(document, start, end) ?? candidateWithPunctuation(document, start, end);
  if (candidate === undefined) return undefined;
  return { name: document.source.text.slice(candidate.start, candidate.end), candidate };
}

/** Returns the word at a byte offset, which may also be its end. */
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
  { start, end, leaf }: Candidate,
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
  const isWord = (index: number) => isWordAt(text, index, hasDollars);
  return !(isWord(start) && isWord(start - 1)) && !(isWord(end - 1) && isWord(end));
}

function isWordAt(text: string, index: number, hasDollars: boolean): boolean {
  const code = text.charCodeAt(index);
  // Most text is ASCII, and this is faster than an expression.
  if (code < 0x80)
    return (
      (code >= 0x61 && code <= 0x7a) ||
      (code >= 0x41 && code <= 0x5a) ||
      (code >= 0x30 && code <= 0x39) ||
      code === 0x5f ||
      (hasDollars && code === 0x24)
    );
  if (Number.isNaN(code)) return false;
  // Surrogates count as letters, for scripts beyond the first plane.
  return (code >= 0xd800 && code < 0xe000) || wordCharacter.test(text[index] ?? "");
}

function candidateAt(document: ParsedText, start: number, end: number): Candidate | undefined {
  const { text } = document.source;
  const leaf = document.trees.rootAt(start).descendantForIndex(start, end);
  if (leaf === null) return undefined;
  const isUnseen = document.parsed[start] !== text[start];
  // A root begins at its first leaf, so blanked text may precede it.
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
  const isAlone = leaf.endIndex === end && isSigil(text.slice(leaf.startIndex, start));
  return isAlone || leaf.isError ? { start, end, leaf } : undefined;
}

/** Whether this may precede a name in its leaf: `@@`, `:`, `r#`, but not a part of a longer name. */
function isSigil(text: string): boolean {
  return text === "r#" || (text.length <= 2 && !/[\p{L}\p{N}_]/u.test(text));
}

/** `"$name"`, if a grammar has a leaf for the sigil, but none or no identifier for the name. */
function isInTemplate(leaf: Node, start: number): boolean {
  if (leaf.startIndex !== start) return false;
  if (leaf.type === "identifier_dollar_escaped") return true;
  return leaf.type === "string_content" && leaf.previousSibling?.text === "$";
}

/** C#'s `#region`, and messages of directives, which are prose. */
function isProse(leaf: Node): boolean {
  return /region|error|warning|pragma|line/.test(leaf.parent?.type ?? "");
}

/** Names with punctuation: `save!`, `--accent`, `do-this`. */
function candidateWithPunctuation(document: ParsedText, start: number, end: number): Candidate | undefined {
  const { text } = document.source;
  const leaf = document.trees.rootAt(start).descendantForIndex(start, end);
  if (leaf === null || leaf.childCount > 0 || !leaf.isNamed) return undefined;
  const { type, startIndex, endIndex } = leaf;
  if (notCode.test(type) || unparsedCode.has(type)) return undefined;
  if (endIndex - startIndex > 256 || /\s/.test(text.slice(startIndex, endIndex))) return undefined;
  return { start: startIndex, end: endIndex, leaf };
}

/** Whether an index of unparsed code is in a string or a comment. */
function isInQuotes(text: string, from: number, target: number): boolean {
  let quote = "";
  for (let index = from; index < target; index++) {
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

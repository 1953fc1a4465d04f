/**
 * Collects words that may name the type of an expression: from the declaration of a variable, the head of a class, or a
 * called function. Every grammar has different nodes for these, so the words are read from the text.
 */
import { escapeRegexp } from "#base/escapeRegexp";
import { type Definition, isFunctionKind, typeKinds } from "#model/symbol";
import type { NameRules } from "#symbols/grammars/grammars";
import type { Declarations } from "./declarations";
import type { MemberAccess } from "./memberAccess";
import { findLocal } from "./resolve";

/** Real declarations are shorter. */
const maxLength = 300;
const maxWords = 16;
const word = /[\p{L}_][\p{L}\p{N}_]*/gu;
const wordWithDollars = /[\p{L}_$][\p{L}\p{N}_$]*/gu;
const calledName = /([\p{L}_][\p{L}\p{N}_]*)(?:\s*<[^<>()]*>)?$/u;
const calledNameWithDollars = /([\p{L}_$][\p{L}\p{N}_$]*)(?:\s*<[^<>()]*>)?$/u;
const self = /^(?:this|self|cls|super|base|parent|static|Self|me)$/;

/** Reads words for the member accesses of one document. */
export class TypeWords {
  readonly #declarations: Declarations;
  /** By name, for names that no scope declares. */
  readonly #undeclared = new Map<string, readonly string[]>();

  constructor(declarations: Declarations) {
    this.#declarations = declarations;
  }

  /** Returns words that may name the type of the object of a member access, or one of its supertypes. */
  of({ object, objectAt, isQualified }: MemberAccess, index: number): readonly string[] {
    const declarations = this.#declarations;
    if (object === "") return wordsOfCall(objectAt, declarations);
    if (self.test(object)) return wordsOfClassAt(index, declarations);
    const local = isQualified ? undefined : findLocal(object, objectAt, false, declarations);
    if (local !== undefined) return wordsAround(local.start, object, declarations);
    const known = this.#undeclared.get(object) ?? this.#wordsOfUndeclared(object);
    this.#undeclared.set(object, known);
    return known;
  }

  #wordsOfUndeclared(object: string): readonly string[] {
    const declarations = this.#declarations;
    const definition = declarations.definitionsNamed(object).find(({ kind }) => !typeKinds.has(kind));
    if (definition !== undefined) return wordsOfDefinition(definition, declarations);
    // A parameter that declares a field, or a field that is assigned.
    const { source, rules } = declarations;
    const pattern = `(?<![\\p{L}\\p{N}_${rules.hasDollars ? "$" : ""}])${escapeRegexp(object)}\\s*:?[:=](?![=:])`;
    const declared = new RegExp(pattern, "u").exec(source.text);
    return declared === null ? [] : wordsAround(declared.index, object, declarations);
  }
}

/** Returns the words in the head of the classes that contain an index: their names and supertypes. */
export function wordsOfClassAt(index: number, declarations: Declarations): string[] {
  const { source, rules } = declarations;
  const offset = source.byteAt(index);
  const words = new Set<string>();
  for (const definition of declarations.definitionsAround(offset)) {
    if (definition.owner !== "") words.add(definition.owner);
    if (!typeKinds.has(definition.kind)) continue;
    const from = source.indexAt(definition.nameStart);
    const head = /^[^{\n]*(?:\n\s*(?:extends|implements|with|:|<)[^{\n]*)*/.exec(
      source.text.slice(from, from + maxLength),
    );
    for (const each of wordsIn(head?.[0] ?? "", rules)) words.add(each);
  }
  return [...words];
}

/** `(…).name`: words for the type of a constructor call or of the result of a function. */
function wordsOfCall(end: number, declarations: Declarations): string[] {
  const { source, rules } = declarations;
  const { text } = source;
  let depth = 0;
  let at = end;
  for (const stop = Math.max(0, end - maxLength); at > stop; at--) {
    const character = text[at - 1] ?? "";
    if (/[)\]}>]/.test(character) && text[at - 2] !== "=" && text[at - 2] !== "-") depth++;
    else if (/[([{<]/.test(character)) depth--;
    if (depth === 0) break;
  }
  const before = text.slice(Math.max(0, at - 1 - maxLength), at - 1);
  const called = (rules.hasDollars ? calledNameWithDollars : calledName).exec(before)?.[1];
  if (called === undefined) return [];
  const [definition] = declarations.definitionsNamed(called).filter(({ kind }) => isFunctionKind(kind));
  const words = definition === undefined ? [] : wordsOfDefinition(definition, declarations);
  // `Type.create(…).name`
  const type = /(\p{Lu}[\p{L}\p{N}_]*)(?:\.|::)[\p{L}\p{N}_]+$/u.exec(before)?.[1];
  return [called, ...(type === undefined ? [] : [type]), ...words].slice(0, maxWords);
}

function wordsOfDefinition({ name, nameStart, kind }: Definition, declarations: Declarations): string[] {
  const { source, rules } = declarations;
  const start = source.indexAt(nameStart);
  if (!isFunctionKind(kind)) return wordsAround(start, name, declarations);
  // The type of the result precedes the name, or follows the parameters.
  const { text } = source;
  const before = lineBefore(start, text);
  const rest = text.slice(start + name.length, start + name.length + maxLength);
  const after = /^(?:<[^(]*>)?\((?:[^()]|\([^()]*\))*\)\s*(?::|->|→)?\s*([^{;=\n]*)/.exec(rest)?.[1] ?? "";
  return wordsIn(`${before} ${after}`, rules);
}

/** Returns the words of a declaration: a type before or after the name, and an initial value. */
export function wordsAround(start: number, name: string, { source, rules }: Declarations): string[] {
  const { text } = source;
  const rest = text.slice(start + name.length, start + name.length + maxLength);
  const isAssigned = /^\s*:?=(?!=)/.test(rest);
  const after = (isAssigned ? /^[^;\n]*/ : /^[^,);={\n]*(?:=[^,;\n]*)?/).exec(rest)?.[0] ?? "";
  return wordsIn(`${lineBefore(start, text)} ${after}`, rules).filter((each) => each !== name);
}

/** Returns the text before an index, back to the start of the line or declaration. */
function lineBefore(end: number, text: string): string {
  const first = Math.max(0, end - maxLength);
  let start = end;
  while (start > first && !/[,;{}()\n]/.test(text[start - 1] ?? ""))
    start = text[start - 1] === ">" ? typeArgumentsBefore(start, first, text) : start - 1;
  return text.slice(start, end);
}

/** Returns where type arguments start that end with the `>` before `end`. Commas in them do not end a type. */
function typeArgumentsBefore(end: number, first: number, text: string): number {
  let start = end - 1;
  while (start > first && !/[<>;{}\n]/.test(text[start - 1] ?? "")) start--;
  return start > first && text[start - 1] === "<" ? start - 1 : end - 1;
}

function wordsIn(text: string, { hasDollars }: NameRules): string[] {
  const words = text.match(hasDollars ? wordWithDollars : word) ?? [];
  return [...new Set(words)].filter((each) => each.length > 1).slice(0, maxWords);
}

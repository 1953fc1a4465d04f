/**
 * Finds the type of the object of a member access as Go declares it, or the function or field from which it has its value:
 * `open` for `box` in `box, err := store.open(name)`.
 */
import { type ImportStatement, importsOfPackage } from "#symbols/definitions/importStatements";
import type { ValueSource } from "#symbols/symbols";
import type { Declarations } from "./declarations";
import type { MemberAccess } from "./memberAccess";
import { findLocal } from "./resolve";
import { wordsAround } from "./typeWords";

/** Longer expressions and lists of names are rare. */
const maxLength = 600;
const maxNamesLength = 100;
/** The variables before and after the one that is declared, and the operator. */
const declared = /^((?:\s*,\s*[\p{L}_][\p{L}\p{N}_]*)*)\s*:?=(?!=)\s*(range\b)?\s*/u;
/** `name *package.Type`, perhaps after other names, or in a list or map. */
const typeAfterName =
  /^(?:\s*,\s*[\p{L}_][\p{L}\p{N}_]*)*[ \t]+(?:\.\.\.)?(?:\*|\[[^[\]]*\]|map\[[^[\]]*\])*(?:([\p{L}_][\p{L}\p{N}_]*)\.)?([\p{L}_][\p{L}\p{N}_]*)(?=[\s,)=[])/u;
/** `name := &package.Type{` */
const literal = /^\s*:?=\s*&?(?:([\p{L}_][\p{L}\p{N}_]*)\.)?([\p{L}_][\p{L}\p{N}_]*)\{/u;
const typeWord = /^(?:chan|func|map|interface|struct|range)$/;
const others = /(?:[\p{L}_][\p{L}\p{N}_]*\s*,\s*)*$/u;
const bracketOrString = /[()[\]{}]|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`/g;
const namePattern = /[\p{L}_][\p{L}\p{N}_]*/uy;

/** An expression that ends with a name or its arguments. */
interface NamedExpression {
  readonly name: string;
  /** The name before it, and where that begins; -1 if it is a member itself. */
  readonly object: string | undefined;
  readonly objectAt: number;
  readonly isCall: boolean;
  readonly end: number;
}

export function valueSourceOf(
  { object, objectAt, isQualified }: MemberAccess,
  declarations: Declarations,
  statements: readonly ImportStatement[],
): ValueSource | undefined {
  const { text } = declarations.source;
  if (object === "") return undefined;
  if (isQualified) {
    const before = /(?<!\.\s*|[\p{L}\p{N}_)\]])([\p{L}_][\p{L}\p{N}_]*)\.$/u.exec(
      text.slice(Math.max(0, objectAt - maxNamesLength), objectAt),
    );
    const owner = before?.[1];
    const ownerAt = owner === undefined ? -1 : objectAt - owner.length - 1;
    const ownerWords = wordsOfOwner(owner, ownerAt, declarations);
    return { kind: "field", name: object, isMember: true, position: 0, ownerWords, imports: [] };
  }
  const start = declaredAt(object, objectAt, declarations);
  if (start === undefined) return undefined;
  const after = start + object.length;
  const rest = text.slice(after, after + maxLength);
  const type = typeAfterName.exec(rest) ?? literal.exec(rest);
  if (type !== null) {
    const [, qualifier = "", name = ""] = type;
    return typeWord.test(`${qualifier}${name}`)
      ? undefined
      : { kind: "type", name, imports: importsOfPackage(qualifier, statements) };
  }
  const head = declared.exec(rest);
  if (head === null) return undefined;
  const before = others.exec(text.slice(Math.max(0, start - maxNamesLength), start))?.[0] ?? "";
  let position = before.split(",").length - 1;
  const isOnly = position === 0 && head[1] === "";
  // The elements of what is iterated over are the second variable.
  if (head[2] !== undefined) {
    if (position === 0) return undefined;
    position = 0;
  }
  let found = expressionAt(after + head[0].length, text);
  while (!isOnly && position > 0 && found !== undefined && text[found.end] === ",") {
    found = expressionAt(found.end + 1, text);
    position--;
  }
  if (found === undefined || found.name === object) return undefined;
  return {
    kind: found.isCall ? "call" : "field",
    name: found.name,
    isMember: found.object !== undefined,
    position,
    ownerWords: wordsOfOwner(found.object, found.objectAt, declarations),
    imports: found.object === undefined ? [] : importsOfPackage(found.object, statements),
  };
}

/** Returns where a variable of a function or of the document is declared. */
function declaredAt(object: string, objectAt: number, declarations: Declarations): number | undefined {
  const local = findLocal(object, objectAt, false, declarations);
  if (local !== undefined) return local.start;
  const [definition] = declarations.definitionsNamed(object).filter(({ kind }) => kind === "variable");
  return definition === undefined ? undefined : declarations.source.indexAt(definition.nameStart);
}

function wordsOfOwner(
  owner: string | undefined,
  ownerAt: number,
  declarations: Declarations,
): readonly string[] {
  if (owner === undefined || ownerAt < 0) return [];
  const local = findLocal(owner, ownerAt, false, declarations);
  return local === undefined ? [] : wordsAround(local.start, owner, declarations);
}

/** Reads names, arguments and indexes up to the end of an expression. Literals and operators have other types. */
function expressionAt(start: number, text: string): NamedExpression | undefined {
  let at = start;
  while (text[at] === " " || text[at] === "*") at++;
  let found = nameAt(at, text);
  if (found === undefined) return undefined;
  let before: typeof found | undefined;
  let isFirst = true;
  let isCall = false;
  for (;;) {
    at = found.end;
    while (text[at] === "[" || text[at] === "(") {
      isCall = text[at] === "(";
      at = endOfBrackets(at, text);
      if (at < 0) return undefined;
    }
    if (text[at] !== ".") break;
    while (/\s/.test(text[++at] ?? ""));
    const next = nameAt(at, text);
    if (next === undefined) return undefined;
    isFirst = before === undefined && !isCall;
    before = isCall ? { name: "", start: -1, end: -1 } : found;
    found = next;
    isCall = false;
  }
  if (!/^(?:[\n\r;,]|\s+\{|\s*$|\s*\/[/*])/.test(text.slice(at, at + maxLength))) return undefined;
  const objectAt = before === undefined || !isFirst ? -1 : before.start;
  return { name: found.name, object: before?.name, objectAt, isCall, end: at };
}

function nameAt(start: number, text: string) {
  namePattern.lastIndex = start;
  const found = namePattern.exec(text)?.[0];
  return found === undefined ? undefined : { name: found, start, end: start + found.length };
}

/** Returns the index after the bracket that closes the one at `start`; -1 if it is far away. */
export function endOfBrackets(start: number, text: string): number {
  bracketOrString.lastIndex = 0;
  let depth = 0;
  const part = text.slice(start, start + maxLength);
  for (let found = bracketOrString.exec(part); found !== null; found = bracketOrString.exec(part)) {
    if ("([{".includes(found[0])) depth++;
    else if (")]}".includes(found[0]) && --depth === 0) return start + bracketOrString.lastIndex;
  }
  return -1;
}

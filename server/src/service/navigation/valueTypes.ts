/** Reads types of values from the lines that define the functions and fields that they come from, as Go writes them. */
import type { FoundSymbol } from "#engine/engine";
import { isFunctionKind } from "#model/symbol";
import { endOfBrackets } from "#symbols/scopes/valueSource";
import type { ValueSource } from "#symbols/symbols";
import { type ConfidenceEstimator, type ReferenceSource, type Target, targetOf } from "./confidence";
import { isSamePackage } from "./importMatch";
import { containerOf } from "./supertypes";

/** A type as a file names it. */
export interface TypeName {
  readonly name: string;
  /** Whether a file may be one of its package. */
  readonly isIn: (file: Target) => boolean;
}

type NamedSource = Exclude<ValueSource, { readonly kind: "type" }>;

/** What may precede the name of a type. */
const typeMark = /^(?:\*|\.\.\.|(?:<-\s*)?chan\b(?:\s*<-)?|map(?=\[))\s*/;
/** Words that begin a type, so that they are not the name of a result. */
const typeWord = /^(?:chan|func|map|interface|struct)\b/;

/** `sources` are definitions of the name of the value's source. Returns no types if they are unknown. */
export function typesOfValue(
  value: ValueSource | undefined,
  from: ReferenceSource,
  sources: readonly FoundSymbol[],
  estimator: ConfidenceEstimator,
): readonly TypeName[] {
  if (value === undefined) return [];
  if (value.kind === "type") {
    const { name, imports } = value;
    const isIn = (file: Target) =>
      imports.length === 0 ? isInPackageOf(from, file) : estimator.imports({ ...from, imports }, file);
    return [{ name, isIn }];
  }
  const visible = sources.filter((each) => isVisible(each, value, from, estimator));
  const owned = visible.filter((each) => value.ownerWords.includes(containerOf(each)));
  return (owned.length > 0 ? owned : visible).flatMap((definition) => {
    const type = typeText(definition, value);
    const named =
      type === undefined ? null : /^(?:(\w+)\.)?([\p{L}_][\p{L}\p{N}_]*)/u.exec(withoutMarks(type));
    if (named === null || typeWord.test(named[0])) return [];
    const [, packageName, name = ""] = named;
    const isIn = (file: Target) =>
      packageName === undefined
        ? isInPackageOf(definition.document, file)
        : estimator.goPackageName(file) === packageName;
    return [{ name, isIn }];
  });
}

/** Whether a type contains this member. */
export function namesType({ name, isIn }: TypeName, member: FoundSymbol): boolean {
  return containerOf(member) === name && isIn(targetOf(member));
}

function isInPackageOf(one: Omit<ReferenceSource, "imports">, other: Target): boolean {
  return one.repositoryId === other.repositoryId && isSamePackage(one.language, one.path, other.path);
}

function isVisible(
  definition: FoundSymbol,
  source: NamedSource,
  from: ReferenceSource,
  estimator: ConfidenceEstimator,
): boolean {
  const { kind, isLocal, name, document } = definition;
  const { isMember, imports } = source;
  const isKind = source.kind === "call" ? isFunctionKind(kind) : kind === "field" || kind === "variable";
  if (isLocal || document.language !== from.language || !isKind) return false;
  const isSame = isInPackageOf(from, targetOf(definition));
  if (containerOf(definition) !== "")
    return isMember && imports.length === 0 && (isSame || /^\p{Lu}/u.test(name));
  if (!isMember) return isSame;
  return imports.length > 0 && estimator.imports({ ...from, imports }, targetOf(definition));
}

/** Returns the type of a field, or of one result of a function, if it is on the line of the name. */
function typeText({ line, range, name }: FoundSymbol, { kind, position }: NamedSource): string | undefined {
  let rest = line
    .slice(range.start.column - 1 + name.length)
    .replace(/\/\/.*$/, "")
    .trim();
  if (kind === "field") return rest;
  if (rest.startsWith("[")) rest = splitBrackets(rest)?.[1] ?? "";
  const [, result] = (rest.startsWith("(") ? splitBrackets(rest) : undefined) ?? [];
  if (result === undefined) return undefined;
  if (!result.startsWith("(")) return position === 0 ? result : undefined;
  const results = splitList(splitBrackets(result)?.[0] ?? "");
  const areNamed = results.some((each) => /^\w+\s+\S/.test(each) && !typeWord.test(each));
  if (!areNamed) return results[position];
  // `first, second string`
  const typed = results.slice(position).find((each) => /\s/.test(each));
  return typed?.replace(/^\w+\s+/, "");
}

function withoutMarks(type: string): string {
  let rest = type;
  for (;;) {
    const after = rest.startsWith("[") ? (splitBrackets(rest)?.[1] ?? "") : rest.replace(typeMark, "");
    if (after === rest) return rest;
    rest = after;
  }
}

/** Returns the text within the first bracket and what follows it; undefined if nothing closes it. */
function splitBrackets(text: string): readonly [within: string, after: string] | undefined {
  const end = endOfBrackets(0, text);
  return end < 0 ? undefined : [text.slice(1, end - 1), text.slice(end).trim()];
}

function splitList(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at <= text.length; at++) {
    const character = text[at] ?? ",";
    if ("([{".includes(character)) {
      const end = endOfBrackets(at, text);
      if (end < 0) return parts;
      at = end - 1;
    } else if (character === ",") {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return parts;
}

/** Parses what precedes the name of a member, from the text: every grammar has different nodes for member access. */
import type { NameRules } from "#symbols/grammars/grammars";

export interface MemberAccess {
  /** The word before the operator: `box` in `box.name`; `""` if it is not a word. */
  readonly object: string;
  readonly objectAt: number;
  /** Whether that word is itself a member. */
  readonly isQualified: boolean;
  /** Rust's `self::name` and `crate::name`, Elixir's `__MODULE__.name`: a name of this document or a parent module. */
  readonly isOwnPath: boolean;
}

/** Real code has no longer runs of whitespace. */
const maxWhitespace = 400;

/** Returns the member access whose name begins at `index`; undefined if no member operator precedes it. */
export function memberAccessBefore(
  index: number,
  text: string,
  { memberOperators, qualifiesModulesOnly }: NameRules,
): MemberAccess | undefined {
  const operator = operatorBefore(index, text, memberOperators, qualifiesModulesOnly);
  if (operator === undefined) return undefined;
  let end = operator.start;
  while (end > 0 && /[?!&]/.test(text[end - 1] ?? "")) end--;
  const operatorStart = end;
  end = skipWhitespaceBackward(end, text, /\s/);
  // A line that begins with the operator: the object is on an earlier line, perhaps before comments.
  if (text.slice(end, operatorStart).includes("\n"))
    return operator.text === "::"
      ? undefined
      : { object: "", objectAt: end, isQualified: false, isOwnPath: false };
  let start = end;
  while (start > 0 && /[\w$\u0080-\uffff]/.test(text[start - 1] ?? "")) start--;
  const object = text.slice(start, end);
  // `(a).name`, but not `[.name`, and not `::name`.
  if (object === "" && !/[)\]}>"'`]/.test(text[end - 1] ?? "")) return undefined;
  if (qualifiesModulesOnly && !/^\p{Lu}/u.test(object)) return undefined;
  return {
    object,
    objectAt: start,
    isQualified: operatorBefore(start, text, memberOperators, qualifiesModulesOnly) !== undefined,
    isOwnPath: operator.text === "::" ? /^(?:self|super|crate|Self)$/.test(object) : object === "__MODULE__",
  };
}

function operatorBefore(index: number, text: string, operators: readonly string[], isAdjacent: boolean) {
  // Not across a line break: the line before may be a comment that ends with a period.
  const end = isAdjacent ? index : skipWhitespaceBackward(index, text, /[ \t]/);
  const operator = operators.find((each) => text.endsWith(each, end));
  if (operator === undefined) return undefined;
  const start = end - operator.length;
  // Excludes ranges, `...rest`, and `::` if only `:` is an operator.
  return text[start - 1] === operator[0] ? undefined : { text: operator, start };
}

function skipWhitespaceBackward(index: number, text: string, whitespace: RegExp): number {
  let end = index;
  while (end > 0 && index - end < maxWhitespace && whitespace.test(text[end - 1] ?? "")) end--;
  return end;
}

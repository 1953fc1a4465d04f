/** What stands before the name of a member, told by the text: grammars have a node of their own each for it. */
import type { NameRules } from "./grammars";

export interface Access {
  /** The word before the sign: `box` of `box.name`; `""` where something else stands there. */
  readonly object: string;
  readonly objectAt: number;
  /** That word is a member itself. */
  readonly isQualified: boolean;
  /** `self::name`, `crate::name` in Rust, `__MODULE__.name`: a name of this document, or of one around it. */
  readonly isOwnPath: boolean;
}

/** Longer stretches of blanks are written by nobody. */
const maxBlanks = 400;

/** Of the name that begins at `index`; undefined where it does not stand behind a sign for members. */
export function accessBefore(
  index: number,
  text: string,
  { memberSigns, modulesAlone }: NameRules,
): Access | undefined {
  const sign = signBefore(index, text, memberSigns, modulesAlone);
  if (sign === undefined) return undefined;
  let end = sign.start;
  while (end > 0 && /[?!&]/.test(text[end - 1] ?? "")) end--;
  const signAt = end;
  end = behindBlanks(end, text, /\s/);
  // A line that begins with the sign: what it belongs to stands lines before, perhaps behind comments.
  if (text.slice(end, signAt).includes("\n"))
    return sign.sign === "::"
      ? undefined
      : { object: "", objectAt: end, isQualified: false, isOwnPath: false };
  let start = end;
  while (start > 0 && /[\w$\u0080-\uffff]/.test(text[start - 1] ?? "")) start--;
  const object = text.slice(start, end);
  // `(a).name`, but not `[.name`, and not `::name`.
  if (object === "" && !/[)\]}>"'`]/.test(text[end - 1] ?? "")) return undefined;
  if (modulesAlone && !/^\p{Lu}/u.test(object)) return undefined;
  return {
    object,
    objectAt: start,
    isQualified: signBefore(start, text, memberSigns, modulesAlone) !== undefined,
    isOwnPath: sign.sign === "::" ? /^(?:self|super|crate|Self)$/.test(object) : object === "__MODULE__",
  };
}

function signBefore(index: number, text: string, signs: readonly string[], isAdjacent: boolean) {
  // Not behind the end of a line: that may be the end of a sentence in a comment.
  const end = isAdjacent ? index : behindBlanks(index, text, /[ \t]/);
  const sign = signs.find((each) => text.endsWith(each, end));
  if (sign === undefined) return undefined;
  const start = end - sign.length;
  // Ranges, `...rest`; and `::` where only `:` is a sign.
  return text[start - 1] === sign[0] ? undefined : { sign, start };
}

function behindBlanks(index: number, text: string, blank: RegExp): number {
  let end = index;
  while (end > 0 && index - end < maxBlanks && blank.test(text[end - 1] ?? "")) end--;
  return end;
}

/** Splits names into words: `new_flag_set`, `NewFlagSet`, `JSONParser`. */

export function isWordStart(name: string, offset: number): boolean {
  if (offset <= 0) return true;
  const [before, here, after] = [name[offset - 1] ?? "", name[offset] ?? "", name[offset + 1] ?? ""];
  if (!/[\p{L}\p{N}]/u.test(before)) return true;
  if (!/\p{Lu}/u.test(here)) return false;
  return !/\p{Lu}/u.test(before) || /\p{Ll}/u.test(after);
}

/** Returns the offset of each word. Separators do not belong to words. */
export function wordStarts(name: string): number[] {
  const starts: number[] = [];
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at);
    // Fast path: most characters are ASCII lower-case letters within a word.
    const isLowercase = code >= 0x61 && code <= 0x7a;
    const previous = at === 0 ? 0 : name.charCodeAt(at - 1) | 0x20;
    if (isLowercase && previous >= 0x61 && previous <= 0x7a) continue;
    if (/[\p{L}\p{N}]/u.test(name[at] ?? "") && isWordStart(name, at)) starts.push(at);
  }
  return starts;
}

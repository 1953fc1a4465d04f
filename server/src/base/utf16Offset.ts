/** Returns the UTF-16 offset of a column, which counts code points from 1. */
export function utf16Offset(text: string, column: number): number {
  let at = 0;
  for (let passed = 1; passed < column && at < text.length; passed++) {
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
  return at;
}

/** Returns the offset, or the one before it if the offset would split a surrogate pair. */
export function characterStart(text: string, offset: number): number {
  const isSplit =
    /[\ud800-\udbff]/.test(text.charAt(offset - 1)) && /[\udc00-\udfff]/.test(text.charAt(offset));
  return isSplit ? offset - 1 : offset;
}

/** Returns the start of a text, at most `maxLength` UTF-16 units, without splitting a surrogate pair. */
export function textStart(text: string, maxLength: number): string {
  return text.slice(0, characterStart(text, maxLength));
}

/** Returns the UTF-16 offset of a column, which counts code points from 1. */
export function utf16Offset(text: string, column: number): number {
  let at = 0;
  for (let passed = 1; passed < column && at < text.length; passed++) {
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
  return at;
}

/**
 * Replaces control characters, except tabs, line separators, bidirectional overrides and invisible tag characters. Text
 * from repositories may contain them, and a terminal would execute them, or a reader would see something else.
 */
export function sanitize(text: string): string {
  // ASCII control characters become control pictures; the others become U+FFFD.
  return text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu, (character) => {
    if (character === "\t") return character;
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? "\u2421" : "\ufffd";
  });
}

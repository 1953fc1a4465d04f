/**
 * Replaces characters that a terminal would execute, or that hide from a reader what a text says. Text from repositories
 * may contain them:
 *
 * - except for tabs, control characters and line separators;
 * - bidirectional marks and overrides;
 * - invisible characters: zero-width spaces and joiners (but not joiners within an emoji), tags, and variation selectors
 *   that continue a run or are beyond the basic plane.
 */
export function sanitize(text: string): string {
  // ASCII control characters become control pictures; the others become U+FFFD.
  return text.replace(deceptive, (character) => {
    if (character === "\t") return character;
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? "\u2421" : "\ufffd";
  });
}

const deceptive = new RegExp(
  [
    /[\p{Cc}\u061c\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]/u,
    /(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d|\u200d(?!\p{Extended_Pictographic})/u,
    /(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]/u,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gu",
);

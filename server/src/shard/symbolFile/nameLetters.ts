/** Letter masks of names, which exclude most names from fuzzy matching without reading them. */

/** The letters of the names of one block. */
export interface BlockLetters {
  /** Per name: see `lettersOf`. */
  readonly masks: Uint32Array;
  /** Per name and one more: where it starts in its block. */
  readonly starts: Uint16Array;
}

const newline = 0x0a;

/** One bit per letter, ignoring case; one per two digits; and one for the underscore. */
const bits = Uint32Array.from({ length: 128 }, (_, byte) => {
  const lowerCase = byte | 0x20;
  if (lowerCase >= 0x61 && lowerCase <= 0x7a) return 1 << (lowerCase - 0x61);
  if (byte >= 0x30 && byte <= 0x39) return 1 << (26 + ((byte - 0x30) >> 1));
  return byte === 0x5f ? 2 ** 31 : 0;
});

/** Returns the mask of a text. Every name that contains its letters has these bits in its mask. */
export function lettersOf(text: string): number {
  let mask = 0;
  // Non-ASCII bytes set bits in the masks of names, so that more names pass, but not in this one.
  for (const byte of Buffer.from(text)) mask |= bits[byte] ?? 0;
  return mask;
}

/** Computes the masks of names that each end in a newline. Visits every byte, so it allocates only the result. */
export function blockLetters(names: Uint8Array): BlockLetters {
  let count = 0;
  for (let at = 0; at < names.length; at++) if (names[at] === newline) count++;
  const masks = new Uint32Array(count);
  const starts = new Uint16Array(count + 1);
  let name = 0;
  let mask = 0;
  for (let at = 0; at < names.length; at++) {
    const byte = names[at] ?? 0;
    if (byte === newline) {
      masks[name++] = mask;
      starts[name] = at + 1;
      mask = 0;
    } else mask |= bits[byte & 0x7f] ?? 0;
  }
  return { masks, starts };
}

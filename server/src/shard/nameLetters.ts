/** Which letters a block of names holds, name by name: enough to leave most of them unread. */

/** The letters of the names of one block. */
export interface BlockLetters {
  /** A name: see `lettersOf`. */
  readonly masks: Uint32Array;
  /** A name and one more: where it begins in its block. */
  readonly starts: Uint16Array;
}

const newline = 0x0a;

/** A bit for each byte that counts: letters without regard to capitals, digits two by two, the underscore. */
const bits = Uint32Array.from({ length: 128 }, (_, byte) => {
  const small = byte | 0x20;
  if (small >= 0x61 && small <= 0x7a) return 1 << (small - 0x61);
  if (byte >= 0x30 && byte <= 0x39) return 1 << (26 + ((byte - 0x30) >> 1));
  return byte === 0x5f ? 2 ** 31 : 0;
});

/** What every name that holds the letters of a text has in its mask. */
export function lettersOf(text: string): number {
  let mask = 0;
  // Bytes beyond ASCII set bits in masks of names, which lets more of them pass, and are never asked for.
  for (const byte of Buffer.from(text)) mask |= bits[byte] ?? 0;
  return mask;
}

/** `names` has a newline behind each. Runs over every byte, so it allocates nothing but what it gives. */
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

/** Collects the distinct trigrams of a block. AssemblyScript; all positions are byte offsets in the imported memory. */

/**
 * Appends to `out`, which contains `found` words, each trigram of the text whose bit in `seen` is not set, and sets the
 * bit. Bytes are mapped by `fold` first. Returns the new number of words.
 *
 * One trigram in four is new, which branch predictors cannot predict. So every trigram is written, and the position
 * advances only if it was new.
 */
export function collect(start: usize, length: usize, fold: usize, seen: usize, out: usize, found: u32): u32 {
  if (length < 3) return found;
  const end = start + length;
  let trigram: u32 =
    ((<u32>load<u8>(fold + <usize>load<u8>(start))) << 8) | <u32>load<u8>(fold + <usize>load<u8>(start + 1));
  let position = out + ((<usize>found) << 2);
  for (let at = start + 2; at < end; at++) {
    trigram = ((trigram << 8) | <u32>load<u8>(fold + <usize>load<u8>(at))) & 0xffffff;
    const word = seen + ((<usize>(trigram >>> 5)) << 2);
    const bits = load<u32>(word);
    store<u32>(word, bits | (1 << (trigram & 31)));
    store<u32>(position, trigram);
    position += <usize>((((bits >>> (trigram & 31)) & 1) ^ 1) << 2);
  }
  return <u32>((position - out) >> 2);
}

/** Clears what `collect` set. */
export function clear(out: usize, found: u32, seen: usize): void {
  const end = out + ((<usize>found) << 2);
  for (let position = out; position < end; position += 4) {
    store<u32>(seen + ((<usize>(load<u32>(position) >>> 5)) << 2), 0);
  }
}

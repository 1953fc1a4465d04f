// Distinct trigrams of a block. All places are byte offsets in the memory that both sides share.

/**
 * Appends to `out`, which holds `found` words, each trigram of the text whose bit in `seen` is not set, and sets it.
 * Trigrams are of bytes as `fold` maps them. Gives how many words there are then.
 *
 * One trigram in four is new, which no branch predictor foresees: each is written, and stepped over if it was new.
 */
export function collect(start: usize, length: usize, fold: usize, seen: usize, out: usize, found: u32): u32 {
  if (length < 3) return found;
  const end = start + length;
  let trigram: u32 =
    ((<u32>load<u8>(fold + <usize>load<u8>(start))) << 8) | <u32>load<u8>(fold + <usize>load<u8>(start + 1));
  let place = out + ((<usize>found) << 2);
  for (let at = start + 2; at < end; at++) {
    trigram = ((trigram << 8) | <u32>load<u8>(fold + <usize>load<u8>(at))) & 0xffffff;
    const word = seen + ((<usize>(trigram >>> 5)) << 2);
    const bits = load<u32>(word);
    store<u32>(word, bits | (1 << (trigram & 31)));
    store<u32>(place, trigram);
    place += <usize>((((bits >>> (trigram & 31)) & 1) ^ 1) << 2);
  }
  return <u32>((place - out) >> 2);
}

/** Clears what `collect` set. */
export function forget(out: usize, found: u32, seen: usize): void {
  const end = out + ((<usize>found) << 2);
  for (let place = out; place < end; place += 4) {
    store<u32>(seen + ((<usize>(load<u32>(place) >>> 5)) << 2), 0);
  }
}

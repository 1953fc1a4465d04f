/** Returns the length of the valid UTF-8 sequence at `offset`, or 0. Overlong forms and surrogates are invalid. */
export function sequenceLength(bytes: Uint8Array, offset: number, end: number): number {
  const first = bytes[offset] ?? 0;
  if (first < 0x80) return 1;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || offset + length > end) return 0;
  const second = bytes[offset + 1] ?? 0;
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  for (let next = offset + 2; next < offset + length; next++) {
    if (((bytes[next] ?? 0) & 0xc0) !== 0x80) return 0;
  }
  return length;
}

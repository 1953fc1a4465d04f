/**
 * The LZ4 block format, with a dictionary. AssemblyScript; all positions are addresses in the imported memory.
 *
 * A block consists of sequences: a token (upper four bits: number of literals, lower four: length of the match - 4; 15
 * means that bytes follow which add to it, up to the first that is not 255), the literals, and the distance of the match
 * as two bytes. The last sequence has only literals. A match may begin in the dictionary, which lies directly before
 * the text.
 */

const minMatch: usize = 4;
const maxDistance: usize = 65535;
/** More than the bytes of a sequence with fewer than 15 literals and a match of fewer than 19 bytes. */
const shortBytes: usize = 40;

/**
 * Decompresses `source[0 … length)` to `target`, whose text must have `size` bytes. The dictionary begins at `lowest`.
 * Returns 1, or 0 if the block is damaged. Never writes more than 16 bytes past the text, nor reads below `lowest`.
 */
export function decompress(source: usize, length: usize, target: usize, size: usize, lowest: usize): i32 {
  const sourceEnd = source + length;
  const end = target + size;
  const shortSource = length > shortBytes ? sourceEnd - shortBytes : source;
  const shortTarget = size > shortBytes ? end - shortBytes : target;
  let from = source;
  let to = target;
  while (from < sourceEnd) {
    const token = <usize>load<u8>(from++);
    let literals = token >> 4;
    // Most sequences are short and far from the end. They need fewer checks, and no loops.
    if (literals < 15 && from < shortSource && to < shortTarget) {
      v128.store(to, v128.load(from));
      from += literals;
      to += literals;
      const distance = <usize>load<u16>(from);
      const matched = (token & 15) + minMatch;
      if (matched < 15 + minMatch && distance >= 16) {
        const match = to - distance;
        if (match < lowest) return 0;
        v128.store(to, v128.load(match));
        store<u32>(to + 16, load<u32>(match + 16));
        from += 2;
        to += matched;
        continue;
      }
    } else {
      if (literals == 15) {
        let more: usize;
        do {
          if (from >= sourceEnd) return 0;
          more = <usize>load<u8>(from++);
          literals += more;
        } while (more == 255);
      }
      if (literals > sourceEnd - from || literals > end - to) return 0;
      copy(from, to, literals);
      from += literals;
      to += literals;
      if (from == sourceEnd) return to == end ? 1 : 0;
      if (sourceEnd - from < 2) return 0;
    }
    const distance = <usize>load<u16>(from);
    from += 2;
    let matched = (token & 15) + minMatch;
    if (matched == 15 + minMatch) {
      let more: usize;
      do {
        if (from >= sourceEnd) return 0;
        more = <usize>load<u8>(from++);
        matched += more;
      } while (more == 255);
    }
    if (distance == 0 || distance > to - lowest || matched > end - to) return 0;
    if (distance >= 16) copy(to - distance, to, matched);
    else copyRepeating(to, distance, matched);
    to += matched;
  }
  return 0;
}

/** Copies bytes, and up to 16 more. */
@inline
function copy(from: usize, to: usize, length: usize): void {
  v128.store(to, v128.load(from));
  for (let at: usize = 16; at < length; at += 16) v128.store(to + at, v128.load(from + at));
}

@inline
function copyRepeating(to: usize, distance: usize, length: usize): void {
  for (let at: usize = 0; at < length; at++) store<u8>(to + at, load<u8>(to + at - distance));
}

/** `kernels/lz4.ts` reserves memory for tables of these sizes. */
const tableBits: u32 = 12;
const dictionaryBits: u32 = 15;

/** Hashes five bytes: matches of only four save hardly anything. */
@inline
function hash(at: usize): u64 {
  return (load<u64>(at) << 24) * 889523592379;
}

@inline
function entryOf(table: usize, hash: u64): usize {
  return table + (<usize>(hash >> (64 - tableBits)) << 2);
}

@inline
function dictionaryEntryOf(positions: usize, hash: u64): usize {
  return positions + (<usize>(hash >> (64 - dictionaryBits)) << 1);
}

/**
 * Fills `positions` (2^15 u16) with the last position in the dictionary `[lowest, end)` of each hash, or 0.
 */
export function indexDictionary(lowest: usize, end: usize, positions: usize): void {
  memory.fill(positions, 0, 2 << dictionaryBits);
  for (let at = lowest + 1; at + 8 <= end; at++) {
    store<u16>(dictionaryEntryOf(positions, hash(at)), <u16>(at - lowest));
  }
}

/**
 * Compresses the text `[start, end)`, which follows the dictionary, to `target`. Returns the length, or 0 if it might not
 * fit in `limit`. `positions` is from `indexDictionary`, and `table` (2^12 u32) is scratch. Overwrites 16 bytes after the
 * text, so that the result depends on nothing else.
 *
 * Whether and how far texts agree is unpredictable, and mispredicted branches take most of the time. So there is only one
 * for each position.
 */
export function compress(
  start: usize, end: usize, target: usize, limit: usize, lowest: usize, positions: usize, table: usize,
): usize {
  memory.fill(table, 0, 4 << tableBits);
  v128.store(end, i64x2.splat(0));
  const targetEnd = target + limit;
  let to = target;
  let anchor = start;
  // The format requires that the last five bytes are literals and that the last match starts twelve bytes before the end.
  const matchEnd = end - start < 13 ? start : end - 12;
  const stop = end - 5;
  let at = start;
  let misses: usize = 0;
  while (at < matchEnd) {
    let match = findMatch(at, lowest, positions, table);
    if (!isUsable(match, at)) {
      at += 1 + (misses++ >> 4);
      continue;
    }
    misses = 0;
    let matchStart = at;
    // A longer match one byte later is better.
    while (at + 1 < matchEnd && lengthOf(match) < 16) {
      at++;
      const later = findMatch(at, lowest, positions, table);
      if (lengthOf(later) <= lengthOf(match) || !isUsable(later, at)) break;
      match = later;
      matchStart = at;
    }
    let from = fromOf(match);
    let length = lengthOf(match);
    while (length >= 16 && matchStart + length < stop) {
      const more = equalBytes(v128.load(matchStart + length), from + length);
      length += more;
      if (more < 16) break;
    }
    length = min(length, stop - matchStart);
    while (matchStart > anchor && from > lowest && load<u8>(matchStart - 1) == load<u8>(from - 1)) {
      matchStart--;
      from--;
      length++;
    }
    const literals = matchStart - anchor;
    if (to + literals + literals / 255 + length / 255 + 24 >= targetEnd) return 0;
    to = writeSequence(to, anchor, literals, length, matchStart - from);
    at = matchStart + length;
    anchor = at;
    // Entering more positions of a match takes more time than it is worth.
    remember(at - 4, table);
    remember(at - 3, table);
    remember(at - 2, table);
    remember(at - 1, table);
  }
  const literals = end - anchor;
  if (to + literals + literals / 255 + 24 >= targetEnd) return 0;
  const token = to++;
  if (literals < 15) store<u8>(token, <u8>(literals << 4));
  else {
    store<u8>(token, 0xf0);
    to = writeLength(to, literals - 15);
  }
  memory.copy(to, anchor, literals);
  return to + literals - target;
}

@inline
function remember(position: usize, table: usize): void {
  store<u32>(entryOf(table, hash(position)), <u32>position);
}

/**
 * Compares the text at `at` with the last one of the same hash, in the text and in the dictionary. Returns the better match:
 * in the upper half its length, 16 if there may be more, and in the lower half where it is.
 */
@inline
function findMatch(at: usize, lowest: usize, positions: usize, table: usize): u64 {
  const hashed = hash(at);
  const entry = entryOf(table, hashed);
  const near = <usize>load<u32>(entry);
  store<u32>(entry, <u32>at);
  const far = lowest + <usize>load<u16>(dictionaryEntryOf(positions, hashed));
  const here = v128.load(at);
  return max((<u64>equalBytes(here, near) << 32) | near, (<u64>equalBytes(here, far) << 32) | far);
}

@inline
function lengthOf(match: u64): usize {
  return <usize>(match >> 32);
}

@inline
function fromOf(match: u64): usize {
  return <usize>(match & 0xffffffff);
}

/**
 * Whether a match is long enough and not too far away. Empty entries of tables lead to address 0, which is too far away, or to
 * the start of the dictionary, which is `at` itself if both are at the start of the text.
 */
@inline
function isUsable(match: u64, at: usize): bool {
  return lengthOf(match) >= minMatch && at - fromOf(match) - 1 < maxDistance;
}

/** How many of the 16 bytes at `from` are equal, up to the first that is not. */
@inline
function equalBytes(here: v128, from: usize): usize {
  return ctz(<u32>i8x16.bitmask(i8x16.ne(here, v128.load(from))) | 0x10000);
}

function writeSequence(to: usize, from: usize, literals: usize, length: usize, distance: usize): usize {
  const token = to++;
  const rest = length - minMatch;
  store<u8>(token, <u8>((min(literals, 15) << 4) | min(rest, 15)));
  if (literals >= 15) to = writeLength(to, literals - 15);
  copy(from, to, literals);
  to += literals;
  store<u16>(to, <u16>distance);
  to += 2;
  return rest >= 15 ? writeLength(to, rest - 15) : to;
}

function writeLength(to: usize, length: usize): usize {
  while (length >= 255) {
    store<u8>(to++, 255);
    length -= 255;
  }
  store<u8>(to++, <u8>length);
  return to;
}

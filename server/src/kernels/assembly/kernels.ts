/**
 * The loops that run over every byte of a text or over every number of a posting list, mostly 16 bytes at a time.
 *
 * AssemblyScript, not TypeScript. Every position is an address in the imported memory. Loads, but not stores, may reach
 * 64 bytes past the end of a text; `memory.ts` leaves that much room. The stores of `chunks.ts` may reach past what
 * it writes.
 */
export { constantsEnd, writeChunk, writeRanges } from "./chunks";

const newline: u8 = 10;

/** 16-byte comparisons that a search may still make before it stops (see `search`). */
let allowance: i32 = 0;

export function find(
  start: usize, length: usize, needle: usize, size: usize, first: usize, second: usize, out: usize, max: i32,
): i32 {
  return search(start, length, needle, size, first, second, out, max, false, true);
}

export function findFolded(
  start: usize, length: usize, needle: usize, size: usize, first: usize, second: usize, out: usize, max: i32,
): i32 {
  return search(start, length, needle, size, first, second, out, max, true, true);
}

export function count(
  start: usize, length: usize, needle: usize, size: usize, first: usize, second: usize,
): i32 {
  return search(start, length, needle, size, first, second, 0, 0, false, false);
}

export function countFolded(
  start: usize, length: usize, needle: usize, size: usize, first: usize, second: usize,
): i32 {
  return search(start, length, needle, size, first, second, 0, 0, true, false);
}

/**
 * Finds hits from left to right, none overlapping the one before it, and stores their offsets from `start`.
 *
 * `first` and `second` are the offsets of the needle's two rarest bytes. 64 positions are tested for both at once, and
 * the needle is compared only where both match. A folded search takes a folded needle and folds A to Z of the text.
 *
 * Returns the number of hits, or -1 if so many long comparisons failed late that a linear algorithm is faster.
 */
@inline
function search(
  start: usize, length: usize, needle: usize, size: usize, first: usize, second: usize, out: usize, max: i32,
  folded: bool, keep: bool,
): i32 {
  if (length < size) return 0;
  const end = start + length - size + 1;
  const firstByte = load<u8>(needle + first), secondByte = load<u8>(needle + second);
  const firstVector = i8x16.splat(firstByte), secondVector = i8x16.splat(secondByte);
  // Setting the case bit maps only the two cases of a letter to the lower-case letter.
  const firstCase = i8x16.splat(folded ? caseBit(firstByte) : 0);
  const secondCase = i8x16.splat(folded ? caseBit(secondByte) : 0);
  let found: i32 = 0;
  let next = start;
  allowance = <i32>(length >> 3) + 4096;

  for (let at = start; at < end; at += 64) {
    const a = rareByteMatches(at, first, second, firstVector, secondVector, firstCase, secondCase, folded);
    const b = rareByteMatches(at + 16, first, second, firstVector, secondVector, firstCase, secondCase, folded);
    const c = rareByteMatches(at + 32, first, second, firstVector, secondVector, firstCase, secondCase, folded);
    const d = rareByteMatches(at + 48, first, second, firstVector, secondVector, firstCase, secondCase, folded);
    if (!v128.any_true(v128.or(v128.or(a, b), v128.or(c, d)))) continue;
    let candidates = bits(a, b, c, d);
    if (end - at < 64) candidates &= (<u64>1 << (end - at)) - 1;
    if (!keep && size == 1) {
      found += <i32>popcnt(candidates);
      continue;
    }
    while (candidates != 0) {
      const here = at + <usize>ctz(candidates);
      candidates &= candidates - 1;
      if (here < next) continue;
      if (size > 2 && !equal(here, needle, size, folded)) {
        if (allowance < 0) return -1;
        continue;
      }
      if (keep) store<u32>(out + (<usize>found << 2), <u32>(here - start));
      found++;
      if (keep && found == max) return found;
      next = here + size;
    }
  }
  return found;
}

@inline
function caseBit(byte: u8): u8 {
  return byte >= 0x61 && byte <= 0x7a ? 0x20 : 0;
}

/** Sets the lanes where both rare bytes of the needle match. */
@inline
function rareByteMatches(
  at: usize, first: usize, second: usize, firstVector: v128, secondVector: v128, firstCase: v128, secondCase: v128,
  folded: bool,
): v128 {
  let one = v128.load(at + first), two = v128.load(at + second);
  if (folded) {
    one = v128.or(one, firstCase);
    two = v128.or(two, secondCase);
  }
  return v128.and(i8x16.eq(one, firstVector), i8x16.eq(two, secondVector));
}

/** Returns one bit per lane, the first lane in the lowest bit. */
@inline
function bits(a: v128, b: v128, c: v128, d: v128): u64 {
  return (
    <u64>i8x16.bitmask(a) |
    (<u64>i8x16.bitmask(b) << 16) |
    (<u64>i8x16.bitmask(c) << 32) |
    (<u64>i8x16.bitmask(d) << 48)
  );
}

@inline
function equal(at: usize, needle: usize, size: usize, folded: bool): bool {
  if (size < 16) {
    const wanted = (1 << <i32>size) - 1;
    return (equalLanes(at, needle, folded) & wanted) == wanted;
  }
  return folded ? equalLongFolded(at, needle, size) : equalLong(at, needle, size);
}

@inline
function equalLanes(at: usize, needle: usize, folded: bool): i32 {
  const text = v128.load(at);
  return i8x16.bitmask(i8x16.eq(folded ? fold16(text) : text, v128.load(needle)));
}

function equalLong(at: usize, needle: usize, size: usize): bool {
  return equalBlocks(at, needle, size, false);
}

function equalLongFolded(at: usize, needle: usize, size: usize): bool {
  return equalBlocks(at, needle, size, true);
}

/** Compares 16 or more bytes. The last block overlaps the one before it. */
@inline
function equalBlocks(at: usize, needle: usize, size: usize, folded: bool): bool {
  const last = size - 16;
  for (let done: usize = 0; done < last; done += 16) {
    allowance--;
    if (equalLanes(at + done, needle + done, folded) != 0xffff) return false;
  }
  return equalLanes(at + last, needle + last, folded) == 0xffff;
}

@inline
function fold16(bytes: v128): v128 {
  const capital = i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(0x41)), i8x16.splat(26));
  return v128.or(bytes, v128.and(capital, i8x16.splat(0x20)));
}

/** Copies a text with A to Z in lower case. `from` and `to` may be equal. */
export function fold(from: usize, to: usize, length: usize): void {
  let done: usize = 0;
  for (; done + 16 <= length; done += 16) v128.store(to + done, fold16(v128.load(from + done)));
  for (; done < length; done++) {
    const byte = load<u8>(from + done);
    store<u8>(to + done, byte - 0x41 < 26 ? byte | 0x20 : byte);
  }
}

/** Stores the offsets of newlines from `start`. Returns how many there are. */
export function newlines(start: usize, length: usize, out: usize): i32 {
  const wanted = i8x16.splat(newline);
  const end = start + length;
  let to = out;
  for (let at = start; at < end; at += 64) {
    let lanes = bits(
      i8x16.eq(v128.load(at), wanted),
      i8x16.eq(v128.load(at, 16), wanted),
      i8x16.eq(v128.load(at, 32), wanted),
      i8x16.eq(v128.load(at, 48), wanted),
    );
    if (end - at < 64) lanes &= (<u64>1 << (end - at)) - 1;
    for (; lanes != 0; lanes &= lanes - 1) {
      store<u32>(to, <u32>(at - start) + <u32>ctz(lanes));
      to += 4;
    }
  }
  return <i32>((to - out) >> 2);
}

export function countNewlines(start: usize, length: usize): i32 {
  const wanted = i8x16.splat(newline);
  const end = start + length;
  let found: i32 = 0;
  let at = start;
  while (at + 16 <= end) {
    // A lane counts to 255 at most.
    const stop = min(end - 15, at + 16 * 255);
    let lanes = i8x16.splat(0);
    for (; at < stop; at += 16) lanes = i8x16.sub(lanes, i8x16.eq(v128.load(at), wanted));
    found += sum(lanes);
  }
  for (; at < end; at++) found += i32(load<u8>(at) == newline);
  return found;
}

/** Counts the bytes that are not UTF-8 continuation bytes. */
export function countCodePoints(start: usize, length: usize): i32 {
  const lastContinuation = i8x16.splat(-65);
  const end = start + length;
  let found: i32 = 0;
  let at = start;
  while (at + 16 <= end) {
    const stop = min(end - 15, at + 16 * 255);
    let lanes = i8x16.splat(0);
    for (; at < stop; at += 16) lanes = i8x16.sub(lanes, i8x16.gt_s(v128.load(at), lastContinuation));
    found += sum(lanes);
  }
  for (; at < end; at++) found += i32(load<i8>(at) > -65);
  return found;
}

@inline
function sum(lanes: v128): i32 {
  const quads = i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(lanes));
  return (
    i32x4.extract_lane(quads, 0) +
    i32x4.extract_lane(quads, 1) +
    i32x4.extract_lane(quads, 2) +
    i32x4.extract_lane(quads, 3)
  );
}

export function isAscii(start: usize, length: usize): bool {
  const end = start + length;
  let at = start;
  for (; at + 64 <= end; at += 64) {
    const all = v128.or(
      v128.or(v128.load(at), v128.load(at, 16)),
      v128.or(v128.load(at, 32), v128.load(at, 48)),
    );
    if (i8x16.bitmask(all) != 0) return false;
  }
  for (; at < end; at++) if (load<u8>(at) >= 0x80) return false;
  return true;
}

/**
 * Decodes LEB128 deltas, each at least 1, the first counted from -1, to ascending numbers.
 *
 * Returns how many there are, or -1 if a delta is 0, a number exceeds 32 bits, or the last one is truncated.
 */
export function decodeDeltas(start: usize, length: usize, out: usize): i32 {
  const end = start + length;
  let at = start;
  let to = out;
  let last: i64 = -1;
  while (at < end) {
    // 16 deltas of one byte each, none 0, that cannot lead past 32 bits.
    if (at + 16 <= end && last < 0xffffffff - 16 * 127) {
      const bytes = v128.load(at);
      if (i8x16.bitmask(bytes) == 0 && i8x16.all_true(bytes)) {
        const low = i16x8.extend_low_i8x16_u(bytes), high = i16x8.extend_high_i8x16_u(bytes);
        const a = prefixSums(i32x4.extend_low_i16x8_u(low), i32x4.splat(<i32>last));
        const b = prefixSums(i32x4.extend_high_i16x8_u(low), v128.shuffle<i32>(a, a, 3, 3, 3, 3));
        const c = prefixSums(i32x4.extend_low_i16x8_u(high), v128.shuffle<i32>(b, b, 3, 3, 3, 3));
        const d = prefixSums(i32x4.extend_high_i16x8_u(high), v128.shuffle<i32>(c, c, 3, 3, 3, 3));
        v128.store(to, a);
        v128.store(to, b, 16);
        v128.store(to, c, 32);
        v128.store(to, d, 48);
        last = <i64><u32>i32x4.extract_lane(d, 3);
        at += 16;
        to += 64;
        continue;
      }
    }
    // Sixteen at a time, so that runs of mixed lengths do not repeat the test above for every number.
    for (let step = 0; step < 16 && at < end; step++) {
      let byte: u32 = load<u8>(at++);
      let delta: u64 = byte & 0x7f;
      for (let shift: u64 = 7; byte >= 0x80; shift += 7) {
        if (at == end || shift > 28) return -1;
        byte = load<u8>(at++);
        delta |= <u64>(byte & 0x7f) << shift;
      }
      last += <i64>delta;
      if (delta == 0 || last > 0xffffffff) return -1;
      store<u32>(to, <u32>last);
      to += 4;
    }
  }
  return <i32>((to - out) >> 2);
}

/**
 * Decodes ascending numbers less than `limit` in the encoding of `gaps.ts`.
 *
 * Returns how many there are, or -1 if a number is not less than `limit`, or the last one is truncated.
 */
export function decodeGaps(start: usize, length: usize, limit: u32, out: usize): i32 {
  if (length == 0) return 0;
  let at = start;
  const stop = start + length;
  let byte: u32 = load<u8>(at++);
  let number: u64 = byte & 0x7f;
  for (let shift: u64 = 7; byte >= 0x80; shift += 7) {
    if (at == stop || shift > 28) return -1;
    byte = load<u8>(at++);
    number |= <u64>(byte & 0x7f) << shift;
  }
  if (number >= limit) return -1;
  let to = out;
  store<u32>(to, <u32>number);
  to += 4;
  let order: i32 = (32 - <i32>clz<u32>(<u32>number)) << 2;
  let position: u64 = <u64>at << 3;
  const end: u64 = <u64>stop << 3;
  while (true) {
    // At least 57 bits.
    let word = load<u64>(<usize>(position >> 3)) >> (position & 7);
    const zeros = ctz(word);
    if (position + zeros >= end) return end - position < 8 ? <i32>((to - out) >> 2) : -1;
    const base: u64 = <u64>(order >> 2);
    const low = zeros + base;
    if (low > 31) return -1;
    position += zeros + 1;
    word = zeros < 24 ? word >> (zeros + 1) : load<u64>(<usize>(position >> 3)) >> (position & 7);
    position += low;
    if (position > end) return -1;
    number += ((<u64>1 << low) | (word & ((<u64>1 << low) - 1))) - (<u64>1 << base) + 1;
    if (number >= limit) return -1;
    store<u32>(to, <u32>number);
    to += 4;
    order = max(order + 2 * <i32>zeros - 3, 0);
  }
}

@inline
function prefixSums(lanes: v128, before: v128): v128 {
  const zero = i32x4.splat(0);
  const pairs = i32x4.add(lanes, v128.shuffle<i32>(zero, lanes, 0, 4, 5, 6));
  return i32x4.add(i32x4.add(pairs, v128.shuffle<i32>(zero, pairs, 0, 0, 4, 5)), before);
}

/** Stores the intersection of two ascending lists, comparing four numbers with four. Returns its length. */
export function intersect(a: usize, aLength: i32, b: usize, bLength: i32, out: usize): i32 {
  const aEnd = a + (<usize>aLength << 2), bEnd = b + (<usize>bLength << 2);
  let to = out;
  while (a + 16 <= aEnd && b + 16 <= bEnd) {
    const four = v128.load(a), others = v128.load(b);
    let common = i32x4.bitmask(v128.or(
      v128.or(
        i32x4.eq(four, others),
        i32x4.eq(four, v128.shuffle<i32>(others, others, 1, 2, 3, 0)),
      ),
      v128.or(
        i32x4.eq(four, v128.shuffle<i32>(others, others, 2, 3, 0, 1)),
        i32x4.eq(four, v128.shuffle<i32>(others, others, 3, 0, 1, 2)),
      ),
    ));
    for (; common != 0; common &= common - 1) {
      store<u32>(to, load<u32>(a + (<usize>ctz(common) << 2)));
      to += 4;
    }
    const aLast = load<u32>(a, 12), bLast = load<u32>(b, 12);
    a += <usize>(aLast <= bLast) << 4;
    b += <usize>(bLast <= aLast) << 4;
  }
  while (a < aEnd && b < bEnd) {
    const one = load<u32>(a), other = load<u32>(b);
    if (one == other) {
      store<u32>(to, one);
      to += 4;
    }
    a += <usize>(one <= other) << 2;
    b += <usize>(other <= one) << 2;
  }
  return <i32>((to - out) >> 2);
}

/** Stores the numbers of a list whose bits are set in a bitmap of `bytes` bytes. Returns how many there are. */
export function select(list: usize, length: i32, bitmap: usize, bytes: u32, out: usize): i32 {
  const end = list + (<usize>length << 2);
  let to = out;
  for (let at = list; at < end; at += 4) {
    const number = load<u32>(at);
    store<u32>(to, number);
    const index = number >> 3;
    const bit = (<u32>load<u8>(bitmap + min(index, bytes)) >> (number & 7)) & 1;
    to += <usize>(bit & u32(index < bytes)) << 2;
  }
  return <i32>((to - out) >> 2);
}

/**
 * Writes the JSON of chunks. AssemblyScript; all positions are addresses in the imported memory.
 *
 * Stores may reach 32 bytes past what is written, loads 16 bytes past the text.
 */

const quote: u8 = 0x22;
const backslash: u8 = 0x5c;
const newline: u8 = 0x0a;

/** The chunk that was written last: its text, and the byte offset of the text in its file. */
let chunkStart: usize = 0;
let chunkEnd: usize = 0;
let chunkOffset: u64 = 0;

/** The position in the chunk up to which lines and columns were counted. */
let cursor: usize = 0;
let line: u32 = 0;
let column: u32 = 0;

/** Returns the number of bytes written to `out`. `ranges` is from `hits` (see `kernels.ts`). */
export function writeChunk(
  start: usize, length: usize, byteOffset: f64, lineNumber: u32, ranges: usize, count: usize, out: usize,
): usize {
  chunkStart = start;
  chunkEnd = start + length;
  chunkOffset = <u64>byteOffset;
  cursor = start;
  line = lineNumber;
  column = 1;
  let to = put(out, '{"content":');
  to = putText(to, chunkStart, chunkEnd);
  to = put(to, ',"contentStart":{"byteOffset":');
  to = putInteger(to, chunkOffset);
  to = put(to, ',"lineNumber":');
  to = putInteger(to, line);
  to = put(to, ',"column":1},"matchRanges":[');
  return putRanges(to, ranges, count) - out;
}

/** Writes more ranges of the last chunk. Returns the number of bytes. */
export function writeRanges(ranges: usize, count: usize, out: usize): usize {
  store<u8>(out, 0x2c);
  return putRanges(out + 1, ranges, count) - out;
}

function putRanges(out: usize, ranges: usize, count: usize): usize {
  let to = out;
  for (let index: usize = 0; index < count; index++) {
    const range = ranges + (index << 3);
    to = put(to, index == 0 ? '{"start":{"byteOffset":' : ',{"start":{"byteOffset":');
    to = putPosition(to, load<u32>(range));
    to = put(to, '},"end":{"byteOffset":');
    to = putPosition(to, load<u32>(range, 4));
    to = put(to, '}}');
  }
  return to;
}

function putPosition(out: usize, offset: u32): usize {
  moveTo(chunkStart + min<usize>(offset, chunkEnd - chunkStart));
  let to = putInteger(out, chunkOffset + offset);
  to = put(to, ',"lineNumber":');
  to = putInteger(to, line);
  to = put(to, ',"column":');
  return putInteger(to, column);
}

/** Counts lines and columns up to `end`. A byte that is not part of a valid sequence is one column. */
function moveTo(end: usize): void {
  const newlines = i8x16.splat(newline);
  let at = cursor;
  while (at < end) {
    const bytes = v128.load(at);
    const length = min(end - at, ctz(<u32>i8x16.bitmask(bytes) | 0x10000));
    if (length == 0) {
      at += max(sequenceLength(at, end), 1);
      column++;
      continue;
    }
    const ends = <u32>i8x16.bitmask(i8x16.eq(bytes, newlines)) & ((1 << <u32>length) - 1);
    at += length;
    if (ends == 0) column += <u32>length;
    else {
      line += popcnt(ends);
      column = <u32>length + clz(ends) - 31;
    }
  }
  cursor = end;
}

/** Where the constants of the module end: the texts that `put` writes. */
export function constantsEnd(): usize {
  return __heap_base;
}

/** Writes ASCII text of at most 32 characters. */
@inline
function put(to: usize, text: string): usize {
  const from = changetype<usize>(text);
  v128.store(to, i8x16.narrow_i16x8_u(v128.load(from), v128.load(from, 16)));
  v128.store(to, i8x16.narrow_i16x8_u(v128.load(from, 32), v128.load(from, 48)), 16);
  return to + text.length;
}

function putInteger(to: usize, value: u64): usize {
  let end = to + 1;
  for (let rest = value; rest >= 10; rest /= 10) end++;
  let at = end;
  for (let rest = value; at > to; rest /= 10) store<u8>(--at, <u8>(0x30 + rest % 10));
  return end;
}

/** Writes a text as a JSON string, as `JSON.stringify` does. Each byte that is not UTF-8 becomes U+FFFD. */
function putText(out: usize, start: usize, end: usize): usize {
  const quotes = i8x16.splat(quote);
  const backslashes = i8x16.splat(backslash);
  const space = i8x16.splat(0x20);
  let to = out;
  store<u8>(to++, quote);
  for (let at = start; at < end; ) {
    const bytes = v128.load(at);
    v128.store(to, bytes);
    // The comparison is signed, so that it includes bytes that are not ASCII.
    const special = v128.or(
      i8x16.lt_s(bytes, space),
      v128.or(i8x16.eq(bytes, quotes), i8x16.eq(bytes, backslashes)),
    );
    const plain = min(end - at, ctz(<u32>i8x16.bitmask(special) | 0x10000));
    at += plain;
    to += plain;
    if (plain == 16 || at == end) continue;
    const byte = load<u8>(at);
    if (byte < 0x80) {
      to = putEscape(to, byte);
      at++;
      continue;
    }
    const length = sequenceLength(at, end);
    store<u32>(to, length == 0 ? 0xbdbfef : load<u32>(at));
    to += length == 0 ? 3 : length;
    at += max(length, 1);
  }
  store<u8>(to, quote);
  return to + 1;
}

function putEscape(to: usize, byte: u8): usize {
  const letter = escapeLetter(byte);
  store<u8>(to, backslash);
  store<u8>(to, letter, 1);
  if (letter != 0x75) return to + 2;
  store<u16>(to, 0x3030, 2);
  store<u8>(to, hexDigit(byte >> 4), 4);
  store<u8>(to, hexDigit(byte & 15), 5);
  return to + 6;
}

/** Returns what follows the backslash; `u` for a code of four digits. */
function escapeLetter(byte: u8): u8 {
  switch (byte) {
    case 0x08: return 0x62;
    case 0x09: return 0x74;
    case 0x0a: return 0x6e;
    case 0x0c: return 0x66;
    case 0x0d: return 0x72;
    case quote: return quote;
    case backslash: return backslash;
    default: return 0x75;
  }
}

@inline
function hexDigit(value: u8): u8 {
  return value < 10 ? 0x30 + value : 0x57 + value;
}

/** Returns the length of the valid UTF-8 sequence at `at`, or 0. See `utf8.ts`. */
function sequenceLength(at: usize, end: usize): usize {
  const first = load<u8>(at);
  if (first < 0x80) return 1;
  const length: usize = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || at + length > end) return 0;
  const second = load<u8>(at, 1);
  const low: u8 = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const high: u8 = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  for (let next = at + 2; next < at + length; next++) if ((load<u8>(next) & 0xc0) != 0x80) return 0;
  return length;
}

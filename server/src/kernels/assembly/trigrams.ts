/**
 * Collects the trigrams of blocks in posting lists. AssemblyScript; all positions are byte offsets in the imported memory.
 *
 * Tables are indexed by the key of a trigram: the upper two bits of the codes of its bytes, then their lower six. The most common
 * bytes have the codes below 64, so that what is used of a table is close together, mostly in cached memory.
 *
 * A list grows in a chain of chunks of 32 bytes: seven words of its bits and the address of the next chunk. Its state takes 32
 * bytes:
 *
 * | offset | contents |
 * |---|---|
 * | 0 | u32: its last number |
 * | 4 | u16: the order of the code of its next gap, see `gaps.ts` |
 * | 6 | u16: how many bits are in the buffer, fewer than 32 |
 * | 8 | u64: the buffer: bits that are not in a chunk yet |
 * | 16 | u32: where its next word goes; a new chunk is needed if that is in place of the address of one |
 * | 20 | u32: the state of the list that was added before it, or 0 |
 * | 24 | u32: the key of its trigram |
 * | 28 | u32: the address of its first chunk |
 */

const stateBytes: usize = 32;
const chunkBytes: usize = 32;
const linkInChunk: usize = 28;
const firstLink: usize = 28;
/** The gap in a list that was just added: its last number is this block, so that the subtraction wraps. */
const newList: u32 = 0xffffffff;

/** Where the memory for states and chunks starts that is still free: a multiple of 32. */
export let free: usize = 0;
/** The state of the list that was added last, or 0. */
export let lastState: usize = 0;

/**
 * Appends to `out`, which contains `found` words, the key of each trigram of the text whose bit in `seen` is not set, and sets
 * the bit. `codes` contains the code of each byte. Returns the new number of words.
 *
 * One trigram in four is new, which branch predictors cannot predict. So every key is written, and the position advances
 * only if it was new.
 */
export function collect(start: usize, length: usize, codes: usize, seen: usize, out: usize, found: u32): u32 {
  if (length < 3) return found;
  const end = start + length;
  const first = codeOf(start, codes);
  const second = codeOf(start + 1, codes);
  let upper = ((first >>> 6) << 2) | (second >>> 6);
  let lower = ((first & 63) << 6) | (second & 63);
  let position = out + ((<usize>found) << 2);
  for (let at = start + 2; at < end; at++) {
    const code = codeOf(at, codes);
    upper = ((upper << 2) | (code >>> 6)) & 0x3f;
    lower = ((lower << 6) | (code & 63)) & 0x3ffff;
    const key = (upper << 18) | lower;
    const word = seen + ((<usize>(key >>> 5)) << 2);
    const bits = load<u32>(word);
    store<u32>(word, bits | (1 << (key & 31)));
    store<u32>(position, key);
    position += <usize>((((bits >>> (key & 31)) & 1) ^ 1) << 2);
  }
  return <u32>((position - out) >> 2);
}

@inline
function codeOf(at: usize, codes: usize): u32 {
  return <u32>load<u8>(codes + <usize>load<u8>(at));
}

/**
 * Appends `block` to the lists of the trigrams that `collect` found, whose keys in `out` it overwrites, and clears their bits in
 * `seen`. `states` contains a u32 per key: the state of its list, or 0. There must be 64 bytes of free memory for each trigram.
 *
 * Most states are not in the first-level cache. A first pass replaces keys by states, and last numbers by gaps: the processor
 * then waits for many states at once.
 */
export function append(out: usize, found: u32, seen: usize, states: usize, block: u32): void {
  const end = out + ((<usize>found) << 2);
  for (let position = out; position < end; position += 4) {
    const key = load<u32>(position);
    store<u32>(seen + ((<usize>(key >>> 5)) << 2), 0);
    const entry = states + ((<usize>key) << 2);
    let state: usize = load<u32>(entry);
    if (state == 0) {
      state = addList(key, block);
      store<u32>(entry, <u32>state);
    }
    store<u32>(position, <u32>state);
    store<u32>(state, block - load<u32>(state) - 1);
  }
  for (let position = out; position < end; position += 4) {
    const state: usize = load<u32>(position);
    const gap = load<u32>(state);
    store<u32>(state, block);
    if (gap == newList) continue;
    const order: i32 = load<u16>(state, 4);
    const value = gap + (<u32>1 << (order >> 2));
    const low = 31 - <i32>clz(value);
    const zeros = low - (order >> 2);
    store<u16>(state, <u16>max(order + 2 * zeros - 3, 0), 4);
    const bits = ((<u64>value ^ ((<u64>1) << low)) << (zeros + 1)) | ((<u64>1) << zeros);
    const length = zeros + 1 + low;
    if (length <= 32) {
      push(state, bits, length);
    } else {
      push(state, bits & 0xffffffff, 32);
      push(state, bits >> 32, length - 32);
    }
  }
}

function addList(key: u32, block: u32): usize {
  const state = free;
  free += stateBytes;
  store<u32>(state, block);
  store<u16>(state, <u16>((32 - <i32>clz(block)) << 2), 4);
  store<u16>(state, 0, 6);
  store<u64>(state, 0, 8);
  store<u32>(state, <u32>(state + firstLink), 16);
  store<u32>(state, <u32>lastState, 20);
  store<u32>(state, key, 24);
  lastState = state;
  let rest = block;
  for (; rest >= 0x80; rest >>>= 7) push(state, (rest & 0x7f) | 0x80, 8);
  push(state, rest, 8);
  return state;
}

/** Appends up to 32 bits. */
@inline
function push(state: usize, bits: u64, length: i32): void {
  let filled: i32 = load<u16>(state, 6);
  let buffer = load<u64>(state, 8) | (bits << filled);
  filled += length;
  if (filled >= 32) {
    let to: usize = load<u32>(state, 16);
    if ((to & (chunkBytes - 1)) == linkInChunk) {
      store<u32>(to, <u32>free);
      to = free;
      free += chunkBytes;
    }
    store<u32>(to, <u32>buffer);
    store<u32>(state, <u32>(to + 4), 16);
    buffer >>= 32;
    filled -= 32;
  }
  store<u64>(state, buffer, 8);
  store<u16>(state, <u16>filled, 6);
}

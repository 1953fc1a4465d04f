/**
 * The memory layout: one memory for needles, lists, texts and results.
 *
 *     0        64           2048      + needleRoom   + 3 lists   + capacity + slack   + 4 x capacity     + 6 x capacity + ranges
 *     (empty)  constants    needles   lists          texts       hits                 decoded, output    slack
 *
 * In the worst case a text has a hit at every byte, a list of deltas a number per byte, and JSON six bytes per byte of text,
 * so results always fit. Gaps may be single bits, but `decodeGaps` is told how many numbers there can be.
 * Pages that are never touched cost no memory.
 */

export const needleStart = 2048;
export const needleRoom = 1024 * 1024;

/** Words per piece when two lists are intersected: two pieces and their result fit into the L1 cache. */
export const listWords = 2048;
export const listStart = needleStart + needleRoom;

const textStart = listStart + 3 * 4 * listWords;

/** How far loads may reach past the end of a text, and stores past the end of the output. */
const slack = 64;
const firstCapacity = 256 * 1024;

/** The maximum number of ranges that one call writes. */
export const maxWrittenRanges = 1024;
/** More than the JSON of a range with numbers of 16 digits. */
const maxRangeBytes = 256;
/** More than the JSON of a chunk without its text and its ranges. */
const maxChunkBytes = 256;

const pageBytes = 65_536;

/** Returns a buffer of at least `byteCount` bytes: the memory, which grows if necessary. */
export function grownMemory(memory: WebAssembly.Memory, byteCount: number): ArrayBuffer {
  const missing = Math.ceil((byteCount - memory.buffer.byteLength) / pageBytes);
  if (missing > 0) memory.grow(missing);
  return memory.buffer;
}

/** Returns what does the same without WebAssembly: each call copies the previous buffer to a larger one. */
export function copyingMemory(): (byteCount: number) => ArrayBuffer {
  let buffer = new Uint8Array();
  return (byteCount) => {
    const grown = new Uint8Array(Math.ceil(byteCount / 8) * 8);
    grown.set(buffer);
    buffer = grown;
    return grown.buffer;
  };
}

/** Returns a capacity for `byteCount`: at least twice the present one, unless that suffices. */
export function grownCapacity(capacity: number, byteCount: number): number {
  return byteCount <= capacity ? capacity : Math.ceil(Math.max(byteCount, 2 * capacity) / 64) * 64;
}

export class KernelMemory {
  readonly #grow: (byteCount: number) => ArrayBuffer;
  #capacity = 0;
  #bytes = new Uint8Array();
  #words = new Uint32Array();
  #hits = new Uint32Array();
  #decoded = new Uint32Array();
  #output = new Uint8Array();

  /** `grow` returns a buffer of at least `byteCount` bytes that begins with the content of the previous one. */
  constructor(grow: (byteCount: number) => ArrayBuffer) {
    this.#grow = grow;
    this.reserve(firstCapacity);
  }

  get bytes(): Uint8Array {
    return this.#bytes;
  }

  get words(): Uint32Array {
    return this.#words;
  }

  get hits(): Uint32Array {
    return this.#hits;
  }

  get decoded(): Uint32Array {
    return this.#decoded;
  }

  get output(): Uint8Array {
    return this.#output;
  }

  reserve(byteCount: number): number {
    if (byteCount <= this.#capacity) return textStart;
    const capacity = grownCapacity(this.#capacity, byteCount);
    const hitStart = textStart + capacity + slack;
    const decodedStart = hitStart + 4 * capacity;
    const outputBytes = 6 * capacity + maxWrittenRanges * maxRangeBytes + maxChunkBytes;
    const buffer = this.#grow(decodedStart + outputBytes + slack);
    this.#capacity = capacity;
    this.#bytes = new Uint8Array(buffer);
    this.#words = new Uint32Array(buffer);
    this.#hits = new Uint32Array(buffer, hitStart, capacity);
    this.#decoded = new Uint32Array(buffer, decodedStart, capacity);
    this.#output = new Uint8Array(buffer, decodedStart, outputBytes);
    return textStart;
  }

  /** Throws a `RangeError` for a text outside the reserved range, where a kernel would access other data. */
  check(start: number, length: number): void {
    if (start >= textStart && length >= 0 && start + length <= textStart + this.#capacity) return;
    throw new RangeError(`A text at ${start} with ${length} bytes is outside the reserved range.`);
  }

  /** Throws a `RangeError` for more ranges than one call may write. */
  checkRanges(count: number): void {
    if (count < 0 || count > maxWrittenRanges) throw new RangeError(`${count} ranges are too many.`);
  }
}

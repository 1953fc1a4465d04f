/**
 * One memory for needles, lists, texts and results, and who lies where.
 *
 *     0        64              + needleRoom     + 3 lists     + capacity + slack     + 4 x capacity     + 4 x capacity
 *     (empty)  needles         lists            texts         hits                   decoded            slack
 *
 * A text has a hit at each of its bytes at worst, and a list of deltas a number, so results can never be too many.
 * Pages that are never touched cost no memory.
 */

const needleStart = 64;
export const needleRoom = 1024 * 1024;

/** Words of a piece of a list while two are intersected: two pieces and their result fit a first-level cache. */
export const listWords = 2048;
export const listStart = needleStart + needleRoom;

const textStart = listStart + 3 * 4 * listWords;

/** Loads may reach so far past the end of a text. */
const slack = 64;
const firstCapacity = 256 * 1024;

export class KernelMemory {
  readonly needleStart = needleStart;
  readonly #grow: (byteCount: number) => ArrayBuffer;
  #capacity = 0;
  #bytes = new Uint8Array();
  #words = new Uint32Array();
  #hits = new Uint32Array();
  #decoded = new Uint32Array();

  /** `grow` gives a buffer of at least so many bytes that begins with what the one before it held. */
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

  reserve(byteCount: number): number {
    if (byteCount <= this.#capacity) return textStart;
    const capacity = Math.ceil(Math.max(byteCount, 2 * this.#capacity) / 64) * 64;
    const hitStart = textStart + capacity + slack;
    const decodedStart = hitStart + 4 * capacity;
    const buffer = this.#grow(decodedStart + 4 * capacity + slack);
    this.#capacity = capacity;
    this.#bytes = new Uint8Array(buffer);
    this.#words = new Uint32Array(buffer);
    this.#hits = new Uint32Array(buffer, hitStart, capacity);
    this.#decoded = new Uint32Array(buffer, decodedStart, capacity);
    return textStart;
  }

  /** Throws for a text outside of what was reserved: a kernel would read or write over its neighbours. */
  check(start: number, length: number): void {
    if (start >= textStart && length >= 0 && start + length <= textStart + this.#capacity) return;
    throw new RangeError(`No text lies at ${start} with ${length} bytes.`);
  }
}

/** Strings of this many bytes are counted. Shorter ones gain little as matches. */
const stringBytes = 8;
/** Bytes that are added to a dictionary at a time: a few lines. */
const segmentBytes = 128;
const stringsInSegment = segmentBytes - stringBytes + 1;
/** Strings share counts, but the tables stay in the cache of a core. More bits would not make frames smaller. */
const maxHashBits = 17;

/** Random bits per byte, so that shifting by four bits for each byte makes a hash of the last eight. */
const byteBits = Uint32Array.from({ length: 256 }, (_, byte) => {
  const mixed = Math.imul(byte + 1, 0x9e3779b1);
  return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) ^ (mixed >>> 13);
});

/**
 * Chooses the parts of a text that will recur most in similar texts, as a dictionary of up to `byteCount` for LZ4.
 *
 * Divides the text into as many epochs as the dictionary has segments, like Zstandard's COVER. Each contributes the
 * segment whose strings of eight bytes are most frequent in the whole text and not yet in the dictionary. The best
 * segments are last, because matches reach only 64 KiB back.
 */
export function trainDictionary(text: Uint8Array, byteCount: number): Uint8Array {
  const segmentCount = Math.floor(Math.min(byteCount, text.length) / segmentBytes);
  if (segmentCount === 0) return new Uint8Array();
  const hashBits = Math.min(maxHashBits, 32 - Math.clz32(text.length));
  const hashes = stringHashes(text, hashBits);
  const gains = new Uint32Array(1 << hashBits);
  for (const hash of hashes) gains[hash] = (gains[hash] ?? 0) + 1;
  // What occurs once gains nothing.
  for (let hash = 0; hash < gains.length; hash++) gains[hash] = Math.max(0, (gains[hash] ?? 0) - 1);
  const finder = new SegmentFinder(hashes, gains);
  const segments: Segment[] = [];
  for (let index = 0; index < segmentCount; index++) {
    const from = Math.floor((index * text.length) / segmentCount);
    segments.push(finder.best(from, Math.floor(((index + 1) * text.length) / segmentCount)));
  }
  segments.sort((left, right) => left.gain - right.gain || left.start - right.start);
  const dictionary = new Uint8Array(segmentCount * segmentBytes);
  segments.forEach(({ start }, index) => {
    dictionary.set(text.subarray(start, start + segmentBytes), index * segmentBytes);
  });
  return dictionary;
}

interface Segment {
  readonly start: number;
  /** How many strings of the text it contains, each counted as often as it recurs. */
  readonly gain: number;
}

/** For each byte, the hash of the string that ends with it. */
function stringHashes(text: Uint8Array, hashBits: number): Uint32Array {
  const hashes = new Uint32Array(text.length);
  let hash = 0;
  for (let at = 0; at < text.length; at++) {
    hash = (hash << (32 / stringBytes)) ^ (byteBits[text[at] ?? 0] ?? 0);
    hashes[at] = Math.imul(hash ^ (hash >>> 15), 0x9e3779b1) >>> (32 - hashBits);
  }
  return hashes;
}

class SegmentFinder {
  readonly #hashes: Uint32Array;
  /** By hash; 0 once the dictionary contains it. */
  readonly #gains: Uint32Array;
  /** By hash: where it was last seen. */
  readonly #lastSeen: Int32Array;

  constructor(hashes: Uint32Array, gains: Uint32Array) {
    this.#hashes = hashes;
    this.#gains = gains;
    this.#lastSeen = new Int32Array(gains.length).fill(-1);
  }

  /** Returns the best segment in `[from, to)`, which must be at least as long. */
  best(from: number, to: number): Segment {
    const lastSeen = this.#lastSeen;
    const firstString = from + stringBytes - 1;
    let gain = 0;
    let best: Segment = { start: from, gain: -1 };
    // Strings are identified by their last byte.
    for (let at = firstString; at < to; at++) {
      const left = at - stringsInSegment;
      const removed = this.#hashes[left] ?? 0;
      if (left >= firstString && lastSeen[removed] === left) gain -= this.#gains[removed] ?? 0;
      const added = this.#hashes[at] ?? 0;
      if ((lastSeen[added] ?? -1) <= Math.max(left, firstString - 1)) gain += this.#gains[added] ?? 0;
      lastSeen[added] = at;
      const start = at + 1 - segmentBytes;
      if (start >= from && gain > best.gain) best = { start, gain };
    }
    const firstInSegment = best.start + stringBytes - 1;
    for (let at = firstInSegment; at < firstInSegment + stringsInSegment; at++) {
      this.#gains[this.#hashes[at] ?? 0] = 0;
    }
    return best;
  }
}

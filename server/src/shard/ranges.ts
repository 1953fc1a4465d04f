/** Tag bits: the range begins, ends at a word's edge. Above them the number of the term that found it. */
export const startsAtEdge = 1;
export const endsAtEdge = 2;
const termShift = 2;
/** Terms from here on share a number: it only weighs how near different terms lie. */
const maxTerms = 63;

/** Ranges in one document as growing columns: bytes from its start, half-open. */
export class RangeBuffer {
  starts = new Uint32Array(256);
  ends = new Uint32Array(256);
  tags = new Uint8Array(256);
  length = 0;

  push(start: number, end: number, edges: number, term: number): void {
    if (this.length === this.starts.length) this.#grow();
    this.starts[this.length] = start;
    this.ends[this.length] = end;
    this.tags[this.length] = edges | (Math.min(term, maxTerms) << termShift);
    this.length++;
  }

  termAt(at: number): number {
    return (this.tags[at] ?? 0) >>> termShift;
  }

  /**
   * Puts the ranges from `from` on in order and drops each that overlaps the one kept before it. Of ranges with one
   * start the longest is kept. Needed where several terms found them; one term's are in order already.
   */
  normalize(from: number): void {
    const order = Array.from({ length: this.length - from }, (_, at) => from + at);
    const { starts, ends, tags } = this;
    order.sort(
      (left, right) => (starts[left] ?? 0) - (starts[right] ?? 0) || (ends[right] ?? 0) - (ends[left] ?? 0),
    );
    const sorted = order.map((at) => [starts[at] ?? 0, ends[at] ?? 0, tags[at] ?? 0] as const);
    this.length = from;
    let lastStart = -1;
    let lastEnd = -1;
    for (const [start, end, tag] of sorted) {
      if (start < lastEnd || (start === lastStart && end === lastEnd)) continue;
      starts[this.length] = start;
      ends[this.length] = end;
      tags[this.length] = tag;
      this.length++;
      lastStart = start;
      lastEnd = end;
    }
  }

  #grow(): void {
    const size = this.starts.length * 2;
    const starts = new Uint32Array(size);
    const ends = new Uint32Array(size);
    const tags = new Uint8Array(size);
    starts.set(this.starts);
    ends.set(this.ends);
    tags.set(this.tags);
    this.starts = starts;
    this.ends = ends;
    this.tags = tags;
  }
}

/** Lower-case, upper-case, digit, other ASCII word characters, bytes of non-ASCII letters, and everything else. */
const byteClasses = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x61 && byte <= 0x7a) return 1;
  if (byte >= 0x41 && byte <= 0x5a) return 2;
  if (byte >= 0x30 && byte <= 0x39) return 3;
  if (byte >= 0x80) return 4;
  return 0;
});

/**
 * Whether `[start, end)` begins and ends where the kind of character changes: at a space or sign, at an underscore,
 * at the hump of a camel. `low` and `high` bound what may be looked at.
 */
export function edgesOf(bytes: Uint8Array, start: number, end: number, low: number, high: number): number {
  let edges = 0;
  if (start === low || byteClasses[bytes[start - 1] ?? 0] !== byteClasses[bytes[start] ?? 0])
    edges |= startsAtEdge;
  if (end === high || byteClasses[bytes[end] ?? 0] !== byteClasses[bytes[end - 1] ?? 0]) edges |= endsAtEdge;
  return edges;
}
